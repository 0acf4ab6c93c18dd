// SPDX-License-Identifier: PostgreSQL
// A restore that was killed is finished from its record: nothing that was done is done again,
// nothing half-made stays, and what comes out is equal.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/events/event_json.h"
#include "core/pg/connection.h"
#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

namespace {

/// True once something other than the plan says this. The last line may still be half written, and
/// of a plan's its type comes last.
bool tells(const fs::path& record, const std::string& text) {
    std::ifstream file(record);
    for (std::string line; std::getline(file, line) && !file.eof();) {
        const bool plan = line.find(R"("type":"plan")") != std::string::npos;
        if (!plan && line.find(text) != std::string::npos) return true;
    }
    return false;
}

std::vector<std::string> command(const Cluster& cluster, const fs::path& archive,
                                 const fs::path& record) {
    return {"restore",        "-d",       cluster.conninfo("target"),
            archive.string(), "-j",       "2",
            "--no-progress",  "--events", record.string()};
}

ChildProcess start(const Cluster& cluster, const fs::path& archive, const fs::path& record) {
    ChildOptions child;
    child.program = gantryctl();
    child.arguments = command(cluster, archive, record);
    child.output = ChildStream::Null;
    child.errors = ChildStream::Null;
    return ChildProcess::start(child);
}

ToolResult resume(const Cluster& cluster, const fs::path& archive, const fs::path& record) {
    fs::path again = record;
    again += ".again";
    std::vector<std::string> words = command(cluster, archive, again);
    words.insert(words.begin(), gantryctl().string());
    words.insert(words.end(), {"--resume", record.string()});
    return runTool(words);
}

/// As if the run had been killed at its end.
void cutOff(const fs::path& record) {
    std::ifstream file(record);
    std::string kept;
    for (std::string line; std::getline(file, line);) {
        if (line.find(R"("type":"run_finished")") == std::string::npos) kept += line + "\n";
    }
    std::ofstream(record, std::ios::trunc) << kept;
}

/// Kills the restore once its record holds this text; false if it came to its end before.
bool killAt(const Cluster& cluster, const fs::path& archive, const fs::path& record,
            const std::string& text) {
    ChildProcess process = start(cluster, archive, record);
    while (!tells(record, text) && !process.poll()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (process.poll()) return false;
    process.signal(SIGKILL);
    process.wait();
    return true;
}

/// Indexes and tables that hold rows, by name, with the file that each lies in.
Rows files(const Cluster& cluster, const std::string& relations) {
    return cluster.rows(
        "SELECT oid::regclass::text, relfilenode FROM pg_class WHERE oid::regclass"
        "::text = ANY ('" +
            relations + "') ORDER BY 1",
        "target");
}

}  // namespace

TEST_CASE("a restore that was killed is finished without doing anything twice") {
    const Cluster cluster;
    const ServerPrograms& tools = cluster.programs();
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");
    cluster.execute(
        "CREATE TABLE big AS SELECT g AS id, md5(g::text) AS a, md5((-g)::text) AS b"
        " FROM generate_series(1, 500000) g; ALTER TABLE big ADD PRIMARY KEY (id);"
        "CREATE INDEX big_a ON big (a); CREATE INDEX big_b ON big (b);"
        "CREATE TABLE child AS SELECT g AS id, g AS big FROM generate_series(1, 200000) g;"
        "ALTER TABLE child ADD FOREIGN KEY (big) REFERENCES big",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    int killed = 0;
    // Early in the definitions, as rows come, as indexes are built, as keys are attached.
    for (const std::string moment :
         {R"("entries":[)", R"("kind":"table data")", R"("kind":"index")", R"("kind":"constraint")",
          R"("kind":"foreign key")"}) {
        CAPTURE(moment);
        cluster.createDatabase("target");
        const fs::path record = folder / "first";
        fs::remove(record);
        if (killAt(cluster, folder / "a", record, moment)) {
            ++killed;
            // What the record says is done, and is in a file of its own.
            std::string done = "{big,child,big_a,big_b,big_pkey}";
            const bool loaded =
                cluster.value("SELECT count(*) FROM pg_class WHERE relname = 'big_a'", "target") !=
                "0";
            const Rows before = loaded ? files(cluster, done) : Rows{};
            std::vector<std::string> again = command(cluster, folder / "a", folder / "second");
            again.insert(again.begin(), gantryctl().string());
            again.insert(again.end(), {"--resume", record.string()});
            const ToolResult resumed = runTool(again);
            CAPTURE(resumed.describe());
            CHECK(resumed.exitCode == 0);
            // An index is built only once all rows of its table are in: neither comes again.
            for (const auto& row : before) {
                if (*row[0] == "child") continue;
                CHECK(
                    cluster.value("SELECT relfilenode FROM pg_class WHERE oid::regclass::text = '" +
                                      *row[0] + "'",
                                  "target") == *row[1]);
            }
        }
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), tools) == "");
        CHECK(
            cluster.value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated", "target") ==
            cluster.value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated", "source"));
        dropDatabase(cluster, "target");
    }
    CHECK(killed >= 4);
    dropDatabase(cluster, "source");
}

