// SPDX-License-Identifier: PostgreSQL
// A recorded run on its page: replayed, chosen from, judged and exported.
#include "ui/run/run_page.h"

#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <semaphore>
#include <stdexcept>

#include "core/events/event_json.h"
#include "core/report/span_table.h"
#include "tests/support/temporary_folder.h"
#include "ui/gantt/gantt_view.h"
#include "ui/run/details_panel.h"
#include "ui/run/run_export.h"
#include "ui/run/summary_strip.h"
#include "ui/run/task_model.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::ui;
using namespace std::chrono_literals;

namespace {

TaskStarted startOf(uint32_t task, uint32_t worker, const char* object) {
    TaskStarted start;
    start.span.task = TaskId{task};
    start.worker = WorkerId{worker};
    start.object = object;
    start.estimatedBytes = 1000;
    return start;
}

/// public.a is copied in 4 s; public.b fails after 5.5 s, =c after 10 s is fine.
std::vector<Event> recorded() {
    RunStarted started;
    started.operation = "restore";
    started.database = "shop_dev";
    started.versions = {{"server", "18.1"}};
    started.workers = 2;
    Plan plan;
    for (const char* object : {"public.a", "public.b", "=c"}) {
        PlannedTask task;
        task.task = TaskId{static_cast<uint32_t>(plan.tasks.size())};
        task.object = object;
        task.estimatedBytes = 1000;
        plan.tasks.push_back(task);
    }
    TaskFailed failed;
    failed.span.task = TaskId{1};
    failed.error.message = "duplicate key";
    failed.error.hint = "Restore into an empty table.";
    failed.error.statement = "COPY public.b FROM stdin";
    failed.ignored = true;
    RunFinished finished;
    finished.outcome = Outcome::CompletedWithErrors;
    finished.ignoredErrors = 1;
    return {
        {0s, started},
        {0s, plan},
        {0s, startOf(0, 1, "public.a")},
        {0s, TaskStatement{.span = {TaskId{0}, {}}, .statement = "COPY public.a FROM stdin;\n"}},
        {0s, startOf(1, 2, "public.b")},
        {4s, TaskFinished{.span = {TaskId{0}, {}}, .bytes = 1000, .rows = 10}},
        {4s, startOf(2, 1, "=c")},
        {5500ms, failed},
        {10s, TaskFinished{.span = {TaskId{2}, {}}, .bytes = 1000, .rows = 10}},
        {10s, finished}};
}

struct Recorded {
    test::TemporaryFolder folder;
    std::unique_ptr<RunPage> page;

    explicit Recorded(const std::vector<Event>& events = recorded(), int logLines = 3) {
        const auto path = folder.path() / "run.jsonl";
        std::ofstream file(path);
        for (const Event& event : events) file << toJson(event) << '\n';
        file.close();
        page = std::make_unique<RunPage>(path);
        page->resize(1200, 800);
        page->show();
        REQUIRE(QTest::qWaitFor([&] { return page->feed().state().finished().has_value(); }));
        REQUIRE(QTest::qWaitFor([&] { return !page->verdict().isEmpty(); }));
        REQUIRE(QTest::qWaitFor([&] { return log().model()->rowCount() == logLines; }));
    }
    DetailsPanel& details() const { return *page->findChild<DetailsPanel*>(); }
    QTableView& table() const { return *page->findChild<QTableView*>(); }
    TaskModel& tasks() const { return *qobject_cast<TaskModel*>(table().model()); }
    QListView& log() const {
        for (auto* view : page->findChildren<QListView*>()) {
            if (view->accessibleName() == QStringLiteral("Log of the run")) return *view;
        }
        throw std::logic_error("there is no log");
    }
    bool says(const QString& words) const {
        for (const QLabel* label : page->findChildren<QLabel*>()) {
            if (label->isVisibleTo(page.get()) && label->text().contains(words)) return true;
        }
        return false;
    }
};

}  // namespace

