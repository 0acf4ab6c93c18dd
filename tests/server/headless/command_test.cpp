// SPDX-License-Identifier: PostgreSQL
// gantryctl in scripts: exit codes, streams, messages.
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

ToolResult run(std::vector<std::string> words) {
    words.insert(words.begin(), gantryctl().string());
    return runTool(words);
}

void refuses(const std::vector<std::string>& words, const std::string& errors) {
    const ToolResult result = run(words);
    CHECK(result.exitCode == 2);
    CHECK(result.errors == errors);
    CHECK(result.output.empty());
}

constexpr const char* kDumpHelp = "\"gantryctl dump --help\" shows what there is.\n";

}  // namespace

TEST_CASE("help and version go to standard output, for every command") {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                  {"-h"},
                                                  {"help"},
                                                  {"help", "dump"},
                                                  {"dump", "-?"},
                                                  {"list", "--help"},
                                                  {"verify", "--help"},
                                                  {"scratch", "--help"},
                                                  {"scratch", "start", "--help"},
                                                  {"demo", "--help"}}) {
        CAPTURE(words);
        const ToolResult result = run(words);
        CHECK(result.exitCode == 0);
        CHECK_THAT(result.output, ContainsSubstring("Usage: gantryctl"));
        CHECK(result.errors.empty());
    }
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--version"}, {"version"}, {"-V"}, {"dump", "--version"}}) {
        const ToolResult result = run(words);
        CHECK(result.exitCode == 0);
        CHECK_THAT(result.output, StartsWith("gantryctl "));
    }
}

