-- SPDX-License-Identifier: PostgreSQL
-- Rows of 200 MB as COPY sends them: text that compresses, bytes that do not, and a small row on either side. Servers from 11.
CREATE SCHEMA huge;
CREATE TABLE huge.rows (id integer PRIMARY KEY, what text, t text, b bytea);
ALTER TABLE huge.rows ALTER b SET STORAGE EXTERNAL;
INSERT INTO huge.rows VALUES (1, 'small', 'x', '\x00');
INSERT INTO huge.rows VALUES (2, 'compressible', repeat('0123456789', 20000000), NULL);
INSERT INTO huge.rows SELECT 3, 'incompressible', NULL, string_agg(sha512(i::text::bytea), '' ORDER BY i)
    FROM generate_series(1, 1562500) i;
INSERT INTO huge.rows VALUES (4, 'small', '', '');
