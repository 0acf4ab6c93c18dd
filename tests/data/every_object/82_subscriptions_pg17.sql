-- SPDX-License-Identifier: PostgreSQL
-- Subscriptions that fail over.
CREATE SUBSCRIPTION every_failover CONNECTION 'host=nowhere' PUBLICATION one
    WITH (connect = false, slot_name = NONE, failover = true);