TEST_CASE("what an interrupted restore left half made is made whole, however it is planned then") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent VALUES (1);"
        "CREATE TABLE child (id int, UNIQUE (id));"
        "ALTER TABLE child ADD CONSTRAINT to_parent FOREIGN KEY (id) REFERENCES parent",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    std::vector<std::string> words = command(cluster, folder / "a", folder / "record");
    words.insert(words.begin(), gantryctl().string());
    words.insert(words.end(), {"--section", "pre-data", "--section", "data"});
    REQUIRE(runTool(words).exitCode == 0);
    cutOff(folder / "record");
    cluster.execute(
        "CREATE UNIQUE INDEX child_id_key ON child (id); ALTER TABLE parent ADD PRIMARY KEY (id);"
        "ALTER TABLE child ADD CONSTRAINT to_parent FOREIGN KEY (id) REFERENCES parent NOT VALID",
        "target");
    SECTION("") {
        const ToolResult resumed = resume(cluster, folder / "a", folder / "record");
        CAPTURE(resumed.describe());
        CHECK(resumed.exitCode == 0);
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"),
                          cluster.programs()) == "");
    }
    SECTION("or told, where it does not hold") {
        cluster.execute("SET session_replication_role = replica; INSERT INTO child VALUES (7)",
                        "target");
        const ToolResult resumed = resume(cluster, folder / "a", folder / "record");
        CHECK(resumed.exitCode == 1);
        CHECK(resumed.output.find("violates foreign key constraint \"to_parent\"") !=
              std::string::npos);
        CHECK(cluster.value("SELECT count(*) FROM pg_constraint WHERE contype = 'f'", "target") ==
              "0");
    }
}

TEST_CASE("rows that an extension's table got untold are not loaded twice") {
    const Cluster cluster;
    const TemporaryFolder folder;
    installTestExtension(cluster);
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE SCHEMA ext; CREATE EXTENSION gantry_config SCHEMA ext;"
        "INSERT INTO ext.config_generated (a) SELECT generate_series(1001, 1010);"
        "CREATE TABLE t AS SELECT 1 AS i",
        "source");
    runToolOk({clientToolsFor(cluster.major()).tool("pg_dump").string(), "-Fc", "-f",
               (folder / "a").string(), cluster.conninfo("source")});
    cluster.createDatabase("target");
    std::vector<std::string> words = command(cluster, folder / "a", folder / "record");
    words.insert(words.begin(), gantryctl().string());
    const ToolResult whole = runTool(words);
    CAPTURE(whole.describe());
    REQUIRE(whole.exitCode == 0);
    // As if it had been killed before it could tell of more than the definitions.
    std::ifstream file(folder / "record");
    std::string kept;
    for (std::string line; std::getline(file, line);) {
        kept += line + "\n";
        if (line.find(R"("type":"entries_done")") != std::string::npos) break;
    }
    file.close();
    std::ofstream(folder / "record", std::ios::trunc) << kept;
    const ToolResult resumed = resume(cluster, folder / "a", folder / "record");
    CAPTURE(resumed.describe());
    CHECK(resumed.exitCode == 0);
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), cluster.programs()) ==
          "");
}

