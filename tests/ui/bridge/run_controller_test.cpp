// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/run_controller.h"

#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <thread>

#include "core/events/run_log.h"
#include "core/history/history.h"
#include "tests/support/temporary_folder.h"

namespace gantry::ui {
namespace {

using events::EventSink;

void postStart(EventSink& sink) {
    events::RunStarted started;
    started.operation = "dump";
    started.database = "shop";
    sink.post(started);
}

RunRequest request(std::function<void(EventSink&, std::stop_token, run::RunControl&)> work) {
    RunRequest request;
    request.title = QStringLiteral("Back up shop");
    request.work = std::move(work);
    return request;
}

TEST_CASE("run controller: events are folded and the end is told") {
    RunController run(request([](EventSink& sink, const std::stop_token&, run::RunControl&) {
        postStart(sink);
        events::RunFinished finished;
        finished.rows = 7;
        sink.post(finished);
    }));
    const QSignalSpy finished(&run, &RunController::finished);
    CHECK(run.phase() == RunPhase::Ready);
    run.start();
    CHECK(run.phase() == RunPhase::Running);
    REQUIRE(QTest::qWaitFor([&] { return finished.count() == 1; }));
    CHECK(run.phase() == RunPhase::Finished);
    REQUIRE(run.state().finished());
    CHECK(run.state().finished()->rows == 7);
    CHECK(run.state().started()->database == "shop");
}

TEST_CASE("run controller: a flood is folded a slice at a time, to its end") {
    constexpr std::size_t kNotices = 300'000;
    RunController run(request([](EventSink& sink, const std::stop_token&, run::RunControl&) {
        postStart(sink);
        for (std::size_t i = 0; i < kNotices; ++i) {
            sink.post(events::Notice{events::Severity::Info, "said"});
        }
        sink.post(events::RunFinished{});
    }));
    std::size_t told = 0;
    QObject::connect(&run, &RunController::changed,
                     [&](const std::vector<events::Event>& events) { told += events.size(); });
    const QSignalSpy changes(&run, &RunController::changed);
    run.start();
    REQUIRE(QTest::qWaitFor([&] { return run.phase() == RunPhase::Finished; }, 60'000));
    CHECK(run.state().notices().size() == kNotices);
    CHECK(run.state().finished());
    CHECK(told == kNotices + 2);
    CHECK(changes.count() > 1);
}

TEST_CASE("run controller: what was refused says why") {
    RunController run(request([](EventSink&, const std::stop_token&, run::RunControl&) {
        throw Error(ErrorKind::Preflight, "the folder is not empty", "/backup", "Choose another.");
    }));
    run.start();
    REQUIRE(QTest::qWaitFor([&] { return run.phase() == RunPhase::Refused; }));
    CHECK(run.refusal()->describe() == "/backup: the folder is not empty. Choose another.");
}

TEST_CASE("run controller: a stop reaches the work") {
    RunController run(request([](EventSink& sink, const std::stop_token& stop, run::RunControl&) {
        postStart(sink);
        while (!stop.stop_requested()) std::this_thread::yield();
        events::RunFinished finished;
        finished.outcome = events::Outcome::Cancelled;
        sink.post(finished);
        throw Error(ErrorKind::Cancelled, "cancelled");
    }));
    run.start();
    REQUIRE(QTest::qWaitFor([&] { return run.state().started().has_value(); }));
    run.stop();
    CHECK(run.phase() == RunPhase::Stopping);
    REQUIRE(QTest::qWaitFor([&] { return run.phase() == RunPhase::Finished; }));
    CHECK(run.state().finished()->outcome == events::Outcome::Cancelled);
}

TEST_CASE("run controller: one that goes while it runs stops its work") {
    std::atomic<bool> stopped = false;
    {
        RunController run(
            request([&](EventSink& sink, const std::stop_token& stop, run::RunControl&) {
                postStart(sink);
                while (!stop.stop_requested()) std::this_thread::yield();
                stopped = true;
            }));
        run.start();
    }
    CHECK(QTest::qWaitFor([&] { return stopped.load(); }));
}

TEST_CASE("run controller: the history keeps every event") {
    const test::TemporaryFolder folder;
    RunController run(request([](EventSink& sink, const std::stop_token&, run::RunControl&) {
        postStart(sink);
        sink.post(events::RunFinished{});
    }));
    run.recordTo(folder.path());
    run.start();
    REQUIRE(QTest::qWaitFor([&] { return run.recordPath().extension() == ".zst"; }));
    const std::vector<events::Event> recorded = events::readRunLog(run.recordPath());
    REQUIRE(recorded.size() == 2);
    CHECK(std::holds_alternative<events::RunStarted>(recorded.front().payload));
    CHECK(std::holds_alternative<events::RunFinished>(recorded.back().payload));
    history::History history(folder.path());
    REQUIRE(history.runs().size() == 1);
    CHECK(history.runs().front().status == history::Status::Clean);
}

TEST_CASE("run controller: a history that cannot be kept is told among the run's events") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "file") << "in the way";
    std::atomic<bool> told = false;
    RunController run(request([&](EventSink& sink, const std::stop_token&, run::RunControl&) {
        postStart(sink);
        while (!told) std::this_thread::yield();
        sink.post(events::RunFinished{});
    }));
    run.recordTo(folder / "file");
    run.start();
    REQUIRE(QTest::qWaitFor([&] { return !run.state().notices().empty(); }));
    told = true;
    CHECK(run.state().notices().front().second.message.starts_with(
        "no record of this run is kept: "));
    REQUIRE(QTest::qWaitFor([&] { return run.phase() == RunPhase::Finished; }));
    CHECK(run.recordPath().empty());
}

}  // namespace
}  // namespace gantry::ui
