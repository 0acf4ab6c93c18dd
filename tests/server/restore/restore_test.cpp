// SPDX-License-Identifier: PostgreSQL
// One of each kind of object comes back the same from archives of pg_dump and of ours; errors are
// passed over, grouped and listed; a damaged member never counts as loaded.
#include "core/restore/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <iterator>

#include "core/archive/archive_reader.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
namespace fs = std::filesystem;

namespace {

options::RestoreOptions restoreOptions(const Cluster& cluster, const std::string& database,
                                       const fs::path& archive) {
    options::RestoreOptions options;
    options.connection.database = cluster.conninfo(database);
    options.archive = archive;
    options.jobs = 2;
    options.worthSharing = 64 << 10;  // so that small tables take every way that large ones do
    return options;
}

/// The program's, for a scope.
class WorkingFolder {
public:
    explicit WorkingFolder(const fs::path& folder) { fs::current_path(folder); }
    ~WorkingFolder() { fs::current_path(before_); }
    WorkingFolder(const WorkingFolder&) = delete;
    WorkingFolder& operator=(const WorkingFolder&) = delete;

private:
    const fs::path before_ = fs::current_path();
};

}  // namespace

TEST_CASE("every kind of object comes back from pg_dump's archives and from ours") {
    const Cluster cluster;
    const ServerPrograms& tools = cluster.programs();
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");

    const auto check = [&](const std::string& name, const fs::path& archive,
                           const std::function<void(options::RestoreOptions&)>& change = {}) {
        INFO(name);
        cluster.createDatabase("target");
        options::RestoreOptions options = restoreOptions(cluster, "target", archive);
        if (change) change(options);
        EventRecord events;
        restore::restore(options, events, {});
        for (const auto& ignored : events.all<events::ErrorIgnored>()) {
            UNSCOPED_INFO(ignored.error.describe());
        }
        CHECK(events.all<events::ErrorIgnored>().empty());
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), tools) == "");
        dropDatabase(cluster, "target");
    };

    for (const std::string letter : {"d", "c", "t"}) {
        writeStock(cluster, tools, letter, folder / ("stock-" + letter));
        check("pg_dump -F" + letter, folder / ("stock-" + letter));
    }
    runDump(dumpOptions(cluster, "source", folder / "ours", Format::Directory, "gzip:1"));
    check("ours", folder / "ours");
    check("ours, statement by statement as pg_restore does", folder / "ours",
          [](options::RestoreOptions& o) {
              o.noBatches = o.noRewrites = o.noShare = o.noFreeze = o.noBinary = true;
          });
    check("ours, over one connection", folder / "ours", [](options::RestoreOptions& o) {
        o.jobs = 1;
        o.exitOnError = true;  // the check before it finds nothing to refuse
    });
    runDump(dumpOptions(cluster, "source", folder / "ours.custom", Format::Custom, "gzip:1"));
    check("ours, custom", folder / "ours.custom",
          [](options::RestoreOptions& o) { o.analyze = true; });
    dropDatabase(cluster, "source");
}

TEST_CASE("a dry run tells how rows would go, and touches nothing") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 10) AS id", "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.dryRun = true;
    const auto told = [&] {
        EventRecord events;
        restore::restore(options, events, {});
        const auto notices = events.all<events::Notice>();
        return notices.empty() ? std::string() : notices.back().message;
    };
    CHECK(
        told() ==
        "Rows of larger tables go in COPY's binary form where the types of all columns allow it "
        "(--no-binary), and frozen where one connection loads a table that is new (--no-freeze).");
    options.noBinary = true;
    CHECK(told() ==
          "Rows of larger tables go frozen where one connection loads a table that is new "
          "(--no-freeze).");
    options.noFreeze = true;
    CHECK(told().empty());
    CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname = 't'", "target") == "0");
}

