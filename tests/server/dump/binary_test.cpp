// SPDX-License-Identifier: PostgreSQL
// Rows that were read in binary form are in the archive as the server itself would have written
// them, byte for byte.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>

#include "core/archive/archive_reader.h"
#include "core/archive/file_source.h"
#include "core/archive/verify.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;

namespace {

constexpr int kShortestFloats = 12;
constexpr int kInfiniteNumbers = 14;
constexpr int kGeneratedColumns = 12;

/// Every type that is taken, without those that a session's settings decide about.
constexpr std::string_view kPlainColumns =
    "id integer, b bool, i2 int2, i4 int4, i8 int8, n numeric, t text, v varchar(300), c char(9),"
    " j json, jb jsonb, e mood, tm time, u uuid";

/// Text of every kind of byte, at every place in a word of eight.
constexpr std::string_view kRandomText =
    "translate(repeat(md5(i::text), i % 4) || substr(md5((i * 7)::text), 1, i % 33), '0123456',"
    " CASE WHEN i % 3 = 0 THEN E'\\b\\f\\n\\r\\t\\x0b\\\\' ELSE E'\\x01\\x1f\\x7f \"N~' END)";

/// Of edges a row each, of random values many.
std::string fillPlain(int major) {
    std::string sql = fmt::format(
        "CREATE TYPE mood AS ENUM ('so so', E'back\\\\slash', E'tab\\t');"
        "CREATE TABLE plain ({});"
        "INSERT INTO plain (id) VALUES (0);"
        "INSERT INTO plain SELECT i, i % 2 = 0, (i % 65536 - 32768)::int2, (i::bigint * 104729 % "
        "4000000007 - 2000000003)::integer,"
        " (i::bigint << (i % 50)) * (i % 3 - 1),"
        " (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (i * 7919 % 100003)::numeric"
        "   * 10::numeric ^ (i % 40 - 20) + (i % 7)::numeric / 8,"
        " {}, left(md5(i::text), i % 30), left(md5(i::text), i % 10),"
        " json_build_object('k', {}), jsonb_build_array(i, null, {}, i / 8.0),"
        " (enum_range(NULL::mood))[1 + i % 3],"
        " time '00:00' + i * interval '1 us' * (10 ^ (i % 7))::int, md5(i::text)::uuid"
        " FROM generate_series(1, 100000) i;"
        "INSERT INTO plain (i2, i4, i8) VALUES (-32768, -2147483648, -9223372036854775808),"
        " (32767, 2147483647, 9223372036854775807), (0, 0, 0), (-1, 9, 10);"
        "INSERT INTO plain (t, v, c) VALUES ('', '', ''), (E'\\\\N', E'\\\\.', ' '),"
        " (E'\\n', repeat(E'\\\\', 300), E'\\t'), (repeat(E'x\\n', 3000000), repeat('v', 7), 'c');"
        "INSERT INTO plain (tm) VALUES ('00:00'), ('24:00'), ('23:59:59.999999'), ('12:00:00.1');",
        kPlainColumns, kRandomText, kRandomText, kRandomText);
    for (const char* value :
         {"0", "-0.000", "0.00000000000000000001", "NaN", "10000", "9999.9999", "-10000.0001",
          "1e131071", "-1e-16383", "100000000", "1.00010000", "12345678901234567890.5"}) {
        sql += fmt::format("INSERT INTO plain (n) VALUES ('{}');", value);
    }
    if (major >= kInfiniteNumbers) {
        sql += "INSERT INTO plain (n) VALUES ('Infinity'), ('-Infinity');";
    }
    return sql;
}

constexpr std::string_view kFillTimes =
    "CREATE TABLE times (id integer, d date, ts timestamp, tz timestamptz);"
    "INSERT INTO times SELECT i, date '2000-01-01' + (i * 37) - 1850000,"
    " timestamp '0001-01-01 BC' + i * interval '13 days 1.000001 seconds',"
    " timestamptz '2020-01-01 00:00+00' - i * interval '9 days 1.123 seconds'"
    " FROM generate_series(1, 100000) i;"
    "INSERT INTO times (d) VALUES ('4714-11-24 BC'), ('5874897-12-31'), ('infinity'),"
    " ('-infinity'), ('0001-12-31 BC'), ('0001-01-01'), ('9999-12-31'), ('10000-01-01'),"
    " ('2000-02-29'), ('1900-02-28'), ('0005-02-29 BC'), ('100000-01-01');"
    "INSERT INTO times (ts, tz) SELECT t::timestamp, (t || '+00')::timestamptz FROM unnest(ARRAY["
    " '4714-11-24 00:00:00 BC', '294276-12-31 23:59:59.999999', '1999-12-31 23:59:59.999999',"
    " '2000-01-01 00:00:00.1', '0001-12-31 23:59:59.99 BC', '0044-03-15 12:00 BC',"
    " '12345-06-07 08:09:10.000001']) t;"
    "INSERT INTO times (ts, tz) VALUES ('infinity', 'infinity'), ('-infinity', '-infinity');";

constexpr std::string_view kFillBytes =
    "CREATE TABLE bytes (id integer, a bytea);"
    "INSERT INTO bytes SELECT i, substr(decode(md5(i::text) || md5((i + 1)::text), 'hex'), 1,"
    " i % 33) FROM generate_series(1, 100000) i;"
    "INSERT INTO bytes VALUES (0, NULL), (-1, decode(repeat('00ff5c', 4000000), 'hex'));";

/// Whether tables were read in binary form, by name. One that is divided is read one way.
std::map<std::string, bool> formsOf(const EventRecord& events) {
    std::map<uint32_t, std::string> tables;
    for (const auto& started : events.all<events::TaskStarted>()) {
        tables[started.span.task.value] = started.object;
    }
    std::map<std::string, bool> forms;
    for (const auto& told : events.all<events::TaskStatement>()) {
        const bool binary = told.statement.ends_with("(FORMAT binary)");
        const auto [at, isNew] = forms.emplace(tables.at(told.span.task.value), binary);
        if (!isNew) CHECK(at->second == binary);
    }
    return forms;
}

/// The table's rows as the archive has them, in some order.
std::vector<std::string> rowsIn(const archive::ArchiveReader& reader, const std::string& table) {
    for (const archive::DataMember& member : reader.members()) {
        const auto& entries = reader.toc().entries;
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
            return candidate.dumpId == member.entry;
        });
        if (entry == entries.end() || entry->name() != table) continue;
        const auto data = reader.openData(member);
        std::string text = archive::readAll(*data, std::size_t{1} << 30, table);
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        while (!lines.empty() && (lines.back().empty() || lines.back() == "\\.")) lines.pop_back();
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    FAIL("no rows of " << table);
    return {};
}

