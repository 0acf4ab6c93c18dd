-- SPDX-License-Identifier: PostgreSQL
-- Virtual generated columns, named and unproven not-null constraints.
CREATE TABLE every.generated_virtual (
    a integer PRIMARY KEY, twice integer GENERATED ALWAYS AS (a * 2) VIRTUAL, t text,
    length_of_t integer GENERATED ALWAYS AS (length(t)) VIRTUAL);
INSERT INTO every.generated_virtual (a, t) SELECT i, repeat('x', i) FROM generate_series(1, 100) i;
CREATE TABLE every.named_not_null (a integer CONSTRAINT "named not null" NOT NULL,
    b integer CONSTRAINT not_passed_on NOT NULL NO INHERIT, c integer);
INSERT INTO every.named_not_null VALUES (1, 2, NULL);
ALTER TABLE every.named_not_null ADD CONSTRAINT not_proven NOT NULL c NOT VALID;
COMMENT ON CONSTRAINT "named not null" ON every.named_not_null IS 'A not-null constraint';
