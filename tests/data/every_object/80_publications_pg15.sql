-- SPDX-License-Identifier: PostgreSQL
-- Publications of schemas, of some columns, of some rows.
CREATE PUBLICATION every_schemas FOR TABLES IN SCHEMA every_owned, "Schema ""of"" odd %names\
and lines", TABLE every.numbers;
CREATE PUBLICATION every_columns FOR TABLE every.numbers (id, small), TABLE every.texts WHERE (what <> 'it''s');
CREATE PUBLICATION every_both FOR TABLE every.structured (id, j) WHERE (id > 3);