TEST_CASE("a recorded run opens as it ended, with its outcome and its verdict") {
    const Recorded run;
    CHECK(run.page->title() == QStringLiteral("Restore into shop_dev"));
    CHECK(run.says(QStringLiteral("Finished in 10.0 s, but an error was passed over.")));
    CHECK(run.says(QStringLiteral("=c took 60% of the time over one worker.")));
    CHECK(run.tasks().rowCount() == 3);
}

TEST_CASE("a record that breaks off says so, and shows what was under way as cut off") {
    std::vector<Event> begun = recorded();
    begun.resize(7);
    const Recorded run(begun, 2);
    CHECK(run.says(QStringLiteral("The record breaks off after 4.0 s.")));
    CHECK(run.says(QStringLiteral("1 of 3 tasks")));
    const auto stateOf = [&](uint32_t task) {
        return run.tasks().index(run.tasks().rowOf(TaskId{task}), TaskModel::State).data();
    };
    CHECK(stateOf(2).toString() == QStringLiteral("cut off"));
    CHECK(run.page->status().right.startsWith(QStringLiteral("0 errors")));
}

TEST_CASE("what is chosen in one view is chosen in all") {
    const Recorded run;
    run.page->select(TaskId{1});
    CHECK(run.page->chart()->selected() == TaskId{1});
    CHECK(run.tasks().taskAt(run.table().currentIndex().row()) == TaskId{1});
    CHECK(run.log().currentIndex().row() == 1);
    CHECK(run.says(QStringLiteral("duplicate key")));
    CHECK(run.says(QStringLiteral("Restore into an empty table.")));
    CHECK(run.says(QStringLiteral("COPY public.b FROM stdin")));
    run.page->select(TaskId{0});
    CHECK(run.says(QStringLiteral("COPY public.a FROM stdin;")));
    run.table().selectRow(run.tasks().rowOf(TaskId{2}));
    CHECK(run.page->selected() == TaskId{2});
    CHECK(run.page->chart()->selected() == TaskId{2});
}

TEST_CASE("the table is sorted by state and filtered by words and times") {
    const Recorded run;
    CHECK(run.tasks().taskAt(0) == TaskId{1});  // the failed one
    run.tasks().setFilter(QStringLiteral("done"));
    CHECK(run.tasks().rowCount() == 2);
    run.tasks().setFilter(QStringLiteral("COPY >5s"));
    CHECK(run.tasks().rowCount() == 2);
    run.tasks().setFilter(QStringLiteral("public. <5s"));
    REQUIRE(run.tasks().rowCount() == 1);
    CHECK(run.tasks().taskAt(0) == TaskId{0});
    run.tasks().setFilter({});
    run.tasks().sort(TaskModel::Relation, Qt::DescendingOrder);
    CHECK(run.tasks().taskAt(0) == TaskId{1});
    CHECK(run.tasks().index(0, TaskModel::State).data().toString() == QStringLiteral("failed"));
}

TEST_CASE("what is filtered is neither in the chart nor in the table") {
    const Recorded run;
    GanttView& chart = *run.page->chart();
    CHECK(chart.setSearch(QStringLiteral("public. worker:2")) == 1);
    CHECK(run.tasks().rowCount() == 3);
    chart.setOnlyMatches(true);
    REQUIRE(run.tasks().rowCount() == 1);
    CHECK(run.tasks().taskAt(0) == TaskId{1});
    CHECK(run.page->status().right == QStringLiteral("1 errors · 0 notices"));
    // Back to what was shown before.
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Backspace);
    CHECK_FALSE(chart.onlyMatches());
    CHECK(chart.search().isEmpty());
    CHECK(run.tasks().rowCount() == 3);
}

