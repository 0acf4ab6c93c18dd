-- SPDX-License-Identifier: PostgreSQL
-- Collations of the built-in provider, access methods of partitioned tables.
CREATE COLLATION every.built_in (PROVIDER = builtin, LOCALE = 'C.UTF-8');
CREATE TABLE every.parted_in_own_heap (id integer, t text) PARTITION BY RANGE (id) USING every_heap;
CREATE TABLE every.parted_in_own_heap_1 PARTITION OF every.parted_in_own_heap FOR VALUES FROM (0) TO (100);
CREATE TABLE every.parted_in_own_heap_2 PARTITION OF every.parted_in_own_heap FOR VALUES FROM (100) TO (200)
    USING heap;
INSERT INTO every.parted_in_own_heap SELECT i, 'row ' || i FROM generate_series(0, 199) i;
