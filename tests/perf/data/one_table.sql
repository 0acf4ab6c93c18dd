-- SPDX-License-Identifier: PostgreSQL
-- One table of 400 MB at scale 1.
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET max_parallel_workers_per_gather = 0;

BEGIN;
CREATE TABLE measurement (
    id bigint NOT NULL,
    device uuid NOT NULL,
    taken_at timestamptz NOT NULL,
    value double precision,
    comment text);
INSERT INTO measurement
    SELECT i, md5((i % 5000)::text)::uuid,
           timestamptz '2024-01-01 00:00:00+00' + i * interval '0.731 seconds',
           (hashint8(i) & 16777215) / 1024.0,
           CASE WHEN i % 4 = 0 THEN 'calibrated by ' || md5(i::text) END
    FROM generate_series(1, (4200000 * :scale)::bigint) i;
COMMIT;
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
