-- SPDX-License-Identifier: PostgreSQL
-- Three thousand tables of two hundred rows, each with a key.
\set ON_ERROR_STOP on
SELECT format('CREATE TABLE small_%s (id int PRIMARY KEY, code text);'
              'INSERT INTO small_%1$s SELECT i, md5(i::text) FROM generate_series(1, 200) i', n)
FROM generate_series(1, (3000 * :scale)::int + 10) n \gexec
VACUUM ANALYZE;
CHECKPOINT;
