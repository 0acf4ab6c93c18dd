-- SPDX-License-Identifier: PostgreSQL
-- Rows of some megabytes: compressible, incompressible, out of line, and all of it escaped by COPY.
CREATE TABLE every.wide_rows (id integer PRIMARY KEY, what text, t text, b bytea);
INSERT INTO every.wide_rows VALUES
    (1, 'compressible', repeat('abcdefghij', 600000), NULL),
    (2, 'every byte doubled by COPY', repeat(E'\t\n\\', 700000), NULL),
    (3, 'zeros', NULL, decode(repeat('00', 3000000), 'hex'));
INSERT INTO every.wide_rows SELECT 4, 'incompressible', NULL, decode(string_agg(md5(i::text), '' ORDER BY i), 'hex')
    FROM generate_series(1, 200000) i;
INSERT INTO every.wide_rows SELECT 5, 'incompressible text', string_agg(md5('t' || i), E'\n' ORDER BY i), NULL
    FROM generate_series(1, 100000) i;
INSERT INTO every.wide_rows VALUES (6, 'small, after the wide ones', '', '');
ALTER TABLE every.wide_rows ALTER t SET STORAGE EXTERNAL;

CREATE TABLE every.many_columns (id integer PRIMARY KEY);
DO $$
BEGIN
    EXECUTE (SELECT 'ALTER TABLE every.many_columns '
                    || string_agg(format('ADD COLUMN c%s %s', i, CASE i % 3 WHEN 0 THEN 'text' WHEN 1 THEN 'smallint'
                                                                            ELSE 'boolean' END), ', ' ORDER BY i)
             FROM generate_series(1, 1500) i);
    EXECUTE (SELECT 'INSERT INTO every.many_columns SELECT 1, '
                    || string_agg(CASE i % 3 WHEN 0 THEN quote_literal('v' || i % 10) WHEN 1 THEN i::text ELSE 'NULL' END,
                                  ', ' ORDER BY i)
             FROM generate_series(1, 1500) i);
    INSERT INTO every.many_columns (id) VALUES (2);
END
$$;
