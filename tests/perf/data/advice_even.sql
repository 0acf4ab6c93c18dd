-- SPDX-License-Identifier: PostgreSQL
-- Eight tables of the same size, some 320 MB together, each with a key.
\set ON_ERROR_STOP on
SELECT format('CREATE TABLE part_%s AS SELECT i AS id, i %% 1000 AS customer, md5(i::text) AS code,'
              ' now() - i * interval ''1 minute'' AS at, repeat(chr(97 + i %% 26), 40) AS note'
              ' FROM generate_series(1, %s) i', n, (300000 * :scale)::int)
FROM generate_series(1, 8) n \gexec
SELECT format('ALTER TABLE part_%s ADD PRIMARY KEY (id)', n) FROM generate_series(1, 8) n \gexec
VACUUM ANALYZE;
CHECKPOINT;
