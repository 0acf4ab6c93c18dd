-- SPDX-License-Identifier: PostgreSQL
-- Three tables whose indexes are larger than their rows.
\set ON_ERROR_STOP on
SELECT format('CREATE TABLE book_%s AS SELECT i AS id, (hashint4(i) & 2147483647) AS account,'
              ' md5(i::text) AS reference, (hashint4(i + 7) & 2147483647) %% 100000 AS amount,'
              ' now() - (hashint4(i) & 1048575) * interval ''1 second'' AS at'
              ' FROM generate_series(1, %s) i', n, (450000 * :scale)::int)
FROM generate_series(1, 3) n \gexec
SELECT format('ALTER TABLE book_%s ADD PRIMARY KEY (id)', n) FROM generate_series(1, 3) n \gexec
SELECT format('CREATE INDEX ON book_%s (%s)', n, columns)
FROM generate_series(1, 3) n,
     unnest(ARRAY['account', 'reference', 'amount', 'at', 'account, amount', 'at, reference']) columns
\gexec
VACUUM ANALYZE;
CHECKPOINT;
