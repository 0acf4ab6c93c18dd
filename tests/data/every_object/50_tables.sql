-- SPDX-License-Identifier: PostgreSQL
-- Tables of every shape: zero columns, dropped columns, unlogged, typed, inherited, generated, odd names, options.
CREATE TABLE every.zero_columns ();
INSERT INTO every.zero_columns DEFAULT VALUES;
INSERT INTO every.zero_columns SELECT FROM generate_series(1, 41);
CREATE TABLE every.zero_columns_empty ();
CREATE TABLE every.no_rows (id integer PRIMARY KEY, t text);

CREATE TABLE every.dropped_columns (gone_first integer, a integer, gone_middle text, "b" text, gone_last numeric);
INSERT INTO every.dropped_columns SELECT i, i, 'x', 'text ' || i, i FROM generate_series(1, 100) i;
ALTER TABLE every.dropped_columns DROP gone_first, DROP gone_middle, DROP gone_last;
ALTER TABLE every.dropped_columns ADD c integer DEFAULT 7, ADD d timestamp DEFAULT '2000-01-01 BC';
INSERT INTO every.dropped_columns (a) VALUES (101);
CREATE TABLE every.all_columns_dropped (a integer, b text);
INSERT INTO every.all_columns_dropped VALUES (1, 'x'), (2, 'y');
ALTER TABLE every.all_columns_dropped DROP a, DROP b;

CREATE UNLOGGED TABLE every.unlogged (id integer PRIMARY KEY, t text);
INSERT INTO every.unlogged SELECT i, 'unlogged ' || i FROM generate_series(1, 300) i;

CREATE TABLE every.typed OF every.composite (a WITH OPTIONS PRIMARY KEY, b DEFAULT 'typed', CHECK (a > 0));
INSERT INTO every.typed VALUES (1, 'x', '{1.00}'), (2, NULL, NULL);
CREATE TABLE every.row_type_of_a_table (id integer, row_value every.numbers, row_values every.typed[]);
INSERT INTO every.row_type_of_a_table
    SELECT n.id, n, ARRAY(SELECT t FROM every.typed t ORDER BY a) FROM every.numbers n;

CREATE TABLE every.generated_stored (
    a integer PRIMARY KEY, twice integer GENERATED ALWAYS AS (a * 2) STORED, t text,
    upper_t text GENERATED ALWAYS AS (upper(t)) STORED);
INSERT INTO every.generated_stored (a, t) SELECT i, 'text ' || i FROM generate_series(1, 100) i;
CREATE TABLE every.only_generated (twice integer GENERATED ALWAYS AS (21 * 2) STORED);
INSERT INTO every.only_generated DEFAULT VALUES;
INSERT INTO every.only_generated DEFAULT VALUES;

CREATE TABLE every.parent (id integer PRIMARY KEY, t text DEFAULT 'parent', CONSTRAINT kept CHECK (id > 0),
    CONSTRAINT not_inherited CHECK (id < 1000) NO INHERIT);
CREATE TABLE every.other_parent (id integer NOT NULL, extra date);
CREATE TABLE every.child (own text, PRIMARY KEY (id)) INHERITS (every.parent);
CREATE TABLE every.child_of_two (t text DEFAULT 'overridden' NOT NULL, own_two jsonb)
    INHERITS (every.parent, every.other_parent);
CREATE TABLE every.grandchild (CHECK (own <> 'x')) INHERITS (every.child);
CREATE TABLE every.adopted (id integer NOT NULL, t text, CONSTRAINT kept CHECK (id > 0));
ALTER TABLE every.adopted INHERIT every.parent;
INSERT INTO every.parent (id) SELECT generate_series(1, 10);
INSERT INTO every.child SELECT i, 'child', 'own' FROM generate_series(11, 30) i;
INSERT INTO every.child_of_two SELECT i, 'two', NULL, '{"a": 1}' FROM generate_series(31, 40) i;
INSERT INTO every.grandchild SELECT i, 'grandchild', 'g' FROM generate_series(41, 45) i;
INSERT INTO every.adopted SELECT i, 'adopted' FROM generate_series(46, 50) i;

CREATE TABLE every.options (
    id integer, t text, plain_text text, external_text text, main_text text, n integer)
    WITH (fillfactor = 70, autovacuum_enabled = false, autovacuum_vacuum_scale_factor = 0.05,
          toast.autovacuum_enabled = false, toast_tuple_target = 256, parallel_workers = 3);
ALTER TABLE every.options
    ALTER plain_text SET STORAGE PLAIN, ALTER external_text SET STORAGE EXTERNAL, ALTER main_text SET STORAGE MAIN,
    ALTER id SET STATISTICS 500, ALTER t SET STATISTICS 0,
    ALTER n SET (n_distinct = -0.5, n_distinct_inherited = 20);
