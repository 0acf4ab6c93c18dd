-- SPDX-License-Identifier: PostgreSQL
-- Subscriptions that never connect; they must be dropped before the database can be.
CREATE SUBSCRIPTION every_subscription CONNECTION 'host=nowhere dbname=none password=''it\''s''' PUBLICATION one, "Two ""odd"""
    WITH (connect = false, slot_name = 'a_slot', synchronous_commit = 'remote_apply');
CREATE SUBSCRIPTION "every ""odd"" subscription" CONNECTION 'host=nowhere' PUBLICATION one
    WITH (connect = false, slot_name = NONE);
COMMENT ON SUBSCRIPTION every_subscription IS 'A subscription';
