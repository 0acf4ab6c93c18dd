// SPDX-License-Identifier: PostgreSQL
// The history as it is asked, pruned, and used by several processes at once.
#include "core/history/history.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "tests/support/recording.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/history/past_runs.h"

using namespace gantry;
using namespace gantry::test;
using namespace gantry::history;

namespace {

std::vector<int64_t> idsOf(const std::vector<PastRun>& runs) {
    std::vector<int64_t> ids;
    for (const PastRun& run : runs) ids.push_back(run.id);
    return ids;
}

/// Sets a variable of the environment for a scope.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("the history lies where the environment says, else where state belongs") {
    const Variable home("HOME", "/home/someone");
    {
        const Variable none("GANTRY_HISTORY_DIR", nullptr);
        const Variable state("XDG_STATE_HOME", "/state");
        CHECK(usualFolder() == "/state/gantry");
        const Variable relative("XDG_STATE_HOME", "state");
        CHECK(usualFolder() == "/home/someone/.local/state/gantry");
        const Variable unset("XDG_STATE_HOME", nullptr);
        CHECK(usualFolder() == "/home/someone/.local/state/gantry");
    }
    const Variable named("GANTRY_HISTORY_DIR", "/there");
    CHECK(usualFolder() == "/there");
}

TEST_CASE("runs are found by database, operation, outcome, server and time, the last one first") {
    const TemporaryFolder folder;
    record(folder.path(), {.startedAt = "2026-01-01T10:00:00Z"});
    record(folder.path(), {.database = "other", .startedAt = "2026-03-01T10:00:00Z"});
    record(folder.path(), {.operation = "restore", .startedAt = "2026-02-01T10:00:00Z"});
    record(folder.path(), {.startedAt = "2026-04-01T10:00:00Z",
                           .outcome = events::Outcome::Failed,
                           .cluster = "7002"});
    History history(folder.path());
    using Ids = std::vector<int64_t>;
    CHECK(idsOf(history.runs()) == Ids{4, 2, 3, 1});
    CHECK(idsOf(history.runs({.database = "shop"})) == Ids{4, 3, 1});
    CHECK(idsOf(history.runs({.operation = "restore"})) == Ids{3});
    CHECK(idsOf(history.runs({.cluster = "7002"})) == Ids{4});
    CHECK(idsOf(history.runs({.status = Status::Clean})) == Ids{2, 3, 1});
    CHECK(idsOf(history.runs({.since = "2026-03-01"})) == Ids{4, 2});
    CHECK(idsOf(history.runs({.most = 2})) == Ids{4, 2});
    CHECK(history.run(4)->error == "it broke");
}

TEST_CASE("names with quotes, and bytes that are no text, come back or are replaced") {
    const TemporaryFolder folder;
    record(folder.path(), {.database = "o'clock \"x\"\n"});
    record(folder.path(), {.database = "\xff\xfe", .startedAt = "2026-11-21T00:00:00Z"});
    History history(folder.path());
    CHECK(history.runs().at(1).database == "o'clock \"x\"\n");
    CHECK(history.runs({.database = "o'clock \"x\"\n"}).size() == 1);
}

TEST_CASE("pruning removes the oldest runs with their logs, and none that goes on") {
    const TemporaryFolder folder;
    for (const char* month : {"01", "02", "03", "04"}) {
        record(folder.path(), {.startedAt = std::string("2026-") + month + "-01T10:00:00Z"});
    }
    Notices notices;
    Recording running(folder.path(), notices);
    SampleRun old;
    old.startedAt = "2020-01-01T00:00:00Z";
    const std::vector<events::Event> events = old.events();
    running.take(std::span(events).first(3));
    History history(folder.path());
    const auto logs = [&] {
        return std::distance(std::filesystem::directory_iterator(history.logFolder()),
                             std::filesystem::directory_iterator());
    };
    REQUIRE(logs() == 5);

    Pruned pruned = history.prune({.before = "2026-02-15"});
    CHECK(pruned.runs == 2);
    CHECK(pruned.bytes > 0);
    CHECK(idsOf(history.runs()) == std::vector<int64_t>{4, 3, 5});
    CHECK(logs() == 3);
    CHECK(history.tasks(1).empty());

    const uint64_t newest = history.logBytes(*history.run(4));
    pruned = history.prune({.before = {}, .keepBytes = newest});
    CHECK(pruned.runs == 1);
    CHECK(idsOf(history.runs()) == std::vector<int64_t>{4, 5});
    CHECK(history.prune({.before = {}, .keepBytes = 0}).runs == 1);
    CHECK(idsOf(history.runs()) == std::vector<int64_t>{5});
    CHECK(history.prune({.before = {}, .keepBytes = std::nullopt}).runs == 0);
    // A number is never given again.
    record(folder.path(), {});
    CHECK(history.runs().front().id == 6);
}

TEST_CASE("runs are removed one by one, but none that goes on") {
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i) record(folder.path(), {});
    Notices notices;
    Recording running(folder.path(), notices);
    const std::vector<events::Event> events = SampleRun().events();
    running.take(std::span(events).first(3));
    History history(folder.path());
    const std::filesystem::path log = history.logOf(*history.run(2));

    const Pruned removed = history.remove({2, 4, 99});
    CHECK(removed.runs == 1);
    CHECK(removed.bytes > 0);
    REQUIRE(removed.logs.size() == 1);
    CHECK(log.string().starts_with(removed.logs[0].string()));
    CHECK_FALSE(std::filesystem::exists(log));
    CHECK(history.tasks(2).empty());
    const std::vector<int64_t> left = idsOf(history.runs());
    CHECK(std::set<int64_t>(left.begin(), left.end()) == std::set<int64_t>{1, 3, 4});
}

TEST_CASE("a log that is gone is told, one that is none is left out") {
    const TemporaryFolder folder;
    record(folder.path(), {});
    History history(folder.path());
    std::filesystem::remove_all(history.logFolder());
    try {
        (void)history.logOf(history.runs().front());
        FAIL("there is a log");
    } catch (const Error& error) {
        CHECK(error.info().message == "the record of run 1 is gone");
    }
    CHECK(history.logBytes(history.runs().front()) == 0);
    std::filesystem::create_directories(history.logFolder());
    std::ofstream(history.logFolder() / "other.jsonl") << "hello\n";
    history.settle();
    CHECK(history.runs().size() == 1);
}

TEST_CASE("threads and processes write their runs at the same time, and none is lost") {
    const TemporaryFolder folder;
    constexpr int kProcesses = 3;
    constexpr int kThreads = 2;
    constexpr int kRuns = 5;
    const auto work = [&](int who) {
        std::vector<std::string> told;
        std::vector<std::jthread> threads;
        std::vector<std::size_t> problems(kThreads);
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < kRuns; ++i) {
                    problems[static_cast<std::size_t>(thread)] +=
                        record(folder.path(), {.database = "p" + std::to_string(who)}).size();
                }
            });
        }
        threads.clear();
        return problems[0] + problems[1];
    };
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        const pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) ::_exit(static_cast<int>(work(process)));
        children.push_back(pid);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    History history(folder.path());
    std::set<int64_t> ids;
    for (const PastRun& run : history.runs()) {
        CHECK(run.status == Status::Clean);
        CHECK(history.tasks(run.id).size() == 2);
        ids.insert(run.id);
    }
    CHECK(ids.size() == kProcesses * kThreads * kRuns);
    for (int process = 0; process < kProcesses; ++process) {
        CHECK(history.runs({.database = "p" + std::to_string(process)}).size() == kThreads * kRuns);
    }
}
