-- SPDX-License-Identifier: PostgreSQL
-- Configuration tables of every shape that a dump must tell apart.
\echo Use "CREATE EXTENSION gantry_config" to load this file. \quit

CREATE TYPE @extschema@.config_label AS ENUM ('first', 'second');
CREATE FUNCTION @extschema@.config_version() RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT '1.0'$$;

CREATE TABLE @extschema@.config_all (id integer PRIMARY KEY, value text);
CREATE SEQUENCE @extschema@.config_sequence;
CREATE TABLE @extschema@.config_some (
    id integer PRIMARY KEY DEFAULT nextval('@extschema@.config_sequence'), value text, builtin boolean DEFAULT false);
CREATE TABLE @extschema@.config_child (
    id integer PRIMARY KEY, parent_id integer REFERENCES @extschema@.config_all);
CREATE TABLE @extschema@.config_generated (a integer, twice integer GENERATED ALWAYS AS (a * 2) STORED);
CREATE TABLE @extschema@.not_config (id integer, value text);
CREATE VIEW @extschema@.config_view AS SELECT id FROM @extschema@.config_all;

INSERT INTO @extschema@.config_some VALUES (1, 'shipped', true), (2, E'shipped too, it''s', true);
INSERT INTO @extschema@.not_config VALUES (1, 'shipped');
INSERT INTO @extschema@.config_generated (a) VALUES (1), (2);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.config_all', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.config_some', $$WHERE NOT builtin OR value = 'it''s %'$$);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.config_child', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.config_generated', 'WHERE a > 2');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.config_sequence', '');
