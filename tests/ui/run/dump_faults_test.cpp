// SPDX-License-Identifier: PostgreSQL
// Each fault of a dump arrives in the window in words: what, why, and what to do about it.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "tests/server/dump/faults.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/relay.h"
#include "tests/ui/run/faults_window.h"
#include "ui/forms/window_words.h"
#include "ui/pages/saved_tasks.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::ui;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

const std::string kRefusedAtOnce = "Refused before anything was touched. ";
constexpr int kMegabytes = 8;
constexpr int kGateRow = 4000;

RunRequest requestOf(const options::DumpOptions& options) {
    return dumpRequest(options, {}, QString::fromStdString(options.connection.database));
}

/// Runs a dump that must be refused with these words.
void checkRefused(const options::DumpOptions& options, const std::string& words) {
    RunWindow window(requestOf(options));
    window.follow();
    CHECK(window.refused());
    CHECK(window.outcome() == kRefusedAtOnce + inWindow(words).toStdString());
    CHECK_FALSE(fs::exists(options.output));
}

/// One table, and a place to dump to.
struct DumpScene {
    const Cluster& cluster = sharedCluster();
    std::string database = freshDatabase(cluster);
    TemporaryFolder folder;
    options::DumpOptions options = dumpOptions(cluster, database, folder / "out");

    DumpScene() {
        cluster.execute("CREATE TABLE busy (a int); CREATE TABLE free (a int)", database);
    }
};

/// A dump that stands at a row of public.big as long as the gate is closed.
struct Gated {
    const Cluster& cluster = sharedCluster();
    GatedDatabase database{cluster, kMegabytes, kGateRow};
    TemporaryFolder folder;
    options::DumpOptions options =
        dumpOptions(cluster, database.name(), folder / "out", archive::Format::Directory, "gzip:1");

    Gated() {
        options.connection.user = "reader";
        options.content.enableRowSecurity = true;
    }
};

}  // namespace

TEST_CASE("dump faults: no server, no way in, no such database") {
    const TemporaryFolder folder;
    SECTION("no server") {
        ClusterOptions stopped;
        stopped.start = false;
        const Cluster cluster(stopped);
        checkRefused(
            dumpOptions(cluster, "postgres", folder / "out"),
            fmt::format("connection to server on socket \"{}/.s.PGSQL.{}\" failed: No such "
                        "file or directory. Is the server running locally and accepting "
                        "connections on that socket? Check that the server runs and that "
                        "host and port are right.",
                        cluster.socketFolder().string(), cluster.port()));
    }
    SECTION("wrong password") {
        const Cluster cluster;
        cluster.execute("CREATE ROLE secretive LOGIN PASSWORD 'right'");
        std::ofstream(cluster.dataFolder() / "pg_hba.conf")
            << "local all postgres trust\nlocal all secretive scram-sha-256\n";
        cluster.execute("SELECT pg_reload_conf()");
        options::DumpOptions options = dumpOptions(cluster, "postgres", folder / "out");
        options.connection.user = "secretive";
        options.connection.password = "wrong";
        RunWindow window(requestOf(options));
        window.follow();
        CHECK(window.refused());
        CHECK_THAT(window.outcome(),
                   ContainsSubstring("password authentication failed for user \"secretive\""));
        CHECK_THAT(window.outcome(), ContainsSubstring("Check user and password"));
        CHECK_THAT(window.outcome(), !ContainsSubstring("wrong"));
    }
    SECTION("no such database") {
        const Cluster& cluster = sharedCluster();
        RunWindow window(requestOf(dumpOptions(cluster, "nowhere", folder / "out")));
        window.follow();
        CHECK_THAT(window.outcome(),
                   ContainsSubstring("database \"nowhere\" does not exist. Check the name"));
    }
}

