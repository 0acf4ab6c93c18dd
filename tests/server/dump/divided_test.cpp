// SPDX-License-Identifier: PostgreSQL
// Tables read in chunks: no row twice, none lost, whatever state they are in and whoever writes.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "core/archive/manifest.h"
#include "core/base/error.h"
#include "core/base/processor_load.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;

namespace {

/// Chunks that a table was read in.
std::size_t chunksOf(const EventRecord& events, const std::string& table) {
    std::size_t chunks = 0;
    for (const auto& started : events.all<events::TaskStarted>()) {
        if (started.object == table) ++chunks;
    }
    return chunks;
}

/// Moves balances, rows, pages and large objects about for as long as it lives: the number of
/// accounts, the sum of their balances and the number of large objects are the same in every
/// snapshot.
class Unrest {
public:
    explicit Unrest(const Cluster& cluster) : cluster_(cluster) {
        for (int i = 0; i < 2; ++i) {
            writers_.emplace_back([this, i](const std::stop_token& stop) { write(stop, i); });
        }
        writers_.emplace_back([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) run("VACUUM accounts");
        });
        writers_.emplace_back([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                run("DO $$ BEGIN FOR i IN 1..20 LOOP PERFORM lo_unlink((SELECT oid FROM"
                    " pg_largeobject_metadata ORDER BY random() LIMIT 1)); PERFORM new_object();"
                    " COMMIT; END LOOP; END $$");
            }
        });
    }
    /// What went wrong, if anything did; ends it.
    std::string end() {
        for (std::jthread& writer : writers_) writer.request_stop();
        for (std::jthread& writer : writers_) writer.join();
        writers_.clear();
        return failed_ ? "a writer failed" : "";
    }
    int rounds() const { return rounds_; }

private:
    void write(const std::stop_token& stop, int writer) {
        // Writers keep to accounts of their own, so that they never wait for each other.
        const std::string mine = fmt::format("id % 2 = {}", writer);
        while (!stop.stop_requested()) {
            run(fmt::format(
                "DO $$ BEGIN FOR i IN 1..20 LOOP"
                " UPDATE accounts SET balance = balance - 1 WHERE id = (SELECT min(id) FROM"
                "  accounts WHERE id > random() * 8000 AND {0});"
                " UPDATE accounts SET balance = balance + 1, note = repeat('n', (random() * "
                "  400)::int) WHERE id = (SELECT max(id) FROM accounts WHERE {0} AND"
                "  id < 2000 + random() * 8000);"
                " WITH gone AS (DELETE FROM accounts WHERE id = (SELECT min(id) FROM accounts WHERE"
                "  id > random() * 8000 AND {0}) RETURNING *) INSERT INTO accounts SELECT * FROM"
                "  gone; COMMIT; END LOOP; END $$",
                mine));
            ++rounds_;
        }
    }
    void run(const std::string& sql) {
        try {
            cluster_.execute(sql, "source");
        } catch (const std::exception&) {
            failed_ = true;
        }
    }

    const Cluster& cluster_;
    std::atomic<int> rounds_ = 0;
    std::atomic<bool> failed_ = false;
    std::vector<std::jthread> writers_;
};

}  // namespace

