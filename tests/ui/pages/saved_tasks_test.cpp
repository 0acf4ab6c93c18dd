// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/saved_tasks.h"

#include <QDate>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/temporary_folder.h"

using namespace gantry::ui;

namespace {

QStringList textsOf(const QMenu& menu) {
    QStringList texts;
    for (const QAction* action : menu.actions()) {
        if (!action->isSeparator()) texts << action->text();
    }
    return texts;
}

}  // namespace

TEST_CASE("saved tasks outlive the program") {
    const gantry::test::TemporaryFolder folder;
    const QString path = QString::fromStdString((folder.path() / "config/tasks.json").string());
    {
        SavedTasks tasks(path);
        CHECK(tasks.tasks().empty());
        tasks.save({QStringLiteral("nightly"), QStringLiteral("s1"), QStringLiteral("dump"),
                    QStringLiteral("{}")});
        tasks.save({QStringLiteral("nightly"), QStringLiteral("s2"), QStringLiteral("restore"),
                    QStringLiteral("{}")});
        tasks.save({QStringLiteral("nightly"), QStringLiteral("s3"), QStringLiteral("dump"),
                    QStringLiteral("{}")});
        CHECK(tasks.problem().isEmpty());
    }
    SavedTasks tasks(path);
    REQUIRE(tasks.tasks().size() == 2);
    CHECK(tasks.tasks()[0].serverId == QStringLiteral("s3"));
    tasks.remove(QStringLiteral("nightly"), QStringLiteral("dump"));
    CHECK(SavedTasks(path).tasks().size() == 1);
    QFile file(path);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("nonsense");
    file.close();
    CHECK(SavedTasks(path).problem() == path + QStringLiteral(" does not hold saved tasks"));
}

TEST_CASE("a saved task runs with two clicks") {
    SavedTasks tasks{QString()};
    tasks.save({QStringLiteral("nightly"), QStringLiteral("s1"), QStringLiteral("dump"),
                QStringLiteral("{}")});
    QMenu menu;
    QString ran;
    fillTaskMenu(menu, tasks, QStringLiteral("dump"),
                 {.run = [&ran](const SavedTask& task) { ran = task.name; },
                  .open = [](const SavedTask&) {},
                  .saveCurrent = [] {}});
    CHECK(textsOf(menu) == QStringList{QStringLiteral("Run “nightly”"), QStringLiteral("Open"),
                                       QStringLiteral("Delete"), QStringLiteral("Save as task…")});
    menu.actions().front()->trigger();
    CHECK(ran == QStringLiteral("nightly"));
    fillTaskMenu(menu, tasks, QStringLiteral("restore"),
                 {.run = {}, .open = {}, .saveCurrent = [] {}});
    CHECK(textsOf(menu) == QStringList{QStringLiteral("Save as task…")});
}

TEST_CASE("a destination's placeholders are filled in at the start") {
    const QString today = QDate::currentDate().toString(Qt::ISODate);
    CHECK(expandDestination(QStringLiteral("~/b/{database}_{date}"), QStringLiteral("a/b")) ==
          QDir::homePath() + QStringLiteral("/b/a_b_") + today);
    CHECK(expandDestination(QStringLiteral("/plain"), {}) == QStringLiteral("/plain"));
}
