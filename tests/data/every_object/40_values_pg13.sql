-- SPDX-License-Identifier: PostgreSQL
-- Values of types that came with 13.
CREATE TABLE every.system_types_13 (id integer PRIMARY KEY, x xid8, s pg_snapshot, rc regcollation);
INSERT INTO every.system_types_13 VALUES (1, '18446744073709551615', '10:20:10,14', 'every.plain'),
    (2, NULL, NULL, NULL);
