-- SPDX-License-Identifier: PostgreSQL
-- Functions, procedures, aggregates, operators, operator classes and families, casts, transforms, languages.
CREATE FUNCTION every.add(a integer, b integer DEFAULT 1) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 0.5 AS $body$SELECT a + b$body$;
CREATE FUNCTION every.add(a text, b text DEFAULT E'x''\\') RETURNS text
    LANGUAGE sql STABLE PARALLEL RESTRICTED AS 'SELECT a || b';
CREATE FUNCTION every.many(IN a integer, INOUT b text, OUT c numeric, VARIADIC d integer[] DEFAULT '{}')
    RETURNS record LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = every, pg_temp SET work_mem = '1MB' SET "DateStyle" = 'SQL, DMY' AS $_$
BEGIN
    -- a body with $$, $_1$ and a backslash \
    c := a::numeric;
END
$_$;
CREATE FUNCTION every.some_rows(n integer) RETURNS TABLE (i integer, t text)
    LANGUAGE sql ROWS 10 COST 1000 AS 'SELECT i, i::text FROM generate_series(1, n) i';
CREATE FUNCTION every.nothing() RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION every."quoted ""function""
over lines"("the %s" integer) RETURNS integer LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION every.windowed() RETURNS bigint LANGUAGE internal WINDOW IMMUTABLE AS 'window_row_number';
CREATE FUNCTION every.supported(integer, integer) RETURNS integer LANGUAGE internal STRICT IMMUTABLE
    SUPPORT pg_catalog.generate_series_int4_support AS 'int4pl';
