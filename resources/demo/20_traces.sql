-- What people and programs did.
SELECT setseed(0.66);

CREATE TABLE audit.login (
    login_id int PRIMARY KEY,
    employee_id int NOT NULL,
    at timestamptz NOT NULL,
    address inet NOT NULL,
    succeeded boolean NOT NULL
);
INSERT INTO audit.login
SELECT n, 1 + floor(random() * 6000)::int, timestamptz '2025-01-01 00:00Z' + n * interval '130 s',
       '10.20.0.0'::inet + floor(random() * 65536)::int, n % 40 > 0
FROM generate_series(1, 120000) n;

CREATE TABLE audit.change_log (
    change_id int PRIMARY KEY,
    at timestamptz NOT NULL,
    employee_id int NOT NULL,
    relation text NOT NULL,
    before jsonb,
    after jsonb
);
INSERT INTO audit.change_log
SELECT n, timestamptz '2025-01-01 00:00Z' + n * interval '195 s', 1 + floor(random() * 6000)::int,
       (ARRAY['crm.customer', 'hr.employee', 'net.depot', 'crm.contract'])[1 + n % 4],
       jsonb_build_object('id', n, 'discount', floor(random() * 40)),
       jsonb_build_object('id', n, 'discount', floor(random() * 40))
FROM generate_series(1, 80000) n;

CREATE TABLE audit.api_request (
    request_id bigint NOT NULL,
    at timestamptz NOT NULL,
    client cidr NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    milliseconds real NOT NULL
);
INSERT INTO audit.api_request
SELECT n, timestamptz '2025-03-01 00:00Z' + n * interval '20 s',
       set_masklen('172.16.0.0'::cidr + (floor(random() * 4096)::bigint << 8), 24),
       (ARRAY['/v2/parcels/', '/v2/track/', '/v2/labels/', '/v1/rates/'])[1 + floor(random() * 4)::int]
       || substr(md5(n::text), 1, 16), (ARRAY[200, 200, 200, 201, 404, 503])[1 + n % 6],
       round((random() * 400)::numeric, 2)
FROM generate_series(1, 400000) n;

CREATE UNLOGGED TABLE audit.session (
    token uuid PRIMARY KEY,
    employee_id int NOT NULL,
    expires_at timestamptz NOT NULL
);
INSERT INTO audit.session
SELECT md5('session' || n)::uuid, 1 + n % 6000, timestamptz '2025-07-01 00:00Z' + n * interval '1 s'
FROM generate_series(1, 5000) n;
