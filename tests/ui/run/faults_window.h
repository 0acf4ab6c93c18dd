// SPDX-License-Identifier: PostgreSQL
// A run on its page, as far as tests of faults look at it: what it says, and when it is over.
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTextDocumentFragment>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "ui/bridge/run_controller.h"
#include "ui/run/log_model.h"
#include "ui/run/run_page.h"

namespace gantry::ui {

/// Processes events until it holds; false: it never did.
inline bool comes(const std::function<bool()>& condition) {
    constexpr int kPatienceMs = 60'000;
    return QTest::qWaitFor(condition, kPatienceMs);
}

class RunWindow {
public:
    /// `history` keeps the run, if it is given.
    explicit RunWindow(RunRequest request, const std::filesystem::path& history = {})
        : run_(std::move(request)), page_(&run_) {
        if (!history.empty()) run_.recordTo(history);
        page_.resize(1200, 800);
        page_.show();
        run_.start();
    }

    RunController& run() { return run_; }
    RunPage& page() { return page_; }
    const events::RunState& state() const { return run_.state(); }
    /// Waits for the end, and for the page to tell it.
    void follow() {
        REQUIRE(comes([this] { return !run_.active(); }));
        REQUIRE(comes([this] { return !outcome().empty(); }));
    }
    /// The line above the chart, as it is read.
    std::string outcome() const {
        const auto* label = page_.findChild<QLabel*>(QStringLiteral("outcome"));
        if (label == nullptr || label->isHidden()) return {};
        return QTextDocumentFragment::fromHtml(label->text())
            .toPlainText()
            .simplified()
            .toStdString();
    }
    std::string log() const {
        return page_.findChild<LogModel*>()->allText().simplified().toStdString();
    }
    bool logComesToSay(const std::string& words) {
        return comes([&] { return log().find(words) != std::string::npos; });
    }
    bool offersRetry() const {
        for (const QPushButton* button : page_.findChildren<QPushButton*>()) {
            if (button->text().startsWith(u"Retry") && button->isVisibleTo(&page_)) return true;
        }
        return false;
    }
    bool refused() const { return run_.phase() == RunPhase::Refused; }

private:
    RunController run_;
    RunPage page_;
};

}  // namespace gantry::ui
