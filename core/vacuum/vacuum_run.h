// SPDX-License-Identifier: PostgreSQL
// One vacuum run under way: a survey, a plan, workers that carry it out, and a look at each of them
// four times a second.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/options/vacuum_options.h"
#include "core/run/executor.h"
#include "core/run/run_control.h"
#include "core/vacuum/progress_watch.h"
#include "core/vacuum/sessions.h"
#include "core/vacuum/survey.h"
#include "core/vacuum/telling.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::vacuum {

class VacuumRun {
public:
    VacuumRun(const options::VacuumOptions& options, events::EventSink& events,
              std::stop_token stop, run::RunControl* control);

    /// What can be refused without touching anything is refused here, before RunStarted.
    void prepare();
    /// Everything else; posts RunStarted first. Throws what made it fail.
    void execute();
    /// As far as the run came: for RunFinished.
    events::RunFinished totals() const;

private:
    class Worker;
    friend class Worker;

    void postRunStarted();
    void postPlan();
    void tellProposals();
    void tellUnskippable();
    void tellLocks();
    void tellHeldBack();
    void tellInvalid();
    void tellUnjudged();
    void tellClosed();
    void tellNothing();
    /// The run is to do something to this table of the survey.
    bool needsSomething(std::size_t place) const;
    void tellLeftOut();
    /// What is written between one waking and the next; empty: nobody wakes it.
    std::optional<uint64_t> wakesWalWriter();
    void runPlan();
    run::Executor::OnFailure judge(const plan::Assignment& assignment, const ErrorInfo& error);
    /// Withdraws what will not be done in time any more.
    void keepBudget();
    std::vector<TaskId> foreseenLate() const;
    void tellBudget();
    void tellLeft(const std::vector<TaskId>& tasks, const std::string& words);
    void tellOutcomes();
    void tellOldestLeft();
    void tellKept(pg::Connection& connection, const std::vector<std::size_t>& tables);

    void noteIgnored(const events::Span& span, ErrorInfo error);
    void noteRemoved(const events::Span& span, const std::vector<Removed>& removed);
    void noteDone(TaskId task, Duration took);
    void noteSettled(std::size_t place);
    bool isRefused(uint32_t database) const;
    std::string whyLeftOut(pg::Connection& connection, const Step& step,
                           const SkippedTable& skipped) const;
    /// As told last: by the run's options, or while it goes on.
    run::Throttle throttle() const;

    const options::VacuumOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    run::RunControl* const control_;
    const SteadyClock clock_;

    Sessions sessions_;
    Surveyed surveyed_;
    VacuumPlan plan_;
    std::optional<Duration> deadline_;
    run::LockObserver locks_;
    std::unique_ptr<ProgressWatch> watch_;
    run::Executor* executor_ = nullptr;

    mutable Mutex mutex_;
    std::set<TaskId> begun_ GUARDED_BY(mutex_);
    std::set<TaskId> withdrawn_ GUARDED_BY(mutex_);
    std::set<uint32_t> refused_ GUARDED_BY(mutex_);  ///< databases that broke off
    std::map<std::size_t, std::pair<events::Span, Removed>> removed_ GUARDED_BY(mutex_);
    std::set<std::size_t> settled_ GUARDED_BY(mutex_);  ///< tables that were vacuumed, or are gone
    /// Of each database the age of the oldest table that was vacuumed.
    std::map<uint32_t, uint64_t> oldestAfter_ GUARDED_BY(mutex_);
    double estimated_ GUARDED_BY(mutex_) = 0;  ///< seconds of what is done
    double taken_ GUARDED_BY(mutex_) = 0;

    std::atomic<uint64_t> bytes_ = 0;
    std::atomic<uint64_t> rows_ = 0;
    std::atomic<uint64_t> relations_ = 0;
    std::atomic<uint64_t> ignoredErrors_ = 0;
};

}  // namespace gantry::vacuum