TEST_CASE("a recorded run is played again from any point") {
    const Recorded run;
    auto& feed = const_cast<ReplayFeed&>(dynamic_cast<const ReplayFeed&>(run.page->feed()));
    CHECK(feed.length() == 10s);
    feed.seek(5s);
    REQUIRE(QTest::qWaitFor([&] { return feed.state().now() == 4s; }));
    CHECK_FALSE(feed.state().finished());
    CHECK(feed.state().tasks().at(TaskId{2}).status == TaskStatus::Running);
    feed.setSpeed(50);
    feed.setPlaying(true);
    REQUIRE(QTest::qWaitFor([&] { return feed.state().finished().has_value(); }));
    CHECK_FALSE(feed.playing());
}

TEST_CASE("a file that is no recorded run is refused in words") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "no.jsonl") << "hello\nworld\n";
    const RunPage page(folder.path() / "no.jsonl");
    const auto shows = [&] {
        for (const QLabel* label : page.findChildren<QLabel*>()) {
            if (label->text().contains(QStringLiteral("line 1"))) return true;
        }
        return false;
    };
    CHECK(QTest::qWaitFor(shows));
}

TEST_CASE("exports hold every span, and no cell that a spreadsheet would run") {
    const Recorded run;
    const QByteArray csv = QByteArray::fromStdString(report::csvOf(run.page->feed().state()));
    CHECK(csv.count('\n') == 4);
    CHECK(csv.contains("0,,table data,public.a,1,0,0.000000,4.000000,10,1000,0,done,\n"));
    CHECK(csv.contains("2,,table data,'=c,1,"));
    CHECK(csv.contains("failed,duplicate key. Restore into an empty table.\n"));
    const auto shared = run.page->picture();
    const ChartPicture& picture = *shared;
    QImage image;
    REQUIRE(image.loadFromData(pngOf(picture)));
    CHECK(image.width() == 2 * std::max(1280, run.page->chart()->viewport()->width()));
    const QByteArray svg = svgOf(picture);
    CHECK(svg.contains("<svg"));
    CHECK_FALSE(svg.contains("<image"));
}

TEST_CASE(
    "a picture says what it shows, with its legend: the whole run, or what somebody zoomed to") {
    const Recorded run;
    const auto wordsOf = [](const QByteArray& svg) { return QString::fromUtf8(svg); };
    const QString whole = wordsOf(svgOf(*run.page->picture()));
    CHECK(whole.contains(QStringLiteral(">Restore into shop_dev</text>")));
    CHECK(whole.contains(QStringLiteral(
        ">PostgreSQL 18.1 · Finished in 10.0 s, but an error was passed over</text>")));
    for (const char* name : {">COPY<", ">Failed<", ">Critical path<"}) {
        CHECK(whole.contains(QString::fromLatin1(name)));
    }
    CHECK(whole.contains(QStringLiteral(">00:08<")));  // the axis reaches the end
    run.page->chart()->showRange(1s, 3s);
    const QString part = wordsOf(svgOf(*run.page->picture()));
    CHECK(part.contains(QStringLiteral("Restore into shop_dev · from 00:01.0 to 00:03.0 (2.0 s)")));
    CHECK_FALSE(part.contains(QStringLiteral(">00:08<")));
}

TEST_CASE("of a run that was cancelled that is said once") {
    RunRequest request;
    request.work = [](EventSink& sink, const std::stop_token&, run::RunControl&) {
        RunStarted started;
        started.operation = "dump";
        sink.post(started);
        RunFinished finished;
        finished.outcome = Outcome::Cancelled;
        finished.error = Error(ErrorKind::Cancelled, "cancelled").info();
        sink.post(finished);
    };
    RunController run(std::move(request));
    const RunPage page(&run);
    run.start();
    REQUIRE(QTest::qWaitFor([&run] { return run.phase() == RunPhase::Finished; }));
    const auto* outcome = page.findChild<QLabel*>(QStringLiteral("outcome"));
    REQUIRE(QTest::qWaitFor([&] { return outcome->text().contains(u"Cancelled after"); }));
    CHECK_FALSE(outcome->text().contains(u"cancelled"));
}

