-- Invoices, payments and the ledger.
SELECT setseed(0.44);

CREATE TABLE billing.ledger_account (
    account_no int PRIMARY KEY,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('asset', 'liability', 'income', 'expense'))
);
INSERT INTO billing.ledger_account
SELECT 1000 + n * 10, 'Account ' || 1000 + n * 10,
       (ARRAY['asset', 'liability', 'income', 'expense'])[1 + n / 80]
FROM generate_series(0, 319) n;

CREATE TABLE billing.invoice (
    invoice_id int PRIMARY KEY,
    customer_id int NOT NULL,
    issued_on date NOT NULL,
    due_on date NOT NULL,
    currency_code char(3) NOT NULL REFERENCES ref.currency,
    total billing.money_amount NOT NULL,
    reference text NOT NULL,
    CHECK (due_on >= issued_on)
);
INSERT INTO billing.invoice
SELECT n, 1 + n % 30000, date '2024-01-01' + n / 300, date '2024-01-31' + n / 300,
       (ARRAY['EUR', 'EUR', 'EUR', 'CHF', 'GBP', 'SEK'])[1 + n % 6],
       round((12 + random() * 900)::numeric, 2),
       'MP-' || 2024 + n / 110000 || '-' || lpad(n::text, 7, '0')
FROM generate_series(1, 160000) n;

CREATE TABLE billing.invoice_line (
    invoice_id int NOT NULL,
    line smallint NOT NULL,
    service ops.service NOT NULL,
    description text NOT NULL,
    quantity int NOT NULL CHECK (quantity > 0),
    unit_price billing.money_amount NOT NULL,
    amount billing.money_amount GENERATED ALWAYS AS (quantity * unit_price) STORED
);
INSERT INTO billing.invoice_line (invoice_id, line, service, description, quantity, unit_price)
SELECT 1 + (n - 1) / 4, 1 + (n - 1) % 4,
       (ARRAY['economy', 'standard', 'express', 'overnight']::ops.service[])[1 + n % 4],
       'Parcels to zone ' || 1 + n % 9 || ', week ' || 1 + n / 12500 || ', tariff '
       || chr(65 + n % 8), 1 + floor(random() * 60)::int, round((3 + random() * 20)::numeric, 2)
FROM generate_series(1, 640000) n;

CREATE TABLE billing.payment (
    payment_id int PRIMARY KEY,
    invoice_id int NOT NULL,
    received_at timestamptz NOT NULL,
    amount billing.money_amount NOT NULL,
    method text NOT NULL,
    bank_reference text
);
INSERT INTO billing.payment
SELECT n, n, timestamptz '2024-01-12 08:00Z' + n * interval '288 s',
       round((12 + random() * 900)::numeric, 2),
       (ARRAY['transfer', 'direct debit', 'card'])[1 + n % 3], upper(md5(n::text))
FROM generate_series(1, 145000) n;

CREATE TABLE billing.credit_note (
    credit_note_id int PRIMARY KEY,
    invoice_id int NOT NULL,
    issued_on date NOT NULL,
    amount billing.money_amount NOT NULL,
    reason text
);
INSERT INTO billing.credit_note
SELECT n, n * 30, date '2024-02-01' + n / 12, round((random() * 80)::numeric, 2),
       (ARRAY['late delivery', 'damage', 'wrong tariff', NULL])[1 + n % 4]
FROM generate_series(1, 5000) n;

CREATE TABLE billing.dunning_notice (
    dunning_notice_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    invoice_id int NOT NULL,
    level smallint NOT NULL,
    sent_on date NOT NULL,
    fee billing.money_amount NOT NULL DEFAULT 0
);
INSERT INTO billing.dunning_notice (invoice_id, level, sent_on, fee)
SELECT 145000 + n, 1 + n % 3, date '2025-06-01' + n % 28, n % 3 * 5 FROM generate_series(1, 15000) n;

CREATE TABLE billing.ledger_entry (
    entry_id bigint NOT NULL,
    account_no int NOT NULL,
    booked_on date NOT NULL,
    debit billing.money_amount,
    credit billing.money_amount,
    text text NOT NULL,
    CHECK ((debit IS NULL) <> (credit IS NULL))
);
INSERT INTO billing.ledger_entry
SELECT n, 1000 + floor(random() * 320)::int * 10, date '2024-01-01' + n / 900,
       CASE WHEN n % 2 = 0 THEN round((random() * 5000)::numeric, 2) END,
       CASE WHEN n % 2 = 1 THEN round((random() * 5000)::numeric, 2) END,
       'Invoice MP-' || 1 + n / 3 || ' of customer ' || 1 + n % 30000
FROM generate_series(1, 480000) n;
