-- Customers, contracts and correspondence.
SELECT setseed(0.11);

CREATE TABLE crm.account_manager (
    account_manager_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    employee_id int NOT NULL UNIQUE REFERENCES hr.employee,
    region_id int NOT NULL REFERENCES ref.region
);
INSERT INTO crm.account_manager (employee_id, region_id)
SELECT 100 + n * 3, 1 + n % 80 FROM generate_series(0, 119) n;

CREATE TABLE crm.customer (
    customer_id int PRIMARY KEY,
    account_manager_id int REFERENCES crm.account_manager,
    name text NOT NULL,
    legal_form text,
    country_code char(2) NOT NULL REFERENCES ref.country,
    email crm.email NOT NULL,
    since date NOT NULL,
    preferences jsonb NOT NULL DEFAULT '{}',
    changed_at timestamptz NOT NULL DEFAULT '2025-06-30 22:00:00Z'
);
INSERT INTO crm.customer (customer_id, account_manager_id, name, legal_form, country_code, email,
                          since, preferences)
SELECT n, CASE WHEN n % 10 = 0 THEN 1 + n % 120 END,
       initcap(a) || ' ' || initcap(b) || CASE WHEN n % 3 = 0 THEN ' & Sons' ELSE '' END,
       (ARRAY['GmbH', 'S.A.', 'Ltd', 'B.V.', NULL, 'A/S', 's.r.o.'])[1 + n % 7],
       (ARRAY['AT', 'BE', 'CH', 'CZ', 'DE', 'DK', 'ES', 'FR', 'GB', 'IT', 'LU', 'NL', 'NO', 'PL',
              'PT', 'SE'])[1 + n % 16],
       'office' || n || '@' || a || '-' || b || '.example', date '2009-01-01' + n % 5900,
       jsonb_build_object('language', (ARRAY['de', 'en', 'fr', 'nl', 'pl'])[1 + n % 5],
                          'paperless', n % 4 > 0, 'notify', jsonb_build_array('mail', 'push'))
FROM (SELECT n, (ARRAY['amber', 'birch', 'cobalt', 'delta', 'ember', 'falcon', 'granite', 'harbour',
                       'iris', 'juniper', 'kestrel', 'lumen', 'meadow', 'north'])
                    [1 + floor(random() * 14)::int] AS a,
             (ARRAY['bakery', 'books', 'ceramics', 'design', 'electric', 'foods', 'garden', 'labs',
                    'machines', 'optics', 'pharma', 'sports', 'textiles', 'wines'])
                    [1 + floor(random() * 14)::int] AS b
      FROM generate_series(1, 30000) n) AS names;
CREATE TRIGGER customer_changed BEFORE UPDATE ON crm.customer
    FOR EACH ROW EXECUTE FUNCTION audit.touch();

CREATE TABLE crm.customer_address (
    customer_address_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL REFERENCES crm.customer,
    kind text NOT NULL CHECK (kind IN ('billing', 'pickup')),
    street text NOT NULL,
    city_id int NOT NULL REFERENCES ref.city
);
INSERT INTO crm.customer_address (customer_id, kind, street, city_id)
SELECT customer_id, kind,
       (ARRAY['Canal Street', 'Rue du Port', 'Lindenallee', 'Via Roma', 'Calle Mayor',
              'Stationsweg', 'Karlova', 'Nørregade'])[1 + customer_id % 8]
       || ' ' || 1 + floor(random() * 240)::int, 1 + floor(random() * 1200)::int
FROM crm.customer, unnest(ARRAY['billing', 'pickup']) kind;

CREATE TABLE crm.contact (
    contact_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL REFERENCES crm.customer,
    name text NOT NULL,
    phone text,
    "e-mail" crm.email
);
INSERT INTO crm.contact (customer_id, name, phone, "e-mail")
SELECT 1 + n % 30000,
       (ARRAY['Anna', 'Björn', 'Carla', 'Didier', 'Eva', 'Filip', 'Greta', 'Henk'])[1 + n % 8]
       || ' ' || chr(65 + n % 26) || '.',
       CASE WHEN n % 5 > 0 THEN '+49 30 ' || 100000 + floor(random() * 899999)::int END,
       CASE WHEN n % 3 > 0 THEN 'contact' || n || '@mail.example' END
FROM generate_series(1, 45000) n;

CREATE TABLE crm.price_list (
    price_list_id int PRIMARY KEY,
    name text NOT NULL,
    currency_code char(3) NOT NULL REFERENCES ref.currency,
    valid daterange NOT NULL
);
INSERT INTO crm.price_list
SELECT n, 'Tariff ' || 2020 + n / 8 || chr(65 + n % 8),
       (ARRAY['EUR', 'CHF', 'GBP', 'SEK'])[1 + n % 4],
       daterange(make_date(2020 + n / 8, 1, 1), make_date(2021 + n / 8, 1, 1))
FROM generate_series(1, 47) n;

