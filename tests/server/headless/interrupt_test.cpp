// SPDX-License-Identifier: PostgreSQL
// Ctrl-C at any moment: nothing is left that looks whole, no server, no session.
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/server/headless/terminal_session.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// Scratch servers of this test alone, where root's unprivileged server user can get to.
struct Base {
    TemporaryFolder folder;
    fs::path path = folder / "base";
    std::map<std::string, std::string> environment{{"GANTRY_SCRATCH_DIR", path.string()}};
    Base() {
        fs::permissions(folder.path(),
                        fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    }
    bool isEmpty() const { return !fs::exists(path) || fs::is_empty(path); }

    /// Processes that name the folder in their command line.
    int processes() const {
        int count = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
            std::ifstream file(entry.path() / "cmdline");
            const std::string words{std::istreambuf_iterator<char>(file), {}};
            if (words.find(path.string()) != std::string::npos) ++count;
        }
        return count;
    }
};

}  // namespace

TEST_CASE("starting a scratch server can be interrupted at any moment") {
    const Base base;
    for (const auto after : {0ms, 30ms, 100ms, 300ms, 600ms, 1000ms, 1500ms, 2500ms}) {
        CAPTURE(after.count());
        TerminalSession session({gantryctl().string(), "scratch", "start", "--name", "it"},
                                base.environment);
        // Not before it listens to signals: then it has nothing to tidy up either.
        if (after == 0ms) {
            session.waitFor("making the files");
        } else {
            std::this_thread::sleep_for(after);
        }
        session.interrupt();
        const int code = session.waitForEnd();
        CAPTURE(code, session.output());
        if (code == 0) {
            // It was up already.
            CHECK(runTool({gantryctl().string(), "scratch", "stop", "it"}, base.environment)
                      .exitCode == 0);
        } else {
            CHECK((code == 130 || code == 128 + SIGINT));
        }
        CHECK(base.isEmpty());
        CHECK(base.processes() == 0);
    }
}

TEST_CASE("a scratch server in the foreground ends with Ctrl-C") {
    const Base base;
    TerminalSession session({gantryctl().string(), "scratch", "start", "--foreground"},
                            base.environment);
    session.waitFor("Stop it:  Ctrl-C");
    const ToolResult list = runTool({gantryctl().string(), "scratch", "list"}, base.environment);
    CHECK_THAT(list.output, ContainsSubstring("scratch-1 "));
    CHECK_THAT(list.output, ContainsSubstring(" running "));
    session.interrupt();
    CHECK(session.waitForEnd() == 0);
    CHECK(base.isEmpty());
    CHECK(base.processes() == 0);
    CHECK(runTool({gantryctl().string(), "scratch", "list"}, base.environment).output ==
          "There are no scratch servers; \"gantryctl scratch start\" starts one.\n");
}

TEST_CASE("filling the demo can be interrupted, and its server goes with it") {
    const Base base;
    TerminalSession session({gantryctl().string(), "demo", "-j", "2"}, base.environment);
    session.waitFor("1 of ");
    session.interrupt();
    CHECK(session.waitForEnd() == 130);
    CHECK_THAT(session.output(), ContainsSubstring("gantryctl: cancelled\r\n"));
    CHECK(base.isEmpty());
    CHECK(base.processes() == 0);
}

TEST_CASE("servers are stopped by name or all at once, and unknown ones refused") {
    const Base base;
    const auto run = [&base](std::vector<std::string> words) {
        words.insert(words.begin(), {gantryctl().string(), "scratch"});
        return runTool(words, base.environment);
    };
    REQUIRE(run({"start", "--name", "one"}).exitCode == 0);
    REQUIRE(run({"start"}).exitCode == 0);
    const ToolResult taken = run({"start", "--name", "one"});
    CHECK(taken.exitCode == 2);
    CHECK_THAT(taken.errors,
               ContainsSubstring("one: a scratch server of this name exists already\n"));
    const ToolResult unknown = run({"stop", "two"});
    CHECK(unknown.exitCode == 2);
    CHECK(unknown.errors ==
          "gantryctl: two: there is no scratch server of this name\n"
          "  \"gantryctl scratch list\" shows all of them.\n");
    CHECK(run({"stop", "one"}).output == "Scratch server \"one\" is gone.\n");
    CHECK(run({"stop", "--all"}).output == "Scratch server \"scratch-1\" is gone.\n");
    CHECK(base.isEmpty());
    CHECK(base.processes() == 0);
}

TEST_CASE("a server whose process died is started again by its name") {
    const Base base;
    const auto run = [&base](std::vector<std::string> words) {
        words.insert(words.begin(), {gantryctl().string(), "scratch"});
        return runTool(words, base.environment);
    };
    REQUIRE(run({"start", "--name", "one"}).exitCode == 0);
    const fs::path note = base.path / "one" / "data" / "postmaster.pid";
    pid_t pid = 0;
    REQUIRE(std::ifstream(note) >> pid);
    ::kill(pid, SIGINT);
    for (int i = 0; i < 500 && fs::exists(note); ++i) std::this_thread::sleep_for(20ms);
    CHECK_THAT(run({"list"}).output, ContainsSubstring("left behind"));
    const ToolResult again = run({"start", "--name", "one"});
    CHECK(again.exitCode == 0);
    CHECK_THAT(again.output, ContainsSubstring("Scratch server \"one\" had been left behind; it "
                                               "was started again with all that is in it"));
    CHECK_THAT(run({"list"}).output, ContainsSubstring(" running "));
    CHECK(run({"stop", "one"}).exitCode == 0);
    CHECK(base.isEmpty());
}

TEST_CASE("a dump whose server no longer answers ends with the second Ctrl-C") {
    Cluster cluster;
    cluster.execute("CREATE TABLE t AS SELECT g, md5(g::text) FROM generate_series(1, 2000000) g");
    const TemporaryFolder folder;
    const std::string target = (folder / "archive").string();
    TerminalSession session({gantryctl().string(), "dump", "-d", cluster.conninfo(), "-f", target,
                             "-Z", "gzip:9", "--pg-bindir", cluster.programs().binFolder.string()});
    session.waitFor("public.t");
    std::vector<pid_t> backends{cluster.pid()};
    for (const auto& row : cluster.rows("SELECT pid FROM pg_stat_activity WHERE "
                                        "application_name LIKE 'gantry%'")) {
        backends.push_back(std::stoi(*row[0]));
    }
    for (const pid_t pid : backends) ::kill(pid, SIGSTOP);
    session.interrupt();
    session.waitFor("stopping; Ctrl-C ends it at once, without tidying up");
    session.interrupt();
    CHECK(session.waitForEnd(10s) == 130);
    for (const pid_t pid : backends) ::kill(pid, SIGCONT);
    CHECK_THAT(session.output(), ContainsSubstring("gantryctl: ended at once; what was written so "
                                                   "far may be left as " +
                                                   target + ".partial\r\n"));
    CHECK_FALSE(fs::exists(target));
}
