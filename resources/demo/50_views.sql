-- What is computed from the rest, and the numbers that go on from here.
CREATE VIEW ops.parcel_status AS
SELECT DISTINCT ON (parcel_id) parcel_id, kind, depot_id, occurred_at
FROM ops.scan_event
ORDER BY parcel_id, occurred_at DESC;

CREATE MATERIALIZED VIEW billing.monthly_revenue AS
SELECT date_trunc('month', issued_on)::date AS month, currency_code, count(*) AS invoices,
       sum(total) AS revenue
FROM billing.invoice
GROUP BY 1, 2;
CREATE UNIQUE INDEX monthly_revenue_key ON billing.monthly_revenue (month, currency_code);

CREATE MATERIALIZED VIEW net.depot_load AS
SELECT d.code, count(*) AS attempts, min(a.attempted_at) AS first_at
FROM ops.delivery_attempt a
JOIN ops.parcel p USING (parcel_id)
JOIN net.depot d ON d.depot_id = 1 + p.city_id % 240
GROUP BY d.code;

CREATE VIEW billing.open_invoice AS
SELECT i.*
FROM billing.invoice i
WHERE NOT EXISTS (SELECT FROM billing.payment p WHERE p.invoice_id = i.invoice_id);

CREATE SEQUENCE ops.event_number OWNED BY ops.scan_event.event_id;
SELECT setval('ops.event_number', 3200000);
ALTER TABLE ops.scan_event ALTER COLUMN event_id SET DEFAULT nextval('ops.event_number');
