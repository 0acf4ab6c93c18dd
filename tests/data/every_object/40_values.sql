-- SPDX-License-Identifier: PostgreSQL
-- Values of every built-in type, at their edges; text with every character that COPY must escape.
CREATE TABLE every.numbers (
    id integer PRIMARY KEY,
    small smallint, whole integer, big bigint, exact numeric, scaled numeric(30, 10),
    single real, wide double precision, cash money, flag boolean);
INSERT INTO every.numbers VALUES
    (1, -32768, -2147483648, -9223372036854775808, 'NaN', -99999999999999999999.9999999999,
     '-Infinity', '-Infinity', '-92233720368547758.08', false),
    (2, 32767, 2147483647, 9223372036854775807, 0.000000000000000000000000000000000001, 0.0000000001,
     'Infinity', 'Infinity', '92233720368547758.07', true),
    (3, 0, 0, 0, 1e1000, NULL, 'NaN', 'NaN', 0, NULL),
    (4, 1, 1, 1, 1.50, 1.5, '-0', '-0', '-1.5', true),
    (5, NULL, NULL, NULL, NULL, NULL, 1e-45, 5e-324, NULL, NULL),
    (6, NULL, NULL, NULL, -0.1, NULL, 3.4028235e38, 1.7976931348623157e308, NULL, NULL),
    (7, NULL, NULL, NULL, 12345678901234567890123456789012345678901234567890.123456789, NULL,
     0.1, 0.30000000000000004, NULL, NULL);

CREATE TABLE every.times (
    id integer PRIMARY KEY,
    d date, t time, tz time with time zone, ts timestamp, tstz timestamp with time zone, ts0 timestamp(0),
    span interval, span_months interval year to month);