TEST_CASE("a run that creates its database is told and logged under that one's name") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t(a int)", "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    dropDatabase(cluster, "source");
    options::RestoreOptions options = restoreOptions(cluster, "postgres", folder / "a");
    options.content.create = true;
    EventRecord events;
    restore::restore(options, events, {});
    CHECK(events.all<events::RunStarted>().at(0).database == "source");
    CHECK(cluster.value("SELECT to_regclass('t') IS NOT NULL", "source") == "t");
    dropDatabase(cluster, "source");
    // Who may not make it has nothing of it, and no run to resume.
    cluster.execute("CREATE ROLE guest LOGIN");
    const std::string guest = fmt::format("host={} port={} user=guest dbname=postgres",
                                          cluster.socketFolder().string(), cluster.port());
    const ToolResult refused =
        runTool({gantryctl().string(), "restore", "-C", "-d", guest, (folder / "a").string()});
    INFO(refused.describe());
    CHECK(refused.exitCode != 0);
    CHECK_FALSE(refused.errors.find("holds a part") != std::string::npos);
}

TEST_CASE("a database is created also where it cannot be given to its owner") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 10) AS id", "source");
    cluster.execute("CREATE ROLE ghost; ALTER DATABASE source OWNER TO ghost");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    dropDatabase(cluster, "source");
    options::RestoreOptions options = restoreOptions(cluster, "postgres", folder / "a");
    options.content.create = true;
    options.failedList = folder / "failed.list";
    std::string state;
    SECTION("who is missing") {
        cluster.execute("DROP ROLE ghost");
        state = "42704";
    }
    SECTION("of which who restores is no member") {
        cluster.execute("CREATE ROLE carol CREATEDB");
        options.role = "carol";
        options.content.noOwner = GENERATE(false, true);
        state = "42501";
    }
    EventRecord events;
    restore::restore(options, events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == (options.content.noOwner ? 0 : options.role.empty() ? 1 : 2));
    if (!ignored.empty()) {
        CHECK(ignored[0].error.object == "DATABASE source");
        CHECK(ignored[0].error.sqlState == state);
    }
    CHECK(cluster.value("SELECT count(*) FROM t", "source") == "10");
    dropDatabase(cluster, "source");
}

TEST_CASE("the log has the COPY of each table as it was sent") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE odd(id int, d date); INSERT INTO odd"
        " SELECT g, CASE WHEN g = 150000 THEN date '0044-03-15 BC' ELSE date '2020-02-02' END"
        " FROM generate_series(1, 200000) g; CREATE TABLE plain(id int)",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.jobs = 1;
    const auto sent = [&] {
        EventRecord events;
        restore::restore(options, events, {});
        std::vector<std::string> copies;
        for (const auto& told : events.all<events::TaskStatement>()) {
            if (told.statement.starts_with("COPY public.odd")) copies.push_back(told.statement);
        }
        return copies;
    };
    SECTION("in binary form, and from a value on that is not known here as text") {
        CHECK(sent() == std::vector<std::string>{
                            "COPY public.odd (id, d) FROM stdin WITH (FORMAT binary, FREEZE);",
                            "COPY public.odd (id, d) FROM stdin WITH (FREEZE);"});
    }
    SECTION("as text") {
        options.noBinary = options.noFreeze = true;
        CHECK(sent() == std::vector<std::string>{"COPY public.odd (id, d) FROM stdin;\n"});
    }
}

