-- SPDX-License-Identifier: PostgreSQL
-- Rights of the public schema, whose initial ones differ before 15.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
