// SPDX-License-Identifier: PostgreSQL
#include "core/scratch/scratch_server.h"

#include <libpq-fe.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "core/base/error.h"
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
        std::ifstream file(server.info().dataFolder() / "postmaster.pid");
        pid_t pid = 0;
        REQUIRE(file >> pid);
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
