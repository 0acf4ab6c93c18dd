// SPDX-License-Identifier: PostgreSQL
// The limits of a vacuum that goes on, as they are chosen and told.
#include "ui/run/throttle_button.h"

#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "tests/ui/run/faults_window.h"

using namespace gantry;
using namespace gantry::ui;

namespace {

QSpinBox* field(const QWidget& in, const char* name) {
    for (QSpinBox* box : in.findChildren<QSpinBox*>()) {
        if (box->accessibleName() == QString::fromLatin1(name)) return box;
    }
    throw std::logic_error("there is no such field");
}

}  // namespace

TEST_CASE("throttle: nothing is set until somebody does, and it can be taken back") {
    ThrottleButton button;
    CHECK(button.throttle() == run::Throttle{});
    CHECK(button.text() == QStringLiteral("Throttle ▾"));
    QSignalSpy changed(&button, &ThrottleButton::changed);
    field(button, "Cost delay")->setValue(5);
    field(button, "Cost limit")->setValue(400);
    CHECK(button.text() == QStringLiteral("Throttle: 5 ms, limit 400 ▾"));
    REQUIRE(changed.wait());
    CHECK(changed.count() == 1);  // both at once
    CHECK(changed[0][0].value<run::Throttle>() == run::Throttle{.costDelay = 5, .costLimit = 400});
    CHECK_FALSE(changed[0][1].toBool());
    field(button, "Cost delay")->setValue(0);
    CHECK(button.text() == QStringLiteral("Throttle: none, limit 400 ▾"));
    field(button, "Cost delay")->setValue(-1);
    field(button, "Cost limit")->setValue(0);
    CHECK(button.throttle() == run::Throttle{});
}

TEST_CASE("throttle: what is under way begins again with it when told to, at once and once") {
    ThrottleButton button;
    QSignalSpy changed(&button, &ThrottleButton::changed);
    field(button, "Cost delay")->setValue(5);
    button.findChild<QPushButton*>(QStringLiteral("beginAgain"))->click();
    REQUIRE(changed.count() == 1);
    CHECK(changed[0][0].value<run::Throttle>() == run::Throttle{.costDelay = 5, .costLimit = {}});
    CHECK(changed[0][1].toBool());
    QTest::qWait(600);
    CHECK(changed.count() == 1);
}

TEST_CASE("throttle: of a vacuum that goes on it reaches the engine, other runs have none") {
    const bool vacuum = GENERATE(true, false);
    run::Throttle seen;
    std::atomic<bool> over = false;
    RunRequest request;
    request.title = QStringLiteral("Vacuum shop");
    request.work = [&](events::EventSink& sink, const std::stop_token&, run::RunControl& control) {
        events::RunStarted started;
        started.operation = vacuum ? "vacuum" : "dump";
        sink.post(started);
        while (!over && control.throttle() == run::Throttle{}) std::this_thread::yield();
        seen = control.throttle();
        sink.post(events::RunFinished{});
    };
    RunWindow window(std::move(request));
    auto* button = window.page().findChild<ThrottleButton*>();
    REQUIRE(button != nullptr);
    REQUIRE(comes([&] { return window.state().started().has_value(); }));
    if (vacuum) {
        REQUIRE(comes([&] { return button->isVisible(); }));
        field(*button, "Cost delay")->setValue(7);
    } else {
        over = true;
    }
    window.follow();
    CHECK(seen.costDelay == (vacuum ? std::optional(7) : std::nullopt));
    CHECK_FALSE(button->isVisible());
}
