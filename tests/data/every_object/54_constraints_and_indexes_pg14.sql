-- SPDX-License-Identifier: PostgreSQL
-- Statistics on expressions.
CREATE STATISTICS every.of_expression ON lower(b) FROM every.indexed;
CREATE STATISTICS every.of_expressions (ndistinct, mcv) ON a, (a % 10), lower(b) FROM every.indexed;
