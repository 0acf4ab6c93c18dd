-- The demo database: "Meridian Parcels", a carrier that picks up, sorts and delivers parcels.
-- Everything is derived from row numbers and fixed seeds, so that each filling gives the same rows.
-- This stage makes what all others refer to, and the reference data.

CREATE SCHEMA ref;
CREATE SCHEMA crm;
CREATE SCHEMA net;
CREATE SCHEMA ops;
CREATE SCHEMA fleet;
CREATE SCHEMA hr;
CREATE SCHEMA billing;
CREATE SCHEMA audit;
COMMENT ON SCHEMA ref IS 'What changes seldom: countries, currencies, holidays';
COMMENT ON SCHEMA crm IS 'Customers, their contracts and what they tell us';
COMMENT ON SCHEMA net IS 'Depots, routes and lockers';
COMMENT ON SCHEMA ops IS 'Parcels on their way';
COMMENT ON SCHEMA fleet IS 'Vehicles, drivers and tours';
COMMENT ON SCHEMA hr IS 'Employees and payroll';
COMMENT ON SCHEMA billing IS 'Invoices, payments and the ledger';
COMMENT ON SCHEMA audit IS 'Who did what, and when';

CREATE TYPE ops.event_kind AS ENUM
    ('accepted', 'sorted', 'loaded', 'attempted', 'delivered', 'returned');
CREATE TYPE ops.service AS ENUM ('economy', 'standard', 'express', 'overnight');
CREATE TYPE net.geo_point AS (latitude double precision, longitude double precision);
CREATE DOMAIN billing.money_amount AS numeric(12, 2);
CREATE DOMAIN crm.email AS text CHECK (VALUE ~ '^[^@ ]+@[^@ ]+\.[^@ ]+$');

CREATE FUNCTION net.distance_km(a net.geo_point, b net.geo_point) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
        SELECT 12742 * asin(sqrt(power(sin(radians((b).latitude - (a).latitude) / 2), 2)
            + cos(radians((a).latitude)) * cos(radians((b).latitude))
            * power(sin(radians((b).longitude - (a).longitude) / 2), 2)))
    $$;
COMMENT ON FUNCTION net.distance_km IS 'As the crow flies';

CREATE FUNCTION audit.touch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        NEW.changed_at := now();
        RETURN NEW;
    END
    $$;

-- ref

CREATE TABLE ref.country (
    code char(2) PRIMARY KEY,
    name text NOT NULL UNIQUE,
    calling_code text NOT NULL,
    in_customs_union boolean NOT NULL DEFAULT true
);
INSERT INTO ref.country VALUES
    ('AT', 'Austria', '+43', true), ('BE', 'Belgium', '+32', true), ('CH', 'Switzerland', '+41', false),
    ('CZ', 'Czechia', '+420', true), ('DE', 'Germany', '+49', true), ('DK', 'Denmark', '+45', true),
    ('ES', 'Spain', '+34', true), ('FR', 'France', '+33', true), ('GB', 'United Kingdom', '+44', false),
    ('IT', 'Italy', '+39', true), ('LU', 'Luxembourg', '+352', true), ('NL', 'Netherlands', '+31', true),
    ('NO', 'Norway', '+47', false), ('PL', 'Poland', '+48', true), ('PT', 'Portugal', '+351', true),
    ('SE', 'Sweden', '+46', true);

CREATE TABLE ref.currency (
    code char(3) PRIMARY KEY,
    name text NOT NULL,
    decimals smallint NOT NULL DEFAULT 2
);
INSERT INTO ref.currency VALUES
    ('EUR', 'Euro', 2), ('CHF', 'Swiss franc', 2), ('CZK', 'Czech koruna', 2),
    ('DKK', 'Danish krone', 2), ('GBP', 'Pound sterling', 2), ('NOK', 'Norwegian krone', 2),
    ('PLN', 'Polish zloty', 2), ('SEK', 'Swedish krona', 2);

