-- SPDX-License-Identifier: PostgreSQL
-- For a database in LATIN1: every character of it, in values, names and comments.
CREATE TABLE every_character (id integer PRIMARY KEY, value text);
INSERT INTO every_character SELECT i, 'before' || chr(i) || 'after' FROM generate_series(1, 255) i;
INSERT INTO every_character VALUES (1000, chr(233)), (1001, E'\\.'), (1002, chr(255) || E'\\.\n'), (1003, NULL), (1004, '');
CREATE TABLE documents (id integer, j jsonb, a text[], v tsvector);
INSERT INTO documents VALUES
    (1, jsonb_build_object(chr(233), chr(223)), ARRAY[chr(255), chr(160)], to_tsvector('simple', 'caf' || chr(233)));
DO $$
DECLARE
    odd text := 'k' || chr(233) || chr(255);
BEGIN
    EXECUTE format('CREATE TABLE %I (id integer, %I text DEFAULT %L)', 'table ' || odd, 'column ' || odd, odd);
    EXECUTE format('INSERT INTO %I VALUES (1), (2)', 'table ' || odd);
    EXECUTE format('COMMENT ON TABLE %I IS %L', 'table ' || odd, 'comment ' || odd);
    EXECUTE format('CREATE TYPE kind AS ENUM (%L, %L)', odd, 'plain');
    EXECUTE format('COMMENT ON LARGE OBJECT %s IS %L', lo_from_bytea(1000001, '\xe9ff00'), odd);
END
$$;
CREATE TABLE kinds (kind kind);
INSERT INTO kinds SELECT unnest(enum_range(NULL::kind));