TEST_CASE("rows for a table that was there before come in one statement") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE tree(id int PRIMARY KEY, above int, d date, t text);"
        "INSERT INTO tree SELECT g, (g * 7919) % 40000 + 1, CASE WHEN g = 20000 THEN"
        " date '0044-03-15 BC' ELSE '2020-02-02' END, repeat('x', 30)"
        " FROM generate_series(1, 40000) g; ALTER TABLE tree ADD FOREIGN KEY (above) REFERENCES "
        "tree",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.content.sections = {"pre-data", "post-data"};
    EventRecord definitions;
    restore::restore(options, definitions, {});
    options.content.sections = {};
    options.content.dataOnly = true;

    SECTION("whose foreign key is checked at its end") {
        cluster.execute(
            "CREATE TABLE seen(rows bigint); CREATE FUNCTION count_them() RETURNS trigger LANGUAGE"
            " plpgsql AS 'BEGIN INSERT INTO public.seen SELECT count(*) FROM new_rows; RETURN NULL;"
            " END'; CREATE TRIGGER seen AFTER INSERT ON public.tree REFERENCING NEW TABLE AS "
            "new_rows"
            " FOR EACH STATEMENT EXECUTE FUNCTION count_them()",
            "target");
        EventRecord events;
        restore::restore(options, events, {});
        CHECK(events.all<events::ErrorIgnored>().empty());
        CHECK(cluster.value("SELECT string_agg(rows::text, ' ') FROM seen", "target") == "40000");
    }
    SECTION("and what is refused there keeps nobody waiting") {
        cluster.execute("ALTER TABLE public.tree DROP CONSTRAINT tree_above_fkey", "target");
        cluster.execute("INSERT INTO public.tree VALUES (39999)", "target");
        EventRecord events;
        restore::restore(options, events, {});
        const auto ignored = events.all<events::ErrorIgnored>();
        REQUIRE(ignored.size() == 1);
        CHECK(ignored[0].error.sqlState == "23505");
        CHECK(events.all<events::RunFinished>().at(0).relations == 0);
        CHECK(cluster.value("SELECT count(*) FROM public.tree", "target") == "1");
    }
}

TEST_CASE("errors are passed over, each with its object, and listed for another try") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE p(id int PRIMARY KEY); INSERT INTO p SELECT generate_series(1, 20000);"
        "CREATE TABLE c(p int, t text); INSERT INTO c SELECT g, repeat('x', 50) FROM "
        "generate_series(1, 20000) g; ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (p) REFERENCES p",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));

    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");

    SECTION("a table that is there already") {
        cluster.execute("CREATE TABLE c(p int)", "target");
        EventRecord events;
        restore::restore(options, events, {});
        const auto end = events.all<events::RunFinished>().at(0);
        CHECK(end.outcome == events::Outcome::CompletedWithErrors);
        const auto ignored = events.all<events::ErrorIgnored>();
        REQUIRE(ignored.size() == 2);
        CHECK(ignored[0].error.describe() ==
              "TABLE public.c: relation \"c\" already exists (SQLSTATE 42P07). Drop what is there "
              "first (--clean --if-exists), or restore into an empty database.");
        CHECK(ignored[1].error.object == "public.c");
        CHECK(end.ignoredErrors == 2);

        // Once what was in the way is gone, the list brings exactly what is missing.
        cluster.execute("DROP TABLE c CASCADE", "target");
        options.selection.listFile = folder / "a.failed.list";
        REQUIRE(fs::exists(options.selection.listFile));
        EventRecord again;
        restore::restore(options, again, {});
        CHECK(again.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        CHECK(cluster.value("SELECT count(*) FROM public.c", "target") == "20000");
    }
    SECTION("wherever the archive is, the list is where it will be looked for") {
        cluster.execute("CREATE TABLE c(p int)", "target");
        const WorkingFolder inside(folder / "a");
        options.archive = ".";
        EventRecord events;
        restore::restore(options, events, {});
        CHECK(fs::exists(folder / "a.failed.list"));

        runDump(dumpOptions(cluster, "source", folder / "c", Format::Custom, "gzip:1"));
        const File stream = File::openForRead(folder / "c");
        options.archive = fmt::format("/dev/fd/{}", stream.descriptor());
        EventRecord again;
        restore::restore(options, again, {});
        CHECK(fs::exists("c.failed.list"));
    }
    SECTION("a foreign key that does not hold is told, and not left behind unvalidated") {
        options.content.sections = {"pre-data", "data"};
        EventRecord before;
        restore::restore(options, before, {});
        cluster.execute("DELETE FROM public.p WHERE id = 7", "target");
        options.content.sections = {"post-data"};
        EventRecord events;
        restore::restore(options, events, {});
        const auto ignored = events.all<events::ErrorIgnored>();
        REQUIRE(ignored.size() == 1);
        CHECK(ignored[0].error.sqlState == "23503");
        CHECK(cluster.value("SELECT count(*) FROM pg_constraint WHERE conname = 'fk'", "target") ==
              "0");
    }
    SECTION("--exit-on-error stops at the first") {
        // A type of that name is nothing that the check before it looks for.
        cluster.execute("CREATE TYPE c AS (p int)", "target");
        options.exitOnError = true;
        EventRecord events;
        CHECK_THROWS_AS(restore::restore(options, events, {}), Error);
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Failed);
    }
}

