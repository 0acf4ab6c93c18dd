-- SPDX-License-Identifier: PostgreSQL
-- An extension with configuration tables, and what users may add to it; contrib extensions where they are installed.
CREATE SCHEMA ext;
CREATE EXTENSION gantry_config WITH SCHEMA ext;
INSERT INTO ext.config_all VALUES (100, 'by the user'), (101, E'it''s\\');
INSERT INTO ext.config_some (id, value) SELECT i, 'user ' || i FROM generate_series(100, 150) i;
INSERT INTO ext.config_child VALUES (1, 100), (2, 101);
INSERT INTO ext.config_generated (a) SELECT generate_series(3, 7);
SELECT setval('ext.config_sequence', 4711);
GRANT SELECT ON ext.config_all TO every_reader;
REVOKE ALL ON FUNCTION ext.config_version() FROM PUBLIC;
COMMENT ON EXTENSION gantry_config IS 'An extension''s comment of our own';
CREATE FUNCTION every.needs_extension() RETURNS integer LANGUAGE sql AS 'SELECT 1';
ALTER FUNCTION every.needs_extension() DEPENDS ON EXTENSION gantry_config;
CREATE TABLE every.uses_extension_type (id integer, label ext.config_label);
INSERT INTO every.uses_extension_type VALUES (1, 'first'), (2, 'second');
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['hstore', 'citext', 'pg_trgm', 'btree_gist'] LOOP
        IF EXISTS (SELECT FROM pg_available_extensions WHERE name = wanted) THEN
            EXECUTE format('CREATE EXTENSION %I WITH SCHEMA ext', wanted);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'hstore') THEN
        EXECUTE 'CREATE TABLE every.contrib_values (id integer, h ext.hstore)';
        EXECUTE 'INSERT INTO every.contrib_values VALUES (1, ''a=>1, "b c"=>NULL''), (2, ''''), (3, NULL)';
    END IF;
END
$$;
