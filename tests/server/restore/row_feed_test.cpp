// SPDX-License-Identifier: PostgreSQL
// Rows that go in binary form are the same in the server as those that go as text.
#include "core/restore/row_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <stop_token>

#include "core/base/error.h"
#include "tests/support/cluster.h"
#include "tests/support/servers.h"

using namespace gantry;
using namespace gantry::test;

namespace {

constexpr const char* kTable =
    "CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'happy');"
    "CREATE TABLE t (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric,"
    " n2 numeric(12, 3), t text, v varchar(40), c char(7), j json, jb jsonb, y bytea, d date,"
    " tm time, tm3 time(3), ts timestamp, ts0 timestamp(0), tz timestamptz, u uuid, m mood)";

/// The ends of each type's range and what is special in it, in one column each.
constexpr const char* kEdges =
    "INSERT INTO t(b) VALUES (NULL), (true), (false);"
    "INSERT INTO t(i2, i4, i8) VALUES (-32768, -2147483648, -9223372036854775808),"
    " (32767, 2147483647, 9223372036854775807), (0, 0, 0), (-1, -1, -1);"
    "INSERT INTO t(f4, f8) VALUES ('NaN', 'NaN'), ('Infinity', '-Infinity'), ('-0', '-0'),"
    " (3.40282e38, 1.7976931348623157e308), (1.17549e-38, 2.2250738585072014e-308), (0.1, 0.1),"
    " (16777217, 9007199254740993), (1e-7, 1e-7), (1e-45, 5e-324);"
    "INSERT INTO t(n, n2) VALUES ('NaN', 'NaN'), (0, 0), (0.000, -0.001), (-1, 1), (9999, 10000),"
    " (99999999, 999999999.999), (0.0001, 1), (0.00001234, 1), (1e-300, 1), (-1e300, 1),"
    " (12345678901234567890.123456789012345678901234567890, 1), (10000.0001, 1), (1.5000, 1.5);"
    "INSERT INTO t(t, v, c) VALUES ('', '', ''), (' ', ' ', ' '), (E'\\\\N', E'\\\\N', E'\\\\.'),"
    " (E'\b\f\n\r\t\x0b\x01\x7f', E'a\tb', E'a\\b'), ('\\', '\\\\', '\\x41'), (E'\u00e4\u20ac',"
    " '\u00e4', '\u00e4'), (repeat('x', 100000), repeat('y', 40), 'z');"
    "INSERT INTO t(j, jb) VALUES ('null', 'null'), ('{}', '{}'), (E'{\"a\" "
    ":\\n\"\\\\u00e4\\\\n\"}',"
    " E'{\"a\": \"\\\\u00e4\\\\n\\\\\\\\\", \"b\": [1.50, -0, 1e10, true, null]}');"
    "INSERT INTO t(y) VALUES (''), ('\\x00'), ('\\xff5c5c09'), (decode(repeat('ab', 5000), 'hex'));"
    "INSERT INTO t(d, ts, tz) VALUES ('infinity', 'infinity', 'infinity'),"
    " ('-infinity', '-infinity', '-infinity'), ('0001-01-01', '0001-01-01', '0001-01-02'),"
    " ('9999-12-31', '9999-12-31 23:59:59.999999', '9999-12-30'),"
    " ('2000-02-29', '2000-02-29 00:00:00.1', '1900-03-01 12:00:00.000001'),"
    " ('1600-02-29', '1970-01-01', '1890-01-01'), ('1999-12-31', '1999-12-31 23:59:59.999999',"
    " '1999-12-31 23:59:59.999999');"
    "INSERT INTO t(tm, tm3, ts0) VALUES ('00:00', '00:00', '2000-01-01'),"
    " ('23:59:59.999999', '23:59:59.999', '1999-12-31 23:59:59'), ('12:34:56.7', '1:2:3.04', NULL);"
    "INSERT INTO t(u) VALUES ('00000000-0000-0000-0000-000000000000'),"
    " ('ffffffff-ffff-ffff-ffff-ffffffffffff'); INSERT INTO t(m) VALUES ('it''s ok');";

/// One after the other what is spelled in a way that is not known here.
constexpr const char* kOddities =
    "INSERT INTO t(d) VALUES ('0044-03-15 BC'); INSERT INTO t(ts) VALUES ('0001-01-01 BC');"
    "INSERT INTO t(tz) VALUES ('20000-01-01'); INSERT INTO t(tm) VALUES ('24:00');"
    "INSERT INTO t(d) VALUES ('5874897-12-31');";

constexpr const char* kRandom =
    "INSERT INTO t SELECT random() < 0.5, (random() * 65535 - 32768)::int2, (random() * 4e9 -"
    " 2e9)::int4, (random() * 1.8e19 - 9e18)::int8, (random() - 0.5) * 10 ^ (random() * 60 - 30),"
    " (random() - 0.5) * 10 ^ (random() * 600 - 300), ((random() - 0.5)::numeric * 10::numeric ^"
    " (random() * 40 - 10)::int), (random() * 1e9 - 5e8)::numeric(12, 3), md5(random()::text) ||"
    " chr(1 + (random() * 126)::int) || chr(1 + (random() * 126)::int), md5(random()::text),"
    " substr(md5(random()::text), 1, (random() * 7)::int), to_json(random()), jsonb_build_object("
    "'k', random(), 's', chr(1 + (random() * 126)::int)), decode(md5(random()::text), 'hex'),"
    " date '0001-01-01' + (random() * 3652058)::int, time '00:00' + random() * interval '1 day',"
    " time '00:00' + random() * interval '1 day', timestamp '0001-01-01' + random() * 9990 *"
    " interval '1 year', now() + random() * interval '100 years', timestamptz '0002-01-01' +"
    " random() * 9990 * interval '1 year', md5(random()::text)::uuid,"
    " (enum_range(NULL::mood))[1 + (random() * 2.4)::int % 3] FROM generate_series(1, 20000)";

class Target {
public:
    explicit Target(const Cluster& cluster)
        : connection_(pg::Connection::open(cluster.connection("db"), "test", {})) {}

