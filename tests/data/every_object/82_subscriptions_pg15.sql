-- SPDX-License-Identifier: PostgreSQL
-- Subscriptions with two phases that stop on errors.
CREATE SUBSCRIPTION every_two_phase CONNECTION 'host=nowhere' PUBLICATION one
    WITH (connect = false, slot_name = NONE, two_phase = true, disable_on_error = true);
