// SPDX-License-Identifier: PostgreSQL
// What a run's page says of the run as a whole, found out off the GUI thread: while the run goes on
// now and then, once it is over for good.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/what_if.h"
#include "ui/bridge/async.h"
#include "ui/gantt/insight.h"
#include "ui/gantt/pace.h"
#include "ui/run/run_feed.h"

namespace gantry::ui {

/// Of a run that is over.
struct RunJudgement {
    QString verdict;  ///< empty: there is none yet
    uint32_t workers = 1;
    std::vector<report::Outlook> outlooks;
};

/// GUI thread. What is looked at is the run folded a second time, in the background: to copy one of
/// a hundred thousand tasks would hold the window up. What was found out is dropped when the run
/// begins anew, or the feed has gone.
class InsightFeed : public QObject {
    Q_OBJECT
public:
    /// Of a run that has come so far.
    explicit InsightFeed(const events::RunState& run, QObject* parent = nullptr);

    /// The run has gone on by these.
    void add(const FoldedEvents& events);
    /// It begins anew.
    void forget();
    /// Looks at all that was added, if it is time to.
    void observe(const events::RunState& run);
    const RunInsight& insight() const { return insight_; }
    const RunJudgement& judgement() const { return judgement_; }

Q_SIGNALS:
    /// insight() is another one.
    void changed();
    /// judgement() is another one.
    void judged();

private:
    struct Shadow;
    void look(const events::RunState& run);

    RunInsight insight_;
    RunJudgement judgement_;
    std::shared_ptr<Shadow> shadow_;
    Duration seen_{};  ///< the run's time at the latest look
    bool seenOver_ = false;
    Pace pace_{500};  ///< of looking
    AsyncJob looking_;
    AsyncJob judging_;
};

}  // namespace gantry::ui
