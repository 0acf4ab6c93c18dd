-- SPDX-License-Identifier: PostgreSQL
-- 20 children of 500,000 rows at scale 1, each with a foreign key to the one parent.
\set ON_ERROR_STOP on
SET synchronous_commit = off;

CREATE TABLE parent (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO parent
    SELECT i, 'parent ' || i FROM generate_series(1, (500000 * :scale)::integer) i;
SELECT format($$
    CREATE TABLE child_%1$s (id integer NOT NULL, parent integer NOT NULL, note text);
    INSERT INTO child_%1$s
        SELECT i, 1 + (hashint8(i * %1$s) & 2147483647) %% %2$s, 'note ' || i
        FROM generate_series(1, %2$s) i;
    ALTER TABLE child_%1$s ADD PRIMARY KEY (id),
                           ADD FOREIGN KEY (parent) REFERENCES parent;
    $$, n, (500000 * :scale)::bigint) FROM generate_series(1, 20) n \gexec
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
