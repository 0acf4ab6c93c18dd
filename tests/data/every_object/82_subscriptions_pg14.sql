-- SPDX-License-Identifier: PostgreSQL
-- Subscriptions with binary transfer and streaming.
CREATE SUBSCRIPTION every_streaming CONNECTION 'host=nowhere' PUBLICATION one
    WITH (connect = false, slot_name = NONE, binary = true, streaming = on);
