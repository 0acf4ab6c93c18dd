-- The long pole: every scan of every parcel, more bytes than all other tables together.
SELECT setseed(0.22);

CREATE TABLE ops.scan_event (
    event_id bigint NOT NULL,
    parcel_id int NOT NULL,
    event_uuid uuid NOT NULL,
    occurred_at timestamptz NOT NULL,
    kind ops.event_kind NOT NULL,
    depot_id int NOT NULL,
    scanner text NOT NULL,
    weight_kg numeric(7, 3),
    location net.geo_point,
    details jsonb NOT NULL,
    note text
);
COMMENT ON TABLE ops.scan_event IS 'Every scan of every parcel; over half of the database';

-- What is costly to make is made once and used many times over.
CREATE TEMP TABLE reading ON COMMIT DROP AS
SELECT n AS slot, 1 + floor(random() * 240)::int AS depot_id, 'SC-' || 1000 + n % 900 AS scanner,
       CASE WHEN n % 3 = 0 THEN round((random() * 30)::numeric, 3) END AS weight_kg,
       ROW(round((43 + random() * 15)::numeric, 5)::float8,
           round((2 + random() * 20)::numeric, 5)::float8)::net.geo_point AS location,
       jsonb_build_object(
           'firmware', '7.' || n % 5 || '.' || n % 13, 'battery', floor(random() * 100),
           'signal', -40 - floor(random() * 60), 'operator', 1 + floor(random() * 6000),
           'belt', CASE WHEN n % 2 = 0 THEN jsonb_build_object(
               'line', n % 24, 'speed', round((1 + random())::numeric, 3)) END,
           'flags', jsonb_build_array(n % 7 = 0, n % 11 = 0)) AS details,
       CASE n % 5
           WHEN 0 THEN 'Left with neighbour at number ' || 1 + floor(random() * 200)::int
           WHEN 1 THEN 'Chute ' || floor(random() * 240)::int || ', tray '
               || upper(substr(md5(n::text), 1, 8))
           WHEN 2 THEN 'Label read at attempt ' || 1 + n % 3 END AS note
FROM generate_series(1, 100000) n;

DO $$
BEGIN
    FOR round IN 0..31 LOOP
        INSERT INTO ops.scan_event
        SELECT id, greatest(1, id / 8 - id % 8 * 2500), md5(id::text)::uuid,
               timestamptz '2024-01-01 00:00Z' + id * interval '14.7 s',
               (ARRAY['accepted', 'sorted', 'loaded', 'sorted', 'sorted', 'loaded', 'attempted',
                      CASE WHEN id % 41 = 0 THEN 'returned' ELSE 'delivered' END]
                   ::ops.event_kind[])[1 + id % 8],
               depot_id, scanner, weight_kg, location, details, note
        FROM (SELECT r.*, round * 100000 + slot AS id FROM reading r) AS numbered;
    END LOOP;
END
$$;
