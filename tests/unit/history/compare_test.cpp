// SPDX-License-Identifier: PostgreSQL
// Two runs side by side.
#include "core/history/compare.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::history;
using namespace std::chrono_literals;

namespace {

PastTask task(std::string kind, std::string object, Duration busy, uint32_t spans = 1) {
    PastTask made;
    made.kind = std::move(kind);
    made.object = std::move(object);
    made.busy = busy;
    made.spans = spans;
    made.bytes = 100;
    return made;
}

}  // namespace

TEST_CASE("tasks are compared by kind and object, the largest change first") {
    const std::vector<PastTask> before{task("table data", "a", 10s), task("table data", "b", 5s),
                                       task("index", "a", 1s), task("table data", "gone", 2s),
                                       task("table data", "never", 0s, 0)};
    const std::vector<PastTask> after{task("table data", "b", 1s), task("table data", "a", 11s),
                                      task("index", "a", 1s), task("index", "a", 1s),
                                      task("index", "new", 3s)};
    const std::vector<TaskChange> changes = compareTasks(before, after);
    REQUIRE(changes.size() == 5);
    CHECK(changes[0].object == "b");
    CHECK(changes[0].difference() == -4s);
    CHECK(changes[1].object == "new");
    CHECK_FALSE(changes[1].before);
    CHECK(changes[1].difference() == 3s);
    CHECK(changes[2].object == "gone");
    CHECK_FALSE(changes[2].after);
    CHECK(changes[2].difference() == -2s);
    // Two tasks on the same object are one piece of work.
    CHECK(changes[3].kind == "index");
    CHECK(changes[3].after->busy == 2s);
    CHECK(changes[3].after->bytes == 200);
    CHECK(changes[4].object == "a");
    CHECK(compareTasks({}, {}).empty());
}

TEST_CASE("archives are completed in both runs, whatever they are called") {
    const std::vector<TaskChange> changes =
        compareTasks({task("finish", "monday", 2s)}, {task("finish", "tuesday", 3s)});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].difference() == 1s);
    CHECK(changes[0].object == "tuesday");
}

TEST_CASE("options that differ are told, given or not") {
    PastRun before;
    before.options = {{"jobs", "2"}, {"compress", "zstd"}, {"no-sync", ""}};
    PastRun after;
    after.options = {{"jobs", "4"}, {"compress", "zstd"}};
    const std::vector<OptionChange> changes = compareOptions(before, after);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].name == "jobs");
    CHECK(changes[0].before == "2");
    CHECK(changes[0].after == "4");
    CHECK(changes[1].name == "no-sync");
    CHECK(changes[1].before == "yes");
    CHECK(changes[1].after.empty());
}
