// SPDX-License-Identifier: PostgreSQL
// The table of a run's tasks: names keep room to be told apart, whatever its width.
#include "ui/run/task_table.h"

#include <QCoreApplication>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/unit/events/run_builder.h"
#include "ui/run/task_model.h"

using namespace gantry;
using namespace gantry::ui;

TEST_CASE("task table: where there is little room, the rate and the worker give way to names") {
    test::RunBuilder run;
    for (uint32_t task = 0; task < 3; ++task) run.start(task);
    TaskModel model;
    model.setRun(&run.state);
    TaskTable table(&model);
    const bool named = GENERATE(false, true);
    CAPTURE(named);
    table.setTasksNamed(named);
    const auto at = [&](int letters) {
        table.resize(letters * table.fontMetrics().averageCharWidth(), 300);
        table.show();
        QCoreApplication::processEvents();
    };
    at(300);
    CHECK_FALSE(table.isColumnHidden(TaskModel::Rate));
    CHECK_FALSE(table.isColumnHidden(TaskModel::Worker));
    bool rateBefore = false;
    for (int letters = 300; letters >= 110; --letters) {
        at(letters);
        CAPTURE(letters);
        const bool rate = table.isColumnHidden(TaskModel::Rate);
        const bool worker = table.isColumnHidden(TaskModel::Worker);
        CHECK(rate >= rateBefore);  // gone for good
        CHECK(rate >= worker);
        rateBefore = rate;
        if (worker) continue;
        CHECK(table.columnWidth(TaskModel::Relation) >=
              14 * table.fontMetrics().averageCharWidth());
    }
    CHECK(rateBefore);
    at(300);
    CHECK_FALSE(table.isColumnHidden(TaskModel::Rate));
    CHECK_FALSE(table.isColumnHidden(TaskModel::Worker));
}