INSERT INTO every.times VALUES
    (1, 'infinity', '24:00:00', '24:00:00-15:59:59', 'infinity', 'infinity', 'infinity', '178000000 years',
     '3 years 2 months'),
    (2, '-infinity', '00:00', '00:00:00+15:59:59', '-infinity', '-infinity', '-infinity',
     '-178000000 years', '-1 month'),
    (3, '4713-01-01 BC', '23:59:59.999999', '12:00+05:30', '4713-01-01 00:00:00 BC',
     '4713-01-02 00:00:00+00 BC', '0001-12-31 23:59:59 BC', '-1 mon +2 days -03:04:05.678901', NULL),
    (4, '5874897-12-31', NULL, NULL, '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00',
     '2000-02-29 00:00:01', '00:00:00', '0'),
    (5, '0044-03-15 BC', '12:34:56.7', '04:05:06.789-08', '1970-01-01 00:00:00.000001',
     '1900-01-01 00:00:00+00:19:32', NULL, '1 day -00:00:00.000001', NULL),
    (6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE every.texts (id integer PRIMARY KEY, what text, value text);
INSERT INTO every.texts SELECT i, 'character ' || i, 'before' || chr(i) || 'after' FROM generate_series(1, 767) i;
INSERT INTO every.texts SELECT 1000 + i, 'alone: character ' || i, chr(i) FROM generate_series(1, 159) i;
INSERT INTO every.texts SELECT 2000 + i, 'backslash and character ' || i, E'\\' || chr(i)
    FROM generate_series(1, 127) i;
INSERT INTO every.texts VALUES
    (3000, 'null', NULL), (3001, 'empty', ''), (3002, 'end of data', E'\\.'), (3003, 'null marker', E'\\N'),
    (3004, 'end of data on a line of its own', E'line\n\\.\nline'), (3005, 'blank', ' '),
    (3006, 'the word', 'NULL'), (3007, 'line ends', E'\r\n\n\r'), (3008, 'tabs', E'\t\t'),
    (3009, 'backslashes', E'\\\\\\'), (3010, 'escapes that are text', E'\\b\\f\\n\\r\\t\\v\\0\\x41\\101'),
    (3011, 'quotes', E'''"`$$ $1 %s %d %% ;--/**/'), (3012, 'beyond 16 bits', U&'\+01F600\+01F469\200D\+01F4BB'),
    (3013, 'byte order mark', U&'\FEFFx'), (3014, 'separators', U&'\2028\2029\0085\00A0'),
    (3015, 'right to left', U&'\202E\05D0\05D1\0627'), (3016, 'combining', U&'e\0301\1100\1161\11A8'),
    (3017, 'last character', U&'\+10FFFF'), (3018, 'ends with a backslash', E'end\\'),
    (3019, 'ends with a newline', E'end\n');
CREATE TABLE every.fixed_texts (id integer, c char(5), v varchar(10), one "char", n name);
INSERT INTO every.fixed_texts VALUES
    (1, 'ab', 'ab  ', 'x', 'a name'), (2, '', '', '', ''), (3, NULL, NULL, NULL, NULL),
    (4, E'\\.', E'\\.', E'\\', repeat('é', 31)), (5, E'\t\n', E'\b\f\v', E'\n', E'\t');
CREATE TABLE every.only_text (t text);
INSERT INTO every.only_text VALUES (''), (NULL), (E'\\.'), (E'\\N'), (E'\n'), ('one'), ('one');

CREATE TABLE every.bytes (id integer PRIMARY KEY, value bytea);
INSERT INTO every.bytes SELECT i, decode(lpad(to_hex(i), 2, '0'), 'hex') FROM generate_series(0, 255) i;
INSERT INTO every.bytes VALUES (300, ''), (301, NULL), (302, '\x5c2e0a'), (303, E'\\\\.'),
    (304, decode(repeat('00ff5c0a0d09', 10000), 'hex'));

CREATE TABLE every.structured (
    id integer PRIMARY KEY, u uuid, j json, jb jsonb, path jsonpath, vector tsvector, query tsquery,
    b bit(7), vb bit varying(70));
INSERT INTO every.structured VALUES
    (1, '00000000-0000-0000-0000-000000000000', '  {"b" : 1, "b": 2,  "a":[ ]}', '{"b": 1, "b": 2, "a": []}',
     '$.a[*] ? (@.b > 1)', 'a fat:1A,2B ''it''''s'':3 ''\\\\'':4', 'fat & (rat | !''it''''s'') & super:*B <2> x',
     B'1010101', B''),
    (2, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '"\u00e9\n\\"', '"\u00e9\n\\\t\""', 'strict $',
     '', '', B'0000000', B'1111111111111111111111111111111111111111111111111111111111111111111111'),
    (3, NULL, 'null', 'null', NULL, NULL, NULL, NULL, NULL),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, NULL, E'[1e400,\n-0, 1.0]', '[1e400, -0, 1.0, 12345678901234567890.10]', NULL, NULL, NULL, NULL, NULL);

CREATE TABLE every.geometry (
    id integer PRIMARY KEY, p point, l line, s lseg, b box, pa path, po polygon, c circle,
    i inet, ci cidr, m macaddr, m8 macaddr8);
INSERT INTO every.geometry VALUES
    (1, '(0.1,-1e300)', '{1,2,3}', '[(1,2),(3,4)]', '(3,4),(1,2)', '((1,1),(2,2),(3,1))',
     '((0,0),(1,1),(1,0))', '<(1,2),3>', '::ffff:1.2.3.4/128', '10.0.0.0/8', '08:00:2b:01:02:03',
     '08:00:2b:01:02:03:04:05'),
    (2, '(NaN,Infinity)', '{0,-1,0}', '[(0,0),(0,0)]', '(0,0),(0,0)', '[(1,1),(2,2)]', '((0,0))', '<(0,0),0>',
     '192.168.1.5/24', '::/0', NULL, NULL),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE every.arrays (
    id integer PRIMARY KEY, i integer[], t text[], tt text[][], b bytea[], n numeric[], c every.composite[],
    m every.mood[], bx box[], base every.base[], dom every.codes);
INSERT INTO every.arrays VALUES
    (1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'),
    (2, '[-2:0]={1,NULL,3}', ARRAY['', NULL, 'NULL', E'\\.', E'"\\\n\t{},', ' '], '{{a,b},{c,d}}',
     ARRAY['\x00ff'::bytea, ''], '{NaN,1.50,-0.1}',
     ARRAY[ROW(1, 'a"b\,(', '{1.00}')::every.composite, NULL, ROW(NULL, '', NULL)::every.composite],
     ARRAY['sad', 'it''s "ok"', E'back\\slash', '']::every.mood[], '{(1,2),(0,0);(3,4),(1,1)}', '{1;2;NULL}',
     '{AB1,CD23}'),
    (3, '[2:3][-1:0]={{1,2},{3,4}}', NULL, '{{{1}},{{2}}}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE every.own_types (
    id integer PRIMARY KEY, c every.composite, n every.nested, m every.mood, r every.float_range,
    tr every.text_range, p every.positive, co every.code_of_code, b every.base, v every.varlena,
    sc every.some_composite, pr every.positioned);
INSERT INTO every.own_types VALUES
    (1, ROW(1, E'it''s, "x"\\\n', '{1.25,NULL}'), ROW(ROW(2, NULL, NULL), '()'), 'happy', '[1.5,Infinity)',
     '["a,b","c\"d")', 1.5, 'XY12', '17', 'some text', ROW(5, '', '{}'), '[1,5]'),
    (2, ROW(NULL, NULL, NULL), NULL, '', 'empty', '(,)', 0.001, NULL, NULL, NULL, NULL, 'empty'),
    (3, NULL, ROW(NULL, NULL), E'back\\slash', '(,)', NULL, 999999, NULL, '-1', '', NULL, '(,)');

CREATE TABLE every.ranges (id integer PRIMARY KEY, i int4range, b int8range, n numrange, d daterange,
    ts tsrange, tz tstzrange);
INSERT INTO every.ranges VALUES
    (1, '[1,10)', '(,5]', '[0.1,NaN]', '[0044-03-15 BC,infinity)', '[2000-01-01,2000-01-02]',
     '["2000-01-01 00:00+00",infinity]'),
    (2, 'empty', '(,)', 'empty', '(,)', '(,)', 'empty'), (3, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE every.system_types (id integer PRIMARY KEY, o oid, x xid, c cid, t tid, l pg_lsn, s txid_snapshot,
    ov oidvector, iv int2vector, rc regclass, rt regtype, rp regprocedure, ns regnamespace, rr regrole,
    rd regdictionary, cu refcursor);
INSERT INTO every.system_types VALUES
    (1, 4294967295, '4294967295', '1', '(4294967295,65535)', 'FFFFFFFF/FFFFFFFF', '10:20:10,14,15', '1 2 3',
     '-1 2', 'every.numbers', 'every.mood', 'every.add(integer,integer)', 'every', 'every_owner',
     'every.dictionary', 'a cursor'),
    (2, 0, '0', '0', '(0,0)', '0/0', NULL, '', '', '-', '-', '-', NULL, NULL, NULL, '');

DO $$
BEGIN
    PERFORM '<a/>'::xml;
    EXECUTE 'CREATE TABLE every.documents (id integer PRIMARY KEY, x xml)';
    EXECUTE 'INSERT INTO every.documents VALUES (1, ''<a b="c">é&lt;</a>''), (2, ''''), (3, NULL), '
            '(4, E''two <b/>\n<c/> pieces''), (5, ''<?xml version="1.0"?><doc/>'')';
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
