-- SPDX-License-Identifier: PostgreSQL
-- Constraints and indexes of every kind, circular foreign keys, cluster marks, replica identities.
CREATE TABLE every.hen (id integer PRIMARY KEY, egg_id integer);
CREATE TABLE every.egg (id integer PRIMARY KEY, hen_id integer, next_id integer);
INSERT INTO every.hen SELECT i, i FROM generate_series(1, 100) i;
INSERT INTO every.egg SELECT i, i, 1 + i % 100 FROM generate_series(1, 100) i;
ALTER TABLE every.hen ADD CONSTRAINT hen_egg FOREIGN KEY (egg_id) REFERENCES every.egg DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE every.egg ADD CONSTRAINT egg_hen FOREIGN KEY (hen_id) REFERENCES every.hen ON UPDATE SET NULL
    ON DELETE SET DEFAULT;
ALTER TABLE every.egg ADD CONSTRAINT egg_next FOREIGN KEY (next_id) REFERENCES every.egg MATCH FULL DEFERRABLE;
COMMENT ON CONSTRAINT hen_egg ON every.hen IS 'A foreign key';

CREATE TABLE every.constrained (
    a integer CONSTRAINT a_positive CHECK (a > 0),
    b integer, c integer, d text, e tsrange, f box,
    CONSTRAINT "primary ""key""" PRIMARY KEY (a) INCLUDE (d) WITH (fillfactor = 80),
    CONSTRAINT b_unique UNIQUE (b) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT c_d_unique UNIQUE (c, d) DEFERRABLE,
    CONSTRAINT e_excluded EXCLUDE USING gist (e WITH &&) WHERE (a > 10),
    CONSTRAINT f_excluded EXCLUDE USING gist (f WITH &&) DEFERRABLE INITIALLY DEFERRED,
    CHECK (b <> c OR b IS NULL));
INSERT INTO every.constrained
    SELECT i, i, i + 1, 'd' || i, tsrange(timestamp '2000-01-01' + i * interval '1 day',
           timestamp '2000-01-01' + (i + 1) * interval '1 day'), box(point(i, i), point(i + 0.5, i + 0.5))
    FROM generate_series(1, 100) i;
INSERT INTO every.constrained (a, b, c) VALUES (1000, NULL, -5);
ALTER TABLE every.constrained ADD CONSTRAINT not_valid CHECK (c > 0) NOT VALID;
ALTER TABLE every.hen ADD wrong integer;
UPDATE every.hen SET wrong = 5000;
ALTER TABLE every.hen ADD CONSTRAINT not_valid_key FOREIGN KEY (wrong) REFERENCES every.egg NOT VALID;
COMMENT ON CONSTRAINT a_positive ON every.constrained IS 'A check constraint';
COMMENT ON CONSTRAINT "primary ""key""" ON every.constrained IS 'A primary key';

CREATE TABLE every.indexed (a integer NOT NULL, b text, c integer[], d text, e point, j jsonb, v tsvector);
INSERT INTO every.indexed SELECT i, 'b' || i, ARRAY[i, i + 1], 'd', point(i, i), jsonb_build_object('i', i),
    to_tsvector('simple', 'word' || i) FROM generate_series(1, 500) i;
CREATE UNIQUE INDEX indexed_unique ON every.indexed (a);
CREATE INDEX indexed_expression ON every.indexed ((lower(b) || d), (a + 1) DESC NULLS LAST);
CREATE INDEX indexed_partial ON every.indexed (b text_pattern_ops) WHERE a > 10 AND d <> '''\';
CREATE INDEX indexed_hash ON every.indexed USING hash (b) WITH (fillfactor = 60);
CREATE INDEX indexed_gin ON every.indexed USING gin (c, j jsonb_path_ops) WITH (fastupdate = off);
CREATE INDEX indexed_gist ON every.indexed USING gist (e);
CREATE INDEX indexed_spgist ON every.indexed USING spgist (e kd_point_ops);
CREATE INDEX indexed_brin ON every.indexed USING brin (a) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX indexed_collated ON every.indexed (b COLLATE "C" DESC) INCLUDE (d);
CREATE UNIQUE INDEX "Indexed ""odd""" ON every.indexed (a, b);
ALTER INDEX every.indexed_expression ALTER COLUMN 1 SET STATISTICS 300;
COMMENT ON INDEX every.indexed_gin IS 'An index';
ALTER TABLE every.indexed CLUSTER ON indexed_unique;
ALTER TABLE every.indexed REPLICA IDENTITY USING INDEX indexed_unique;
ALTER TABLE every.constrained CLUSTER ON "primary ""key""";
ALTER TABLE every.constrained REPLICA IDENTITY FULL;
ALTER TABLE every.only_text REPLICA IDENTITY NOTHING;

CREATE STATISTICS every.statistics (ndistinct, dependencies) ON a, b FROM every.indexed;
CREATE STATISTICS every."statistics ""mcv""" (mcv) ON b, d FROM every.indexed;
ALTER STATISTICS every.statistics OWNER TO every_owner;
COMMENT ON STATISTICS every.statistics IS 'A statistics object';