TEST_CASE("a task in which an error was passed over is not told as done without fault") {
    RunRequest request;
    request.work = [](EventSink& sink, const std::stop_token&, run::RunControl&) {
        RunStarted started;
        started.operation = "restore";
        started.workers = 1;
        sink.post(started);
        for (uint32_t task : {0U, 1U}) {
            sink.post(startOf(task, 1, task == 0 ? "public.a" : "ACL TABLE a"));
            ErrorIgnored ignored;
            ignored.span.task = TaskId{task};
            ignored.error.message = "role \"reader\" does not exist";
            if (task == 1) sink.post(ignored);
            sink.post(TaskFinished{.span = {TaskId{task}, {}}});
        }
        RunFinished finished;
        finished.outcome = Outcome::CompletedWithErrors;
        finished.ignoredErrors = 1;
        sink.post(finished);
    };
    RunController run(std::move(request));
    RunPage page(&run);
    run.start();
    REQUIRE(QTest::qWaitFor([&run] { return run.phase() == RunPhase::Finished; }));
    auto* tasks = qobject_cast<TaskModel*>(page.findChild<QTableView*>()->model());
    REQUIRE(QTest::qWaitFor([&] { return tasks->rowCount() == 2; }));
    REQUIRE(QTest::qWaitFor([&] { return tasks->taskAt(0) == TaskId{1}; }));
    CHECK(tasks->index(0, TaskModel::State).data().toString() ==
          QStringLiteral("done, with errors"));
    page.select(TaskId{1});
    const auto told = [&] {
        for (const QLabel* label : page.findChildren<QLabel*>()) {
            if (label->text() == QStringLiteral("role \"reader\" does not exist")) return true;
        }
        return false;
    };
    CHECK(told());
}

TEST_CASE("a wait for a lock is told as long as it lasts, by as many workers as were chosen") {
    RunRequest request;
    request.workers = 2;
    std::binary_semaphore goOn{0};
    request.work = [&](EventSink& sink, const std::stop_token&, run::RunControl&) {
        sink.post(WorkerIdle{.worker = WorkerId{0}, .cause = IdleCause::Lock, .on = "public.a"});
        sink.post(Notice{Severity::Warning, "the dump waits for public.a", true});
        goOn.acquire();
        sink.post(startOf(0, 0, "definitions"));
        sink.post(TaskFinished{.span = {TaskId{0}, {}}});
        sink.post(RunFinished{});
    };
    RunController run(std::move(request));
    RunPage page(&run);
    run.start();
    CHECK(QTest::qWaitFor([&] { return page.status().left.contains(u"waits for public.a"); }));
    CHECK(page.findChild<SummaryStrip*>()->findChild<QSlider*>()->value() == 2);
    goOn.release();
    REQUIRE(QTest::qWaitFor([&run] { return run.phase() == RunPhase::Finished; }));
    CHECK(QTest::qWaitFor([&] { return page.status().left.isEmpty(); }));
}

TEST_CASE("of a run that was refused the page says why and what to do, and nothing of a run") {
    RunRequest request;
    request.work = [](EventSink&, const std::stop_token&, run::RunControl&) {
        throw Error(ErrorKind::Preflight, "the schema crm is missing", "shop", "Create it first.");
    };
    RunController run(std::move(request));
    RunPage page(&run);
    page.show();
    run.start();
    REQUIRE(QTest::qWaitFor([&run] { return run.phase() == RunPhase::Refused; }));
    const auto* outcome = page.findChild<QLabel*>(QStringLiteral("outcome"));
    REQUIRE(QTest::qWaitFor([&] { return outcome->text().contains(u"Create it first."); }));
    CHECK_FALSE(page.findChild<SummaryStrip*>()->isVisible());
    CHECK_FALSE(page.chart()->isVisible());
    for (const QPushButton* button : page.findChildren<QPushButton*>()) {
        CAPTURE(button->text().toStdString());
        CHECK_FALSE(button->isVisible());
    }
}

