-- SPDX-License-Identifier: PostgreSQL
-- 5,000 tables of 200 rows at scale 1.
\set ON_ERROR_STOP on
SET synchronous_commit = off;

SELECT format($$
    CREATE TABLE t%1$s (id serial PRIMARY KEY, name text NOT NULL DEFAULT '',
                        amount numeric CHECK (amount >= 0), at timestamptz DEFAULT now());
    CREATE INDEX ON t%1$s (at);
    INSERT INTO t%1$s SELECT i, 'name ' || i * %1$s, i * 1.5, timestamptz '2024-01-01 00:00:00+00'
                             + i * interval '1 hour' FROM generate_series(1, 200) i;
    $$, n) FROM generate_series(1, greatest((5000 * :scale)::int, 1)) n \gexec
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
