-- SPDX-License-Identifier: PostgreSQL
-- Partitioned tables: range, list, hash; several levels; by an enum (loaded through the root); attached in disguise.
CREATE TABLE every.by_range (id bigint, at date NOT NULL, t text) PARTITION BY RANGE (at);
CREATE TABLE every.by_range_2000 PARTITION OF every.by_range FOR VALUES FROM ('2000-01-01') TO ('2001-01-01');
CREATE TABLE every.by_range_2001 PARTITION OF every.by_range FOR VALUES FROM ('2001-01-01') TO ('2002-01-01')
    PARTITION BY LIST (t);
CREATE TABLE every.by_range_2001_a PARTITION OF every.by_range_2001 FOR VALUES IN ('a', E'it''s', NULL);
CREATE TABLE every.by_range_2001_b PARTITION OF every.by_range_2001 DEFAULT PARTITION BY HASH (id);
CREATE TABLE every.by_range_2001_b_0 PARTITION OF every.by_range_2001_b FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE every.by_range_2001_b_1 PARTITION OF every.by_range_2001_b FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE every.by_range_early PARTITION OF every.by_range FOR VALUES FROM (MINVALUE) TO ('2000-01-01')
    WITH (fillfactor = 80);
CREATE TABLE every_owned.by_range_rest PARTITION OF every.by_range DEFAULT;
CREATE TABLE every.by_range_attached (gone integer, t text DEFAULT 'attached', at date NOT NULL, id bigint NOT NULL,
    CONSTRAINT in_2003 CHECK (at >= '2003-01-01' AND at < '2004-01-01'));
ALTER TABLE every.by_range_attached DROP gone;
INSERT INTO every.by_range_attached SELECT 'x' || i, date '2003-01-01' + i, i FROM generate_series(1, 100) i;
ALTER TABLE every.by_range ATTACH PARTITION every.by_range_attached FOR VALUES FROM ('2003-01-01') TO ('2004-01-01');
INSERT INTO every.by_range
    SELECT i, date '1999-06-01' + i, CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN E'it''s' WHEN 2 THEN NULL ELSE 'c' || i END
    FROM generate_series(1, 1200) i;
CREATE INDEX by_range_t ON every.by_range (t) INCLUDE (id);
CREATE INDEX by_range_only ON ONLY every.by_range (at DESC);
COMMENT ON TABLE every.by_range_2000 IS 'A partition';
COMMENT ON INDEX every.by_range_t IS 'An index of a partitioned table';
ALTER TABLE every.by_range_2000 SET (autovacuum_enabled = false);

CREATE TABLE every.by_list (kind every.mood, n integer) PARTITION BY LIST (kind);
CREATE TABLE every.by_list_sad PARTITION OF every.by_list FOR VALUES IN ('sad');
CREATE TABLE every.by_list_rest PARTITION OF every.by_list FOR VALUES IN ('happy', '', NULL);
INSERT INTO every.by_list SELECT (ARRAY['sad', 'happy', '', NULL]::every.mood[])[1 + i % 4], i
    FROM generate_series(1, 100) i;

CREATE TABLE every.by_hash (id integer, t text) PARTITION BY HASH (id);
CREATE TABLE every.by_hash_0 PARTITION OF every.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE every.by_hash_1 PARTITION OF every.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE every.by_hash_2 PARTITION OF every.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO every.by_hash SELECT i, 'hash ' || i FROM generate_series(1, 999) i;

CREATE TABLE every.by_enum_hash (kind every.mood, n integer) PARTITION BY HASH (kind);
CREATE TABLE every.by_enum_hash_0 PARTITION OF every.by_enum_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0)
    PARTITION BY RANGE (n);
CREATE TABLE every.by_enum_hash_0_low PARTITION OF every.by_enum_hash_0 FOR VALUES FROM (MINVALUE) TO (50);
CREATE TABLE every.by_enum_hash_0_high PARTITION OF every.by_enum_hash_0 FOR VALUES FROM (50) TO (MAXVALUE);
CREATE TABLE every.by_enum_hash_1 PARTITION OF every.by_enum_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO every.by_enum_hash SELECT (ARRAY['sad', 'happy', '', 'it''s "ok"']::every.mood[])[1 + i % 4], i
    FROM generate_series(1, 200) i;

CREATE TABLE every.by_expression (id integer, j jsonb) PARTITION BY RANGE ((j ->> 'k') COLLATE "C", id);
CREATE TABLE every.by_expression_am PARTITION OF every.by_expression
    FOR VALUES FROM ('a', MINVALUE) TO ('n', MINVALUE);
CREATE TABLE every.by_expression_nz PARTITION OF every.by_expression DEFAULT;
INSERT INTO every.by_expression SELECT i, jsonb_build_object('k', chr(97 + i % 26)) FROM generate_series(1, 100) i;
CREATE TABLE every.no_partitions (id integer, t text) PARTITION BY LIST (t);

CREATE TABLE every.by_key (id integer, t text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE every.by_key_low PARTITION OF every.by_key FOR VALUES FROM (MINVALUE) TO (100);
CREATE TABLE every.by_key_high PARTITION OF every.by_key FOR VALUES FROM (100) TO (MAXVALUE);
INSERT INTO every.by_key SELECT i, 'key ' || i FROM generate_series(1, 200) i;
CREATE TABLE every.refers_to_partitioned (id integer PRIMARY KEY, key_id integer,
    FOREIGN KEY (key_id) REFERENCES every.by_key ON DELETE CASCADE);
INSERT INTO every.refers_to_partitioned SELECT i, i FROM generate_series(1, 200) i;
CREATE TABLE every.egg_box (id integer PRIMARY KEY);
INSERT INTO every.egg_box SELECT generate_series(0, 9);
CREATE TABLE every.parted_refers (id integer, key_id integer REFERENCES every.egg_box) PARTITION BY HASH (id);
CREATE TABLE every.parted_refers_0 PARTITION OF every.parted_refers FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO every.parted_refers SELECT i, i % 10 FROM generate_series(1, 100) i;