TEST_CASE("tables of every shape are divided and come back whole", "[dump]") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        // Live rows only here and there among dead ones, none at the end.
        "CREATE TABLE dead AS SELECT i AS id, repeat('x', 100) AS t FROM generate_series(1, 60000) "
        "i;"
        "DELETE FROM dead WHERE id % 5000 <> 7 OR id > 55000;"
        // Pages that were emptied, then filled again.
        "CREATE TABLE refilled AS SELECT i AS id FROM generate_series(1, 50000) i;"
        "DELETE FROM refilled WHERE id < 20000;",
        "source");
    cluster.execute("VACUUM refilled", "source");
    cluster.execute(
        "INSERT INTO refilled SELECT i FROM generate_series(100001, 110000) i;"
        // A page of rows with all the bytes elsewhere.
        "CREATE TABLE toasted (id integer, t text);"
        "ALTER TABLE toasted ALTER t SET STORAGE EXTERNAL;"
        "INSERT INTO toasted SELECT i, repeat(md5(i::text), 3000) FROM generate_series(1, 300) i;"
        // A row a page, and rows as wide as a page takes.
        "CREATE TABLE wide (id integer, t text);"
        "ALTER TABLE wide ALTER t SET STORAGE PLAIN;"
        "INSERT INTO wide SELECT i, repeat('w', 8000) FROM generate_series(1, 200) i;"
        "CREATE TABLE updated AS SELECT i AS id, 0 AS n FROM generate_series(1, 20000) i;"
        "UPDATE updated SET n = n + 1; UPDATE updated SET n = n + 1 WHERE id % 3 = 0;"
        "CREATE TABLE rolled_back AS SELECT i AS id FROM generate_series(1, 20000) i;",
        "source");
    CHECK_THROWS(cluster.execute(
        "INSERT INTO rolled_back SELECT i FROM generate_series(20001, 60000) i; SELECT 1 / 0",
        "source"));
    const std::vector<std::pair<Format, uint32_t>> ways{
        {Format::Directory, 4}, {Format::Custom, 2}, {Format::Tar, 3}, {Format::Plain, 8}};
    for (const auto& [format, jobs] : ways) {
        CAPTURE(archive::toString(format), jobs);
        options::DumpOptions options = dumpOptions(cluster, "source", folder / "dump", format,
                                                   format == Format::Tar ? "none" : "gzip:1");
        options.jobs = jobs;
        EventRecord events;
        runDump(options, events);
        CHECK(chunksOf(events, "public.toasted") == 2);  // its pages
        for (const char* table : {"dead", "refilled", "wide", "updated", "rolled_back"}) {
            CAPTURE(table);
            CHECK(chunksOf(events, fmt::format("public.{}", table)) > 3);
        }
        const ServerPrograms tools = clientToolsFor(18);
        restore(cluster, "copy", folder / "dump", format, tools);
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("copy"), tools) == "");
        dropDatabase(cluster, "copy");
        std::filesystem::remove_all(folder / "dump");
    }
}

TEST_CASE("a table for which one processor is enough is read whole, and the others make way",
          "[dump]") {
    const uint32_t processors = usableProcessors();
    if (processors < 2) SKIP("one processor is enough for none");
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    const int others = 10 * static_cast<int>(processors);
    constexpr double kRows = 200000;
    // Compressed it takes a processor of them four fifths of the time, uncompressed a third more.
    const double share = 1.33 / processors;
    cluster.execute(fmt::format("CREATE TABLE large AS SELECT i AS id, 1.5 AS n, md5(i::text) AS t"
                                " FROM generate_series(1, {}) i",
                                static_cast<int>(kRows * share)),
                    "source");
    for (int i = 0; i < others; ++i) {
        cluster.execute(
            fmt::format("CREATE TABLE other_{} AS SELECT i AS id, 1.5 AS n, md5(i::text) AS t"
                        " FROM generate_series(1, {}) i",
                        i, static_cast<int>(kRows * (1 - share) / others)),
            "source");
    }
    options::DumpOptions options =
        dumpOptions(cluster, "source", folder / "dump", Format::Directory, "gzip:1");
    options.divideAlways = false;
    options.jobs = processors;
    const auto toldOfIt = [&] {
        EventRecord events;
        options.dryRun = true;
        runDump(options, events);
        options.dryRun = false;
        const auto notices = events.all<events::Notice>();
        return std::any_of(notices.begin(), notices.end(), [](const events::Notice& notice) {
            return notice.message.starts_with("public.large is read whole");
        });
    };
    CHECK(toldOfIt());
    EventRecord whole;
    runDump(options, whole);
    CHECK(chunksOf(whole, "public.large") == 1);
    restore(cluster, "copy", folder / "dump", Format::Directory, clientToolsFor(18));
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("copy"), clientToolsFor(18)) ==
          "");
    options.compression = io::parseCompression("none");
    options.output = folder / "uncompressed";
    CHECK_FALSE(toldOfIt());
    EventRecord divided;
    runDump(options, divided);
    CHECK(chunksOf(divided, "public.large") > 1);
}

