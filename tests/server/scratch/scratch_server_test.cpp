// SPDX-License-Identifier: PostgreSQL
#include "core/scratch/scratch_server.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/demo/demo_database.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::scratch;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// Somewhere that root's unprivileged server user can get to.
struct Base {
    test::TemporaryFolder folder;
    fs::path path = folder / "base";
    Base() {
        fs::permissions(folder.path(),
                        fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    }
};

ScratchOptions optionsIn(const Base& base, std::string name = {}) {
    ScratchOptions options;
    options.baseFolder = base.path;
    options.name = std::move(name);
    options.settings = {"shared_buffers = '16MB'"};
    return options;
}

std::string query(const std::string& conninfo, const char* sql) {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(conninfo.c_str()),
                                                                PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) return PQerrorMessage(connection.get());
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), sql),
                                                                PQclear);
    return PQntuples(result.get()) == 1 ? PQgetvalue(result.get(), 0, 0)
                                        : PQresultErrorMessage(result.get());
}

pid_t postmasterOf(const ScratchInfo& info) {
    std::ifstream file(info.dataFolder() / "postmaster.pid");
    pid_t pid = 0;
    REQUIRE(file >> pid);
    return pid;
}

/// Ends a server of ours behind its back, and waits until its sessions are gone too: as long as
/// they live, PostgreSQL does not start on their files.
void crash(const ScratchInfo& info, int signal) {
    const pid_t pid = postmasterOf(info);
    std::istringstream others(query(info.conninfo(),
                                    "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity "
                                    "WHERE pid <> pg_backend_pid()"));
    ::kill(pid, signal);
    for (pid_t other = 0; others >> other;) {
        for (int i = 0; i < 500 && fs::exists(fmt::format("/proc/{}/exe", other)); ++i) {
            std::this_thread::sleep_for(20ms);
        }
    }
    for (int i = 0;
         i < 500 && listServers(info.folder.parent_path()).at(0).state != ScratchState::LeftBehind;
         ++i) {
        std::this_thread::sleep_for(20ms);
    }
    REQUIRE(listServers(info.folder.parent_path()).at(0).state == ScratchState::LeftBehind);
}

/// Left behind, with a table in a database "mine".
ScratchInfo leaveBehind(const Base& base, const std::string& name, int signal = SIGINT) {
    ScratchServer server = ScratchServer::start(optionsIn(base, name));
    server.release();
    query(server.info().conninfo(), "CREATE DATABASE mine");
    query(server.info().conninfo("mine"), "CREATE TABLE t AS SELECT 42 AS i");
    // Commits are not waited for there; a crash may lose the last moment.
    query(server.info().conninfo("mine"), "CHECKPOINT");
    crash(server.info(), signal);
    return server.info();
}

bool isEmpty(const fs::path& folder) { return !fs::exists(folder) || fs::is_empty(folder); }

}  // namespace

TEST_CASE("a scratch server accepts connections, is private, and is gone with its owner") {
    const Base base;
    {
        ScratchOptions options = optionsIn(base);
        options.accompany = true;
        std::vector<std::string> steps;
        options.onStep = [&steps](std::string_view text) { steps.emplace_back(text); };
        const ScratchServer server = ScratchServer::start(options);
        CHECK(steps.size() == 2);
        CHECK(server.info().name == "scratch-1");
        CHECK(query(server.info().conninfo(), "SELECT 1") == "1");
        CHECK(query(server.info().conninfo(), "SHOW listen_addresses").empty());
        CHECK(query(server.info().conninfo(), "SHOW shared_buffers") == "16MB");
        struct stat facts {};
        REQUIRE(::stat(server.info().folder.c_str(), &facts) == 0);
        CHECK((facts.st_mode & 0777) == 0700);

        const std::vector<ScratchInfo> listed = listServers(base.path);
        REQUIRE(listed.size() == 1);
        CHECK(listed[0].state == ScratchState::Running);
        CHECK(listed[0].version == server.info().version);
    }
    CHECK(isEmpty(base.path));
}

