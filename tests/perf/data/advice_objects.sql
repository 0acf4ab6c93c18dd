-- SPDX-License-Identifier: PostgreSQL
-- Six thousand large objects of 32 kB, and a table that names them.
\set ON_ERROR_STOP on
CREATE TABLE picture AS
SELECT i AS id, lo_from_bytea(0, decode((SELECT string_agg(md5((i * 1100 + j)::text), '')
                                         FROM generate_series(1, 2048) j), 'hex')) AS content
FROM generate_series(1, (6000 * :scale)::int + 1) i;
ALTER TABLE picture ADD PRIMARY KEY (id);
VACUUM ANALYZE;
CHECKPOINT;
