// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_comparison.h"

#include <QTest>
#include <QTreeView>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <map>

#include "core/events/event_json.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/events/run_builder.h"
#include "ui/run/compare_page.h"
#include "ui/theme/theme.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::test;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

RunState restored(const char* jobs, Duration first, Duration second, bool third) {
    RunBuilder run(1);
    RunStarted started;
    started.operation = "restore";
    started.options = {{"jobs", jobs}, {"archive", "/b/shop"}};
    run.post(started);
    const auto task = [&run](uint32_t id, Duration took) {
        run.start(id, 1, 1000);
        run.now += took;
        run.finish(id, 1000);
    };
    task(0, first);
    task(1, second);
    if (third) task(2, 1s);
    run.end(Outcome::Clean);
    return run.state;
}

}  // namespace

TEST_CASE("comparison: what got slower comes first, and what only one run did has no other time") {
    const RunComparison c = compareRuns(restored("2", 4s, 2s, true), restored("4", 3s, 7s, false));
    REQUIRE(c.tasks.size() == 3);
    CHECK(c.tasks[0].difference() == Duration(5s));
    CHECK(c.tasks[0].before == Duration(2s));
    CHECK(c.tasks[0].after == Duration(7s));
    CHECK(c.tasks[0].bytesAfter == 1000);
    CHECK(c.tasks[1].difference() == Duration(-1s));
    CHECK(c.tasks[2].before == Duration(1s));
    CHECK_FALSE(c.tasks[2].after);
    CHECK(c.before.took == Duration(7s));
    CHECK(c.after.took == Duration(10s));
    REQUIRE(c.settings.size() == 1);
    CHECK(c.settings.at("jobs") == std::pair<std::string, std::string>("2", "4"));
}

TEST_CASE("comparison: archives are completed in both runs, whatever they are called") {
    const auto completed = [](const char* archive, Duration took) {
        RunBuilder run(1);
        run.post(RunStarted{});
        TaskStarted start;
        start.kind = plan::TaskKind::Finish;
        start.worker = WorkerId{1};
        start.object = archive;
        run.post(start);
        run.now += took;
        run.finish(0, 0);
        run.end(Outcome::Clean);
        return run.state;
    };
    const RunComparison c = compareRuns(completed("monday", 2s), completed("tuesday", 3s));
    REQUIRE(c.tasks.size() == 1);
    CHECK(c.tasks[0].object == "tuesday");
    CHECK(c.tasks[0].difference() == Duration(1s));
}

TEST_CASE(
    "comparison: what differs by chance only, or was in one run only, is neither better nor "
    "worse") {
    ComparedTask task;
    task.before = 10s;
    task.after = 10s + 400ms;
    CHECK_FALSE(task.differs());
    task.after = 10s + 600ms;
    CHECK(task.differs());
    task.before = 10ms;
    task.after = 60ms;
    CHECK_FALSE(task.differs());
    task.after = 210ms;
    CHECK(task.differs());
    task.before.reset();
    CHECK_FALSE(task.differs());
}

TEST_CASE("comparison: differences that mean nothing are not red, and say what they are") {
    const test::TemporaryFolder folder;
    const auto record = [&folder](const char* name, const char* operation, Duration first) {
        RunBuilder run(1);
        RunStarted started;
        started.operation = operation;
        started.startedAt = name;
        run.post(started);
        run.start(0, 1, 1000);
        run.now += first;
        run.finish(0, 1000);
        run.start(name == std::string("2026-01-01T00:00:00Z") ? 1U : 2U, 1, 1000);
        run.now += 1s;
        run.finish(name == std::string("2026-01-01T00:00:00Z") ? 1U : 2U, 1000);
        run.end(Outcome::Clean);
        std::ofstream file(folder.path() / name);
        for (const Event& event : run.events) file << toJson(event) << '\n';
        return folder.path() / name;
    };
    const char* kind = "restore";
    bool red = true;
    SECTION("runs of one kind") {}
    SECTION("runs of different kinds") {
        kind = "dump";
        red = false;
    }
    const auto one = record("2026-01-01T00:00:00Z", kind, 1s);
    const auto other = record("2026-01-02T00:00:00Z", "restore", 3s);
    const ComparePage page(one, other);
    const auto* table = page.findChild<QTreeView*>();
    REQUIRE(QTest::qWaitFor([&] { return table->model()->rowCount() == 3; }));
    std::map<QString, QColor> colors;
    for (int row = 0; row < 3; ++row) {
        const QModelIndex cell = table->model()->index(row, 4);
        colors[cell.data().toString()] = cell.data(Qt::ForegroundRole).value<QBrush>().color();
    }
    const Theme& theme = currentTheme();
    CHECK(colors.at(QStringLiteral("only before")) == theme.muted);
    CHECK(colors.at(QStringLiteral("only after")) == theme.muted);
    CHECK(colors.at(QStringLiteral("+2.0 s")) == (red ? theme.error : theme.muted));
}
