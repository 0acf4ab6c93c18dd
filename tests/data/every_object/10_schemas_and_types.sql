-- SPDX-License-Identifier: PostgreSQL
-- Schemas, and every kind of type: composite, enum, range, domain, base, shell.
CREATE SCHEMA every;
CREATE SCHEMA every_owned AUTHORIZATION every_owner;
CREATE SCHEMA every_empty;
CREATE SCHEMA filler;
GRANT USAGE ON SCHEMA every TO every_reader, every_writer;
GRANT USAGE, CREATE ON SCHEMA every_owned TO every_writer WITH GRANT OPTION;
GRANT USAGE ON SCHEMA public TO every_reader;
COMMENT ON SCHEMA every IS 'One of each kind';
COMMENT ON SCHEMA public IS 'Not the usual comment: it''s dumped';

CREATE TYPE every.composite AS (a integer, b text COLLATE "C", c numeric(10, 2)[]);
COMMENT ON TYPE every.composite IS 'A composite type';
COMMENT ON COLUMN every.composite.b IS 'An attribute';
ALTER TYPE every.composite ADD ATTRIBUTE gone integer;
ALTER TYPE every.composite DROP ATTRIBUTE gone;
CREATE TYPE every.nested AS (inner_value every.composite, label text);
CREATE TYPE every.no_attributes AS ();

CREATE TYPE every.mood AS ENUM ('sad', 'it''s "ok"', E'back\\slash', 'happy', '');
CREATE TYPE every.no_labels AS ENUM ();
ALTER TYPE every.mood OWNER TO every_owner;
REVOKE USAGE ON TYPE every.mood FROM PUBLIC;
GRANT USAGE ON TYPE every.mood TO every_writer;
COMMENT ON TYPE every.mood IS 'An enum';

CREATE FUNCTION every.float8_distance(double precision, double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1 - $2';
CREATE TYPE every.float_range AS RANGE (
    subtype = float8, subtype_opclass = float8_ops, subtype_diff = every.float8_distance);
CREATE TYPE every.text_range AS RANGE (subtype = text, collation = "C");
COMMENT ON TYPE every.float_range IS 'A range type';

CREATE TYPE every.positioned;
CREATE FUNCTION every.positioned_canonical(every.positioned) RETURNS every.positioned
    LANGUAGE internal IMMUTABLE STRICT AS 'int4range_canonical';
CREATE TYPE every.positioned AS RANGE (subtype = integer, canonical = every.positioned_canonical);

CREATE DOMAIN every.positive AS numeric(12, 3) DEFAULT 1 NOT NULL CONSTRAINT is_positive CHECK (VALUE > 0);
ALTER DOMAIN every.positive ADD CONSTRAINT is_small CHECK (VALUE < 1000000) NOT VALID;
COMMENT ON DOMAIN every.positive IS 'A domain';
COMMENT ON CONSTRAINT is_positive ON DOMAIN every.positive IS 'A domain constraint';
CREATE DOMAIN every.code AS text COLLATE "C" CHECK (VALUE ~ '^[A-Z]{2}\d+$' AND VALUE <> '''');
CREATE DOMAIN every.code_of_code AS every.code;
CREATE DOMAIN every.codes AS every.code[];
CREATE DOMAIN every.some_composite AS every.composite CHECK ((VALUE).a IS DISTINCT FROM 0);
ALTER DOMAIN every.code OWNER TO every_owner;
GRANT USAGE ON DOMAIN every.code TO every_reader;

CREATE TYPE every.base;
CREATE FUNCTION every.base_in(cstring) RETURNS every.base LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION every.base_out(every.base) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE FUNCTION every.base_recv(internal) RETURNS every.base LANGUAGE internal IMMUTABLE STRICT AS 'int4recv';
CREATE FUNCTION every.base_send(every.base) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'int4send';
CREATE TYPE every.base (
    INPUT = every.base_in, OUTPUT = every.base_out, RECEIVE = every.base_recv, SEND = every.base_send,
    INTERNALLENGTH = 4, PASSEDBYVALUE, ALIGNMENT = int4, STORAGE = plain, CATEGORY = 'x', PREFERRED = true,
    DEFAULT = '42', DELIMITER = ';', COLLATABLE = false);
COMMENT ON TYPE every.base IS 'A base type';
CREATE TYPE every.varlena;
CREATE FUNCTION every.varlena_in(cstring) RETURNS every.varlena LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION every.varlena_out(every.varlena) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE every.varlena (
    INPUT = every.varlena_in, OUTPUT = every.varlena_out, INTERNALLENGTH = variable, STORAGE = extended,
    COLLATABLE = true);

CREATE TYPE every.shell;
COMMENT ON TYPE every.shell IS 'Declared, never defined';