TEST_CASE("on a server that cannot read ranges a table is one task, and that is told", "[dump]") {
    const int major = GENERATE(13, 14);
    const Cluster cluster(major);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t AS SELECT i AS id FROM generate_series(1, 50000) i", "source");
    options::DumpOptions options = dumpOptions(cluster, "source", folder / "a");
    options.dryRun = GENERATE(false, true);
    EventRecord events;
    runDump(options, events);
    const bool whole = major < 14;
    bool told = false;
    for (const auto& notice : events.all<events::Notice>()) {
        told = told || notice.message.find("each table is one task") != std::string::npos;
    }
    CHECK(told == whole);
    if (!options.dryRun) CHECK((events.tableSpans() == 1) == whole);
}

TEST_CASE("a manifest says what was dumped, from where, when and how", "[dump]") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t AS SELECT i AS id FROM generate_series(1, 1000) i", "source");
    const std::string before = cluster.value("SELECT pg_current_wal_lsn()");
    runDump(dumpOptions(cluster, "source", folder / "a", archive::Format::Directory, "gzip:1"));
    const archive::Manifest manifest =
        archive::readManifest(archive::manifestPath(folder / "a", archive::Format::Directory));
    CHECK(manifest.databaseName == "source");
    CHECK(manifest.serverVersion == cluster.value("SHOW server_version"));
    CHECK(manifest.pgDumpVersion.starts_with("18"));
    CHECK(io::toString(manifest.compression) == "gzip:1");
    CHECK(std::count(manifest.snapshot.begin(), manifest.snapshot.end(), ':') == 2);
    CHECK(cluster.value("SELECT '" + manifest.lsn + "'::pg_lsn BETWEEN '" + before +
                        "' AND pg_current_wal_lsn()") == "t");
    CHECK(cluster.value("SELECT '" + manifest.startedAt + "'::timestamptz <= '" +
                        manifest.finishedAt + "'::timestamptz AND '" + manifest.startedAt +
                        "'::timestamptz > now() - interval '1 hour'") == "t");
    CHECK(manifest.settings.at("jobs") == "2");
    REQUIRE(manifest.members.size() == 1);
    CHECK(manifest.members[0].rows == 1000);
}