    /// All rows of a table as an archive has them.
    std::string text(const std::string& table) {
        connection_.beginCopyOut("COPY " + table + " TO STDOUT");
        std::string text;
        while (const auto row = connection_.nextCopyRow()) text += *row;
        return text;
    }
    /// Sends rows in two pieces; true if they went in binary form to the end.
    bool feed(const std::string& copy, const std::string& rows, restore::RowFeed::Form form = {}) {
        restore::RowFeed feed(connection_, copy, form, [](const std::string&) {});
        const std::size_t half = rows.find('\n', rows.size() / 2) + 1;
        feed.send(bytesOf(std::string_view(rows).substr(0, half)), restore::LineEnd::Newline);
        feed.send(bytesOf(std::string_view(rows).substr(half)), restore::LineEnd::Newline);
        const bool binary = feed.isBinary();
        taken_ = feed.end();
        return binary;
    }
    uint64_t taken() const { return taken_; }
    pg::Connection& connection() { return connection_; }

private:
    pg::Connection connection_;
    uint64_t taken_ = 0;
};

constexpr const char* kCopy =
    "COPY public.t (b, i2, i4, i8, f4, f8, n, n2, t, v, c, j, jb, y, d, tm, tm3, ts, ts0, tz, u, m)"
    " FROM stdin;\n";

}  // namespace

TEST_CASE("rows of every known type are the same as binary and as text, on every server") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    const Cluster cluster(major);
    cluster.createDatabase("db");
    cluster.execute(kTable, "db");
    if (major < 12) cluster.execute("ALTER TABLE t ALTER f4 TYPE float8", "db");
    cluster.execute(std::string(kEdges) + kRandom, "db");
    for (const std::string zone : {"UTC", "Asia/Kolkata", "America/St_Johns"}) {
        CAPTURE(zone);
        Target target(cluster);
        target.connection().execute("SET TimeZone = '" + zone + "'");
        target.connection().execute("SET extra_float_digits = 3");
        const std::string rows = target.text("t");
        target.connection().execute("TRUNCATE t");
        CHECK(target.feed(kCopy, rows));
        CHECK(target.text("t") == rows);
        CHECK(target.taken() == static_cast<uint64_t>(std::count(rows.begin(), rows.end(), '\n')));
    }
}

TEST_CASE("from a value on that is spelled otherwise, rows go as text") {
    const Cluster cluster;
    cluster.createDatabase("db");
    cluster.execute(std::string(kTable) + ";" + kEdges + kOddities + kEdges, "db");
    Target target(cluster);
    target.connection().execute("SET TimeZone = 'UTC'");
    const std::string rows = target.text("t");
    const auto count = static_cast<uint64_t>(std::count(rows.begin(), rows.end(), '\n'));
    SECTION("in a second COPY") {
        target.connection().execute("TRUNCATE t");
        CHECK_FALSE(target.feed(kCopy, rows));
    }
    SECTION("frozen, both in the transaction that emptied the table") {
        target.connection().execute("BEGIN");
        target.connection().execute("TRUNCATE t");
        CHECK_FALSE(target.feed(kCopy, rows, {.binary = true, .freeze = true}));
        target.connection().execute("COMMIT");
    }
    SECTION("if that is what is asked for, all of them") {
        target.connection().execute("TRUNCATE t");
        CHECK_FALSE(target.feed(kCopy, rows, {.binary = false, .freeze = false}));
    }
    CHECK(target.taken() == count);
    CHECK(target.text("t") == rows);
}