TEST_CASE("a name that the archive does not have is told") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE TABLE t()", "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.selection.tables = {"T", "t"};
    EventRecord events;
    restore::restore(options, events, {});
    const auto notices = events.all<events::Notice>();
    CHECK(std::any_of(notices.begin(), notices.end(), [](const events::Notice& notice) {
        return notice.severity == events::Severity::Warning &&
               notice.message == "The archive has no table \"T\" (it has table \"t\").";
    }));
    CHECK(cluster.value("SELECT pg_catalog.to_regclass('public.t')", "target") == "t");
}

TEST_CASE("time limits of a role end neither a dump nor a restore") {
    const Cluster cluster(18);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.createDatabase("target");
    // Rows whose output takes longer than any of the limits, while the other session is idle.
    cluster.execute(
        "CREATE FUNCTION slow(int) RETURNS bool LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM pg_catalog.pg_sleep(0.01); RETURN true; END';"
        "CREATE TABLE t(i int CHECK (slow(i))); INSERT INTO t SELECT generate_series(1, 60)",
        "source");
    for (const char* limit : {"statement_timeout", "idle_in_transaction_session_timeout",
                              "idle_session_timeout", "transaction_timeout", "lock_timeout"}) {
        INFO(limit);
        for (const char* database : {"source", "target"}) {
            cluster.execute(fmt::format("ALTER DATABASE {} SET {} = '300ms'", database, limit));
        }
        fs::remove_all(folder / "a");
        runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
        EventRecord events;
        restore::restore(restoreOptions(cluster, "target", folder / "a"), events, {});
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
        dropDatabase(cluster, "target");
        cluster.createDatabase("target");
        cluster.execute(fmt::format("ALTER DATABASE source RESET {}", limit));
    }
}

TEST_CASE("a large object that differs from the manifest is not restored") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("SELECT pg_catalog.lo_from_bytea(5001, 'contents')", "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
    const fs::path member = folder / "a/blob_5001.dat";
    SECTION("other bytes") { std::ofstream(member) << "CONTENTS"; }
    SECTION("fewer bytes") { std::ofstream(member) << "cont"; }
    SECTION("more bytes") { std::ofstream(member) << "contents and more"; }
    cluster.createDatabase("target");
    EventRecord events;
    restore::restore(restoreOptions(cluster, "target", folder / "a"), events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.kind == ErrorKind::Format);
    CHECK(cluster.value("SELECT pg_catalog.length(pg_catalog.lo_get(5001))", "target") == "0");
}

TEST_CASE("what cannot be dropped is created all the same") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE t(id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 100);"
        "CREATE TABLE p(id int PRIMARY KEY) PARTITION BY RANGE (id);"
        "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); INSERT INTO p VALUES (1)",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.content.clean = true;
    for (const char* already : {"nothing", "all of it"}) {
        INFO(already);
        EventRecord events;
        restore::restore(options, events, {});
        CHECK(!events.all<events::ErrorIgnored>().empty());
        CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"),
                          cluster.programs()) == "");
        // A partition's key cannot be dropped before that of its parent.
        options.content.ifExists = true;
    }
}