TEST_CASE("dump faults: client programs are missing or too old") {
    DumpScene scene;
    const fs::path bin = scene.folder / "bin";
    fs::create_directory(bin);
    scene.options.clientToolsFolder = bin;
    SECTION("missing") {
        checkRefused(scene.options,
                     fmt::format("{}: no PostgreSQL programs are in this folder. Name the folder "
                                 "that holds pg_dump, or name none to have the usual places "
                                 "searched.",
                                 bin.string()));
    }
    SECTION("too old") {
        std::ofstream(bin / "pg_dump") << "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n";
        fs::permissions(bin / "pg_dump", fs::perms::all);
        RunWindow window(requestOf(scene.options));
        window.follow();
        CHECK(window.refused());
        CHECK_THAT(window.outcome(), ContainsSubstring("or newer was found on this machine; found: "
                                                       "9.6.24 in " +
                                                       bin.string() + ". Install "));
    }
}

TEST_CASE("dump faults: a pooler, and tables that may not be read whole") {
    DumpScene scene;
    SECTION("pooler") {
        const Relay relay({.server =
                               [&](int) {
                                   return socketPath(scene.cluster.socketFolder(),
                                                     scene.cluster.port());
                               },
                           .hidesProcess = true});
        scene.options.connection = {};
        scene.options.connection.host = relay.host();
        scene.options.connection.port = "5432";
        scene.options.connection.user = "postgres";
        scene.options.connection.database = scene.database;
        checkRefused(scene.options,
                     fmt::format("{}:5432/{}: a connection pooler stands between us and the "
                                 "server: a snapshot cannot be shared through it. Connect to the "
                                 "server itself, not to a pooler or balancer in front of it (check "
                                 "host and port).",
                                 relay.host(), scene.database));
    }
    makeReader(scene.cluster);
    SECTION("no right to read") {
        scene.cluster.execute("GRANT SELECT ON free TO reader", scene.database);
        scene.options.connection.user = "reader";
        checkRefused(scene.options,
                     "public.busy: permission denied: this role may not read it. Grant it SELECT, "
                     "and USAGE of the schema (or pg_read_all_data), or leave the table out with "
                     "-T.");
    }
    SECTION("row security") {
        scene.cluster.execute(
            "GRANT SELECT ON busy, free TO reader; ALTER TABLE busy ENABLE ROW LEVEL SECURITY",
            scene.database);
        scene.options.connection.user = "reader";
        checkRefused(scene.options,
                     "public.busy: row-level security would hide rows from this role. Use a role "
                     "with BYPASSRLS, or --enable-row-security to dump only the rows that this "
                     "role may see.");
    }
}

TEST_CASE("dump faults: a target that exists, and what a killed run left") {
    DumpScene scene;
    SECTION("exists") {
        fs::create_directory(scene.options.output);
        std::ofstream(scene.options.output / "notes").put('x');
        RunWindow window(requestOf(scene.options));
        window.follow();
        CHECK(window.refused());
        CHECK(window.outcome() ==
              fmt::format("{}{}: the target exists already. Choose another path, or replace the "
                          "archive with “Replace PATH if it is an archive already”.",
                          kRefusedAtOnce, scene.options.output.string()));
    }
    SECTION("something else is in the way") {
        const fs::path partial = scene.folder / "out.partial";
        fs::create_directory(partial);
        std::ofstream(partial / "precious") << "keep me";
        checkRefused(scene.options,
                     fmt::format("{}: it is in the way and does not look like an archive that was "
                                 "being written. Move it away or choose another path, then run it "
                                 "again.",
                                 partial.string()));
    }
    SECTION("a run was killed") {
        runDump(scene.options);
        fs::remove(scene.options.output / "toc.dat");
        fs::rename(scene.options.output, scene.folder / "out.partial");
        RunWindow window(requestOf(scene.options));
        window.follow();
        CHECK(window.state().finished()->outcome == events::Outcome::Clean);
        CHECK(window.logComesToSay(
            fmt::format("Removed {}, which a run that was killed had left behind (",
                        (scene.folder / "out.partial").string())));
    }
}

