-- SPDX-License-Identifier: PostgreSQL
-- Publications through the root of a partitioned table.
CREATE PUBLICATION every_via_root FOR TABLE every.by_range WITH (publish_via_partition_root = true);