CREATE TABLE ref.region (
    region_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    country_code char(2) NOT NULL REFERENCES ref.country,
    name text NOT NULL,
    UNIQUE (country_code, name)
);
INSERT INTO ref.region (country_code, name)
SELECT code, compass || ' ' || name
FROM ref.country, unnest(ARRAY['Northern', 'Southern', 'Western', 'Eastern', 'Central']) compass
ORDER BY code, compass;

CREATE TABLE ref.city (
    city_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    region_id int NOT NULL REFERENCES ref.region,
    name text NOT NULL,
    population int NOT NULL CHECK (population > 0),
    location net.geo_point NOT NULL
);
INSERT INTO ref.city (region_id, name, population, location)
SELECT 1 + n % 80,
       (ARRAY['Alten', 'Born', 'Cald', 'Dor', 'Elm', 'Fern', 'Gild', 'Hart', 'Ister', 'Kron', 'Lind',
              'Mar', 'Nord', 'Ost', 'Port', 'Ross', 'Sand', 'Tal', 'Ulm', 'Wald'])[1 + n % 20]
       || (ARRAY['berg', 'burg', 'dale', 'feld', 'ford', 'haven', 'mont', 'stadt', 'ville', 'wick',
                 'minster'])[1 + n / 20 % 11],
       5000 + n * 7919 % 800000,
       ROW(43 + n * 37 % 1500 / 100.0, 2 + n * 53 % 2000 / 100.0)::net.geo_point
FROM generate_series(0, 1199) n;

CREATE TABLE ref.postal_code (
    postal_code text NOT NULL,
    country_code char(2) NOT NULL REFERENCES ref.country,
    city_id int NOT NULL REFERENCES ref.city,
    PRIMARY KEY (country_code, postal_code)
);
INSERT INTO ref.postal_code
SELECT lpad((10000 + n * 3)::text, 5, '0'), r.country_code, c.city_id
FROM generate_series(0, 11999) n
JOIN ref.city c ON c.city_id = 1 + n % 1200
JOIN ref.region r USING (region_id);

CREATE TABLE ref.holiday (
    country_code char(2) NOT NULL REFERENCES ref.country,
    day date NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (country_code, day)
);
INSERT INTO ref.holiday
SELECT code, make_date(year, month, day), holiday
FROM ref.country, generate_series(2023, 2026) year,
     (VALUES (1, 1, 'New Year''s Day'), (5, 1, 'Labour Day'), (12, 25, 'Christmas Day'),
             (12, 26, 'Second Day of Christmas')) AS h (month, day, holiday);

CREATE TABLE ref.exchange_rate (
    currency_code char(3) NOT NULL REFERENCES ref.currency,
    day date NOT NULL,
    rate numeric(14, 6) NOT NULL CHECK (rate > 0),
    PRIMARY KEY (currency_code, day)
);
INSERT INTO ref.exchange_rate
SELECT code, date '2024-01-01' + d, round((1 + length(name) + sin(d / 40.0) / 20)::numeric, 6)
FROM ref.currency, generate_series(0, 545) d
WHERE code <> 'EUR';

CREATE TABLE ref.tax_rate (
    tax_rate_id int PRIMARY KEY,
    country_code char(2) NOT NULL REFERENCES ref.country,
    percent numeric(5, 2) NOT NULL,
    valid_from date NOT NULL
);
INSERT INTO ref.tax_rate
SELECT row_number() OVER (ORDER BY code), code, 17 + ascii(code) % 9, date '2020-01-01'
FROM ref.country;

-- net

CREATE TABLE net.depot (
    depot_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code text NOT NULL UNIQUE,
    city_id int NOT NULL REFERENCES ref.city,
    parent_depot_id int REFERENCES net.depot,
    location net.geo_point NOT NULL,
    opened_on date NOT NULL,
    parcels_per_hour int NOT NULL
);
COMMENT ON COLUMN net.depot.parent_depot_id IS 'The hub that feeds it; hubs have none';
INSERT INTO net.depot (code, city_id, parent_depot_id, location, opened_on, parcels_per_hour)
SELECT 'D' || lpad(n::text, 3, '0'), c.city_id, CASE WHEN n > 12 THEN 1 + n % 12 END, c.location,
       date '2001-03-01' + n * 29, CASE WHEN n > 12 THEN 4000 ELSE 30000 END