TEST_CASE("a released server is found and stopped by name") {
    const Base base;
    {
        ScratchServer server = ScratchServer::start(optionsIn(base, "mine"));
        server.release();
    }
    const std::vector<ScratchInfo> listed = listServers(base.path);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].name == "mine");
    CHECK(listed[0].state == ScratchState::Running);
    CHECK(query(listed[0].conninfo(), "SELECT 1") == "1");
    try {
        ScratchServer::start(optionsIn(base, "mine"));
        FAIL("a second one of this name started");
    } catch (const Error& error) {
        CHECK(error.info().describe() ==
              "mine: a scratch server of this name exists already. Stop it first (gantryctl "
              "scratch stop mine), or choose another name.");
    }
    stopServer("mine", base.path);
    CHECK(isEmpty(base.path));
    CHECK_THROWS_AS(stopServer("mine", base.path), Error);
}

TEST_CASE("a crashed server is recognized and can be removed") {
    const Base base;
    {
        ScratchServer server = ScratchServer::start(optionsIn(base, "crashed"));
        server.release();
        const pid_t pid = postmasterOf(server.info());
        ::kill(pid, SIGKILL);
        // It is our child: reap it, so that its number is free.
        ::waitpid(pid, nullptr, 0);
    }
    std::vector<ScratchInfo> listed = listServers(base.path);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].state == ScratchState::LeftBehind);
    CHECK(toString(listed[0].state) == "left behind");
    stopServer("crashed", base.path);
    CHECK(isEmpty(base.path));
}

TEST_CASE("a server that was left behind is started again with all that is in it") {
    const Base base;
    // Shut down, and crashed with its note of a process that nobody has reaped.
    for (const int signal : {SIGINT, SIGKILL}) {
        CAPTURE(signal);
        const ScratchInfo before = leaveBehind(base, "mine", signal);
        CHECK(listServers(base.path).at(0).canStartAgain());
        {
            ScratchServer server = signal == SIGINT
                                       ? ScratchServer::startAgain(optionsIn(base, "mine"))
                                       : ScratchServer::start(optionsIn(base, "mine"));
            CHECK(server.startedAgain());
            server.release();
            CHECK(server.info().conninfo() == before.conninfo());
            CHECK(server.info().version == before.version);
        }
        CHECK(query(before.conninfo("mine"), "SELECT i FROM t") == "42");
        CHECK(query(before.conninfo(), "SHOW shared_buffers") == "16MB");
        CHECK(listServers(base.path).at(0).state == ScratchState::Running);
        CHECK_THROWS_AS(ScratchServer::startAgain(optionsIn(base, "mine")), Error);
        stopServer("mine", base.path);
    }
    CHECK(isEmpty(base.path));
}

TEST_CASE("what was left behind stays if it cannot be started again, or not for long") {
    const Base base;
    const ScratchInfo info = leaveBehind(base, "mine");
    const auto refusal = [&base] {
        try {
            ScratchServer::start(optionsIn(base, "mine"));
        } catch (const Error& error) {
            return error.info().describe();
        }
        return std::string("it started");
    };
    const fs::path version = info.dataFolder() / "PG_VERSION";
    fs::rename(version, info.folder / "kept");
    CHECK(
        refusal() ==
        "mine: it cannot be started again: " + info.dataFolder().string() +
            " is not a whole data directory, its file PG_VERSION is missing or broken. \"gantryctl "
            "scratch stop mine\" removes it with all that is in it.");
    std::ofstream(version) << "8\n";
    CHECK(refusal().starts_with(
        "mine: it cannot be started again: its files are of PostgreSQL 8, and there are no server "
        "programs of that version in any usual place."));
    fs::rename(info.folder / "kept", version);
    fs::rename(info.dataFolder() / "global", info.folder / "kept");
    const std::string broken = refusal();
    CHECK(
        broken.starts_with("mine: it cannot be started again: the server ended with exit code 2 "
                           "while starting; the end of its log: "));
    CHECK(broken.ends_with("\"gantryctl scratch stop mine\" removes it with all that is in it."));
    fs::rename(info.folder / "kept", info.dataFolder() / "global");

    std::stop_source stopped;
    stopped.request_stop();
    CHECK_THROWS_AS(ScratchServer::start(optionsIn(base, "mine"), stopped.get_token()), Error);
    {
        ScratchOptions options = optionsIn(base, "mine");
        options.accompany = true;
        const ScratchServer server = ScratchServer::start(options);
        CHECK(query(server.info().conninfo("mine"), "SELECT i FROM t") == "42");
    }
    CHECK(listServers(base.path).at(0).canStartAgain());
    ScratchServer::start(optionsIn(base, "mine")).release();
    CHECK(query(info.conninfo("mine"), "SELECT i FROM t") == "42");
    stopServer("mine", base.path);
}

