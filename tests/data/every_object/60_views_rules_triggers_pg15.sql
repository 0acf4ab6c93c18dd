-- SPDX-License-Identifier: PostgreSQL
-- Views that run with the rights of whoever asks.
CREATE VIEW every.invoker_view WITH (security_invoker = true) AS SELECT id FROM every.parent;
