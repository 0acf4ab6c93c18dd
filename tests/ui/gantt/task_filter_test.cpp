// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/task_filter.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"
#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

/// Worker 1 copies t0 in 40 s; worker 2 builds index t1, which goes on; t2 waits.
RunBuilder run() {
    RunBuilder builder(2);
    builder.plan(0, 4000);
    builder.planMs(1, 60'000);
    builder.plan(2, 5000);
    builder.start(0, 1, 4000);
    builder.start(1, 2);
    builder.now = 40s;
    builder.finish(0, 4000);
    return builder;
}

std::string matching(const RunBuilder& builder, const char* words) {
    const TaskFilter filter(QString::fromUtf8(words));
    std::string names;
    for (const auto& [id, task] : builder.state.tasks()) {
        if (filter.passes(builder.state, task)) names += std::to_string(id.value);
    }
    return names;
}

}  // namespace

TEST_CASE("task filter: all words have to fit, in name, kind, state, worker or time") {
    const RunBuilder builder = run();
    CHECK(matching(builder, "") == "012");
    CHECK(matching(builder, "T1") == "1");
    CHECK(matching(builder, "index") == "1");
    CHECK(matching(builder, "in") == "");  // too short for a kind, and in no name
    CHECK(matching(builder, "done") == "0");
    CHECK(matching(builder, "waiting") == "2");
    CHECK(matching(builder, "running worker:2") == "1");
    CHECK(matching(builder, "worker:1") == "0");
    CHECK(matching(builder, ">39s") == "01");
    CHECK(matching(builder, "<1m copy") == "0");
    CHECK(matching(builder, "nothing") == "");
    CHECK(TaskFilter(QStringLiteral("  ")).empty());
}

TEST_CASE("task filter: what somebody ended is found as cancelled, not as failed") {
    RunBuilder builder = run();
    builder.post(TaskFailed{.span = {.task = TaskId{1}, .chunk = std::nullopt},
                            .error = Error(ErrorKind::Cancelled, "cancelled on request").info(),
                            .ignored = true,
                            .retried = false});
    CHECK(matching(builder, "cancelled") == "1");
    CHECK(matching(builder, "failed") == "");
}
