-- SPDX-License-Identifier: PostgreSQL
-- Collations, conversions, text search objects, access methods.
CREATE COLLATION every.plain FROM "C";
CREATE COLLATION every.by_locale (LC_COLLATE = 'C', LC_CTYPE = 'POSIX');
ALTER COLLATION every.plain OWNER TO every_owner;
COMMENT ON COLLATION every.plain IS 'A collation';
DO $$
BEGIN
    EXECUTE 'CREATE COLLATION every.without_case '
            '(PROVIDER = icu, LOCALE = ''und-u-ks-level2'', DETERMINISTIC = false)';
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;

CREATE DEFAULT CONVERSION every.conversion FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE CONVERSION every.other_conversion FOR 'UTF8' TO 'LATIN1' FROM utf8_to_iso8859_1;
ALTER CONVERSION every.conversion OWNER TO every_owner;
COMMENT ON CONVERSION every.conversion IS 'A conversion';

CREATE TEXT SEARCH PARSER every.parser (
    START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end, LEXTYPES = prsd_lextype,
    HEADLINE = prsd_headline);
CREATE TEXT SEARCH TEMPLATE every.template (INIT = dsimple_init, LEXIZE = dsimple_lexize);
CREATE TEXT SEARCH DICTIONARY every.dictionary (TEMPLATE = every.template, ACCEPT = false);
CREATE TEXT SEARCH DICTIONARY every.stemmer (TEMPLATE = snowball, LANGUAGE = german);
CREATE TEXT SEARCH CONFIGURATION every.configuration (PARSER = every.parser);
ALTER TEXT SEARCH CONFIGURATION every.configuration
    ADD MAPPING FOR asciiword, word WITH every.dictionary, every.stemmer;
ALTER TEXT SEARCH CONFIGURATION every.configuration ADD MAPPING FOR url WITH simple;
ALTER TEXT SEARCH CONFIGURATION every.configuration OWNER TO every_owner;
ALTER TEXT SEARCH DICTIONARY every.stemmer OWNER TO every_owner;
COMMENT ON TEXT SEARCH PARSER every.parser IS 'A text search parser';
COMMENT ON TEXT SEARCH TEMPLATE every.template IS 'A text search template';
COMMENT ON TEXT SEARCH DICTIONARY every.dictionary IS 'A text search dictionary';
COMMENT ON TEXT SEARCH CONFIGURATION every.configuration IS 'A text search configuration';

CREATE ACCESS METHOD every_heap TYPE TABLE HANDLER heap_tableam_handler;
CREATE ACCESS METHOD every_gist TYPE INDEX HANDLER gisthandler;
COMMENT ON ACCESS METHOD every_heap IS 'An access method';
CREATE OPERATOR CLASS every.own_box_class DEFAULT FOR TYPE box USING every_gist AS
    OPERATOR 3 &&,
    FUNCTION 1 gist_box_consistent(internal, box, smallint, oid, internal),
    FUNCTION 2 gist_box_union(internal, internal),
    FUNCTION 5 gist_box_penalty(internal, internal, internal),
    FUNCTION 6 gist_box_picksplit(internal, internal),
    FUNCTION 7 gist_box_same(box, box, internal);
CREATE TABLE every.in_own_heap (id integer PRIMARY KEY, area box) USING every_heap;
INSERT INTO every.in_own_heap SELECT i, box(point(i, i), point(i + 1, i + 2)) FROM generate_series(1, 50) i;
CREATE INDEX in_own_heap_area ON every.in_own_heap USING every_gist (area);
CREATE MATERIALIZED VIEW every.matview_in_own_heap USING every_heap AS SELECT id FROM every.in_own_heap;
