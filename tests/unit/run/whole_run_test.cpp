// SPDX-License-Identifier: PostgreSQL
// Every run that began says once how it ended.
#include "core/run/whole_run.h"

#include <catch2/catch_test_macros.hpp>
#include <new>

#include "tests/unit/run/fake_run.h"

using namespace gantry;
using namespace gantry::test;
using events::Outcome;
using events::RunFinished;

namespace {

RunFinished endOf(const std::function<void()>& execute, std::string* thrown = nullptr) {
    EventRecorder events;
    try {
        run::toItsEnd(events, execute,
                      [] { return RunFinished{.error = std::nullopt, .rows = 7}; });
    } catch (const Error& error) {
        if (thrown != nullptr) *thrown = error.info().describe();
    }
    REQUIRE(events.all().size() == 1);
    CHECK(events.of<RunFinished>()[0].rows == 7);
    return events.of<RunFinished>()[0];
}

}  // namespace

TEST_CASE("a run that went through ends as its totals say") {
    CHECK(endOf([] {}).outcome == Outcome::Clean);
}

TEST_CASE("a run that failed says why, and throws it on") {
    std::string thrown;
    const RunFinished end =
        endOf([] { throw Error(ErrorKind::Io, "no space left on device", "t.dat"); }, &thrown);
    CHECK(end.outcome == Outcome::Failed);
    REQUIRE(end.error);
    CHECK(end.error->object == "t.dat");
    CHECK(thrown == "t.dat: no space left on device");
}

TEST_CASE("a stop is no failure") {
    CHECK(endOf([] { throw Error(ErrorKind::Cancelled, "cancelled"); }).outcome ==
          Outcome::Cancelled);
}

TEST_CASE("what the library throws becomes an error of ours") {
    std::string thrown;
    const RunFinished end = endOf([] { throw std::bad_alloc(); }, &thrown);
    CHECK(end.outcome == Outcome::Failed);
    CHECK(end.error->kind == ErrorKind::Internal);
    CHECK(thrown == "std::bad_alloc");
}