FROM generate_series(1, 240) n
JOIN ref.city c ON c.city_id = n * 5
ORDER BY n;

CREATE TABLE net.depot_opening_hours (
    depot_id int NOT NULL REFERENCES net.depot,
    weekday smallint NOT NULL CHECK (weekday BETWEEN 1 AND 7),
    hours int4range NOT NULL,
    PRIMARY KEY (depot_id, weekday)
);
INSERT INTO net.depot_opening_hours
SELECT depot_id, weekday, int4range(6 + depot_id % 3, 20 + depot_id % 4)
FROM net.depot, generate_series(1, 6) weekday;

CREATE TABLE net.sort_plan (
    sort_plan_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    depot_id int NOT NULL REFERENCES net.depot,
    valid daterange NOT NULL,
    chutes int[] NOT NULL
);
INSERT INTO net.sort_plan (depot_id, valid, chutes)
SELECT depot_id, daterange(date '2024-01-01' + q * 91, date '2024-01-01' + (q + 1) * 91),
       ARRAY(SELECT (depot_id * 31 + q * 7 + c * 13) % 240 + 1 FROM generate_series(1, 48) c)
FROM net.depot, generate_series(0, 5) q;

CREATE TABLE net.route (
    route_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_depot_id int NOT NULL REFERENCES net.depot,
    to_depot_id int NOT NULL REFERENCES net.depot,
    kilometres numeric(7, 1) NOT NULL,
    CHECK (from_depot_id <> to_depot_id)
);
INSERT INTO net.route (from_depot_id, to_depot_id, kilometres)
SELECT a.depot_id, b.depot_id, round(net.distance_km(a.location, b.location)::numeric, 1)
FROM net.depot a
JOIN net.depot b ON a.depot_id <> b.depot_id AND (a.depot_id + b.depot_id) % 6 = 0;

CREATE TABLE net.locker (
    locker_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    depot_id int NOT NULL REFERENCES net.depot,
    label text NOT NULL,
    address text NOT NULL
);
INSERT INTO net.locker (depot_id, label, address)
SELECT 1 + n % 240, 'L' || lpad(n::text, 5, '0'),
       (ARRAY['Station Square', 'High Street', 'Mill Lane', 'Market Place', 'Harbour Road',
              'Ring Road'])[1 + n % 6] || ' ' || 1 + n % 190
FROM generate_series(1, 4000) n;

CREATE TABLE net.locker_compartment (
    locker_id int NOT NULL REFERENCES net.locker,
    number smallint NOT NULL,
    size char(1) NOT NULL CHECK (size IN ('S', 'M', 'L')),
    out_of_order boolean NOT NULL DEFAULT false,
    PRIMARY KEY (locker_id, number)
);
INSERT INTO net.locker_compartment
SELECT locker_id, number, (ARRAY['S', 'M', 'L'])[1 + number % 3], (locker_id * number) % 97 = 0
FROM net.locker, generate_series(1, 30) number;

-- hr

CREATE TABLE hr.department (
    department_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    cost_centre int NOT NULL
);
INSERT INTO hr.department (name, cost_centre)
SELECT name, 1000 + n * 10
FROM unnest(ARRAY['Board', 'Operations', 'Sorting', 'Delivery', 'Fleet', 'Customer care', 'Sales',
                  'Finance', 'People', 'Information technology', 'Legal', 'Property'])
     WITH ORDINALITY AS d (name, n);

CREATE TABLE hr.position (
    position_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    grade smallint NOT NULL,
    monthly_salary billing.money_amount NOT NULL
);
INSERT INTO hr.position (title, grade, monthly_salary)
SELECT (ARRAY['Trainee', 'Sorter', 'Driver', 'Dispatcher', 'Clerk', 'Engineer', 'Analyst',
              'Manager'])[1 + n / 5] || ' ' || 1 + n % 5, n / 5, 2100 + n * 145
FROM generate_series(0, 39) n;