TEST_CASE("dump faults: a full disk") {
    if (::geteuid() != 0) SKIP("only root may mount a small disk");
    const TemporaryFolder disk;
    const std::string place = disk.path().string();
    if (runTool({"mount", "-t", "tmpfs", "-o", "size=64k", "none", place}).exitCode != 0) {
        SKIP("nothing may be mounted here");
    }
    struct Unmount {
        std::string place;
        ~Unmount() { (void)runTool({"umount", "-l", place}); }
    } const unmount{place};
    DumpScene scene;
    scene.cluster.execute("INSERT INTO busy SELECT generate_series(1, 100000)", scene.database);
    scene.options.output = disk / "out";
    scene.options.compression = io::parseCompression("none");
    RunWindow window(requestOf(scene.options));
    window.follow();
    CHECK_THAT(window.outcome(), StartsWith("Failed after "));
    CHECK_THAT(window.outcome(), ContainsSubstring(": No space left on device. Free some space "
                                                   "there or choose another destination, then run "
                                                   "it again."));
}

TEST_CASE("dump faults: a table that somebody has locked") {
    DumpScene scene;
    pg::Connection holder =
        pg::Connection::open(scene.cluster.connection(scene.database), "holder", {});
    holder.execute("BEGIN; LOCK TABLE busy");
    const std::string session = fmt::format(
        "session {} (postgres, idle in transaction: BEGIN; LOCK TABLE busy)", holder.backendPid());
    SECTION("given up after a while") {
        scene.options.lockWaitTimeout = "100ms";
        checkRefused(
            scene.options,
            fmt::format("public.busy: canceling statement due to lock timeout: {} holds it "
                        "exclusively (SQLSTATE 55P03). Somebody has a table exclusively; "
                        "wait for that session, or raise --lock-wait-timeout.",
                        session));
    }
    SECTION("waited for") {
        RunWindow window(requestOf(scene.options));
        CHECK(window.logComesToSay(fmt::format(
            "the dump waits for public.busy, which {} holds or wants exclusively", session)));
        const auto& idles = window.state().idles();
        REQUIRE_FALSE(idles.empty());  // its lane says so too
        CHECK(idles.back().idle.cause == events::IdleCause::Lock);
        holder.execute("ROLLBACK");
        window.follow();
        CHECK_THAT(window.outcome(), StartsWith("Finished without errors in "));
    }
}

TEST_CASE("dump faults: sessions that end in mid-table") {
    Gated gated;
    Gate gate(gated.cluster, gated.database.name());
    RunWindow window(requestOf(gated.options));
    const int worker = gate.waitForArrival("gantry dump: worker%");
    SECTION("a worker's: its chunk is read again") {
        endSession(gated.cluster, worker);
        gate.open();
        window.follow();
        CHECK_THAT(window.outcome(), StartsWith("Finished without errors in "));
        CHECK(window.logComesToSay("(tried again)"));
        CHECK(
            restoredContent(gated.cluster, gated.options.output, gated.database.name() + "_copy") ==
            contentOf(gated.cluster, gated.database.name()));
    }
    SECTION("the coordinator's: the snapshot is gone") {
        endSession(gated.cluster, dumpSessions(gated.cluster, "gantry dump: coordinator").at(0));
        window.follow();
        CHECK_THAT(window.outcome(), StartsWith("Failed after "));
        CHECK_THAT(window.outcome(),
                   ContainsSubstring("the coordinator's session ended, and its snapshot with it: "
                                     "terminating connection due to administrator command "
                                     "(SQLSTATE 57P01). Look at the server's log for the reason, "
                                     "then run the dump again."));
        CHECK_FALSE(fs::exists(gated.options.output));
    }
}

TEST_CASE("dump faults: the server stops") {
    Cluster cluster;
    const GatedDatabase database(cluster, kMegabytes, kGateRow);
    const TemporaryFolder folder;
    options::DumpOptions options = dumpOptions(cluster, database.name(), folder / "out");
    options.connection.user = "reader";
    options.content.enableRowSecurity = true;
    const Gate gate(cluster, database.name());
    RunWindow window(requestOf(options));
    (void)gate.waitForArrival("gantry dump: worker%");
    cluster.stop(StopMode::Immediate);
    window.follow();
    CHECK_THAT(window.outcome(), StartsWith("Failed after "));
    CHECK_THAT(window.outcome(), ContainsSubstring("the coordinator's session ended"));
    CHECK_THAT(window.outcome(), ContainsSubstring("then run the dump again."));
    CHECK_FALSE(fs::exists(options.output));
}