TEST_CASE("wrong words are refused with what would be right") {
    refuses({"dmup"},
            "gantryctl: there is no command \"dmup\". Did you mean \"dump\"?\n"
            "\"gantryctl --help\" lists all of them.\n");
    refuses({"dump", "-f", "x", "--jbos", "-d", "y"},
            std::string("gantryctl dump: There is no option --jbos. Did you mean --jobs?\n") +
                kDumpHelp);
    refuses({"dump", "-f", "x", "--verbose=3"},
            std::string("gantryctl dump: --verbose takes no value.\n") + kDumpHelp);
    refuses({"list"},
            "gantryctl list: PATH is missing.\n"
            "\"gantryctl list --help\" shows what there is.\n");
    refuses({"list", "/nowhere"}, "gantryctl: /nowhere: there is no such file or folder\n");
    const TemporaryFolder folder;
    const std::string fifo = (folder / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (const char* command : {"list", "verify"}) {
        refuses({command, fifo},
                "gantryctl: " + fifo +
                    ": it is neither a file nor a folder, and an archive is not read in one go\n"
                    "  Write what comes from there into a file first.\n");
    }
    refuses({"demo", "-h", "x"},
            "gantryctl demo: --host, --port and --username need --dbname, which names an empty "
            "database.\n\"gantryctl demo --help\" shows what there is.\n");
}

TEST_CASE("what cannot begin is refused with the next step, and leaves nothing") {
    Cluster cluster;
    const TemporaryFolder folder;
    const std::string socket = cluster.socketFolder().string();
    const std::string server = "connection to server on socket \"" + socket + "/.s.PGSQL." +
                               std::to_string(cluster.port()) + "\" failed: ";
    const std::string target = (folder / "archive").string();
    const std::string tools = "--pg-bindir=" + cluster.programs().binFolder.string();
    refuses({"dump", "-d", cluster.conninfo("nope"), "-f", target},
            "gantryctl: " + server +
                "FATAL:  database \"nope\" does not exist\n"
                "  Check the name; psql -l lists the databases of the server.\n");
    refuses({"dump", "-h", "/nowhere", "-d", "x", "-f", target},
            "gantryctl: connection to server on socket \"/nowhere/.s.PGSQL.5432\" failed: No such "
            "file or directory. Is the server running locally and accepting connections on that "
            "socket?\n  Check that the server runs and that host and port are right.\n");
    refuses({"dump", tools, "-d", cluster.conninfo(), "-f", "/nowhere/x"},
            "gantryctl: /nowhere: the folder for the archive does not exist\n"
            "  Create it or choose another path.\n");
    refuses({"dump", "-W", "-d", cluster.conninfo(), "-f", target, "--events", "/nowhere/x"},
            "gantryctl: --password: there is no terminal to ask for the password on\n"
            "  Supply it by the pass file or PGPASSWORD.\n");
    const ToolResult events =
        run({"dump", tools, "-d", cluster.conninfo(), "-f", target, "--events", "/nowhere/x"});
    CHECK(events.exitCode == 2);
    CHECK_THAT(events.errors, StartsWith("gantryctl: /nowhere/x: "));
    CHECK(fs::is_empty(folder.path()));
    fs::create_directory(target);
    std::ofstream(target + "/notes").put('x');
    refuses({"dump", tools, "-d", cluster.conninfo(), "-f", target},
            "gantryctl: " + target +
                ": the target exists already\n"
                "  Choose another path, or replace the archive with --overwrite.\n");
    refuses({"dump", tools, "-d", cluster.conninfo(), "-f", target, "--overwrite"},
            "gantryctl: " + target +
                ": the target exists and is not an archive\n"
                "  --overwrite replaces archives only; choose another path or remove it "
                "yourself.\n");
}

TEST_CASE("with closed streams nothing is written where it does not belong") {
    Cluster cluster;
    cluster.execute("CREATE TABLE a AS SELECT g FROM generate_series(1, 3) g");
    const TemporaryFolder folder;
    const std::string target = (folder / "archive").string();
    const std::vector<std::string> dump{gantryctl().string(),
                                        "dump",
                                        "--verbose",
                                        "--no-sync",
                                        "--pg-bindir",
                                        cluster.programs().binFolder.string(),
                                        "-d",
                                        cluster.conninfo()};
    const auto closed = [&dump](const std::vector<std::string>& further) {
        std::vector<std::string> words{"/bin/sh", "-c", R"("$@" <&- >&- 2>&-)", "sh"};
        words.insert(words.end(), dump.begin(), dump.end());
        words.insert(words.end(), further.begin(), further.end());
        return runTool(words).exitCode;
    };
    for (const std::string format : {"directory", "custom", "tar", "plain"}) {
        CAPTURE(format);
        REQUIRE(closed({"-f", target, "-F", format, "--overwrite"}) == 0);
        if (format != "plain") CHECK(run({"verify", target}).exitCode == 0);
    }
    const std::string other = (folder / "other").string();
    CHECK(closed({"-F", "plain", "-f", other, "--filter=-"}) == 3);
    CHECK_FALSE(fs::exists(other));
}

TEST_CASE("each stream says what a script expects of it") {
    Cluster cluster;
    cluster.execute("CREATE TABLE a AS SELECT g FROM generate_series(1, 3) g");
    const TemporaryFolder folder;
    const std::string target = (folder / "archive").string();
    const std::vector<std::string> dump{
        "dump", "-d",        cluster.conninfo(), "-f",
        target, "--no-sync", "--pg-bindir",      cluster.programs().binFolder.string()};
    const auto with = [&dump](std::vector<std::string> further) {
        further.insert(further.begin(), dump.begin(), dump.end());
        return run(further);
    };
    const ToolResult plan = with({"--dry-run"});
    CHECK(plan.exitCode == 0);
    CHECK_THAT(plan.output, StartsWith("The plan of the dump of \"postgres\": 2 tasks for "));
    CHECK_THAT(plan.output, ContainsSubstring("public.a\n"));
    CHECK(plan.output.ends_with("Nothing was done: this was a dry run.\n"));
    CHECK(fs::is_empty(folder.path()));

    const ToolResult quiet = with({"-q"});
    CHECK(quiet.exitCode == 0);
    CHECK(quiet.output.empty());
    CHECK(quiet.errors.empty());
    fs::remove_all(target);

    const ToolResult verbose = with({"-v"});
    CHECK(verbose.exitCode == 0);
    CHECK_THAT(verbose.errors, ContainsSubstring("public.a: 3 rows, 6 B, "));
    CHECK_THAT(verbose.output, StartsWith("The dump of \"postgres\" is complete.\n"
                                          "  Holds:    1 table, 3 rows\n  Read:     6 B in "));
    fs::remove_all(target);

    const ToolResult events = with({"--events", "-"});
    CHECK(events.exitCode == 0);
    CHECK(events.output.front() == '{');
    CHECK_THAT(events.output, ContainsSubstring("\"type\":\"run_finished\""));
    CHECK_THAT(events.errors, ContainsSubstring("is complete.\n"));
    const ToolResult planned = with({"--events", "-", "--dry-run"});
    CHECK(planned.exitCode == 0);
    CHECK(planned.output.find("\n{") != std::string::npos);
    CHECK(planned.output.find("The plan") == std::string::npos);
    CHECK_THAT(planned.errors, ContainsSubstring("The plan"));

    // What cannot be written must not look as if it had been.
    const ToolResult full = runTool({"/bin/sh", "-c", "exec \"$1\" list \"$2\" >/dev/full", "sh",
                                     gantryctl().string(), target});
    CHECK(full.exitCode == 3);
    CHECK_THAT(full.errors, StartsWith("gantryctl: standard output: cannot write"));
}

TEST_CASE("a filter may come from a pipe, once for all that read it") {
    Cluster cluster;
    if (cluster.major() < 17) SKIP("this pg_dump has no --filter");
    cluster.execute(
        "CREATE TABLE a AS SELECT g FROM generate_series(1, 3) g;"
        "CREATE TABLE b AS SELECT g FROM generate_series(1, 5) g");
    const TemporaryFolder folder;
    const std::string target = (folder / "archive").string();
    const auto dumpWith = [&](const std::string& filter) {
        fs::remove_all(target);
        const ToolResult result =
            runTool({"/bin/bash", "-c",
                     "\"$1\" dump --no-sync -d \"$2\" -f \"$3\" --pg-bindir=\"$4\" " + filter,
                     "bash", gantryctl().string(), cluster.conninfo(), target,
                     cluster.programs().binFolder.string()});
        INFO(result.describe());
        CHECK(result.exitCode == 0);
        CHECK_THAT(result.output, ContainsSubstring("Holds:    1 table, 3 rows\n"));
    };
    dumpWith("--filter=<(echo include table a)");
    dumpWith("--filter=- <<< 'include table a'");
    dumpWith("--filter=/dev/stdin < <(sleep 0.3; echo include table a)");
    const std::string fifo = (folder / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    dumpWith("--filter=" + fifo + " & { sleep 0.3; echo include table a; } >" + fifo + "; wait $!");

    // Nobody writes: an interrupt is heard nevertheless.
    const ToolResult stopped =
        runTool({"/usr/bin/timeout", "-s", "INT", "1", gantryctl().string(), "dump", "-d",
                 cluster.conninfo(), "-f", target + "2", "--filter", fifo});
    CHECK(stopped.errors == "gantryctl: cancelled\n");
    fs::remove_all(target);
    fs::remove(fifo);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a restore's filter and list may come from a pipe") {
    Cluster cluster;
    cluster.execute("CREATE TABLE a (i int); CREATE TABLE b (i int)");
    const TemporaryFolder folder;
    const std::string archive = (folder / "archive").string();
    runToolOk({cluster.tool("pg_dump"), "-Fc", "-f", archive}, cluster.environment());
    const auto restoreWith = [&](const std::string& what) {
        cluster.createDatabase("copy");
        const ToolResult result =
            runTool({"/bin/bash", "-c", "\"$1\" restore -j1 -d \"$2\" \"$3\" " + what, "bash",
                     gantryctl().string(), cluster.conninfo("copy"), archive});
        INFO(result.describe());
        CHECK(result.exitCode == 0);
        CHECK(cluster.value("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r'"
                            " AND relnamespace = 'public'::regnamespace",
                            "copy") == "a");
        cluster.execute("DROP DATABASE copy");
    };
    restoreWith("--filter=<(echo include table a)");
    restoreWith("--filter=- <<< 'INCLUDE TABLE a'");
    restoreWith("-L <(\"$1\" list \"$3\" | grep -w a)");
}

TEST_CASE("demo data is put into empty databases only") {
    Cluster cluster;
    cluster.execute("CREATE TABLE precious (id int)");
    refuses({"demo", "-d", cluster.conninfo()},
            "gantryctl: postgres: the database holds 1 table already, and demo data does not "
            "belong there\n  Create an empty database for it, or leave --dbname out to get a "
            "scratch server.\n");
    const ToolResult missing = run({"demo", "-d", cluster.conninfo("nope")});
    CHECK(missing.exitCode == 2);
}
