// SPDX-License-Identifier: PostgreSQL
// What a run's page says of the run as a whole, found out off the GUI thread: while the run goes on
// now and then, once it is over for good.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/what_if.h"
#include "ui/bridge/async.h"
#include "ui/gantt/insight.h"
#include "ui/gantt/pace.h"

namespace gantry::ui {

/// Of a run that is over.
struct RunJudgement {
    QString verdict;  ///< empty: there is none yet
    uint32_t workers = 1;
    std::vector<report::Outlook> outlooks;
};

/// GUI thread. Works on copies of the run; what a copy says is dropped when the run has gone back
/// behind it, or the feed has gone.
class InsightFeed : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The run has gone on, gone back or become another one.
    void observe(const events::RunState& run);
    const RunInsight& insight() const { return insight_; }
    const RunJudgement& judgement() const { return judgement_; }

Q_SIGNALS:
    /// insight() is another one.
    void changed();
    /// judgement() is another one.
    void judged();

private:
    void forget();
    void look(const events::RunState& run);

    RunInsight insight_;
    RunJudgement judgement_;
    Duration seen_{};  ///< the time of the latest copy,
    bool seenOver_ = false;
    std::size_t seenSpans_ = 0;
    Pace pace_{500};  ///< of copying
    AsyncJob looking_;
    AsyncJob judging_;
};

}  // namespace gantry::ui
