-- SPDX-License-Identifier: PostgreSQL
-- Compression of columns.
CREATE TABLE every.compressed_columns (id integer, p text COMPRESSION pglz, d text);
DO $$
BEGIN
    EXECUTE 'ALTER TABLE every.compressed_columns ADD l text COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
INSERT INTO every.compressed_columns SELECT i, repeat('p', 10000), repeat('d', 10000) FROM generate_series(1, 10) i;
