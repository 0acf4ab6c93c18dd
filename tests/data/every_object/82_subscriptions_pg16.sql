-- SPDX-License-Identifier: PostgreSQL
-- Subscriptions with an origin, run as their owner, parallel streaming.
CREATE SUBSCRIPTION every_origin CONNECTION 'host=nowhere' PUBLICATION one
    WITH (connect = false, slot_name = NONE, origin = none, run_as_owner = true, password_required = false,
          streaming = parallel);
