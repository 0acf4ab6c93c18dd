-- SPDX-License-Identifier: PostgreSQL
-- Temporal keys, constraints that are not enforced, keys on partitioned tables that are not proven.
CREATE TABLE every.temporal (id int4range, valid_at daterange, t text,
    CONSTRAINT temporal_key PRIMARY KEY (id, valid_at WITHOUT OVERLAPS));
INSERT INTO every.temporal SELECT int4range(i, i + 1), daterange('2000-01-01', '2001-01-01'), 't' || i
    FROM generate_series(1, 50) i;
CREATE TABLE every.refers_temporal (id int4range, valid_at daterange, parent_id int4range,
    CONSTRAINT refers_temporal_key FOREIGN KEY (parent_id, PERIOD valid_at)
        REFERENCES every.temporal (id, PERIOD valid_at));
INSERT INTO every.refers_temporal SELECT id, '[2000-02-01,2000-03-01)', id FROM every.temporal;
CREATE TABLE every.not_enforced (id integer PRIMARY KEY, a integer CONSTRAINT a_free CHECK (a > 0) NOT ENFORCED,
    b integer CONSTRAINT b_free REFERENCES every.egg NOT ENFORCED);
INSERT INTO every.not_enforced VALUES (1, -1, 99999);
CREATE TABLE every.parted_unproven (id integer, egg_id integer) PARTITION BY RANGE (id);
CREATE TABLE every.parted_unproven_1 PARTITION OF every.parted_unproven FOR VALUES FROM (0) TO (100);
INSERT INTO every.parted_unproven VALUES (1, 7);
ALTER TABLE every.parted_unproven ADD CONSTRAINT unproven FOREIGN KEY (egg_id) REFERENCES every.egg NOT VALID;
