-- SPDX-License-Identifier: PostgreSQL
-- Three tables of 5 million integers with primary keys at scale 1.
\set ON_ERROR_STOP on
SET synchronous_commit = off;

SELECT format($$
    CREATE TABLE integers_%1$s (id integer NOT NULL);
    INSERT INTO integers_%1$s SELECT generate_series(1, %2$s);
    ALTER TABLE integers_%1$s ADD PRIMARY KEY (id);
    $$, n, (5000000 * :scale)::bigint) FROM generate_series(1, 3) n \gexec
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