/// Dumps "source" as it comes and with --no-binary; returns how tables were read the first time.
/// Both archives must have the same rows, which the second has from the server as they are.
std::map<std::string, bool> dumpBothWays(const Cluster& cluster,
                                         const std::vector<std::string>& tables,
                                         const std::string& encoding = {}, uint32_t jobs = 2) {
    const TemporaryFolder folder;
    const auto dumpTo = [&](const std::string& name, bool noBinary, EventRecord& events) {
        options::DumpOptions options =
            dumpOptions(cluster, "source", folder / name, Format::Directory, "none");
        options.jobs = jobs;
        options.smallestChunk = 1 << 20;
        options.encoding = encoding;
        options.noBinary = noBinary;
        runDump(options, events);
    };
    EventRecord binary;
    EventRecord text;
    dumpTo("binary", false, binary);
    dumpTo("text", true, text);
    for (const auto& [table, wasBinary] : formsOf(text)) CHECK_FALSE(wasBinary);
    const auto one = archive::openArchive(folder / "binary");
    const auto other = archive::openArchive(folder / "text");
    CHECK(archive::verify(*one, {.threads = 2, .progress = {}}, {}).findings.empty());
    for (const std::string& table : tables) {
        CAPTURE(table);
        const std::vector<std::string> found = rowsIn(*one, table);
        const std::vector<std::string> expected = rowsIn(*other, table);
        CHECK(expected.size() > 0);
        CHECK(found.size() == expected.size());
        const auto [at, wanted] =
            std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
        if (at != found.end() && wanted != expected.end()) {
            CHECK(at->substr(0, 500) == wanted->substr(0, 500));
        }
        CHECK(found == expected);
    }
    return formsOf(binary);
}

}  // namespace

