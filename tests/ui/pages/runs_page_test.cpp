// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/runs_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "core/events/run_log.h"
#include "tests/support/recording.h"
#include "tests/support/temporary_folder.h"
#include "ui/pages/runs_model.h"
#include "ui/pages/runs_trend.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

class Deaf final : public events::EventSink {
    void post(events::Payload) override {}
};

void keep(const std::filesystem::path& folder, const char* operation, const char* database,
          const char* startedAt, uint64_t bytes) {
    events::RunStarted started;
    started.operation = operation;
    started.database = database;
    started.startedAt = startedAt;
    events::RunFinished finished;
    finished.bytes = bytes;
    finished.compressedBytes = bytes / 4;
    const std::vector<events::Event> events{{Duration{}, started},
                                            {std::chrono::seconds(3), finished}};
    Deaf deaf;
    test::Recording(folder, deaf).take(events);
}

struct Fixture {
    test::TemporaryFolder folder;
    std::unique_ptr<RunsPage> page;

    Fixture() {
        keep(folder.path(), "dump", "shop", "2026-09-01T12:00:00Z", 4'000'000);
        keep(folder.path(), "dump", "shop", "2026-10-01T12:00:00Z", 8'000'000);
        keep(folder.path(), "restore", "copy", "2026-11-01T12:00:00Z", 1'000'000);
        page = std::make_unique<RunsPage>(folder.path());
        page->resize(900, 600);
        page->show();
        REQUIRE(QTest::qWaitFor([this] { return page->model().rowCount() == 3; }));
    }
    QTableView& table() const { return *page->findChild<QTableView*>(); }
    QPushButton* button(const QString& text) const {
        for (QPushButton* button : page->findChildren<QPushButton*>()) {
            if (button->text() == text) return button;
        }
        return nullptr;
    }
};

TEST_CASE("runs page: the last run first, found by words and kind") {
    const Fixture f;
    CHECK(f.table().model()->index(0, RunsModel::Database).data().toString() ==
          QStringLiteral("copy"));
    CHECK(f.table().model()->index(1, RunsModel::Outcome).data().toString() ==
          QStringLiteral("clean"));
    auto* words = f.page->findChild<QLineEdit*>();
    words->setText(QStringLiteral("shop 2026-10"));
    CHECK(f.page->shownRows() == 1);
    words->setText(QStringLiteral("nothing"));
    CHECK(f.page->shownRows() == 0);
    words->clear();
    f.page->findChild<QComboBox*>()->setCurrentIndex(1);
    CHECK(f.page->shownRows() == 2);
}

TEST_CASE("runs page: a run that passed errors over does not look like a clean one") {
    history::PastRun run;
    run.status = history::Status::CompletedWithErrors;
    run.ignoredErrors = 1300;
    history::PastRun clean;
    clean.status = history::Status::Clean;
    RunsModel model;
    model.setRuns({run, clean});
    const auto outcome = [&](int row, int role) {
        return model.data(model.index(row, RunsModel::Outcome), role);
    };
    CHECK(outcome(0, Qt::DisplayRole).toString() == QStringLiteral("1,300 errors ignored"));
    CHECK(outcome(0, Qt::ForegroundRole).value<QColor>() == currentTheme().warning);
    CHECK_FALSE(outcome(1, Qt::ForegroundRole).isValid());
}

