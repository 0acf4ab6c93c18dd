-- SPDX-License-Identifier: PostgreSQL
-- Roles that own or may use objects; they belong to the cluster, so that a repeated load keeps them.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['every_owner', 'every_reader', 'every_writer', 'every "odd" role\é'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        END IF;
    END LOOP;
END
$$;
