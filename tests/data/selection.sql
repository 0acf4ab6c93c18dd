-- SPDX-License-Identifier: PostgreSQL
-- Little of everything that options select by, for servers from 10 on. Those before 12 lack the extension, and an
-- event trigger, which pg_dump 15 words for newer ones.
CREATE ROLE selection_owner;
CREATE ROLE selection_reader SUPERUSER;
CREATE ROLE selection_limited;
CREATE SCHEMA one;
CREATE SCHEMA two AUTHORIZATION selection_owner;
CREATE SCHEMA "Three ""3""";
COMMENT ON SCHEMA one IS 'A schema';

CREATE TYPE one.kind AS ENUM ('a', 'b');
CREATE FUNCTION one.twice(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$SELECT $1 * 2$$;
COMMENT ON FUNCTION one.twice(integer) IS 'A function';
CREATE TABLE one.plain (id serial PRIMARY KEY, k one.kind, t text DEFAULT 'x' CHECK (t <> ''));
INSERT INTO one.plain (k) SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END::one.kind FROM generate_series(1, 300) i;
COMMENT ON TABLE one.plain IS 'A table';
GRANT SELECT ON one.plain TO selection_owner;
CREATE INDEX plain_t ON one.plain (t, one.twice(id));
ALTER TABLE one.plain ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON one.plain USING (id % 3 = 0);
GRANT USAGE ON SCHEMA one TO selection_limited;
GRANT SELECT ON one.plain, one.plain_id_seq TO selection_limited;
CREATE TABLE one.plain2 (id integer REFERENCES one.plain, b bytea);
INSERT INTO one.plain2 SELECT i, decode(md5(i::text), 'hex') FROM generate_series(1, 300) i;
ALTER TABLE one.plain2 ALTER b SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE one.unlogged AS SELECT generate_series(1, 10) AS i;
CREATE SEQUENCE one.counter START 7;
SELECT nextval('one.counter'), nextval('one.counter');
CREATE VIEW one.view AS SELECT id FROM one.plain;
CREATE MATERIALIZED VIEW one.matview AS SELECT count(*) FROM one.plain;
CREATE RULE ignore_deletes AS ON DELETE TO one.plain2 DO INSTEAD NOTHING;
CREATE FUNCTION one.trigger_function() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER before_row BEFORE INSERT ON one.plain2 FOR EACH ROW EXECUTE PROCEDURE one.trigger_function();

CREATE TABLE two.parent (id integer, t text);
CREATE TABLE two.child (own integer) INHERITS (two.parent);
CREATE TABLE one.grandchild () INHERITS (two.child);
INSERT INTO two.parent VALUES (1, 'parent');
INSERT INTO two.child VALUES (2, 'child', 2);
INSERT INTO one.grandchild VALUES (3, 'grandchild', 3);
ALTER TABLE two.parent OWNER TO selection_owner;
CREATE TABLE two.parted (id integer, t text) PARTITION BY RANGE (id);
CREATE TABLE two.parted_low PARTITION OF two.parted FOR VALUES FROM (0) TO (100);
CREATE TABLE two.parted_high PARTITION OF two.parted FOR VALUES FROM (100) TO (200) PARTITION BY LIST (t);
CREATE TABLE one.parted_high_x PARTITION OF two.parted_high FOR VALUES IN ('x');
INSERT INTO two.parted SELECT i, 'x' FROM generate_series(0, 199) i;

CREATE TABLE "Three ""3"""."Mixed.Case" ("Odd ""column""" integer);
INSERT INTO "Three ""3"""."Mixed.Case" VALUES (1), (2);
CREATE TABLE public.plain (id integer);
INSERT INTO public.plain VALUES (1);
CREATE TABLE public.settings_matter (f float8, t text);
INSERT INTO public.settings_matter VALUES (0.1::float8 + 0.2::float8, 'é'), (1::float8 / 3, 'ÿ');
CREATE TABLE public.no_columns ();
INSERT INTO public.no_columns DEFAULT VALUES;

CREATE FOREIGN DATA WRAPPER selection_wrapper;
CREATE SERVER selection_server FOREIGN DATA WRAPPER selection_wrapper;
CREATE FOREIGN TABLE one.foreign_table (id integer) SERVER selection_server;

CREATE SCHEMA ext;
SELECT current_setting('server_version_num')::int >= 120000 AS is_12 \gset
\if :is_12
CREATE EXTENSION gantry_config WITH SCHEMA ext;
INSERT INTO ext.config_all VALUES (100, 'by the user');
INSERT INTO ext.config_some (id, value) VALUES (100, 'by the user');
\endif

CREATE PUBLICATION selection_publication FOR TABLE one.plain2;
CREATE SUBSCRIPTION selection_subscription CONNECTION 'host=nowhere' PUBLICATION p
    WITH (connect = false, slot_name = NONE);
CREATE FUNCTION one.event_function() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN NULL; END';
\if :is_12
CREATE EVENT TRIGGER selection_event ON ddl_command_end EXECUTE PROCEDURE one.event_function();
\endif
SELECT lo_from_bytea(900001, 'first'), lo_from_bytea(900002, ''), lo_from_bytea(900003, decode(repeat('00', 3000), 'hex'));
ALTER LARGE OBJECT 900002 OWNER TO selection_owner;
COMMENT ON LARGE OBJECT 900003 IS 'A large object';
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET work_mem TO ''7MB''', current_database());
    EXECUTE format('COMMENT ON DATABASE %I IS ''A database''', current_database());
END
$$;
ANALYZE;
