// SPDX-License-Identifier: PostgreSQL
// The log of a run: what failed is told once, and what failed of one cause together.
#include "ui/run/log_model.h"

#include <QListView>
#include <QTabWidget>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "tests/ui/run/faults_window.h"
#include "tests/unit/events/run_builder.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::ui;

namespace {

ErrorIgnored missingRole(uint32_t task, const std::string& object) {
    ErrorIgnored ignored;
    ignored.span.task = TaskId{task};
    ignored.error.kind = ErrorKind::Server;
    ignored.error.sqlState = "42704";
    ignored.error.object = object;
    ignored.error.message = "role \"app\" does not exist";
    ignored.error.hint = "Create the role.";
    return ignored;
}

ErrorInfo damage() {
    ErrorInfo error = Error(ErrorKind::Format, "the gzip data is damaged: invalid code", "public.c",
                            "gantryctl verify lists all damage of an archive.")
                          .info();
    error.byteOffset = 4711;
    return error;
}

QString lineAt(const LogModel& log, int row) { return log.index(row).data().toString(); }

/// What a finished run of these events shows, of a request that can be tried again.
RunRequest restoreOf(std::vector<Payload> payloads) {
    RunRequest request;
    request.work = [payloads = std::move(payloads)](EventSink& sink, const std::stop_token&,
                                                    run::RunControl&) {
        RunStarted started;
        started.operation = "restore";
        sink.post(started);
        for (const Payload& payload : payloads) sink.post(payload);
        RunFinished finished;
        finished.outcome = Outcome::CompletedWithErrors;
        finished.ignoredErrors = payloads.size();
        sink.post(finished);
    };
    request.again = [](const std::vector<std::string>&) { return RunRequest{}; };
    return request;
}

}  // namespace

TEST_CASE("log: errors of one cause are one line, which unfolds into their objects") {
    test::RunBuilder run;
    for (uint32_t task = 0; task < 3; ++task) run.start(task);
    run.post(missingRole(0, "ACL TABLE a"));
    run.post(missingRole(2, "ACL TABLE b"));
    LogModel log;
    log.setRun(&run.state);
    REQUIRE(log.rowCount() == 2);
    CHECK(lineAt(log, 1) ==
          QStringLiteral("00:00  Passed over 2 times: role \"app\" does not exist (SQLSTATE "
                         "42704). Create the role. ▸"));
    CHECK(log.problems() == 1);
    CHECK_FALSE(log.taskAt(1));
    CHECK(log.firstRowOf(TaskId{2}) == 1);
    CHECK(log.firstRowOf(TaskId{1}) == -1);

    log.toggle(1);
    REQUIRE(log.rowCount() == 4);
    CHECK(lineAt(log, 3).endsWith(QStringLiteral("      ACL TABLE b")));
    CHECK(log.taskAt(3) == TaskId{2});
    CHECK(log.firstRowOf(TaskId{2}) == 3);

    SECTION("and stays so while more come") {
        run.post(missingRole(1, "ACL TABLE c"));
        log.setRun(&run.state);
        CHECK(log.rowCount() == 5);
    }
    log.toggle(1);
    CHECK(log.rowCount() == 2);
    CHECK(log.allText().contains(QStringLiteral("ACL TABLE b\n")));
    log.unfold(TaskId{2});
    CHECK(log.rowCount() > 3);
}

TEST_CASE("log: what fails as a whole and is passed over is told once") {
    test::RunBuilder run;
    run.start(0);
    ErrorIgnored ignored{.span = {TaskId{0}, {}}, .error = damage()};
    run.post(ignored);
    run.post(TaskFailed{.span = {TaskId{0}, {}}, .error = damage(), .ignored = true});
    LogModel log;
    log.setRun(&run.state);
    CHECK(log.allText().count(QStringLiteral("is damaged")) == 1);
    CHECK(log.problems() == 1);
}

TEST_CASE("log: what ends the run is told once") {
    test::RunBuilder run;
    run.start(0);
    run.post(TaskFailed{.span = {TaskId{0}, {}}, .error = damage()});
    RunFinished finished;
    finished.outcome = Outcome::Failed;
    finished.error = damage();
    run.post(finished);
    LogModel log;
    log.setRun(&run.state);
    CHECK(log.allText().count(QStringLiteral("is damaged")) == 1);
    CHECK(lineAt(log, log.rowCount() - 1).endsWith(QStringLiteral("Failed")));
}

TEST_CASE("the page tells a cause once, with its remedy, and a click on it its objects") {
    RunWindow window(restoreOf({missingRole(0, "ACL TABLE a"), missingRole(1, "ACL TABLE b")}));
    window.follow();
    CHECK(window.outcome().find("All have one cause: role \"app\" does not exist. Create the "
                                "role.") != std::string::npos);
    REQUIRE(window.logComesToSay("Passed over 2 times"));
    CHECK(comes([&] { return window.offersRetry(); }));
    auto* view = window.page().findChild<QListView*>(QStringLiteral("runLog"));
    window.page().findChild<QTabWidget*>()->setCurrentIndex(1);
    const QModelIndex cause = view->model()->index(1, 0);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(cause).center());
    CHECK(view->model()->rowCount() == 5);
    QTest::keyClick(view, Qt::Key_Return);
    CHECK(view->model()->rowCount() == 3);
}

TEST_CASE("what is damaged in the archive is not offered to be tried again") {
    RunWindow window(restoreOf({ErrorIgnored{.span = {TaskId{0}, {}}, .error = damage()}}));
    window.follow();
    CHECK(window.outcome().find("The archive is damaged (public.c)") != std::string::npos);
    CHECK(window.outcome().find("“Verify…” on the Restore page tells which") != std::string::npos);
    REQUIRE(window.logComesToSay("is damaged"));
    CHECK_FALSE(window.offersRetry());
}
