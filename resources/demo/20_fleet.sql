-- Vehicles and where they were: a partitioned table of many narrow rows.
SELECT setseed(0.33);

CREATE TABLE fleet.vehicle_model (
    model_id int PRIMARY KEY,
    maker text NOT NULL,
    name text NOT NULL,
    payload_kg int NOT NULL,
    electric boolean NOT NULL
);
INSERT INTO fleet.vehicle_model
SELECT n, (ARRAY['Aurelia', 'Borealis', 'Castor', 'Dynamo'])[1 + n % 4], 'V' || n * 10, 600 + n * 90,
       n % 3 = 0
FROM generate_series(1, 24) n;

CREATE TABLE fleet.vehicle (
    vehicle_id int PRIMARY KEY,
    model_id int NOT NULL REFERENCES fleet.vehicle_model,
    depot_id int NOT NULL REFERENCES net.depot,
    plate text NOT NULL UNIQUE,
    bought_on date NOT NULL,
    mac macaddr
);
INSERT INTO fleet.vehicle
SELECT n, 1 + n % 24, 1 + n % 240, 'MP ' || lpad(n::text, 5, '0'), date '2016-01-01' + n % 3200,
       ('02' || lpad(to_hex(n), 10, '0'))::macaddr
FROM generate_series(1, 3600) n;

CREATE TABLE fleet.maintenance (
    maintenance_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    vehicle_id int NOT NULL REFERENCES fleet.vehicle,
    done_on date NOT NULL,
    workshop text NOT NULL,
    cost billing.money_amount NOT NULL,
    parts jsonb NOT NULL
);
INSERT INTO fleet.maintenance (vehicle_id, done_on, workshop, cost, parts)
SELECT 1 + n % 3600, date '2022-01-01' + n % 1270, 'Workshop ' || n % 40,
       round((80 + random() * 2400)::numeric, 2),
       jsonb_build_array(jsonb_build_object('part', 'P' || n % 700, 'count', 1 + n % 4))
FROM generate_series(1, 30000) n;

CREATE TABLE fleet.fuel_transaction (
    fuel_transaction_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    vehicle_id int NOT NULL REFERENCES fleet.vehicle,
    at timestamptz NOT NULL,
    litres numeric(7, 2),
    kilowatt_hours numeric(7, 2),
    price billing.money_amount NOT NULL,
    CHECK ((litres IS NULL) <> (kilowatt_hours IS NULL))
);
INSERT INTO fleet.fuel_transaction (vehicle_id, at, litres, kilowatt_hours, price)
SELECT 1 + n % 3600, timestamptz '2024-01-01 05:00Z' + n * interval '480 s',
       CASE WHEN n % 3 > 0 THEN round((20 + random() * 60)::numeric, 2) END,
       CASE WHEN n % 3 = 0 THEN round((15 + random() * 50)::numeric, 2) END,
       round((25 + random() * 90)::numeric, 2)
FROM generate_series(1, 90000) n;

CREATE TABLE fleet.driver (
    driver_id int PRIMARY KEY,
    employee_id int NOT NULL UNIQUE REFERENCES hr.employee,
    licence_class text NOT NULL,
    licence_until date NOT NULL
);
INSERT INTO fleet.driver
SELECT n, 1500 + n, (ARRAY['B', 'C1', 'CE'])[1 + n % 3], date '2026-01-01' + n % 3000
FROM generate_series(1, 4000) n;

CREATE TABLE fleet.shift (
    driver_id int NOT NULL REFERENCES fleet.driver,
    during tstzrange NOT NULL,
    vehicle_id int REFERENCES fleet.vehicle,
    PRIMARY KEY (driver_id, during)
);
INSERT INTO fleet.shift
SELECT driver_id, tstzrange(timestamptz '2025-04-01 05:00Z' + d * interval '1 day',
                            timestamptz '2025-04-01 13:30Z' + d * interval '1 day'),
       1 + driver_id % 3600
FROM fleet.driver, generate_series(0, 13) d;

CREATE TABLE fleet.tour (
    tour_id int PRIMARY KEY,
    driver_id int NOT NULL REFERENCES fleet.driver,
    vehicle_id int NOT NULL REFERENCES fleet.vehicle,
    day date NOT NULL,
    path path
);
INSERT INTO fleet.tour
SELECT n, 1 + n % 4000, 1 + n % 3600, date '2025-01-01' + n / 500,
       format('[(%s,%s),(%s,%s),(%s,%s)]', n % 90, n % 70, n % 80, n % 60, n % 50, n % 40)::path
FROM generate_series(1, 90000) n;

CREATE TABLE fleet.vehicle_position (
    vehicle_id int NOT NULL,
    at timestamptz NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    speed_kmh real,
    PRIMARY KEY (vehicle_id, at)
) PARTITION BY RANGE (at);
CREATE TABLE fleet.vehicle_position_2025_01 PARTITION OF fleet.vehicle_position
    FOR VALUES FROM ('2025-01-01 00:00Z') TO ('2025-02-01 00:00Z');
CREATE TABLE fleet.vehicle_position_2025_02 PARTITION OF fleet.vehicle_position
    FOR VALUES FROM ('2025-02-01 00:00Z') TO ('2025-03-01 00:00Z');
CREATE TABLE fleet.vehicle_position_2025_03 PARTITION OF fleet.vehicle_position
    FOR VALUES FROM ('2025-03-01 00:00Z') TO ('2025-04-01 00:00Z');
CREATE TABLE fleet.vehicle_position_2025_04 PARTITION OF fleet.vehicle_position
    FOR VALUES FROM ('2025-04-01 00:00Z') TO ('2025-05-01 00:00Z');
CREATE TABLE fleet.vehicle_position_2025_05 PARTITION OF fleet.vehicle_position
    FOR VALUES FROM ('2025-05-01 00:00Z') TO ('2025-06-01 00:00Z');
CREATE TABLE fleet.vehicle_position_later PARTITION OF fleet.vehicle_position DEFAULT;
INSERT INTO fleet.vehicle_position
SELECT 1 + n % 3600, timestamptz '2025-01-01 00:00Z' + n * interval '24.8 s',
       43 + random() * 15, 2 + random() * 20, floor(random() * 110)
FROM generate_series(1, 600000) n;