TEST_CASE("runs page: one run is opened, two are compared, the earlier one first") {
    const Fixture f;
    QPushButton* open = f.button(QStringLiteral("&Open"));
    QPushButton* compare = f.button(QStringLiteral("&Compare"));
    CHECK_FALSE(open->isEnabled());
    CHECK_FALSE(compare->isEnabled());
    f.table().selectRow(1);
    CHECK(open->isEnabled());
    std::vector<RunRecord> opened;
    QObject::connect(f.page.get(), &RunsPage::openWanted,
                     [&](const RunRecord& record) { opened.push_back(record); });
    open->click();
    REQUIRE(QTest::qWaitFor([&] { return opened.size() == 1; }));
    CHECK(opened[0].startedAt == "2026-10-01T12:00:00Z");
    CHECK(events::readRunLog(opened[0].path).size() == 2);

    f.table().selectionModel()->select(f.table().model()->index(2, 0),
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
    CHECK_FALSE(open->isEnabled());
    std::vector<RunRecord> compared;
    QObject::connect(f.page.get(), &RunsPage::compareWanted,
                     [&](const RunRecord& one, const RunRecord& other) {
                         compared = {one, other};
                     });
    compare->click();
    REQUIRE(QTest::qWaitFor([&] { return compared.size() == 2; }));
    CHECK(compared[0].startedAt == "2026-09-01T12:00:00Z");
    CHECK(compared[1].startedAt == "2026-10-01T12:00:00Z");
}

TEST_CASE("runs page: what is chosen stays chosen as further runs come") {
    const Fixture f;
    f.table().selectRow(1);
    keep(f.folder.path(), "vacuum", "shop", "2026-11-02T12:00:00Z", 0);
    f.page->refresh();
    REQUIRE(QTest::qWaitFor([&] { return f.page->model().rowCount() == 4; }));
    const QModelIndexList rows = f.table().selectionModel()->selectedRows();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].siblingAtColumn(RunsModel::Began).data().toString().startsWith(u"2026-10-01"));
    CHECK(f.button(QStringLiteral("&Open"))->isEnabled());
}