TEST_CASE("keys stand where indexes are forbidden") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE p(id int PRIMARY KEY, u int UNIQUE); CREATE INDEX i ON p(u);"
        "INSERT INTO p SELECT g, g FROM generate_series(1, 20000) g;"
        "CREATE TABLE c(p int REFERENCES p, u int REFERENCES p(u)); INSERT INTO c VALUES (1, 2)",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    cluster.execute(
        "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE 'no indexes here'; END$$;"
        "CREATE EVENT TRIGGER e ON ddl_command_start WHEN TAG IN ('CREATE INDEX')"
        " EXECUTE FUNCTION refuse()",
        "target");
    EventRecord events;
    restore::restore(restoreOptions(cluster, "target", folder / "a"), events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.object == "public.i");
    CHECK(cluster.value(
              "SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint"
              " WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND convalidated",
              "target") == "c_p_fkey c_u_fkey p_pkey p_u_key");
}

TEST_CASE("disabling triggers holds wherever nothing but rows is restored") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE a(id int PRIMARY KEY, b int); CREATE TABLE b(id int PRIMARY KEY, a int);"
        "INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1);"
        "ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b;"
        "ALTER TABLE b ADD FOREIGN KEY (a) REFERENCES a",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.content.schemaOnly = true;
    EventRecord definitions;
    restore::restore(options, definitions, {});
    options.content.schemaOnly = false;
    options.content.disableTriggers = true;
    SECTION("by the section") { options.content.sections = {"data"}; }
    SECTION("without definitions") { options.content.noSchema = true; }
    EventRecord events;
    restore::restore(options, events, {});
    CHECK(events.all<events::ErrorIgnored>().empty());
    CHECK(cluster.value("SELECT count(*) FROM a, b", "target") == "1");
}

TEST_CASE("a damaged or cut member stops that table alone, and none of its rows stay") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE good AS SELECT g FROM generate_series(1, 1000) g;"
        "CREATE TABLE bad AS SELECT g, hashint4(g), md5(g::text) FROM generate_series(1, 100000) g",
        "source");
    const bool ours = GENERATE(true, false);
    CAPTURE(ours);
    const fs::path archive = folder / "a";
    if (ours) {
        runDump(dumpOptions(cluster, "source", archive, Format::Directory, "gzip:1"));
    } else {
        writeStock(cluster, cluster.programs(), "d", archive);
    }
    fs::path largest;
    for (const auto& file : fs::directory_iterator(archive)) {
        const bool member = file.path().string().find(".dat") != std::string::npos &&
                            file.path().filename() != "toc.dat";
        if (member && (largest.empty() || file.file_size() > fs::file_size(largest))) {
            largest = file.path();
        }
    }
    SECTION("cut") { fs::resize_file(largest, fs::file_size(largest) / 2); }
    SECTION("cut behind its rows") { fs::resize_file(largest, fs::file_size(largest) - 5); }
    SECTION("flipped") {
        // What comes out of a damaged stream may be rows that the server refuses long before the
        // stream's checksum: the damage is the cause all the same.
        const int eighth = GENERATE(1, 3, 4, 6);
        CAPTURE(eighth);
        std::fstream stream(largest, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(fs::file_size(largest) / 8) * eighth);
        stream.put('\x55').put('\xAA').put('\x55');
    }
    cluster.createDatabase("target");
    EventRecord events;
    restore::restore(restoreOptions(cluster, "target", archive), events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.kind == ErrorKind::Format);
    CHECK(ignored[0].error.object == "public.bad");
    CHECK(ignored[0].error.message.ends_with("; none of its rows were loaded"));
    CHECK(cluster.value("SELECT count(*) FROM public.good", "target") == "1000");
    CHECK(cluster.value("SELECT count(*) FROM public.bad", "target") == "0");
}