TEST_CASE("rows read in binary form are those that the server writes as text", "[dump]") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    const Cluster cluster(major);
    cluster.createDatabase("source");
    cluster.execute("ALTER DATABASE source SET timezone = 'Etc/UTC'");
    cluster.execute(fillPlain(major), "source");
    cluster.execute(std::string(kFillTimes), "source");
    cluster.execute(std::string(kFillBytes), "source");
    cluster.execute(
        "CREATE TABLE floats AS SELECT i AS id, (i * 0.1)::float4 AS r, exp(i % 600) / i AS d"
        " FROM generate_series(1, 50000) i",
        "source");
    const std::map<std::string, bool> forms =
        dumpBothWays(cluster, {"plain", "times", "bytes", "floats"});
    CHECK(forms == std::map<std::string, bool>{{"public.plain", true},
                                               {"public.times", true},
                                               {"public.bytes", true},
                                               {"public.floats", major >= kShortestFloats}});
}

namespace {

/// The newest server (0: none) whose database of time zones is this machine's, which is ours as
/// well: of others, some zone always has a past that a later release has corrected. The same moment
/// is written all the same, but with another offset.
int majorWithOurZones() {
    std::vector<int> majors = installedMajors();
    std::sort(majors.rbegin(), majors.rend());
    for (const int major : majors) {
        const Cluster cluster(major);
        if (cluster.value("SELECT count(*) FROM pg_config WHERE setting LIKE"
                          " '%--with-system-tzdata=%'") == "1") {
            return major;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("times are written in the session's zone", "[dump]") {
    static const int major = majorWithOurZones();
    if (major == 0) SKIP("no server here has the time zones of this machine");
    const Cluster cluster(major);
    cluster.createDatabase("source");
    cluster.execute(std::string(kFillTimes), "source");
    // Of each half hour of two years, and of a later cycle of the calendar, which rules alone know.
    cluster.execute(
        "INSERT INTO times (tz) SELECT t + i * interval '30 minutes' FROM (VALUES"
        " (timestamptz '2023-01-01'), ('2100-01-01'), ('5000-01-01')) v (t),"
        " generate_series(1, 35040) i",
        "source");
    // With and without summer time, south of the equator, by half and quarter hours, with a day
    // left out, and with offsets of seconds before 1900.
    const std::string zone = GENERATE("Europe/Berlin", "America/New_York", "America/Sao_Paulo",
                                      "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
                                      "Europe/Dublin", "Pacific/Apia", "Etc/GMT-14", "Etc/UTC");
    CAPTURE(zone);
    cluster.execute("ALTER DATABASE source SET timezone = '" + zone + "'");
    CHECK(dumpBothWays(cluster, {"times"}) == std::map<std::string, bool>{{"public.times", true}});
}

TEST_CASE("what a session's settings would write otherwise is left to the server", "[dump]") {
    const Cluster cluster(18);
    cluster.createDatabase("source");
    cluster.execute(std::string(kFillTimes), "source");
    cluster.execute(std::string(kFillBytes), "source");
    cluster.execute("CREATE TABLE days AS SELECT id, d, ts FROM times", "source");
    cluster.execute(
        "ALTER DATABASE source SET timezone = '<+02>-02';"  // which is in no database of zones
        "ALTER DATABASE source SET datestyle = 'German';"   // which no dump keeps
        "ALTER DATABASE source SET bytea_output = 'escape'");
    const std::map<std::string, bool> forms = dumpBothWays(cluster, {"times", "bytes", "days"});
    CHECK(forms == std::map<std::string, bool>{
                       {"public.times", false}, {"public.bytes", false}, {"public.days", true}});
}

TEST_CASE("a domain's values are read like its base type's", "[dump]") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    const Cluster cluster(major);
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TYPE mood AS ENUM ('so so', 'well'); CREATE DOMAIN temper AS mood;"
        "CREATE DOMAIN price AS numeric(12, 3) CHECK (VALUE > -1e9);"
        "CREATE DOMAIN code AS char(12); CREATE DOMAIN since AS timestamptz NOT NULL;"
        "CREATE DOMAIN fee AS price; CREATE DOMAIN tags AS text[];"
        "CREATE TABLE direct AS SELECT i AS id, (i / 7.0)::price AS p, ('c' || i)::code AS c,"
        " 'well'::temper AS m, (timestamptz '2020-01-01' + i * interval '1 minute')::since AS s"
        " FROM generate_series(1, 30000) i;"
        // What is behind two domains, or no single value, is left to the server.
        "CREATE TABLE deep AS SELECT id, p::fee AS f FROM direct;"
        "CREATE TABLE wide AS SELECT id, p, ARRAY[c::text]::tags AS t FROM direct;",
        "source");
    CHECK(dumpBothWays(cluster, {"direct", "deep", "wide"}) ==
          std::map<std::string, bool>{
              {"public.direct", true}, {"public.deep", false}, {"public.wide", false}});
}

TEST_CASE("a server of this machine is known by its backends, however it is reached", "[dump]") {
    ClusterOptions clusterOptions;
    clusterOptions.tcp = true;
    const Cluster cluster(clusterOptions);
    cluster.createDatabase("source");
    // Over a network these would be longer in binary form.
    cluster.execute(
        "CREATE TABLE numbers AS SELECT i::numeric AS n, md5(i::text) AS t"
        " FROM generate_series(1, 50000) i",
        "source");
    const TemporaryFolder folder;
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "a", Format::Directory, "none");
    options.connection.host = "127.0.0.1";
    EventRecord events;
    runDump(options, events);
    CHECK(formsOf(events) == std::map<std::string, bool>{{"public.numbers", true}});
}

TEST_CASE("a dry run of a dump tells how many tables would be read in binary form", "[dump]") {
    const Cluster cluster(18);
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE a AS SELECT i::numeric AS n, md5(i::text) AS t FROM generate_series(1, "
        "50000) "
        "i; CREATE TABLE small AS SELECT 1.5 AS n;"
        "CREATE TABLE plain AS SELECT i, md5(i::text) AS t FROM generate_series(1, 50000) i",
        "source");
    const TemporaryFolder folder;
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "a", archive::Format::Directory, "none");
    options.dryRun = true;
    const auto told = [&] {
        EventRecord events;
        runDump(options, events);
        std::vector<std::string> messages;
        for (const auto& notice : events.all<events::Notice>()) messages.push_back(notice.message);
        return messages;
    };
    CHECK(told() == std::vector<std::string>{
                        "The rows of one larger table are read in COPY's binary form, and their "
                        "text is written here, as the server would have (--no-binary)."});
    options.noBinary = true;
    CHECK(told().empty());
    CHECK_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_CASE("text of other encodings is read in binary form where no byte can be mistaken",
          "[dump]") {
    const Cluster cluster(18);
    const std::string encoding = GENERATE("SQL_ASCII", "LATIN1", "EUC_JP");
    CAPTURE(encoding);
    cluster.createDatabase("source", "ENCODING '" + encoding + "'");
    // Not what it says, but bytes; in Japanese two for each character.
    const std::string letters = encoding == "EUC_JP" ? "\\xA4\\xA2\\xB0\\xA1" : "\\xE4\\xF6\\xFC";
    cluster.execute(
        fmt::format(
            "SET client_encoding = {0}; CREATE TABLE words AS SELECT i, i::numeric AS n, E'{1}'"
            " || repeat(E'{1}\\\\\\t', i % 9) || md5(i::text) AS t"
            " FROM generate_series(1, 40000) i",
            encoding, letters),
        "source");
    const std::map<std::string, bool> binary{{"public.words", true}};
    const std::map<std::string, bool> text{{"public.words", false}};
    CHECK(dumpBothWays(cluster, {"words"}) == binary);
    if (encoding == "LATIN1") CHECK(dumpBothWays(cluster, {"words"}, "UTF8") == binary);
    if (encoding == "EUC_JP") CHECK(dumpBothWays(cluster, {"words"}, "SJIS") == text);
}

TEST_CASE("columns of every kind are read in the form that is known of their types", "[dump]") {
    const Cluster cluster(18);
    cluster.createDatabase("source");
    const std::string filler = "repeat(md5(i::text), 4)";
    cluster.execute(
        fmt::format(
            "CREATE DOMAIN short AS text CHECK (length(VALUE) < 1000);"
            "CREATE TABLE kinds (gone int, id int GENERATED ALWAYS AS IDENTITY, t text,"
            " twice text GENERATED ALWAYS AS (t || t) STORED, \"odd \"\" name\" int8);"
            "ALTER TABLE kinds DROP gone;"
            "INSERT INTO kinds (t, \"odd \"\" name\") SELECT {0}, i FROM generate_series(1, 20000) "
            "i;"
            "ALTER TABLE kinds ADD later numeric DEFAULT 1.50, ADD empty uuid;"
            "CREATE TABLE with_domain (id int, t short);"
            "INSERT INTO with_domain SELECT i, {0} FROM generate_series(1, 20000) i;"
            "CREATE TABLE with_array AS SELECT i, ARRAY[{0}] AS a FROM generate_series(1, 20000) i;"
            "CREATE TABLE with_float AS SELECT i, i / 3.0::float8 AS f, {0} AS t"
            " FROM generate_series(1, 20000) i;"
            "CREATE TABLE tiny AS SELECT 1 AS i;"
            "CREATE TABLE root (id int, t text, n numeric) PARTITION BY RANGE (id);"
            "CREATE TABLE leaf PARTITION OF root FOR VALUES FROM (0) TO (100000);"
            "INSERT INTO root SELECT i, {0}, i FROM generate_series(1, 20000) i;"
            "CREATE TABLE cheap AS SELECT i, {0} AS t FROM generate_series(1, 20000) i;"
            "CREATE TABLE heir (own int) INHERITS (kinds);"
            "INSERT INTO heir (id, t, own) SELECT i, {0}, i FROM generate_series(1, 20000) i;"
            // Its rows are gone, its pages are not.
            "CREATE TABLE emptied AS SELECT i::numeric AS n, {0} AS t FROM generate_series(1, "
            "20000) i;"
            "DELETE FROM emptied; CREATE TABLE \"none\" ();",
            filler),
        "source");
    const uint32_t jobs = GENERATE(1U, 3U);
    const std::map<std::string, bool> forms = dumpBothWays(
        cluster, {"kinds", "with_domain", "with_array", "with_float", "tiny", "leaf", "heir"}, {},
        jobs);
    CHECK(forms == std::map<std::string, bool>{{"public.kinds", true},
                                               {"public.with_domain", false},
                                               {"public.with_array", false},
                                               {"public.with_float", true},
                                               {"public.tiny", false},
                                               {"public.leaf", true},
                                               {"public.cheap", false},
                                               {"public.heir", true},
                                               {"public.emptied", true},
                                               {"public.none", false}});
}