TEST_CASE("a table that was there before is not taken for one that the interrupted run made") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t AS SELECT 1 AS i", "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    cluster.execute("CREATE TABLE t AS SELECT 7 AS i; DELETE FROM t", "target");
    const ToolResult first = runTool([&] {
        auto words = command(cluster, folder / "a", folder / "record");
        words.insert(words.begin(), gantryctl().string());
        words.insert(words.end(), {"--no-data-for-failed-tables"});
        return words;
    }());
    REQUIRE(first.exitCode == 1);
    CHECK(resume(cluster, folder / "a", folder / "record").exitCode == 1);
    CHECK(cluster.value("SELECT count(*) FROM t", "target") == "0");
}

TEST_CASE("what a crash of the server undid, and what it did not, is told apart") {
    // The last commits are asynchronous: with a slow WAL writer most of them are lost, with a quick
    // one most are there, but the record alone cannot tell.
    const bool lost = GENERATE(false, true);
    CAPTURE(lost);
    ClusterOptions options;
    options.settings = {lost ? "wal_writer_delay = 10s" : "wal_writer_delay = 200ms"};
    Cluster cluster(options);
    cluster.createDatabase("roles");
    loadEveryObject(cluster, "roles");
    dropDatabase(cluster, "roles");
    const Cluster origin;
    const TemporaryFolder folder;
    origin.createDatabase("source");
    loadEveryObject(origin, "source");
    origin.execute(
        "CREATE TABLE counted AS SELECT g AS i FROM generate_series(1, 9) g;"
        "CREATE FUNCTION plus_one() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN NEW.i := NEW.i + 1; RETURN NEW; END $$;"
        "CREATE TRIGGER plus_one BEFORE INSERT ON counted FOR EACH ROW"
        " EXECUTE FUNCTION plus_one();"
        "CREATE FUNCTION gate() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
        " WHILE NOT pg_try_advisory_lock_shared(7) LOOP PERFORM pg_sleep(0.01); END LOOP;"
        " PERFORM pg_advisory_unlock_shared(7); RETURN 1; END $$;"
        "CREATE MATERIALIZED VIEW last AS SELECT gate() AS g",
        "source");
    runDump(dumpOptions(origin, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    {
        pg::Connection keeper = pg::Connection::open(cluster.connection("target"), "keeper", {});
        keeper.execute("SELECT pg_advisory_lock(7)");
        ChildProcess process = start(cluster, folder / "a", folder / "record");
        const auto atTheGate = [&] {
            return cluster.rows(
                "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND datname = 'target'"
                " AND query LIKE '%REFRESH MATERIALIZED VIEW%last%'"
                " AND application_name LIKE 'gantry restore: worker%'");
        };
        while (atTheGate().empty() && !process.poll()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        const Rows found = atTheGate();
        REQUIRE(found.size() == 1);
        if (lost) {
            ::kill(std::stoi(*found[0][0]), SIGKILL);
        } else {
            cluster.stop(StopMode::Immediate);
        }
        process.wait();
    }
    if (!lost) cluster.start();
    for (;;) {
        try {
            cluster.execute("SELECT");
            break;
        } catch (const std::runtime_error&) {  // it recovers
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    const ToolResult resumed = resume(cluster, folder / "a", folder / "record");
    CAPTURE(resumed.describe());
    CHECK(resumed.exitCode == 0);
    CHECK(differences(origin.conninfo("source"), cluster.conninfo("target"), cluster.programs()) ==
          "");
    dropDatabase(cluster, "target");
    dropDatabase(origin, "source");
}

TEST_CASE("a record that is used once more empties no table that users have gone on with") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE t AS SELECT g AS i FROM generate_series(1, 10) g;"
        "ALTER TABLE t ADD PRIMARY KEY (i);"
        "CREATE TABLE u AS SELECT i FROM t; ALTER TABLE u ADD FOREIGN KEY (i) REFERENCES t",
        "source");
    const bool stock = GENERATE(false, true);  // whose rows are counted one by one
    CAPTURE(stock);
    if (stock) {
        writeStock(cluster, cluster.programs(), "c", folder / "a");
    } else {
        runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    }
    cluster.createDatabase("target");
    const fs::path record = folder / "record";
    start(cluster, folder / "a", record).wait();
    // As if it had been killed before its first rows, and then been finished.
    std::ifstream file(record);
    std::string kept;
    for (std::string line; std::getline(file, line);) {
        const bool plan = line.find(R"("type":"plan")") != std::string::npos;
        if (!plan && line.find(R"("kind":"table data")") != std::string::npos) break;
        kept += line + "\n";
    }
    std::ofstream(record, std::ios::trunc) << kept;
    const auto rows = [&] {
        return cluster.value("SELECT (SELECT count(*) FROM t) || ' ' || count(*) FROM u", "target");
    };

    const ToolResult same = resume(cluster, folder / "a", record);
    INFO(same.describe());
    CHECK(same.exitCode == 0);
    CHECK(rows() == "10 10");

    cluster.execute("INSERT INTO t VALUES (11); INSERT INTO u VALUES (11)", "target");
    const ToolResult later = resume(cluster, folder / "a", record);
    INFO(later.describe());
    CHECK(later.exitCode == 1);
    CHECK(later.output.find("holds 11 rows that came since the interrupted restore began") !=
          std::string::npos);
    CHECK(rows() == "11 11");
}

TEST_CASE("a record that does not fit is refused with the reason") {
    const Cluster cluster;
    const TemporaryFolder folder;
    const auto dump = [&](const std::string& name) {
        cluster.createDatabase("source");
        cluster.execute("CREATE TABLE t AS SELECT 1 AS i", "source");
        runDump(dumpOptions(cluster, "source", folder / name, Format::Directory, "gzip:1"));
        dropDatabase(cluster, "source");
    };
    dump("a");
    cluster.createDatabase("target");
    // A table that is in the way makes the outcome less than clean.
    cluster.execute("CREATE TABLE t(j int)", "target");
    const ToolResult first = runTool([&] {
        auto words = command(cluster, folder / "a", folder / "record");
        words.insert(words.begin(), gantryctl().string());
        return words;
    }());
    REQUIRE(first.exitCode == 1);

    options::RestoreOptions options;
    options.connection = cluster.connection("target");
    options.archive = folder / "a";
    options.resume = folder / "record";
    const auto refusal = [&] {
        EventRecord events;
        try {
            restore::restore(options, events, {});
        } catch (const Error& error) {
            CHECK(events.all<events::RunStarted>().empty());
            return error.info().message;
        }
        return std::string("none");
    };
    SECTION("what failed before is done once it can be") {
        cluster.execute("DROP TABLE t", "target");
        CHECK(refusal() == "none");
        CHECK(cluster.value("SELECT i FROM t", "target") == "1");
    }
    SECTION("another archive") {
        dump("b");
        options.archive = folder / "b";
        CHECK(refusal() == "the record is of another archive than " + (folder / "b").string());
    }
    SECTION("another database, even of the same name") {
        dropDatabase(cluster, "target");
        cluster.createDatabase("target");
        CHECK(refusal() == "the record is of another database than this \"target\"");
    }
    SECTION("no record") {
        std::ofstream(options.resume) << "hello\n";
        CHECK(refusal().find("not an event") != std::string::npos);
        std::ofstream(options.resume, std::ios::trunc) << "";
        CHECK(refusal() == "the record says nothing of a restore's progress");
    }
    SECTION("a run that ended well") {
        cluster.execute("DROP TABLE t", "target");
        auto words = command(cluster, folder / "a", options.resume);
        words.insert(words.begin(), gantryctl().string());
        REQUIRE(runTool(words).exitCode == 0);
        CHECK(refusal() == "that restore came to its end: nothing is left to do");
        words.insert(words.end(), {"--resume", options.resume.string()});
        const ToolResult same = runTool(words);
        CHECK(same.exitCode == 2);
        CHECK(same.errors.find("the new record would replace the one that is read") !=
              std::string::npos);
    }
}
