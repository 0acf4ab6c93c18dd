// SPDX-License-Identifier: PostgreSQL
// What is found out about a run in the background, and when it is dropped.
#include "ui/run/insight_feed.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;
using Catch::Approx;

namespace {

/// Worker 1 works for 40 s, worker 2 for 10 of them.
RunBuilder someRun() {
    RunBuilder run(2);
    run.plan(0, 4000);
    run.plan(1, 1000);
    run.start(0, 1, 4000);
    run.start(1, 2, 1000);
    run.now = 10s;
    run.finish(1, 1000);
    run.now = 40s;
    run.finish(0, 4000);
    return run;
}

/// All that has not been told yet.
FoldedEvents eventsOf(const RunBuilder& run, std::size_t from = 0) {
    return {std::make_shared<const std::vector<Event>>(run.events), from, run.events.size()};
}

/// What the pool is at is through and has been told.
void letThrough() {
    workPool().waitForDone();
    QCoreApplication::processEvents();
}

}  // namespace

TEST_CASE("what a run came to is found out in the background, of the run as it was") {
    RunBuilder run = someRun();
    run.end(Outcome::Clean);
    InsightFeed feed{RunState{}};
    QSignalSpy changed(&feed, &InsightFeed::changed);
    QSignalSpy judged(&feed, &InsightFeed::judged);
    feed.add(eventsOf(run));
    feed.observe(run.state);
    CHECK_FALSE(feed.insight().longest);  // nobody has waited for it
    CHECK(feed.judgement().verdict.isEmpty());
    letThrough();
    CHECK(changed.count() == 1);
    CHECK(judged.count() == 1);
    CHECK(feed.insight().at == 40s);
    CHECK(feed.insight().critical == std::vector<bool>{true, false});
    CHECK(feed.insight().use.busyShare() == Approx(0.625));
    CHECK(feed.judgement().workers == 2);
    CHECK_FALSE(feed.judgement().outlooks.empty());
    CHECK_FALSE(feed.judgement().verdict.isEmpty());
    feed.observe(run.state);  // nothing new
    letThrough();
    CHECK(changed.count() == 1);
    CHECK(judged.count() == 1);
}

TEST_CASE("a run is looked at as soon as there is something to be found out, and not before") {
    RunBuilder run(1);
    run.start(0, 1);
    InsightFeed feed(run.state);
    QSignalSpy changed(&feed, &InsightFeed::changed);
    feed.observe(run.state);
    letThrough();
    CHECK(changed.isEmpty());
    const std::size_t told = run.events.size();
    run.now = 300ms;
    run.progress(0, 100);
    feed.add(eventsOf(run, told));
    feed.observe(run.state);
    letThrough();
    CHECK(changed.count() == 1);
    CHECK(feed.insight().use.busyShare() == Approx(1));
}

TEST_CASE("the end of a run is looked at, whatever was found out shortly before") {
    RunBuilder run = someRun();
    InsightFeed feed(run.state);  // of a run that goes on already
    feed.observe(run.state);
    const std::size_t told = run.events.size();
    run.end(Outcome::Clean);
    feed.add(eventsOf(run, told));
    feed.observe(run.state);
    letThrough();
    CHECK(feed.insight().lowerBound.has_value());
    CHECK_FALSE(feed.judgement().verdict.isEmpty());
}

TEST_CASE("what was found out about a run that begins anew is dropped") {
    RunBuilder run = someRun();
    run.end(Outcome::Clean);
    InsightFeed feed{RunState{}};
    QSignalSpy judged(&feed, &InsightFeed::judged);
    feed.add(eventsOf(run));
    feed.observe(run.state);
    feed.forget();  // before the pool's work has been told
    letThrough();
    CHECK(feed.insight().critical.empty());
    CHECK_FALSE(feed.insight().longest);
    CHECK(judged.isEmpty());

    feed.add(eventsOf(run));
    feed.observe(run.state);
    letThrough();
    REQUIRE(judged.count() == 1);
    CHECK(feed.insight().critical == std::vector<bool>{true, false});  // once, not twice
    feed.forget();
    CHECK(judged.count() == 2);
    CHECK(feed.judgement().verdict.isEmpty());
    CHECK(feed.judgement().outlooks.empty());
    CHECK_FALSE(feed.insight().longest);
}

TEST_CASE("what is found out after the page has gone is told to nobody") {
    RunBuilder run = someRun();
    run.end(Outcome::Clean);
    auto feed = std::make_unique<InsightFeed>(RunState{});
    feed->add(eventsOf(run));
    int told = 0;
    QObject::connect(feed.get(), &InsightFeed::changed, [&told] { ++told; });
    QObject::connect(feed.get(), &InsightFeed::judged, [&told] { ++told; });
    feed->observe(run.state);
    feed.reset();
    letThrough();
    CHECK(told == 0);
}
