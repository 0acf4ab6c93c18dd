// SPDX-License-Identifier: PostgreSQL
// gantryctl keeps its runs, tells of them, and finds by itself the one that is to be resumed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/child_process.h"
#include "core/history/history.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

/// A history of this test alone.
struct OwnRuns {
    TemporaryFolder folder;
    fs::path path = folder / "history";
    std::map<std::string, std::string> environment{{"GANTRY_HISTORY_DIR", path.string()}};

    ToolResult run(std::vector<std::string> words) const {
        words.insert(words.begin(), gantryctl().string());
        return runTool(words, environment);
    }
    std::vector<history::PastRun> runs() const {
        history::History history(path);
        history.settle();
        return history.runs();
    }
};

}  // namespace

TEST_CASE("runs are kept, and told of, without a password anywhere") {
    const Cluster cluster;
    cluster.execute("CREATE TABLE a AS SELECT g FROM generate_series(1, 1000) g");
    const OwnRuns own;
    const TemporaryFolder folder;
    const std::vector<std::string> dump{"dump",
                                        "-d",
                                        cluster.conninfo() + " password=sEcReT",
                                        "-f",
                                        (folder / "archive").string(),
                                        "--no-sync",
                                        "--pg-bindir",
                                        cluster.programs().binFolder.string(),
                                        "--no-progress",
                                        "-j",
                                        "2"};
    const auto with = [&dump](const std::string& word) {
        std::vector<std::string> words = dump;
        words.push_back(word);
        return words;
    };
    const ToolResult none = own.run({"runs", "list"});
    CHECK(none.output == "No run is kept that fits.\n");
    REQUIRE(own.run(with("--dry-run")).exitCode == 0);
    REQUIRE(own.run(with("--no-history")).exitCode == 0);
    CHECK(own.runs().empty());
    REQUIRE(own.run(with("--overwrite")).exitCode == 0);
    CHECK(own.run(dump).exitCode == 2);  // it exists already: refused, so no run
    cluster.createDatabase("target");
    REQUIRE(own.run({"restore", "-d", cluster.conninfo("target"), (folder / "archive").string(),
                     "--no-progress"})
                .exitCode == 0);
    REQUIRE(own.run({"verify", (folder / "archive").string()}).exitCode == 0);
    REQUIRE(own.run({"list", (folder / "archive").string()}).exitCode == 0);

    const std::vector<history::PastRun> runs = own.runs();
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].operation == "restore");
    CHECK(runs[0].database == "target");
    CHECK(runs[1].status == history::Status::Clean);
    CHECK(runs[1].rows == 1000);
    CHECK(runs[1].options.at("no-sync").empty());
    CHECK(runs[1].server == cluster.socketFolder().string() + ":" + std::to_string(cluster.port()));
    CHECK(runs[1].cluster == cluster.value("SELECT system_identifier FROM pg_control_system()"));
    CHECK(runs[1].environment.at("user") == "postgres");

    const ToolResult list = own.run({"runs", "list", "--operation", "dump"});
    CHECK_THAT(list.output, ContainsSubstring("  dump       postgres "));
    CHECK(std::count(list.output.begin(), list.output.end(), '\n') == 2);
    const ToolResult shown = own.run({"runs", "show", "1"});
    CHECK(shown.exitCode == 0);
    CHECK_THAT(shown.output, StartsWith("Run 1: dump of \"postgres\" on "));
    CHECK_THAT(shown.output, ContainsSubstring("table data         public.a"));
    CHECK_THAT(shown.output, ContainsSubstring("What the run's length came from, step by step:\n"));
    const ToolResult lines = own.run({"runs", "export", "last"});
    CHECK(lines.output.front() == '{');
    CHECK_THAT(lines.output, ContainsSubstring("\"type\":\"run_finished\""));
    CHECK_THAT(own.run({"runs", "export", "1", "-F", "csv"}).output,
               StartsWith("task,part,kind,object,"));
    CHECK_THAT(own.run({"runs", "export", "1", "-F", "trace"}).output,
               ContainsSubstring("traceEvents"));
    REQUIRE(own.run({"runs", "export", "1", "-f", (folder / "run.jsonl").string()}).exitCode == 0);
    CHECK(own.run({"runs", "export", "1", "-f", (folder / "run.jsonl").string()}).exitCode == 3);
    CHECK_THAT(own.run({"runs", "compare", "1", "2"}).output,
               ContainsSubstring("Time that workers were busy, by task:"));

    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(own.path)) {
        if (!entry.is_regular_file()) continue;
        const ToolResult found = runTool({"grep", "-c", "sEcReT", entry.path().string()});
        CHECK(found.output == "0\n");
    }
    for (const auto& words : {shown.output, lines.output, list.output}) {
        CHECK(words.find("sEcReT") == std::string::npos);
    }

    CHECK(own.run({"runs", "remove", "2", "7"}).exitCode == 2);  // all of them or none
    const ToolResult removed = own.run({"runs", "remove", "2", "2"});
    CHECK_THAT(removed.output, StartsWith("1 run forgotten, "));
    REQUIRE(own.runs().size() == 1);
    CHECK(own.runs()[0].operation == "dump");
    const ToolResult pruned = own.run({"runs", "prune", "--keep-bytes", "0"});
    CHECK_THAT(pruned.output, StartsWith("1 run forgotten, "));
    CHECK(own.runs().empty());
}

