-- SPDX-License-Identifier: PostgreSQL
-- Documents of some 8 kB in two tables, nearly all of it in TOAST, 350 MB together.
\set ON_ERROR_STOP on
SELECT format('CREATE TABLE %s (id int PRIMARY KEY, title text, body text);'
              'ALTER TABLE %1$s ALTER body SET STORAGE EXTERNAL;'
              'INSERT INTO %1$s SELECT i, ''Document '' || i, (SELECT string_agg(md5((i * 300 + j)::text), '''')'
              ' FROM generate_series(1, 250) j) FROM generate_series(1, %s) i', name, count)
FROM (VALUES ('letter', (28000 * :scale)::int), ('report', (10000 * :scale)::int)) t(name, count) \gexec
VACUUM ANALYZE;
CHECKPOINT;