TEST_CASE("tables that come, go and change while the dump begins do it no harm", "[dump]") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    for (int i = 0; i < 30; ++i) {
        cluster.execute(fmt::format("CREATE TABLE t{0} AS SELECT i AS id, 'x' AS a FROM "
                                    "generate_series(1, 300) i",
                                    i),
                        "source");
    }
    cluster.execute("ALTER DATABASE source SET lock_timeout TO '50ms'");
    std::atomic<int> changes = 0;
    std::atomic<bool> failed = false;
    std::jthread changer([&](const std::stop_token& stop) {
        for (int i = 0; !stop.stop_requested(); ++i) {
            const std::string table = fmt::format("t{}", i % 30);
            // Each leaves 300 rows, whatever the columns and the file are. Who waits for a table
            // gives up soon: pg_dump queues behind him.
            const std::vector<std::string> ways{
                "BEGIN; TRUNCATE {0}; INSERT INTO {0} SELECT i FROM generate_series(1, 300) i;"
                " COMMIT",
                "BEGIN; DROP TABLE {0}; CREATE TABLE {0} AS SELECT i AS id, 'y' AS a FROM"
                " generate_series(1, 300) i; COMMIT",
                "ALTER TABLE {0} ADD COLUMN IF NOT EXISTS b text DEFAULT 'b'",
                "ALTER TABLE {0} DROP COLUMN IF EXISTS b",
                "ALTER TABLE {0} ALTER id TYPE bigint",
                "VACUUM FULL {0}"};
            try {
                cluster.execute(
                    fmt::format(fmt::runtime(ways[static_cast<std::size_t>(i) % ways.size()]),
                                table),
                    "source");
                ++changes;
            } catch (const std::exception& error) {
                if (std::string(error.what()).find("lock timeout") == std::string::npos) {
                    failed = true;
                }
            }
        }
    });
    int dumped = 0;
    for (int run = 0; run < 8; ++run) {
        CAPTURE(run);
        std::filesystem::remove_all(folder / "dump");
        try {
            runDump(dumpOptions(cluster, "source", folder / "dump", Format::Directory, "none"));
        } catch (const Error& error) {
            // What pg_dump would not survive either, said in words that help.
            CAPTURE(error.info().describe());
            CHECK_FALSE(error.info().hint.empty());
            CHECK(error.kind() != ErrorKind::Internal);
            CHECK_FALSE(std::filesystem::exists(folder / "dump"));
            continue;
        }
        ++dumped;
        restore(cluster, "copy", folder / "dump", Format::Directory, clientToolsFor(18));
        for (int i = 0; i < 30; ++i) {
            CAPTURE(i);
            CHECK(cluster.value(fmt::format("SELECT count(*) FROM t{}", i), "copy") == "300");
        }
        dropDatabase(cluster, "copy");
    }
    changer.request_stop();
    changer.join();
    CHECK_FALSE(failed);
    CHECK(changes > 0);
    CHECK(dumped > 0);
}

TEST_CASE("a table that is written to while it is read in chunks is dumped as of one moment",
          "[dump]") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE accounts (id integer PRIMARY KEY, balance bigint, note text, bulk text);"
        "ALTER TABLE accounts ALTER bulk SET STORAGE EXTERNAL;"
        "INSERT INTO accounts SELECT i, 1000, 'n', repeat('b', CASE WHEN i % 10 = 0 THEN 9000 ELSE "
        "500 END) FROM generate_series(1, 10000) i;"
        // Each holds its own number, over and over.
        "CREATE FUNCTION content(o oid) RETURNS bytea LANGUAGE sql AS"
        " $$SELECT convert_to(repeat(o::text, (o::bigint % 3000)::int), 'UTF8')$$;"
        "CREATE FUNCTION new_object() RETURNS void LANGUAGE plpgsql AS $$"
        " DECLARE o oid := lo_create(0); BEGIN PERFORM lo_put(o, 0, content(o)); END $$;"
        "SELECT count(new_object()) FROM generate_series(1, 400)",
        "source");
    Unrest unrest(cluster);
    for (int run = 0; run < 3; ++run) {
        CAPTURE(run);
        options::DumpOptions options =
            dumpOptions(cluster, "source", folder / "dump", Format::Directory, "gzip:1");
        options.jobs = 4;
        const int before = unrest.rounds();
        EventRecord events;
        runDump(options, events);
        CHECK(unrest.rounds() > before);
        CHECK(chunksOf(events, "public.accounts") > 4);
        restore(cluster, "copy", folder / "dump", Format::Directory, clientToolsFor(18));
        CHECK(cluster.rows("SELECT count(*), count(DISTINCT id), sum(balance) FROM accounts",
                           "copy") == Rows{{"10000", "10000", "10000000"}});
        CHECK(cluster.rows("SELECT count(*), count(*) FILTER (WHERE lo_get(oid) = content(oid))"
                           " FROM pg_largeobject_metadata",
                           "copy") == Rows{{"400", "400"}});
        dropDatabase(cluster, "copy");
        std::filesystem::remove_all(folder / "dump");
    }
    CHECK(unrest.end() == "");
}