TEST_CASE("rows alone come in an order that foreign keys of the target allow") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE a(id int PRIMARY KEY); CREATE TABLE b(id int REFERENCES a, t text);"
        "INSERT INTO a SELECT generate_series(1, 1000);"
        "INSERT INTO b SELECT 1 + i % 1000, md5(i::text) FROM generate_series(1, 20000) i",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "none"));
    cluster.createDatabase("target");
    cluster.execute("CREATE ROLE plain LOGIN");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.content.schemaOnly = true;
    options.content.noOwner = true;
    uint32_t workers = 0;
    const auto run = [&] {
        EventRecord events;
        restore::restore(options, events, {});
        workers = events.all<events::RunStarted>().at(0).workers;
        return events.all<events::ErrorIgnored>();
    };
    CHECK(run().empty());
    options.content.schemaOnly = false;
    options.content.dataOnly = true;
    options.jobs = std::nullopt;
    const auto rows = [&] { return cluster.value("SELECT count(*) FROM b", "target"); };
    SECTION("over one connection, if nobody says how many") {
        CHECK(run().empty());
        CHECK(workers == 1);
        CHECK(rows() == "20000");
    }
    SECTION("also for one who may not disable triggers, who is told so") {
        cluster.execute("ALTER TABLE a OWNER TO plain; ALTER TABLE b OWNER TO plain", "target");
        options.connection.database += " user=plain";
        options.content.disableTriggers = true;
        const auto ignored = run();
        REQUIRE(ignored.size() == 2);
        CHECK(ignored[0].error.sqlState == "42501");
        CHECK(rows() == "20000");
    }
}

TEST_CASE("a deferred constraint keeps out the rows of its own table alone") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE u(i int UNIQUE DEFERRABLE INITIALLY DEFERRED);"
        "CREATE TABLE a(i int); CREATE TABLE b(i int);"
        "INSERT INTO u SELECT generate_series(1, 5); INSERT INTO b VALUES (1);"
        "INSERT INTO a SELECT generate_series(1, 100)",
        "source");
    const bool inserts = GENERATE(false, true);
    writeStock(cluster, cluster.programs(), "c", folder / "a",
               inserts ? std::vector<std::string>{"--inserts"} : std::vector<std::string>{});
    cluster.createDatabase("target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.content.schemaOnly = true;
    EventRecord schema;
    restore::restore(options, schema, {});
    cluster.execute("INSERT INTO u VALUES (3)", "target");
    options.content.schemaOnly = false;
    options.content.dataOnly = true;
    EventRecord events;
    restore::restore(options, events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.object == "public.u");
    CHECK(ignored[0].error.sqlState == "23505");
    // As INSERT statements its other rows come in, too.
    CHECK(cluster.value("SELECT count(*) FROM u", "target") == (inserts ? "5" : "1"));
    CHECK(cluster.value("SELECT count(*) FROM a", "target") == "100");
    CHECK(cluster.value("SELECT count(*) FROM b", "target") == "1");
}

TEST_CASE("with session authorizations everything runs as who it should") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE ROLE alice; CREATE ROLE bob; CREATE ROLE carol");
    cluster.execute(
        "CREATE SCHEMA a AUTHORIZATION alice; CREATE SCHEMA b AUTHORIZATION bob;"
        "SELECT lo_from_bytea(4711, 'of alice'), lo_from_bytea(4712, 'of bob'),"
        " lo_from_bytea(4713, 'of the superuser');"
        "ALTER LARGE OBJECT 4711 OWNER TO alice; ALTER LARGE OBJECT 4712 OWNER TO bob;"
        "CREATE TABLE a.t AS SELECT generate_series(1, 100) AS id; ALTER TABLE a.t OWNER TO alice;"
        "CREATE TABLE b.t AS SELECT generate_series(1, 100) AS id; ALTER TABLE b.t OWNER TO bob;"
        "ALTER TABLE b.t ADD PRIMARY KEY (id); CREATE INDEX ON a.t (id);"
        "GRANT SELECT ON a.t TO carol",
        "source");
    writeStock(cluster, cluster.programs(), "c", folder / "a");
    cluster.createDatabase("target");
    cluster.execute("GRANT CREATE ON DATABASE target TO alice, bob");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.jobs = GENERATE(1U, 2U);
    options.content.useSetSessionAuthorization = true;
    options.content.createRoles = true;
    options.analyze = true;
    const auto run = [&] {
        EventRecord events;
        restore::restore(options, events, {});
        for (const auto& ignored : events.all<events::ErrorIgnored>()) {
            UNSCOPED_INFO(ignored.error.describe());
        }
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    };
    run();
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), cluster.programs()) ==
          "");
    CHECK(cluster.value("SELECT count(DISTINCT schemaname) FROM pg_stats WHERE tablename = 't'",
                        "target") == "2");
    // What is dropped before is dropped by its owner, who may not make a role.
    cluster.execute("DROP OWNED BY carol", "source");
    cluster.execute("DROP OWNED BY carol; DROP ROLE carol", "target");
    options.content.clean = true;
    run();
    CHECK(cluster.value("SELECT count(*) FROM pg_roles WHERE rolname = 'carol'") == "1");
}

