-- Parcels and what happens to some of them.
SELECT setseed(0.55);

CREATE TABLE ops.shipment (
    shipment_id int PRIMARY KEY,
    customer_id int NOT NULL,
    ordered_at timestamptz NOT NULL,
    service ops.service NOT NULL,
    pickup interval NOT NULL
);
INSERT INTO ops.shipment
SELECT n, 1 + floor(random() * 30000)::int, timestamptz '2024-01-01 00:00Z' + n * interval '348 s',
       (ARRAY['economy', 'standard', 'express', 'overnight']::ops.service[])
           [1 + floor(random() * 4)::int],
       floor(random() * 600) * interval '1 min'
FROM generate_series(1, 135000) n;

CREATE TABLE ops.parcel (
    parcel_id int NOT NULL,
    shipment_id int NOT NULL,
    barcode text NOT NULL,
    recipient text NOT NULL,
    street text NOT NULL,
    city_id int NOT NULL,
    weight_kg numeric(6, 3) NOT NULL,
    millimetres int[] NOT NULL,
    value billing.money_amount,
    options jsonb
);
INSERT INTO ops.parcel
SELECT n, 1 + (n - 1) / 3, '00340' || lpad((n::bigint * 7919 % 99999999999)::text, 13, '0'),
       (ARRAY['Alva', 'Benoît', 'Cees', 'Dorota', 'Emil', 'Françoise', 'Giulia', 'Håkon', 'Inés',
              'Jiří', 'Kaja', 'Lars'])[1 + floor(random() * 12)::int] || ' '
       || (ARRAY['Andersson', 'Bianchi', 'Claes', 'Dvořák', 'Engel', 'Fournier', 'García', 'Huber',
                 'Jansen', 'Król', 'Lefèvre', 'Meier'])[1 + floor(random() * 12)::int],
       (ARRAY['Ahornweg', 'Baker Street', 'Chemin Vert', 'Dorpsstraat', 'Elm Road', 'Fjordgata',
              'Gran Vía', 'Hlavní'])[1 + n % 8] || ' ' || 1 + floor(random() * 300)::int,
       1 + floor(random() * 1200)::int, round((0.1 + random() * 30)::numeric, 3),
       ARRAY[100 + n % 500, 80 + n % 300, 50 + n % 200],
       CASE WHEN n % 4 = 0 THEN round((random() * 900)::numeric, 2) END,
       CASE WHEN n % 3 = 0 THEN jsonb_build_object('sms', n % 2 = 0, 'age_check', n % 30 = 0,
           'window', 8 + n % 10) END
FROM generate_series(1, 400000) n;

CREATE TABLE ops.delivery_attempt (
    attempt_id int PRIMARY KEY,
    parcel_id int NOT NULL,
    attempted_at timestamptz NOT NULL,
    outcome text NOT NULL,
    next_attempt tstzrange
);
INSERT INTO ops.delivery_attempt
SELECT n, 1 + floor(random() * 400000)::int, timestamptz '2024-01-02 07:00Z' + n * interval '392 s',
       (ARRAY['nobody at home', 'address unknown', 'refused', 'locker full'])
           [1 + floor(random() * 4)::int],
       CASE WHEN n % 2 = 0 THEN tstzrange(timestamptz '2024-01-03 07:00Z' + n * interval '392 s',
           timestamptz '2024-01-03 11:00Z' + n * interval '392 s') END
FROM generate_series(1, 120000) n;

CREATE TABLE ops.damage_report (
    damage_report_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    parcel_id int NOT NULL,
    reported_at timestamptz NOT NULL,
    description text NOT NULL,
    photo bytea
);
-- Photographs do not compress, and are stored out of line.
INSERT INTO ops.damage_report (parcel_id, reported_at, description, photo)
SELECT 1 + n * 249, timestamptz '2024-01-05 12:00Z' + n * interval '5 h',
       (ARRAY['Corner crushed', 'Wet', 'Torn open', 'Label lost'])[1 + n % 4],
       (SELECT decode(string_agg(md5(n * 1000 + k::bigint || 'photo'), ''), 'hex')
        FROM generate_series(1, 500 + n % 700) k)
FROM generate_series(1, 1600) n;

CREATE TABLE ops.return_request (
    return_request_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    parcel_id int NOT NULL,
    requested_at timestamptz NOT NULL,
    reason text,
    label_uuid uuid NOT NULL UNIQUE
);
INSERT INTO ops.return_request (parcel_id, requested_at, reason, label_uuid)
SELECT 1 + floor(random() * 400000)::int, timestamptz '2024-01-10 00:00Z' + n * interval '782 s',
       (ARRAY['too small', 'not as described', 'changed my mind', NULL])[1 + n % 4],
       md5('return' || n)::uuid
FROM generate_series(1, 30000) n;

CREATE TABLE ops.pickup_request (
    pickup_request_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL,
    day date NOT NULL,
    earliest time NOT NULL,
    parcels int NOT NULL
);
INSERT INTO ops.pickup_request (customer_id, day, earliest, parcels)
SELECT 1 + floor(random() * 30000)::int, date '2025-01-01' + n / 500,
       time '08:00' + n % 20 * interval '30 min', 1 + n % 25
FROM generate_series(1, 90000) n;

CREATE TABLE ops.customs_declaration (
    declaration_id int PRIMARY KEY,
    shipment_id int NOT NULL REFERENCES ops.shipment,
    from_country char(2) NOT NULL REFERENCES ref.country,
    to_country char(2) NOT NULL REFERENCES ref.country,
    declared_at timestamptz NOT NULL
);
INSERT INTO ops.customs_declaration
SELECT n, n * 6, 'CH', (ARRAY['DE', 'FR', 'IT', 'AT'])[1 + n % 4],
       timestamptz '2024-01-01 09:00Z' + n * interval '38 min'
FROM generate_series(1, 20000) n;

CREATE TABLE ops.customs_item (
    declaration_id int NOT NULL REFERENCES ops.customs_declaration,
    item smallint NOT NULL,
    goods text NOT NULL,
    tariff_number text NOT NULL,
    value billing.money_amount NOT NULL,
    PRIMARY KEY (declaration_id, item)
);
INSERT INTO ops.customs_item
SELECT 1 + (n - 1) / 3, 1 + (n - 1) % 3,
       (ARRAY['Watch', 'Chocolate', 'Shoes', 'Book', 'Spare part', 'Cosmetics'])[1 + n % 6],
       lpad((n * 7919 % 99999999)::text, 8, '0'), round((5 + random() * 700)::numeric, 2)
FROM generate_series(1, 30000) n;