CREATE FUNCTION every.of_anything(anyelement, VARIADIC "any") RETURNS boolean LANGUAGE internal AS 'pg_num_nulls';
ALTER FUNCTION every.add(integer, integer) OWNER TO every_owner;
REVOKE EXECUTE ON FUNCTION every.add(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION every.add(integer, integer) TO every_reader WITH GRANT OPTION;
COMMENT ON FUNCTION every.add(integer, integer) IS 'A function';

CREATE PROCEDURE every.change(INOUT a integer, b text DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    a := a + 1;
    COMMIT;
END
$$;
CREATE PROCEDURE every.secure() LANGUAGE sql SECURITY DEFINER SET search_path TO '' AS 'SELECT 1';
GRANT EXECUTE ON PROCEDURE every.change(integer, text) TO every_writer;
COMMENT ON PROCEDURE every.change(integer, text) IS 'A procedure';

CREATE AGGREGATE every.total(integer) (
    SFUNC = int4_sum, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE,
    MSFUNC = int4_avg_accum, MINVFUNC = int4_avg_accum_inv, MSTYPE = bigint[], MFINALFUNC = int2int4_sum,
    MINITCOND = '{0,0}');
CREATE AGGREGATE every.largest(integer) (SFUNC = int4larger, STYPE = integer, SORTOP = >);
CREATE AGGREGATE every.median(double precision ORDER BY anyelement) (
    SFUNC = ordered_set_transition, STYPE = internal, FINALFUNC = percentile_disc_final, FINALFUNC_EXTRA);
CREATE AGGREGATE every.hypothetical(VARIADIC "any" ORDER BY VARIADIC "any") (
    SFUNC = ordered_set_transition_multi, STYPE = internal, FINALFUNC = rank_final, FINALFUNC_EXTRA,
    HYPOTHETICAL);
CREATE AGGREGATE every.rows(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '0');
ALTER AGGREGATE every.total(integer) OWNER TO every_owner;
GRANT EXECUTE ON FUNCTION every.total(integer) TO every_reader;
COMMENT ON AGGREGATE every.total(integer) IS 'An aggregate';

CREATE FUNCTION every.composite_compare(every.composite, every.composite) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT AS 'SELECT pg_catalog.btint4cmp(($1).a, ($2).a)';
CREATE FUNCTION every.composite_less(every.composite, every.composite) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT AS 'SELECT ($1).a OPERATOR(pg_catalog.<) ($2).a';
CREATE FUNCTION every.composite_equal(every.composite, every.composite) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT AS 'SELECT ($1).a OPERATOR(pg_catalog.=) ($2).a';
CREATE OPERATOR every.<<< (
    LEFTARG = every.composite, RIGHTARG = every.composite, FUNCTION = every.composite_less,
    COMMUTATOR = OPERATOR(every.>>>), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR every.>>> (
    LEFTARG = every.composite, RIGHTARG = every.composite, FUNCTION = every.composite_less,
    COMMUTATOR = OPERATOR(every.<<<));
CREATE OPERATOR every.=== (
    LEFTARG = every.composite, RIGHTARG = every.composite, FUNCTION = every.composite_equal,
    COMMUTATOR = OPERATOR(every.===), NEGATOR = OPERATOR(every.!==), HASHES, MERGES);
CREATE OPERATOR every.!! (RIGHTARG = integer, FUNCTION = int4um);
ALTER OPERATOR every.=== (every.composite, every.composite) OWNER TO every_owner;
COMMENT ON OPERATOR every.<<< (every.composite, every.composite) IS 'An operator';

CREATE OPERATOR FAMILY every.family USING btree;
CREATE OPERATOR CLASS every.class DEFAULT FOR TYPE every.composite USING btree FAMILY every.family AS
    OPERATOR 1 every.<<<, OPERATOR 3 every.===, OPERATOR 5 every.>>>,
    FUNCTION 1 every.composite_compare(every.composite, every.composite);
ALTER OPERATOR FAMILY every.family USING btree ADD
    OPERATOR 1 pg_catalog.< (integer, bigint), FUNCTION 1 (integer, bigint) btint48cmp(integer, bigint);
CREATE OPERATOR FAMILY every.lonely_family USING hash;
CREATE OPERATOR CLASS every.gist_with_storage FOR TYPE circle USING gist AS
    OPERATOR 3 && (circle, circle), OPERATOR 15 <-> (circle, point) FOR ORDER BY float_ops,
    FUNCTION 1 gist_circle_consistent(internal, circle, smallint, oid, internal),
    FUNCTION 2 gist_box_union(internal, internal),
    FUNCTION 3 gist_circle_compress(internal),
    FUNCTION 5 gist_box_penalty(internal, internal, internal),
    FUNCTION 6 gist_box_picksplit(internal, internal),
    FUNCTION 7 gist_box_same(box, box, internal),
    FUNCTION 8 gist_circle_distance(internal, circle, smallint, oid, internal),
    STORAGE box;
ALTER OPERATOR FAMILY every.family USING btree OWNER TO every_owner;
COMMENT ON OPERATOR FAMILY every.family USING btree IS 'An operator family';
COMMENT ON OPERATOR CLASS every.class USING btree IS 'An operator class';

CREATE FUNCTION every.composite_of(integer) RETURNS every.composite LANGUAGE sql IMMUTABLE
    AS 'SELECT ROW($1, NULL, NULL)::every.composite';
CREATE FUNCTION every.mood_number(every.mood) RETURNS integer LANGUAGE sql IMMUTABLE
    AS 'SELECT pg_catalog.length($1::text)';
CREATE CAST (integer AS every.composite) WITH FUNCTION every.composite_of(integer) AS ASSIGNMENT;
CREATE CAST (every.mood AS integer) WITH FUNCTION every.mood_number(every.mood);
CREATE CAST (every.base AS integer) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (every.varlena AS integer) WITH INOUT;
COMMENT ON CAST (integer AS every.composite) IS 'A cast';

CREATE FUNCTION every.language_handler() RETURNS language_handler LANGUAGE c
    AS '$libdir/plpgsql', 'plpgsql_call_handler';
CREATE FUNCTION every.language_inline(internal) RETURNS void LANGUAGE c STRICT
    AS '$libdir/plpgsql', 'plpgsql_inline_handler';
CREATE FUNCTION every.language_validator(oid) RETURNS void LANGUAGE c STRICT
    AS '$libdir/plpgsql', 'plpgsql_validator';
CREATE TRUSTED PROCEDURAL LANGUAGE every_language HANDLER every.language_handler
    INLINE every.language_inline VALIDATOR every.language_validator;
CREATE FUNCTION every.in_own_language() RETURNS integer LANGUAGE every_language AS 'BEGIN RETURN 7; END';
REVOKE USAGE ON LANGUAGE every_language FROM PUBLIC;
GRANT USAGE ON LANGUAGE every_language TO every_writer;
COMMENT ON LANGUAGE every_language IS 'A language';

CREATE TRANSFORM FOR integer LANGUAGE sql (
    FROM SQL WITH FUNCTION prsd_lextype(internal), TO SQL WITH FUNCTION int4recv(internal));
COMMENT ON TRANSFORM FOR integer LANGUAGE sql IS 'A transform';
