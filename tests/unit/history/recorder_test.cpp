// SPDX-License-Identifier: PostgreSQL
// A run on its way into the history: nothing is lost that was told, and nothing that goes wrong
// here reaches the run.
#include "core/history/recorder.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/error.h"
#include "core/events/event_json.h"
#include "core/history/database.h"
#include "tests/support/recording.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::test;
using history::History;
using history::PastRun;
using history::Status;

namespace {

std::vector<std::string> linesOf(const std::vector<events::Event>& events) {
    std::vector<std::string> lines;
    for (const events::Event& event : events) lines.push_back(events::toJson(event));
    return lines;
}

}  // namespace

TEST_CASE("a run is kept with its options, environment, outcome, tasks and verdict") {
    const TemporaryFolder folder;
    CHECK(record(folder.path(), {}).empty());
    History history(folder.path());
    const std::vector<PastRun> runs = history.runs();
    REQUIRE(runs.size() == 1);
    const PastRun& run = runs.front();
    CHECK(run.id == 1);
    CHECK(run.operation == "dump");
    CHECK(run.database == "shop");
    CHECK(run.server == "db1:5432");
    CHECK(run.cluster == "7001");
    CHECK(run.startedAt == "2026-11-20T14:02:03Z");
    CHECK(run.workers == 2);
    CHECK(run.options.at("compress") == "zstd");
    CHECK(run.versions.at("server") == "18.1");
    CHECK(run.environment.at("server") == "db1:5432");
    CHECK(run.status == Status::Clean);
    CHECK(run.elapsed == std::chrono::seconds(10));
    CHECK(run.bytes == 1'500'000'000);
    CHECK(run.compressedBytes == 375'000'000);
    CHECK(run.rows == 2000);
    CHECK(run.relations == 2);
    CHECK(run.verdict.starts_with("public.large took 100% of the time"));

    const std::vector<history::PastTask> tasks = history.tasks(run.id);
    REQUIRE(tasks.size() == 2);
    CHECK(tasks[0].object == "public.large");
    CHECK(tasks[0].kind == "table data");
    CHECK(tasks[0].status == "done");
    CHECK(tasks[0].took() == std::chrono::seconds(10));
    CHECK(tasks[0].estimatedBytes == 1'000'000'000);
    CHECK(tasks[1].busy == std::chrono::seconds(5));
    CHECK(tasks[1].spans == 1);
    CHECK(tasks[1].rows == 1000);
    CHECK(history.tasks(99).empty());
    CHECK_FALSE(history.run(99));
}

TEST_CASE("the log of a run is on disk as it happens, and compressed once it is over") {
    const TemporaryFolder folder;
    Notices notices;
    const std::vector<events::Event> events = SampleRun().events();
    const std::span all(events);
    Recording recorder(folder.path(), notices);
    // What comes before the run begins belongs to it.
    const events::Event early{
        {}, events::Notice{.severity = events::Severity::Warning, .message = "wait"}};
    recorder.take(std::span(&early, 1));
    CHECK(recorder.log().empty());
    recorder.take(all.first(4));
    const std::filesystem::path log = recorder.log();
    CHECK(log.extension() == ".jsonl");
    std::vector<std::string> expected = linesOf(events);
    expected.insert(expected.begin(), events::toJson(early));
    CHECK(linesOf(events::readRunLog(log)) ==
          std::vector<std::string>(expected.begin(), expected.begin() + 5));
    CHECK(events::isBeingWritten(log));
    CHECK(events::readRunStarted(log).database == "shop");
    History history(folder.path());
    history.settle();
    CHECK(history.runs().front().status == Status::Running);

    recorder.take(all.subspan(4));
    CHECK_FALSE(std::filesystem::exists(log));
    CHECK(recorder.log() == std::filesystem::path(log.string() + ".zst"));
    CHECK(linesOf(events::readRunLog(recorder.log())) == expected);
    CHECK_FALSE(events::isBeingWritten(recorder.log()));
    CHECK(history.logOf(history.runs().front()) == recorder.log());
    CHECK(notices.messages.empty());
}

TEST_CASE("a run whose process was killed ends with what its log says") {
    const TemporaryFolder folder;
    SampleRun sample;
    sample.operation = "restore";
    const std::vector<events::Event> events = sample.events();
    {
        Notices notices;
        Recording recorder(folder.path(), notices);
        recorder.take(std::span(events).first(6));  // the smaller table is through
    }
    History history(folder.path());
    CHECK(history.runs().front().status == Status::Running);
    const auto found = history.latestRestore({.archive = "a1", .database = "7001/5"});
    REQUIRE(found);
    CHECK(found->id == 1);
    CHECK_FALSE(history.latestRestore({.archive = "a2", .database = "7001/5"}));
    CHECK_FALSE(history.latestRestore({.archive = "a1", .database = "7001/6"}));

    history.settle();
    const PastRun run = *history.run(1);
    CHECK(run.status == Status::Interrupted);
    CHECK(run.elapsed == std::chrono::seconds(5));
    CHECK(run.verdict.empty());
    CHECK(history.tasks(1)[0].status == "running");
    CHECK(history.tasks(1)[1].status == "done");
    CHECK(history.logOf(run).extension() == ".zst");
    CHECK(events::readRunLog(history.logOf(run)).size() == 6);
}

TEST_CASE("dry and refused runs leave nothing") {
    const TemporaryFolder folder;
    std::vector<events::Event> events = SampleRun().events();
    std::get<events::RunStarted>(events.front().payload).options["dry-run"] = "";
    Notices notices;
    {
        Recording dry(folder / "history", notices);
        dry.take(events);
        Recording refused(folder / "history", notices);
        refused.take(std::span(events).subspan(1, 1));
    }
    CHECK(notices.messages.empty());
    CHECK_FALSE(std::filesystem::exists(folder / "history"));
}

TEST_CASE("a history that cannot be kept is told once, and the run goes on") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    const std::vector<std::string> told = record(folder / "file", {});
    REQUIRE(told.size() == 1);
    CHECK(told.front().starts_with("no record of this run is kept: "));
    CHECK(told.front().find("Not a directory") != std::string::npos);
}

TEST_CASE("a damaged history is set aside, told, and filled again from the logs") {
    const TemporaryFolder folder;
    CHECK(record(folder.path(), {.startedAt = "2026-11-18T10:00:00Z"}).empty());
    CHECK(record(folder.path(), {.startedAt = "2026-11-19T10:00:00Z"}).empty());
    std::filesystem::remove(folder / "history.db-wal");
    std::ofstream(folder / "history.db", std::ios::trunc) << std::string(20'000, 'x');

    const std::vector<std::string> told = record(folder.path(), {});
    REQUIRE(told.size() == 1);
    CHECK(
        told.front().starts_with("the history of runs was damaged (file is not a database): it "
                                 "was set aside as " +
                                 (folder / "history-damaged-").string()));
    int aside = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (!entry.path().filename().string().starts_with("history-damaged-")) continue;
        if (entry.path().extension() != ".db") continue;
        ++aside;
        CHECK(std::filesystem::file_size(entry.path()) == 20'000);
    }
    CHECK(aside == 1);

    History history(folder.path());
    CHECK(history.runs().size() == 1);
    history.settle();
    const std::vector<PastRun> runs = history.runs();
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].startedAt == "2026-11-20T14:02:03Z");
    CHECK(runs[2].startedAt == "2026-11-18T10:00:00Z");
    CHECK(runs[2].status == Status::Clean);
    CHECK(history.tasks(runs[2].id).size() == 2);
}

