-- SPDX-License-Identifier: PostgreSQL
-- One table of 2 million rows at scale 1 with eight indexes of some 45 MB each.
\set ON_ERROR_STOP on
SET synchronous_commit = off;

CREATE TABLE measured (id bigint PRIMARY KEY, a bigint, b bigint, c bigint, d bigint, e bigint,
                       f bigint, g bigint);
INSERT INTO measured
    SELECT i, hashint8extended(i, 1), hashint8extended(i, 2), hashint8extended(i, 3),
           hashint8extended(i, 4), hashint8extended(i, 5), hashint8extended(i, 6),
           hashint8extended(i, 7)
    FROM generate_series(1, (2000000 * :scale)::bigint) i;
SELECT format('CREATE INDEX ON measured (%I)', attname) FROM pg_attribute
WHERE attrelid = 'measured'::regclass AND attnum > 1 \gexec
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
