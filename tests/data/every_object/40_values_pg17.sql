-- SPDX-License-Identifier: PostgreSQL
-- Values that came with 17: infinite intervals.
CREATE TABLE every.endless_intervals (id integer PRIMARY KEY, span interval);
INSERT INTO every.endless_intervals VALUES (1, 'infinity'), (2, '-infinity'), (3, NULL);