TEST_CASE("a run that ends leaves what it wrote in the log of the history, which stays small") {
    const TemporaryFolder folder;
    constexpr uintmax_t kMost = uintmax_t{2} << 20;
    for (int run = 0; run < 100; ++run) CHECK(record(folder.path(), {}).empty());
    const uintmax_t left = std::filesystem::file_size(folder / "history.db-wal");
    CHECK(left > 0);
    CHECK(left < kMost);
    CHECK(std::filesystem::file_size(folder / "history.db") > 0);
    CHECK(History(folder.path()).runs().size() == 100);
}

TEST_CASE("damage in the midst of the file is found when it is met") {
    const TemporaryFolder folder;
    for (int day = 10; day < 20; ++day) {
        record(folder.path(), {.startedAt = "2026-11-" + std::to_string(day) + "T10:00:00Z"});
    }
    history::Database(folder / "history.db").execute("PRAGMA wal_checkpoint(TRUNCATE)");
    {
        std::fstream file(folder / "history.db", std::ios::in | std::ios::out | std::ios::binary);
        for (int page = 1; page < 12; ++page) {
            file.seekp(page * 4096);
            file << std::string(200, '\xff');
        }
    }
    std::vector<std::string> told;
    History history(folder.path(), [&](const std::string& message) { told.push_back(message); });
    history.settle();
    CHECK(history.runs().size() == 10);
    REQUIRE(told.size() == 1);
    CHECK(told.front().find("malformed") != std::string::npos);
}
