-- SPDX-License-Identifier: PostgreSQL
-- Foreign data wrappers, servers, user mappings, foreign tables; a readable one where file_fdw is installed.
CREATE FOREIGN DATA WRAPPER every_wrapper OPTIONS (debug 'true', "Odd option" E'it''s\\');
CREATE FOREIGN DATA WRAPPER every_validated VALIDATOR postgresql_fdw_validator;
CREATE SERVER every_server TYPE 'a type' VERSION '1.2' FOREIGN DATA WRAPPER every_wrapper OPTIONS (host 'nowhere');
CREATE SERVER "every ""odd"" server" FOREIGN DATA WRAPPER every_wrapper;
ALTER SERVER every_server OWNER TO every_owner;
GRANT USAGE ON FOREIGN DATA WRAPPER every_wrapper TO every_owner, every_writer;
GRANT USAGE ON FOREIGN SERVER every_server TO every_writer WITH GRANT OPTION;
CREATE USER MAPPING FOR every_owner SERVER every_server OPTIONS (user 'u', password E'p''w\\');
CREATE USER MAPPING FOR PUBLIC SERVER every_server;
CREATE FOREIGN TABLE every.foreign_table (
    id integer OPTIONS (column_name 'other id') NOT NULL, t text COLLATE "C" DEFAULT 'x', CHECK (id > 0))
    SERVER every_server OPTIONS (schema_name 's', table_name E't''\\');
CREATE TABLE every.parent_of_foreign (id integer, t text);
INSERT INTO every.parent_of_foreign VALUES (1, 'of the parent');
CREATE FOREIGN TABLE every.foreign_child (own text) INHERITS (every.parent_of_foreign) SERVER every_server;
ALTER FOREIGN TABLE every.foreign_table ALTER t SET STATISTICS 10;
GRANT SELECT ON every.foreign_table TO every_reader;
COMMENT ON FOREIGN DATA WRAPPER every_wrapper IS 'A foreign data wrapper';
COMMENT ON SERVER every_server IS 'A foreign server';
COMMENT ON FOREIGN TABLE every.foreign_table IS 'A foreign table';
COMMENT ON COLUMN every.foreign_table.id IS 'A column of a foreign table';
CREATE TABLE every.parted_with_foreign (id integer, t text) PARTITION BY RANGE (id);
CREATE TABLE every.parted_with_foreign_local PARTITION OF every.parted_with_foreign FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE every.parted_with_foreign_far PARTITION OF every.parted_with_foreign FOR VALUES FROM (10) TO (20)
    SERVER every_server;
INSERT INTO every.parted_with_foreign_local SELECT i, 'local' FROM generate_series(0, 9) i;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'file_fdw') THEN
        EXECUTE 'CREATE EXTENSION file_fdw WITH SCHEMA every_owned';
        EXECUTE 'CREATE SERVER every_files FOREIGN DATA WRAPPER file_fdw';
        EXECUTE 'CREATE FOREIGN TABLE every.foreign_rows (n integer) SERVER every_files OPTIONS (program ''seq 100'')';
    END IF;
END
$$;