INSERT INTO every.options SELECT i, 't', 'p', repeat('e', 5000), repeat('m', 5000), i % 20
    FROM generate_series(1, 200) i;
COMMENT ON TABLE every.options IS E'A table''s comment\nover lines, with \\ and %s and "';
COMMENT ON COLUMN every.options.t IS 'A column';
GRANT SELECT ON every.options TO every_reader;
GRANT SELECT (id, t), UPDATE (t), INSERT (n) ON every.options TO every_writer;
GRANT ALL ON every.options TO every_owner WITH GRANT OPTION;
GRANT REFERENCES, TRIGGER ON every.numbers TO PUBLIC;
ALTER TABLE every.texts OWNER TO every_owner;
REVOKE ALL ON every.times FROM postgres;

CREATE SCHEMA "Schema ""of"" odd %names\
and lines";
CREATE TYPE "Schema ""of"" odd %names\
and lines"."Type, with ""quotes""" AS ENUM ('a', 'b');
CREATE TABLE "Schema ""of"" odd %names\
and lines"."Table
""on"" %d lines\n; DROP--" (
    "Column ""a""" integer PRIMARY KEY, "select" text, "two
lines" "Schema ""of"" odd %names\
and lines"."Type, with ""quotes""", "%s\t''" text, " leading blank" integer, "Ünïcödé 表 😀" text);
INSERT INTO "Schema ""of"" odd %names\
and lines"."Table
""on"" %d lines\n; DROP--"
    SELECT i, 'text', CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END::
        "Schema ""of"" odd %names\
and lines"."Type, with ""quotes""", E'\t', NULL, 'ü' FROM generate_series(1, 50) i;
CREATE INDEX "Index ""of"" %s
lines\" ON "Schema ""of"" odd %names\
and lines"."Table
""on"" %d lines\n; DROP--" ("select");
CREATE TABLE every."Ein_Name_der_genau_dreiundsechzig_Bytes_lang_ist_und_so_endet_1" (id integer);
INSERT INTO every."Ein_Name_der_genau_dreiundsechzig_Bytes_lang_ist_und_so_endet_1" VALUES (1);
CREATE TABLE every."Ein_Name_der_genau_dreiundsechzig_Bytes_lang_ist_und_so_endet_2" (id integer);
INSERT INTO every."Ein_Name_der_genau_dreiundsechzig_Bytes_lang_ist_und_so_endet_2" VALUES (2);
CREATE TABLE every."表表表表表表表表表表表表表表表表表表表表表" ("表" text);
INSERT INTO every."表表表表表表表表表表表表表表表表表表表表表" VALUES ('表');
CREATE TABLE every."table" ("table" integer, "from" text, "COPY" text);
INSERT INTO every."table" VALUES (1, 'x', 'y');
CREATE TABLE every."UPPER" (id integer);
CREATE TABLE every."upper" (id integer);
INSERT INTO every."UPPER" VALUES (1);
INSERT INTO every."upper" VALUES (2);
CREATE TABLE every.". dots.in.it" (id integer);
INSERT INTO every.". dots.in.it" VALUES (3);
CREATE TABLE every."*?[a-z]|(x)$" (id integer);
INSERT INTO every."*?[a-z]|(x)$" VALUES (4);
CREATE TABLE every."tab	and 'quote'" (id integer);
INSERT INTO every."tab	and 'quote'" VALUES (5);
ALTER TABLE every."table" OWNER TO "every ""odd"" role\é";
GRANT SELECT ON every.". dots.in.it" TO "every ""odd"" role\é";

CREATE TABLE every_owned.same_name (id integer);
CREATE TABLE every.same_name (id integer);
CREATE TABLE public.same_name (id integer);
INSERT INTO every_owned.same_name VALUES (1);
INSERT INTO every.same_name VALUES (2);
INSERT INTO public.same_name VALUES (3);

CREATE TABLE every.updated_and_deleted (id integer PRIMARY KEY, t text);
INSERT INTO every.updated_and_deleted SELECT i, 'before' FROM generate_series(1, 20000) i;
UPDATE every.updated_and_deleted SET t = 'after' WHERE id % 3 = 0;
DELETE FROM every.updated_and_deleted WHERE id BETWEEN 5000 AND 15000;

CREATE TABLE every.several_segments_of_pages (id bigint PRIMARY KEY, payload text, n numeric);
INSERT INTO every.several_segments_of_pages
    SELECT i, md5(i::text) || md5('b' || i), i / 7.0 FROM generate_series(1, 60000) i;
DO $$
BEGIN
    FOR i IN 1..60 LOOP
        EXECUTE format('CREATE TABLE filler.t%s (id integer PRIMARY KEY, t text)', i);
        EXECUTE format('INSERT INTO filler.t%s SELECT i, md5(i::text) FROM generate_series(1, %s) i', i, i * 3);
    END LOOP;
END
$$;
