-- SPDX-License-Identifier: PostgreSQL
-- One table of 300 MB and twenty of 2 MB.
\set ON_ERROR_STOP on
CREATE TABLE long AS
SELECT i AS id, i % 5000 AS customer, md5(i::text) AS code, repeat(md5((i / 3)::text), 2) AS note
FROM generate_series(1, (2200000 * :scale)::int) i;
ALTER TABLE long ADD PRIMARY KEY (id);
SELECT format('CREATE TABLE short_%s AS SELECT i AS id, md5(i::text) AS code'
              ' FROM generate_series(1, %s) i', n, (30000 * :scale)::int)
FROM generate_series(1, 20) n \gexec
SELECT format('ALTER TABLE short_%s ADD PRIMARY KEY (id)', n) FROM generate_series(1, 20) n \gexec
VACUUM ANALYZE;
CHECKPOINT;
