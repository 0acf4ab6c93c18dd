-- SPDX-License-Identifier: PostgreSQL
-- Default privileges of large objects.
ALTER DEFAULT PRIVILEGES FOR ROLE every_owner GRANT SELECT ON LARGE OBJECTS TO every_reader;