TEST_CASE("words that runs does not understand are refused") {
    const OwnRuns own;
    const auto errorsOf = [&](std::vector<std::string> words) {
        const ToolResult result = own.run(std::move(words));
        CHECK(result.exitCode == 2);
        CHECK(result.output.empty());
        return result.errors;
    };
    CHECK(errorsOf({"runs", "show", "7"}) ==
          "gantryctl: 7: there is no such run\n"
          "  gantryctl runs list shows which there are; \"last\" is the last one.\n");
    CHECK_THAT(errorsOf({"runs", "remove"}), StartsWith("gantryctl runs remove: "));
    CHECK(errorsOf({"runs", "show", "last"}) == "gantryctl: there is no run yet\n");
    CHECK(errorsOf({"runs", "prune"}) ==
          "gantryctl runs prune: Say which: --older-than, --keep-bytes, or both.\n"
          "\"gantryctl runs prune --help\" shows what there is.\n");
    CHECK(errorsOf({"runs", "list", "--outcome", "good"}) ==
          "gantryctl runs list: --outcome: \"good\" is none. Choose clean, completed_with_errors, "
          "failed, cancelled, interrupted or running.\n"
          "\"gantryctl runs list --help\" shows what there is.\n");
    CHECK(errorsOf({"runs", "list", "--since", "noon"}) ==
          "gantryctl runs list: --since: \"noon\" is neither an age nor a date. Write it like 12h, "
          "30d, 8w, 6mo, 2y or 2026-11-01.\n\"gantryctl runs list --help\" shows what there is.\n");
    CHECK_THAT(errorsOf({"runs", "lits"}), StartsWith("gantryctl runs: there is no \"lits\".\n"));
    CHECK(own.run({"runs", "--help"}).exitCode == 0);
}

TEST_CASE("a history that is damaged or cannot be kept costs no run") {
    const Cluster cluster;
    const OwnRuns own;
    const TemporaryFolder folder;
    const auto dump = [&](const std::string& name) {
        return own.run({"dump", "-d", cluster.conninfo(), "-f", (folder / name).string(),
                        "--no-sync", "--no-progress", "--pg-bindir",
                        cluster.programs().binFolder.string()});
    };
    fs::create_directories(own.path);
    std::ofstream(own.path / "history.db") << std::string(5000, 'x');
    const ToolResult damaged = dump("a");
    CHECK(damaged.exitCode == 0);
    CHECK_THAT(damaged.errors,
               ContainsSubstring("warning: the history of runs was damaged (file is not a "
                                 "database): it was set aside as "));
    CHECK(own.runs().size() == 1);
    fs::remove_all(own.path);
    std::ofstream(own.path) << "in the way";
    const ToolResult none = dump("b");
    CHECK(none.exitCode == 0);
    CHECK_THAT(none.errors, StartsWith("warning: no record of this run is kept: "));
}

TEST_CASE("a killed restore is found again by its archive and database") {
    const Cluster cluster;
    const OwnRuns own;
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    cluster.execute(
        "CREATE TABLE big AS SELECT g AS id, md5(g::text) AS a FROM generate_series(1, 400000) g;"
        "ALTER TABLE big ADD PRIMARY KEY (id); CREATE INDEX big_a ON big (a);"
        "CREATE TABLE small AS SELECT 1 AS i",
        "source");
    runDump(dumpOptions(cluster, "source", folder / "a", Format::Directory, "gzip:1"));
    cluster.createDatabase("target");
    const std::vector<std::string> words{
        "restore", "-d", cluster.conninfo("target"), folder / "a", "-j", "2", "--no-progress"};
    std::vector<std::string> resume = words;
    resume.insert(resume.end(), {"--resume", "last"});
    const ToolResult unknown = own.run(resume);
    CHECK(unknown.exitCode == 2);
    CHECK(unknown.errors ==
          "gantryctl: --resume last: the history knows no restore of this archive into this "
          "database\n  Name the record that it left with --resume FILE, or restore anew into an "
          "empty database.\n");

    ChildOptions child;
    child.program = gantryctl();
    child.arguments = words;
    child.environment = own.environment;
    child.output = ChildStream::Null;
    child.errors = ChildStream::Null;
    ChildProcess process = ChildProcess::start(child);
    const auto telling = [&] {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(own.path / "runs", none)) {
            std::ifstream file(entry.path());
            for (std::string line; std::getline(file, line);) {
                if (line.find("\"type\":\"entries_done\"") != std::string::npos) return true;
            }
        }
        return false;
    };
    while (!telling() && !process.poll()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    REQUIRE_FALSE(process.poll());
    // As long as it goes on it is left alone.
    CHECK_THAT(own.run(resume).errors,
               ContainsSubstring("the restore that this records is still going on"));
    process.signal(SIGKILL);
    process.wait();

    const ToolResult resumed = own.run(resume);
    CAPTURE(resumed.describe());
    CHECK(resumed.exitCode == 0);
    CHECK(cluster.value("SELECT count(*) FROM big", "target") == "400000");
    CHECK(cluster.value("SELECT count(*) FROM small", "target") == "1");
    CHECK(cluster.value("SELECT count(*) FROM pg_class WHERE relname IN ('big_a', 'big_pkey')",
                        "target") == "2");
    const std::vector<history::PastRun> runs = own.runs();
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].status == history::Status::Clean);
    CHECK(runs[0].options.at("resume") == "last");
    CHECK(runs[1].status == history::Status::Interrupted);
    CHECK_THAT(own.run(resume).errors,
               ContainsSubstring("that restore came to its end: nothing is left to do"));
}