TEST_CASE("a restore that made nothing does not read like a success") {
    RunStarted started;
    started.operation = "restore";
    RunFinished finished;
    finished.outcome = Outcome::CompletedWithErrors;
    finished.ignoredErrors = 10;
    finished.nothingRestored = true;
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "run.jsonl";
    std::ofstream(path) << toJson({0s, started}) << '\n' << toJson({2s, finished}) << '\n';
    const RunPage page(path);
    REQUIRE(QTest::qWaitFor([&] { return page.feed().state().finished().has_value(); }));
    const auto told = [&] {
        for (const QLabel* label : page.findChildren<QLabel*>()) {
            if (label->text().contains(
                    QStringLiteral("Nothing was restored: 10 errors in 2.0 s."))) {
                return true;
            }
        }
        return false;
    };
    CHECK(QTest::qWaitFor(told));
}

TEST_CASE("what a dump has written can be read back and restored, if it came to its end") {
    const bool whole = GENERATE(true, false);
    RunStarted started;
    started.operation = "dump";
    started.options["file"] = "/backup/shop";
    RunFinished finished;
    finished.outcome = whole ? Outcome::Clean : Outcome::Cancelled;
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "run.jsonl";
    std::ofstream(path) << toJson({0s, started}) << '\n' << toJson({2s, finished}) << '\n';
    RunPage page(path);
    page.show();
    QSignalSpy verified(&page, &RunPage::verifyWanted);
    QSignalSpy restored(&page, &RunPage::restoreWanted);
    const auto button = [&page](const QString& words) -> QPushButton* {
        for (QPushButton* found : page.findChildren<QPushButton*>()) {
            if (found->text() == words) return found;
        }
        throw std::runtime_error("no button says " + words.toStdString());
    };
    QPushButton* verify = button(QStringLiteral("Verify it…"));
    QPushButton* restore = button(QStringLiteral("Restore it…"));
    // The title comes with them, once the record is read.
    REQUIRE(QTest::qWaitFor([&] { return page.title() != QStringLiteral("Recorded run"); }));
    CHECK(verify->isVisible() == whole);
    CHECK(restore->isVisible() == whole);
    verify->click();
    restore->click();
    CHECK(restored.count() == 1);
    REQUIRE(verified.count() == 1);
    CHECK(verified[0][0].toString() == (whole ? QStringLiteral("/backup/shop") : QString()));
}

TEST_CASE("more lanes get more of the page's room") {
    std::vector<Event> events;
    RunStarted started;
    started.operation = "vacuum";
    started.workers = 1;
    events.push_back({0s, started});
    for (uint32_t task = 0; task < 10; ++task) {
        TaskStarted start = startOf(task, 1, "");
        start.object = "public.t" + std::to_string(task);
        events.push_back({std::chrono::seconds(task), start});
        events.push_back({std::chrono::seconds(task + 1), TaskFinished{.span = start.span}});
    }
    events.push_back({10s, RunFinished{}});
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "run.jsonl";
    std::ofstream file(path);
    for (const Event& event : events) file << toJson(event) << '\n';
    file.close();
    RunPage page(path);
    page.resize(1200, 900);
    page.show();
    REQUIRE(QTest::qWaitFor([&] { return !page.verdict().isEmpty(); }));
    const int before = page.chart()->height();
    page.chart()->setGrouping(Grouping::Table);
    CHECK(QTest::qWaitFor([&] { return page.chart()->height() > before + 50; }));
}

TEST_CASE("the time left is as uncertain as its end has moved of late") {
    EndTrend trend;
    CHECK_FALSE(trend.uncertainty());
    for (int second = 0; second < 5; ++second) {
        trend.observe(std::chrono::seconds(second),
                      std::chrono::seconds(60 - second + (second % 2) * 4));
    }
    CHECK(trend.uncertainty() == Duration(2s));
}