TEST_CASE("what belongs to a user who is missing is not given to another") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute("CREATE ROLE alice; CREATE ROLE ghost");
    cluster.execute(
        "CREATE TABLE a AS SELECT 1 AS id; ALTER TABLE a OWNER TO alice;"
        "CREATE TABLE b AS SELECT 1 AS id; ALTER TABLE b OWNER TO ghost;"
        "CREATE TABLE c AS SELECT 1 AS id; ALTER TABLE c OWNER TO ghost;"
        "CREATE INDEX ON b (id); CREATE INDEX ON c (id)",
        "source");
    writeStock(cluster, cluster.programs(), "c", folder / "a");
    dropDatabase(cluster, "source");
    cluster.createDatabase("target");
    cluster.execute("GRANT CREATE ON SCHEMA public TO alice; DROP ROLE ghost", "target");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.jobs = GENERATE(1U, 2U);
    options.content.useSetSessionAuthorization = true;
    EventRecord events;
    restore::restore(options, events, {});
    const auto ignored = events.all<events::ErrorIgnored>();
    CHECK(ignored.size() == 6);  // two tables, their rows and their indexes
    for (const auto& each : ignored) CHECK(each.error.message == "role \"ghost\" does not exist");
    CHECK(cluster.value("SELECT string_agg(tablename || ' of ' || tableowner, ', ') FROM pg_tables"
                        " WHERE schemaname = 'public'",
                        "target") == "a of alice");
}

/// Takes the archive's search_path away, and with it the schemas of statements, as before 10.3.
void makeOlder(const fs::path& folder) {
    archive::Toc toc = archive::openArchive(folder)->toc();
    std::erase_if(toc.entries, [](const archive::TocEntry& entry) {
        return entry.description() == "SEARCHPATH";
    });
    const auto unqualify = [](std::optional<std::string>& text) {
        if (!text) return;
        for (const std::string schema : {"one.", "two."}) {
            while (text->find(schema) != std::string::npos) {
                text->erase(text->find(schema), schema.size());
            }
        }
    };
    for (archive::TocEntry& entry : toc.entries) {
        unqualify(entry.copyStmt);
        if (entry.description() != "SCHEMA") unqualify(entry.defn);
    }
    std::ofstream(folder / "toc.dat", std::ios::binary) << archive::writeToc(toc);
    for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() != ".dat" || file.path().filename() == "toc.dat") continue;
        std::ifstream in(file.path(), std::ios::binary);
        std::optional<std::string> text{std::string(std::istreambuf_iterator<char>(in), {})};
        unqualify(text);
        std::ofstream(file.path(), std::ios::binary) << *text;
    }
}