TEST_CASE("the demo is started again, and filled only if it is not whole") {
    const Base base;
    const ScratchOptions options = optionsIn(base, std::string(demo::kServerName));
    const ScratchInfo info = leaveBehind(base, options.name);
    std::stop_source source;
    int steps = 0;
    const demo::OnStep stopAtFirst = [&](const demo::Step&) {
        ++steps;
        source.request_stop();
    };
    // Interrupted, as it has to be filled: what was there before stays.
    CHECK_THROWS_AS(demo::startFilled(options, 1, stopAtFirst, source.get_token()), Error);
    CHECK(steps == 1);
    CHECK(listServers(base.path).at(0).canStartAgain());
    {
        ScratchServer server = ScratchServer::start(options);
        server.release();
        CHECK(query(info.conninfo("mine"), "SELECT i FROM t") == "42");
        CHECK(query(info.conninfo(),
                    "SELECT count(*) FROM pg_database WHERE datname = 'gantry_demo'") == "0");
        query(info.conninfo(), "CREATE DATABASE gantry_demo_unfinished");
        CHECK_FALSE(demo::isFilled(info, {}));
        std::stop_source again;
        CHECK_THROWS_AS(demo::fillUp(
                            info, 1, {},
                            [&](const demo::Step&) {
                                ++steps;
                                again.request_stop();
                            },
                            again.get_token()),
                        Error);
        CHECK(steps == 2);
        CHECK_FALSE(demo::isFilled(info, {}));
        query(info.conninfo(), "CREATE DATABASE gantry_demo");
        CHECK(demo::isFilled(info, {}));
        crash(info, SIGINT);
    }
    demo::startFilled(options, 1, stopAtFirst, {}).release();
    CHECK(steps == 2);
    CHECK(query(info.conninfo("mine"), "SELECT i FROM t") == "42");
    stopServer(options.name, base.path);
}

TEST_CASE("a stop while it starts leaves nothing") {
    const Base base;
    for (const auto delay : {0ms, 100ms, 600ms}) {
        std::stop_source source;
        std::jthread stopper([&source, delay] {
            std::this_thread::sleep_for(delay);
            source.request_stop();
        });
        try {
            ScratchServer::start(optionsIn(base), source.get_token());
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Cancelled);
        }
        CHECK(isEmpty(base.path));
    }
}

TEST_CASE("an accompanied server ends with a process that is killed, the next start tidies up") {
    const Base base;
    const pid_t child = ::fork();
    if (child == 0) {
        ScratchOptions options = optionsIn(base, "doomed");
        options.accompany = true;
        const ScratchServer server = ScratchServer::start(options);
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    std::vector<ScratchInfo> listed = listServers(base.path);
    for (int i = 0; i < 200 && listed.at(0).state == ScratchState::Running; ++i) {
        std::this_thread::sleep_for(20ms);
        listed = listServers(base.path);
    }
    CHECK(listed.at(0).state == ScratchState::LeftBehind);
    {
        ScratchOptions options = optionsIn(base, "next");
        options.accompany = true;
        const ScratchServer server = ScratchServer::start(options);
        listed = listServers(base.path);
        REQUIRE(listed.size() == 1);
        CHECK(listed[0].name == "next");
    }
    CHECK(isEmpty(base.path));
}

TEST_CASE("a base folder of somebody else is refused") {
    const Base base;
    fs::create_directory(base.path);
    fs::permissions(base.path, fs::perms::all);
    CHECK_THROWS_AS(ScratchServer::start(optionsIn(base)), Error);
    CHECK(fs::is_empty(base.path));
}

TEST_CASE("names that could lead out of the base folder are refused") {
    const Base base;
    for (const char* name : {"..", "a/b", "-x", "a b", "123456789012345678901234567890123"}) {
        CHECK_THROWS_AS(ScratchServer::start(optionsIn(base, name)), Error);
        CHECK_THROWS_AS(stopServer(name, base.path), Error);
    }
}