TEST_CASE("what a server refuses it refuses in the same words") {
    const Cluster cluster;
    cluster.createDatabase("db");
    cluster.execute("CREATE TABLE t (a int, b varchar(3) CHECK (b <> 'no'), c numeric(4, 2))",
                    "db");
    Target target(cluster);
    const auto refusal = [&](const std::string& rows, bool binary) {
        target.connection().execute("BEGIN");
        std::string said = "taken";
        try {
            (void)target.feed("COPY public.t (a, b, c) FROM stdin;\n", rows,
                              {.binary = binary, .freeze = false});
        } catch (const Error& error) {
            said = error.info().sqlState + " " + error.info().message;
        }
        target.connection().execute("ROLLBACK");
        return said;
    };
    for (const std::string bad :
         {"x\ta\t1\n", "1\tlong\t1\n", "1\tno\t1\n", "1\ta\t1000\n", "1\ta\n", "1\ta\t1\t1\n",
          "99999999999\ta\t1\n", "1\t\xff\t1\n", "1\ta\t1e9\n"}) {
        CAPTURE(bad);
        const std::string said = refusal("1\ta\t1.00\n" + bad, true);
        CHECK(said != "taken");
        CHECK(said == refusal("1\ta\t1.00\n" + bad, false));
    }
    // Of a second COPY it would be the first line, which says how all of them end.
    const std::string odd = "1\ta\t1.00\n1\ta\t1.00\r\n";
    CHECK(refusal(odd, true).starts_with("22P04 "));
    CHECK(refusal(odd, false).starts_with("22P04 "));
    CHECK(refusal("1\ta\t1.00\r\n", true) != "taken");
}

TEST_CASE("where two statements are not one, rows go as text") {
    const Cluster cluster;
    cluster.createDatabase("db");
    cluster.execute(
        "CREATE TABLE t (a int, b numeric); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NULL; END'",
        "db");
    Target target(cluster);
    const auto isBinary = [&] {
        return target.feed("COPY public.t (a, b) FROM stdin;\n", "1\t1.5\n");
    };
    CHECK(isBinary());
    SECTION("a trigger") {
        target.connection().execute(
            "CREATE TRIGGER g AFTER INSERT ON t FOR EACH STATEMENT EXECUTE PROCEDURE f()");
        CHECK_FALSE(isBinary());
        target.connection().execute("ALTER TABLE t DISABLE TRIGGER ALL");
        CHECK(isBinary());
    }
    SECTION("a foreign key") {
        target.connection().execute(
            "TRUNCATE t; ALTER TABLE t ADD UNIQUE (a); ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES"
            " t (a)");
        CHECK_FALSE(isBinary());
    }
    SECTION("bytes that are checked in binary rows alone") {
        target.connection().execute("SET client_encoding = SQL_ASCII");
        CHECK_FALSE(isBinary());
    }
}

TEST_CASE("tables with columns of other types get text") {
    const Cluster cluster;
    cluster.createDatabase("db");
    cluster.execute(
        "CREATE DOMAIN small AS int CHECK (VALUE < 10);"
        "CREATE TABLE arrays (a int, b int[]); CREATE TABLE domains (a int, b small);"
        "CREATE TABLE spans (a int, b interval); CREATE TABLE cheap (a int, b text);"
        "CREATE TABLE plain (gone text, b date, a int GENERATED ALWAYS AS IDENTITY);"
        "ALTER TABLE plain DROP gone",
        "db");
    Target target(cluster);
    CHECK_FALSE(target.feed("COPY public.arrays (a, b) FROM stdin;\n", "1\t{1,2}\n2\t\\N\n"));
    CHECK_FALSE(target.feed("COPY public.domains (a, b) FROM stdin;\n", "1\t1\n2\t2\n"));
    CHECK_FALSE(target.feed("COPY public.spans (a, b) FROM stdin;\n", "1\t1 day\n2\t\\N\n"));
    // Nothing would be gained.
    CHECK_FALSE(target.feed("COPY public.cheap (a, b) FROM stdin;\n", "1\ta\n2\t\\N\n"));
    CHECK(target.feed("COPY public.plain (a, b) FROM stdin;\n", "1\t2024-01-31\n2\tinfinity\n"));
    CHECK(target.text("plain (a, b)") == "1\t2024-01-31\n2\tinfinity\n");
    SECTION("and so do those whose characters may hold what looks like an escape") {
        target.connection().execute("SET client_encoding = 'SJIS'");
        CHECK_FALSE(
            target.feed("COPY public.plain (a, b) FROM stdin;\n", "1\t2024-01-31\n2\tinfinity\n"));
    }
}
