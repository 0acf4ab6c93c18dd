-- SPDX-License-Identifier: PostgreSQL
-- Publications.
CREATE PUBLICATION every_publication FOR TABLE every.numbers, ONLY every.parent, every."table"
    WITH (publish = 'insert, update');
CREATE PUBLICATION "every ""odd"" publication" WITH (publish = '');
CREATE PUBLICATION every_all_tables FOR ALL TABLES WITH (publish = 'insert');
ALTER PUBLICATION every_publication OWNER TO postgres;
COMMENT ON PUBLICATION every_publication IS 'A publication';
