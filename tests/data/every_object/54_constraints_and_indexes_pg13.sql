-- SPDX-License-Identifier: PostgreSQL
-- Targets of statistics objects.
ALTER STATISTICS every.statistics SET STATISTICS 400;
