-- SPDX-License-Identifier: PostgreSQL
-- The skewed database with four indexes on its large table.
\set ON_ERROR_STOP on
\ir skewed.sql
CREATE INDEX event_reference ON event (reference);
CREATE INDEX event_happened_at ON event (happened_at);
CREATE INDEX event_amount ON event (amount);
CHECKPOINT;