CREATE TABLE hr.employee (
    employee_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    department_id int NOT NULL REFERENCES hr.department,
    position_id int NOT NULL REFERENCES hr.position,
    manager_id int REFERENCES hr.employee,
    given_name text NOT NULL,
    family_name text NOT NULL,
    born_on date NOT NULL,
    hired_on date NOT NULL,
    left_on date,
    full_name text GENERATED ALWAYS AS (given_name || ' ' || family_name) STORED,
    changed_at timestamptz NOT NULL DEFAULT '2025-06-30 22:00:00Z',
    CHECK (left_on IS NULL OR left_on >= hired_on)
);
INSERT INTO hr.employee (department_id, position_id, manager_id, given_name, family_name, born_on,
                         hired_on, left_on)
SELECT 1 + n % 12, 1 + n * 7 % 40, CASE WHEN n > 20 THEN 1 + n % 20 END,
       (ARRAY['Ada', 'Bruno', 'Chloé', 'Dmitri', 'Elif', 'Frida', 'Gaël', 'Hana', 'Ivo', 'Jürgen',
              'Katja', 'Luís', 'Mårten', 'Nadia', 'Ole', 'Petra', 'Quirin', 'Rosa', 'Søren',
              'Tereza', 'Umberto', 'Věra', 'Wout', 'Xavier', 'Yann', 'Zoë'])[1 + n % 26],
       (ARRAY['Almeida', 'Bakker', 'Černý', 'Dubois', 'Eriksen', 'Ferrari', 'Großmann', 'Horváth',
              'Ionescu', 'Janssens', 'Kowalska', 'Lindqvist', 'Müller', 'Nowak', 'O''Brien',
              'Pérez', 'Rossi', 'Śliwa', 'Thorsen', 'Unger', 'Vogel', 'Weiß', 'Yılmaz',
              'Zimmermann'])[1 + n / 26 % 24],
       date '1960-01-01' + n * 17 % 16000, date '2001-03-01' + n * 23 % 8700,
       CASE WHEN n % 9 = 0 THEN date '2025-01-31' + n % 120 END
FROM generate_series(1, 6000) n
ORDER BY n;
CREATE TRIGGER employee_changed BEFORE UPDATE ON hr.employee
    FOR EACH ROW EXECUTE FUNCTION audit.touch();

CREATE TABLE hr.absence (
    employee_id int NOT NULL REFERENCES hr.employee,
    days daterange NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (employee_id, days)
);
INSERT INTO hr.absence
SELECT employee_id, daterange(date '2024-01-08' + k * 61 + employee_id % 50,
                              date '2024-01-08' + k * 61 + employee_id % 50 + 1 + employee_id % 10),
       (ARRAY['holiday', 'sickness', 'training', 'parental leave'])[1 + (employee_id + k) % 4]
FROM hr.employee, generate_series(0, 8) k;

CREATE TABLE hr.training (
    training_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    employee_id int NOT NULL REFERENCES hr.employee,
    topic text NOT NULL,
    passed_on date,
    certificate xml
);
INSERT INTO hr.training (employee_id, topic, passed_on)
SELECT 1 + n * 11 % 6000,
       (ARRAY['Dangerous goods', 'Forklift', 'First aid', 'Data protection', 'Fire safety',
              'Load securing'])[1 + n % 6],
       CASE WHEN n % 7 > 0 THEN date '2022-05-01' + n % 1100 END
FROM generate_series(1, 14000) n;

CREATE TABLE hr.payslip (
    employee_id int NOT NULL REFERENCES hr.employee,
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    gross billing.money_amount NOT NULL,
    deductions billing.money_amount NOT NULL,
    net billing.money_amount GENERATED ALWAYS AS (gross - deductions) STORED,
    PRIMARY KEY (employee_id, month)
);
INSERT INTO hr.payslip (employee_id, month, gross, deductions)
SELECT employee_id, (date '2024-01-01' + m * interval '1 month')::date, monthly_salary,
       round(monthly_salary * (0.28 + employee_id % 9 / 100.0), 2)
FROM hr.employee JOIN hr.position USING (position_id), generate_series(0, 17) m;

ALTER TABLE hr.payslip ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_payslip ON hr.payslip FOR SELECT
    USING (employee_id = current_setting('meridian.employee_id', true)::int);
