-- SPDX-License-Identifier: PostgreSQL
-- Bodies in standard SQL, out parameters of procedures, subscripting, multirange names.
CREATE FUNCTION every.standard_body(a integer, b integer) RETURNS integer LANGUAGE sql IMMUTABLE
    RETURN a * b + every.add(a, b);
CREATE FUNCTION every.atomic_body(a text) RETURNS SETOF text LANGUAGE sql
BEGIN ATOMIC
    SELECT a || E'\n;'::text;
    SELECT upper(a) AS upper;
END;
CREATE PROCEDURE every.with_out(IN a integer, OUT b integer) LANGUAGE sql AS 'SELECT a * 2';
CREATE TYPE every.date_span AS RANGE (subtype = date, multirange_type_name = every.date_spans);
COMMENT ON TYPE every.date_spans IS 'A multirange type';