TEST_CASE("runs page: runs that are chosen are deleted once that is confirmed") {
    const Fixture f;
    QPushButton* remove = f.button(QStringLiteral("&Delete…"));
    CHECK_FALSE(remove->isEnabled());
    f.table().selectRow(1);
    f.table().selectionModel()->select(f.table().model()->index(0, 0),
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
    REQUIRE(remove->isEnabled());
    std::vector<std::filesystem::path> logs;
    QObject::connect(f.page.get(), &RunsPage::forgotten,
                     [&](const std::vector<std::filesystem::path>& found) { logs = found; });

    f.table().setFocus();
    QTest::keyClick(&f.table(), Qt::Key_Delete);
    auto* question = f.page->findChild<QMessageBox*>();
    REQUIRE(question != nullptr);
    CHECK(question->text() == QStringLiteral("Delete 2 runs?"));
    CHECK(question->informativeText().contains(QStringLiteral("(restore copy, 2026-11-01 ")));
    CHECK(question->informativeText().contains(QStringLiteral("(back up shop, 2026-10-01 ")));
    CHECK(qobject_cast<QPushButton*>(question->button(QMessageBox::Cancel))->isDefault());
    question->reject();
    CHECK(history::History(f.folder.path()).runs().size() == 3);

    remove->click();
    const QList<QMessageBox*> questions = f.page->findChildren<QMessageBox*>();
    for (QAbstractButton* button : questions.back()->buttons()) {
        if (button->text() == QStringLiteral("&Delete")) button->click();
    }
    REQUIRE(QTest::qWaitFor([&] { return f.page->model().rowCount() == 1; }));
    CHECK(f.page->model().runs()[0].startedAt == "2026-09-01T12:00:00Z");
    CHECK(logs.size() == 2);
    CHECK(history::History(f.folder.path()).runs().size() == 1);
}

TEST_CASE("runs page: a run under way is not deleted") {
    Fixture f;
    Deaf deaf;
    test::Recording running(f.folder.path(), deaf);
    events::RunStarted started;
    started.operation = "vacuum";
    started.startedAt = "2026-11-02T12:00:00Z";
    running.take(std::vector<events::Event>{{Duration{}, started}});
    f.page->refresh();
    REQUIRE(QTest::qWaitFor([&] { return f.page->model().rowCount() == 4; }));
    f.table().selectRow(0);
    QPushButton* remove = f.button(QStringLiteral("&Delete…"));
    CHECK_FALSE(remove->isEnabled());
    CHECK(remove->toolTip() == QStringLiteral("A run under way cannot be deleted."));
    f.page->askRemove();
    CHECK(f.page->findChild<QMessageBox*>() == nullptr);
}

TEST_CASE("runs page: where room is short the server is shortened, not the outcome") {
    Fixture f;
    events::RunStarted started;
    started.operation = "dump";
    started.database = "a_database_with_a_rather_long_name";
    started.environment["server"] = "database-server-number-seventeen.internal.example.com:5432";
    started.startedAt = "2026-11-02T12:00:00Z";
    Deaf deaf;
    test::Recording(f.folder.path(), deaf)
        .take(std::vector<events::Event>{{Duration{}, started},
                                         {std::chrono::seconds(3), events::RunFinished{}}});
    f.page->refresh();
    REQUIRE(QTest::qWaitFor([&] { return f.page->model().rowCount() == 4; }));
    const auto right = [&] {
        return f.table().columnViewportPosition(RunsModel::Outcome) +
               f.table().fontMetrics().horizontalAdvance(QStringLiteral("clean"));
    };
    CHECK(right() < f.table().viewport()->width());
    const int narrow = f.table().columnWidth(RunsModel::Server);
    f.page->resize(1800, 600);
    QTest::qWait(1);
    CHECK(f.table().columnWidth(RunsModel::Server) > narrow);
    CHECK(right() < f.table().viewport()->width());
}

TEST_CASE("runs page: where no run is it says how to come to one") {
    const test::TemporaryFolder folder;
    RunsPage page(folder.path());
    page.show();
    QPushButton* next = nullptr;
    for (QPushButton* button : page.findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Back up a database")) next = button;
    }
    REQUIRE(next != nullptr);
    REQUIRE(QTest::qWaitFor([&] { return next->isVisible(); }));
    CHECK_FALSE(page.findChild<QTableView*>()->isVisible());
    QSignalSpy wanted(&page, &RunsPage::backUpWanted);
    next->click();
    CHECK(wanted.count() == 1);
    keep(folder.path(), "dump", "shop", "2026-09-01T12:00:00Z", 1);
    page.refresh();
    REQUIRE(QTest::qWaitFor([&] { return page.findChild<QTableView*>()->isVisible(); }));
    CHECK_FALSE(next->isVisible());
}

TEST_CASE("runs page: nothing is forgotten by no rule") {
    const Fixture f;
    f.button(QStringLiteral("Forget old runs…"))->click();
    auto* forget = f.button(QStringLiteral("&Forget them"));
    REQUIRE(forget != nullptr);
    CHECK(forget->isEnabled());
    for (auto* box : f.page->findChildren<QCheckBox*>()) box->setChecked(false);
    CHECK_FALSE(forget->isEnabled());
}

TEST_CASE("runs page: a database's size and time over months") {
    const Fixture f;
    auto* trend = f.page->findChild<RunsTrend*>();
    CHECK(trend->count() == 0);
    f.table().selectRow(1);
    CHECK(trend->count() == 2);
    CHECK(trend->accessibleDescription().contains(QStringLiteral("2026-10-01")));
    CHECK(trend->accessibleDescription().contains(QStringLiteral(" MB in ")));
    CHECK_FALSE(trend->grab().isNull());
    f.table().selectRow(0);
    CHECK(trend->count() == 1);
    f.table().clearSelection();
    CHECK(trend->count() == 0);
}

TEST_CASE("runs page: old runs are forgotten, and no server is aimed at") {
    const Fixture f;
    history::PruneRule rule;
    rule.before = "2026-10-15";
    f.page->prune(rule);
    REQUIRE(QTest::qWaitFor([&] { return f.page->model().rowCount() == 1; }));
    CHECK(history::History(f.folder.path()).runs().size() == 1);
    ServerProfile server;
    server.name = QStringLiteral("live");
    server.production = true;
    f.page->aimAt(server);
    CHECK_FALSE(f.page->server());
}

}  // namespace
TEST_CASE("runs page: a forecast is told with how far it was off") {
    history::PastRun exact;
    exact.status = history::Status::Clean;
    exact.elapsed = std::chrono::seconds(20);
    exact.predicted = std::chrono::seconds(25);
    exact.predictedBy = 2;
    history::PastRun running = exact;
    running.status = history::Status::Running;
    history::PastRun first = exact;
    first.predictedBy = 0;
    RunsModel model;
    model.setRuns({exact, running, first});
    const auto told = [&](int row) {
        return model.index(row, RunsModel::Forecast).data().toString();
    };
    CHECK(told(0).endsWith(QStringLiteral(" (+25%)")));
    CHECK(told(0).startsWith(told(1)));
    CHECK(told(2).isEmpty());
    CHECK(model.headerData(RunsModel::Forecast, Qt::Horizontal, Qt::DisplayRole).toString() ==
          QStringLiteral("Forecast"));
}

}  // namespace gantry::ui
