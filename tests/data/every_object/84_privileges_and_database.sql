-- SPDX-License-Identifier: PostgreSQL
-- Default privileges; settings, comment and rights of the database; security labels where a provider is loaded.
ALTER DEFAULT PRIVILEGES FOR ROLE every_owner GRANT SELECT ON TABLES TO every_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE every_owner IN SCHEMA every GRANT ALL ON SEQUENCES TO every_writer WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES FOR ROLE every_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "every ""odd"" role\é" REVOKE USAGE ON TYPES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE every_writer GRANT USAGE, CREATE ON SCHEMAS TO every_reader;
DO $$
DECLARE
    database text := current_database();
BEGIN
    EXECUTE format('ALTER DATABASE %I SET work_mem TO ''7MB''', database);
    EXECUTE format('ALTER DATABASE %I SET "DateStyle" TO ''SQL, DMY''', database);
    EXECUTE format('ALTER DATABASE %I SET search_path TO "$user", public, every, "odd ""path"""', database);
    EXECUTE format('ALTER DATABASE %I SET bytea_output TO escape', database);
    EXECUTE format('ALTER DATABASE %I SET extra_float_digits TO 0', database);
    EXECUTE format('ALTER DATABASE %I SET "IntervalStyle" TO iso_8601', database);
    EXECUTE format('ALTER DATABASE %I SET "TimeZone" TO ''Asia/Kathmandu''', database);
    EXECUTE format('ALTER ROLE every_reader IN DATABASE %I SET statement_timeout TO ''1min''', database);
    EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 90', database);
    EXECUTE format('COMMENT ON DATABASE %I IS ''A database with one of each kind''', database);
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', database);
    EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO every_owner', database);
    IF current_setting('shared_preload_libraries') LIKE '%dummy_seclabel%' THEN
        EXECUTE 'SECURITY LABEL FOR dummy ON TABLE every.numbers IS ''classified''';
        EXECUTE 'SECURITY LABEL FOR dummy ON COLUMN every.numbers.id IS ''unclassified''';
        EXECUTE 'SECURITY LABEL FOR dummy ON FUNCTION every.add(integer, integer) IS ''secret''';
        EXECUTE 'SECURITY LABEL FOR dummy ON SCHEMA every IS ''top secret''';
        EXECUTE 'SECURITY LABEL FOR dummy ON DOMAIN every.positive IS ''classified''';
    END IF;
END
$$;
