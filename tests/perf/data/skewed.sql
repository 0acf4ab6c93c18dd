-- SPDX-License-Identifier: PostgreSQL
-- Skewed: 1.3 GB at scale 1, of which one table of 4 million rows holds over half; 50 small ones.
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION pg_temp.words(seed bigint, count int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(
        (ARRAY['order', 'invoice', 'customer', 'shipped', 'pending', 'northern', 'warehouse',
               'express', 'returned', 'damaged', 'gift', 'urgent', 'standard', 'quarterly',
               'discount', 'manual', 'review', 'approved', 'declined', 'partial', 'credit',
               'transfer', 'overseas', 'fragile', 'renewal', 'trial', 'upgrade', 'seasonal',
               'bulk', 'retail', 'agency', 'direct'])[1 + (hashint8(seed * 31 + i) & 31)], ' ')
    FROM generate_series(1, count) i
$$;

-- A pool of sentences: making one for each row would take longer than all the rest.
CREATE TEMP TABLE note AS
    SELECT i AS id, pg_temp.words(i, 3 + (i % 7)::int) AS text FROM generate_series(0, 9999) i;
ALTER TABLE note ADD PRIMARY KEY (id);
ANALYZE note;

BEGIN;
CREATE TABLE event (
    id bigint NOT NULL,
    reference uuid NOT NULL,
    amount numeric(14, 4),
    happened_at timestamptz NOT NULL,
    detail jsonb NOT NULL,
    note text);
INSERT INTO event
    SELECT i,
           md5(i::text)::uuid,
           (hashint8extended(i, 1) & 268435455) / 1000.0,
           timestamptz '2020-01-01 00:00:00+00' + i * interval '37.123457 seconds',
           jsonb_build_object('kind', i % 11, 'source', 'host-' || (hashint8(i) & 1023),
                              'ok', i % 5 <> 0, 'score', round((hashint8(i) & 65535) / 100.0, 2),
                              'tags', jsonb_build_array('t' || i % 17, 't' || i % 29)),
           note.text
    FROM generate_series(1, (4000000 * :scale)::bigint) i
         JOIN note ON note.id = (hashint8extended(i, 2) & 1073741823) % 10000;
ALTER TABLE event ADD PRIMARY KEY (id);
COMMIT;

SELECT format($$
    CREATE TABLE small_%1$s (id int PRIMARY KEY, owner uuid, price numeric(10, 2), added date,
                             title text, active boolean, weight double precision);
    INSERT INTO small_%1$s
        SELECT i, md5((i * %1$s)::text)::uuid, (hashint8(i + %1$s) & 1048575) / 100.0,
               date '2015-01-01' + i %% 4000, n.text || ' ' || i, i %% 3 = 0, i / (%1$s + 0.7)
        FROM generate_series(1, (36000 * %2$s)::int) i JOIN note n ON n.id = (i * %1$s) %% 10000;
    $$, n, :scale) FROM generate_series(1, 50) n \gexec
VACUUM (FREEZE, ANALYZE);
CHECKPOINT;
