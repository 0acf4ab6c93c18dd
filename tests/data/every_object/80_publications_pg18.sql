-- SPDX-License-Identifier: PostgreSQL
-- Publications with generated columns.
CREATE PUBLICATION every_generated FOR TABLE every.generated_stored WITH (publish_generated_columns = stored);
