// SPDX-License-Identifier: PostgreSQL
// The fixture that all server tests stand on.
#include "tests/support/cluster.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// Sets an environment variable for as long as it lives.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~ScopedVariable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("a cluster of every installed version starts, works and is gone with its owner") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    fs::path folder;
    pid_t pid = 0;
    {
        const Cluster cluster(major);
        folder = cluster.socketFolder();
        pid = cluster.pid();
        const int version = std::stoi(cluster.value("SHOW server_version_num"));
        CHECK(version / 10000 == major);
        CHECK(cluster.value("SHOW listen_addresses").empty());
        CHECK(cluster.value("SHOW server_encoding") == "UTF8");
        CHECK(cluster.value("SELECT datcollate FROM pg_database WHERE datname = 'template1'") ==
              "C");
        cluster.createDatabase("it's \"odd\"", "ENCODING 'LATIN1'");
        CHECK(cluster.value("SHOW server_encoding", "it's \"odd\"") == "LATIN1");
        CHECK(cluster.rows("SELECT 1, NULL, 'a' UNION ALL SELECT 2, 'b', ''") ==
              Rows{{"1", std::nullopt, "a"}, {"2", "b", ""}});
        if (cluster.programs().hasClientTools) {
            CHECK(runToolOk({cluster.tool("psql"), "-XAtc", "SELECT current_user"},
                            cluster.environment()) == "postgres\n");
            CHECK_THAT(runToolOk({cluster.tool("pg_dump"), "--schema-only"}, cluster.environment()),
                       ContainsSubstring("PostgreSQL database dump complete"));
        }
    }
    CHECK(!fs::exists(folder));
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a cluster survives an immediate stop, and takes settings while it runs") {
    ClusterOptions options;
    options.settings = {"work_mem = '1MB'"};
    Cluster cluster(options);
    CHECK(cluster.value("SHOW work_mem") == "1MB");
    cluster.configure({"work_mem = '2MB'"});
    CHECK(cluster.value("SHOW work_mem") == "2MB");
    cluster.execute("SET synchronous_commit = on; CREATE TABLE kept AS SELECT 7 AS x");
    cluster.stop(StopMode::Immediate);
    CHECK(cluster.pid() == 0);
    CHECK_THROWS_WITH(cluster.execute("SELECT 1"), ContainsSubstring("No such file"));
    cluster.start();
    CHECK(cluster.value("SELECT x FROM kept") == "7");
    CHECK_THAT(cluster.log(), ContainsSubstring("automatic recovery in progress"));
    cluster.restart();
    CHECK(cluster.value("SELECT x FROM kept") == "7");
}

TEST_CASE("clusters listen on TCP when asked, each at a port of its own") {
    ClusterOptions options;
    options.tcp = true;
    const Cluster first(options);
    const Cluster second(options);
    CHECK(first.port() != second.port());
    CHECK(runToolOk({first.tool("psql"), "-XAtc", "SHOW port", first.tcpConninfo()}) ==
          std::to_string(first.port()) + "\n");
    CHECK_THROWS(Cluster().tcpConninfo());
}

TEST_CASE("a wrong statement fails with the server's words") {
    const Cluster cluster;
    CHECK_THROWS_WITH(cluster.execute("SELECT nothing"),
                      ContainsSubstring("column \"nothing\" does not exist"));
    CHECK_THROWS_WITH(cluster.value("SELECT 1 WHERE false"), ContainsSubstring("0 rows"));
}

TEST_CASE("a cluster ends with a test program that is killed, and its files with the next one") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const Cluster doomed;
        const std::string facts =
            std::to_string(doomed.pid()) + " " + doomed.socketFolder().string();
        if (::write(ends[1], facts.data(), facts.size()) > 0) ::raise(SIGKILL);
        ::_exit(1);
    }
    std::array<char, 200> facts{};
    REQUIRE(::read(ends[0], facts.data(), facts.size() - 1) > 0);
    ::waitpid(child, nullptr, 0);
    char* rest = nullptr;
    const auto server = static_cast<pid_t>(std::strtol(facts.data(), &rest, 10));
    const fs::path folder = rest + 1;
    for (int i = 0; i < 500 && fs::exists(folder / "data/postmaster.pid"); ++i) {
        std::this_thread::sleep_for(10ms);
    }
    CHECK(server > 0);
    CHECK(!fs::exists(folder / "data/postmaster.pid"));
    const Cluster next;
    CHECK(!fs::exists(folder));
}

TEST_CASE("a required server that is missing is a failure, another one is just absent") {
    const TemporaryFolder empty;
    const ScopedVariable folder("GANTRY_TEST_SERVERS_DIR", empty.path().string());
    {
        const ScopedVariable required("GANTRY_REQUIRE_SERVERS", "11 12");
        CHECK_THROWS_WITH(installedServers(),
                          "PostgreSQL 11 is required by GANTRY_REQUIRE_SERVERS and not installed; "
                          "scripts/test-servers 11 fetches it");
    }
    const ScopedVariable required("GANTRY_REQUIRE_SERVERS", "");
    CHECK_NOTHROW(installedServers());
    CHECK(!findServer(11));
}

TEST_CASE("a program's outputs, end and environment are told") {
    const ScopedVariable host("PGHOST", "nowhere");
    const ToolResult result =
        runTool({"sh", "-c", "printf %s \"$PGHOST$LC_ALL$MINE\"; echo broken >&2; exit 3"},
                {{"MINE", "!"}});
    CHECK(result.exitCode == 3);
    CHECK(result.output == "C!");
    CHECK(result.errors == "broken\n");
    CHECK(runTool({"sh", "-c", "kill -9 $$"}).exitCode == 137);
    CHECK(runTool({"head", "-c", "3000000", "/dev/zero"}).output.size() == 3000000);
    CHECK_THROWS(runToolOk({"false"}));
    CHECK_THROWS_WITH(runTool({"sleep", "30"}, {}, 0s), "not ended within 0 s: sleep 30");
}
