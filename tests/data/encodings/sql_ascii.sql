-- SPDX-License-Identifier: PostgreSQL
-- For a database in SQL_ASCII: bytes that are no UTF-8, in values, names, comments and large objects' comments.
CREATE TABLE every_byte (id integer PRIMARY KEY, value text);
INSERT INTO every_byte SELECT i, 'before' || convert_from(decode(lpad(to_hex(i), 2, '0'), 'hex'), 'SQL_ASCII') || 'after'
    FROM generate_series(1, 255) i;
INSERT INTO every_byte VALUES
    (1000, convert_from('\xc3', 'SQL_ASCII')), (1001, convert_from('\xc3a9', 'SQL_ASCII')),
    (1002, convert_from('\xeda080', 'SQL_ASCII')), (1003, convert_from('\xff5c2e0a', 'SQL_ASCII')), (1004, NULL), (1005, '');
CREATE TABLE arrays_of_bytes (id integer, value text[], pair varchar(3));
INSERT INTO arrays_of_bytes VALUES (1, ARRAY[convert_from('\xe9', 'SQL_ASCII'), convert_from('\xff22', 'SQL_ASCII')],
    convert_from('\xfeffe9', 'SQL_ASCII'));
DO $$
DECLARE
    odd text := convert_from('\x6be9ff', 'SQL_ASCII');
BEGIN
    EXECUTE format('CREATE TABLE %I (id integer, %I text DEFAULT %L)', 'table ' || odd, 'column ' || odd, odd);
    EXECUTE format('INSERT INTO %I VALUES (1), (2)', 'table ' || odd);
    EXECUTE format('COMMENT ON TABLE %I IS %L', 'table ' || odd, 'comment ' || odd);
    EXECUTE format('CREATE TYPE kind AS ENUM (%L, %L)', odd, 'plain');
    EXECUTE format('COMMENT ON LARGE OBJECT %s IS %L', lo_from_bytea(1000001, '\xe9ff00'), odd);
END
$$;
CREATE TABLE kinds (kind kind);
INSERT INTO kinds SELECT unnest(enum_range(NULL::kind));