TEST_CASE("statements without schemas, as they were before 10.3, find their own tables") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE SCHEMA one; CREATE SCHEMA two;"
        "CREATE TABLE one.t AS SELECT g AS i, repeat('x', 100) AS a FROM generate_series(1, 3000) "
        "g;"
        "CREATE TABLE two.t AS SELECT g AS i, repeat('y', 100) AS a FROM generate_series(1, 2000) "
        "g;"
        "ALTER TABLE one.t ADD PRIMARY KEY (i); ALTER TABLE two.t ADD PRIMARY KEY (i);"
        "CREATE TABLE two.child AS SELECT i FROM two.t;"
        "ALTER TABLE two.child ADD FOREIGN KEY (i) REFERENCES two.t;"
        "CREATE MATERIALIZED VIEW one.m AS SELECT count(*) FROM one.t",
        "source");
    const bool inserts = GENERATE(false, true);
    std::vector<std::string> how{"-Z", "0"};
    if (inserts) how.emplace_back("--rows-per-insert=100");
    writeStock(cluster, cluster.programs(), "d", folder / "a", how);
    makeOlder(folder / "a");
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.jobs = GENERATE(1U, 2U);
    options.noBatches = GENERATE(false, true);
    options.worthSharing = GENERATE(uint64_t{64} << 10, uint64_t{32} << 20);
    const bool apart = GENERATE(false, true);  // rows into tables that another run has made
    CAPTURE(inserts, *options.jobs, options.noBatches, options.worthSharing, apart);
    cluster.createDatabase("target");
    using Sections = std::vector<std::string>;
    for (const Sections& sections :
         apart ? std::vector<Sections>{{"pre-data"}, {"data"}, {"post-data"}}
               : std::vector<Sections>{{}}) {
        options.content.sections = sections;
        EventRecord events;
        restore::restore(options, events, {});
        for (const auto& ignored : events.all<events::ErrorIgnored>()) {
            UNSCOPED_INFO(ignored.error.describe());
        }
        CHECK(events.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean);
    }
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("target"), cluster.programs()) ==
          "");
    dropDatabase(cluster, "target");
}

TEST_CASE("an archive whose statements are others than they should be harms nothing else") {
    const Cluster cluster;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE good AS SELECT g FROM generate_series(1, 1000) g;"
        "CREATE TABLE evil AS SELECT g FROM generate_series(1, 1000) g;"
        "CREATE VIEW trap AS SELECT 'a text that is long enough to be replaced'",
        "source");
    writeStock(cluster, cluster.programs(), "d", folder / "a");
    // Same lengths, so that the contents stay readable.
    const auto replace = [&](const std::string& from, std::string to) {
        std::fstream toc(folder / "a" / "toc.dat", std::ios::in | std::ios::out | std::ios::binary);
        const std::string all{std::istreambuf_iterator<char>(toc), {}};
        const std::size_t at = all.find(from);
        REQUIRE(at != std::string::npos);
        to.resize(from.size(), ' ');
        toc.seekp(static_cast<std::streamoff>(at));
        toc << to;
    };
    const bool asks = GENERATE(true, false);
    replace("COPY public.evil (g) FROM stdin;", asks ? "SELECT 1;" : "COPY pg_class TO stdout;");
    replace("CREATE VIEW public.trap AS\n SELECT 'a text that is long enough to be replaced'",
            asks ? "COPY pg_am FROM stdin;" : "COPY pg_class TO stdout;");
    cluster.createDatabase("target");
    EventRecord events;
    options::RestoreOptions options = restoreOptions(cluster, "target", folder / "a");
    options.noBatches = GENERATE(true, false);
    CAPTURE(asks, options.noBatches);
    restore::restore(options, events, {});
    std::vector<std::string> told;
    for (const auto& ignored : events.all<events::ErrorIgnored>()) {
        told.push_back(ignored.error.describe());
    }
    CAPTURE(told);
    CHECK(std::find(told.begin(), told.end(), "public.evil: it is no statement that takes rows") !=
          told.end());
    CHECK(cluster.value("SELECT count(*) FROM public.good", "target") == "1000");
    CHECK(cluster.value("SELECT count(*) FROM public.evil", "target") == "0");
}