CREATE TABLE crm.price_list_item (
    price_list_id int NOT NULL REFERENCES crm.price_list,
    service ops.service NOT NULL,
    zone smallint NOT NULL,
    up_to_kg numeric(6, 2) NOT NULL,
    price billing.money_amount NOT NULL,
    PRIMARY KEY (price_list_id, service, zone, up_to_kg)
);
INSERT INTO crm.price_list_item
SELECT price_list_id, service, zone, kg, round(2.9 + zone * 1.15 + kg * 0.38 + price_list_id / 9.0, 2)
FROM crm.price_list, unnest(enum_range(NULL::ops.service)) service, generate_series(1, 9) zone,
     unnest(ARRAY[0.5, 1, 2, 5, 10, 20, 31.5]) kg;

CREATE TABLE crm.contract (
    contract_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL REFERENCES crm.customer,
    price_list_id int NOT NULL REFERENCES crm.price_list,
    signed_on date NOT NULL,
    discount_percent numeric(4, 2) NOT NULL DEFAULT 0 CHECK (discount_percent < 60),
    terms text
);
INSERT INTO crm.contract (customer_id, price_list_id, signed_on, discount_percent, terms)
SELECT 1 + n % 30000, 1 + n % 47, date '2020-01-15' + n % 1900, n % 40 / 2.0,
       CASE WHEN n % 20 = 0 THEN repeat('The carrier delivers within two working days. ', 4) END
FROM generate_series(1, 40000) n;

CREATE TABLE crm.support_ticket (
    ticket_id int PRIMARY KEY,
    customer_id int NOT NULL REFERENCES crm.customer,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz,
    subject text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}'
);
INSERT INTO crm.support_ticket
SELECT n, 1 + floor(random() * 30000)::int, timestamptz '2024-01-01 06:00Z' + n * interval '587 s',
       CASE WHEN n % 12 > 0 THEN timestamptz '2024-01-02 09:30Z' + n * interval '587 s' END,
       (ARRAY['Where is my parcel?', 'Damaged on arrival', 'Wrong address', 'Invoice unclear',
              'Refund', 'Locker did not open', 'Change of pickup time'])[1 + floor(random() * 7)::int],
       ARRAY[(ARRAY['parcel', 'invoice', 'locker', 'pickup'])[1 + n % 4],
             (ARRAY['urgent', 'normal', 'low'])[1 + n % 3]]
FROM generate_series(1, 80000) n;

CREATE TABLE crm.ticket_message (
    message_id int PRIMARY KEY,
    ticket_id int NOT NULL,
    author text NOT NULL,
    written_at timestamptz NOT NULL,
    body text NOT NULL
);
INSERT INTO crm.ticket_message
SELECT n, 1 + (n - 1) / 3, CASE WHEN n % 3 = 1 THEN 'customer' ELSE 'agent ' || n % 200 END,
       timestamptz '2024-01-01 06:10Z' + n * interval '195 s',
       concat_ws(' ', s[1 + floor(random() * 12)::int], s[1 + floor(random() * 12)::int],
                 s[1 + floor(random() * 12)::int], E'\n', s[1 + floor(random() * 12)::int],
                 'Reference', upper(substr(md5(n::text), 1, 10)) || '.')
FROM generate_series(1, 240000) n,
     (SELECT ARRAY['Good morning, I have been waiting since Tuesday.',
                   'The tracking page has not changed for two days.',
                   'Could you please have a look at it?', 'We are sorry about the delay.',
                   'The driver could not find the entrance.', 'It is on its way to you again.',
                   'You will get a message as soon as it is out for delivery.',
                   'The box was open at one side and half of it is missing.',
                   'We have passed this on to the depot.', 'Thank you for your patience.',
                   'A refund has been issued today.', 'Please leave it with the neighbour.']) AS t (s);

CREATE TABLE crm.survey_answer (
    survey_answer_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL REFERENCES crm.customer,
    answered_at timestamptz NOT NULL,
    score smallint NOT NULL CHECK (score BETWEEN 0 AND 10),
    remark text
);
INSERT INTO crm.survey_answer (customer_id, answered_at, score, remark)
SELECT 1 + floor(random() * 30000)::int, timestamptz '2024-02-01 10:00Z' + n * interval '700 s',
       floor(sqrt(random() * 110))::int,
       CASE WHEN n % 6 = 0 THEN (ARRAY['Always on time.', 'Too late, twice.', 'Friendly driver.',
                                       'The app is slow.'])[1 + n / 6 % 4] END
FROM generate_series(1, 30000) n;

CREATE TABLE crm.marketing_consent (
    customer_id int PRIMARY KEY REFERENCES crm.customer,
    channels bit(4) NOT NULL,
    given_from inet NOT NULL,
    given_at timestamptz NOT NULL
);
INSERT INTO crm.marketing_consent
SELECT n, (n % 16)::bit(4), '10.0.0.0'::inet + n, timestamptz '2023-05-25 00:00Z' + n * interval '17 min'
FROM generate_series(1, 20000) n;
