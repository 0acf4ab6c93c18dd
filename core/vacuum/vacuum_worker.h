// SPDX-License-Identifier: PostgreSQL
// A worker of a vacuum run: carries out steps over its own connection, in whatever database they
// are.
#pragma once

#include "core/vacuum/vacuum_run.h"

namespace gantry::vacuum {

class VacuumRun::Worker final : public run::TaskRunner {
public:
    Worker(VacuumRun& run, WorkerId worker, std::stop_token stop);
    ~Worker() override;

    int32_t backendPid() const override { return pid_; }
    run::TaskResult run(const plan::Assignment& assignment, uint32_t attempt,
                        std::stop_token stop) override;

private:
    void connect(uint32_t database);
    /// Tells the session what it does not know yet.
    void set(const std::string& settings);
    void echo(const std::string& statement);
    run::TaskResult vacuumTables(const Step& step, const events::Span& span);
    uint64_t carryOut(const Step& step, const events::Span& span);
    void reindex(const Step& step, const events::Span& span);
    void execute(const Step& step, const events::Span& span,
                 const std::shared_ptr<Telling>& telling);
    void tellSkipped(const Step& step, const events::Span& span, const Telling& telling);
    void tellGone(const std::string& now, const std::string& name, const events::Span& span);
    void tellIndex(const Step& step, const events::Span& span);
    void dropLeftover(const Step& step, const events::Span& span);
    void dropUnfinished(const Step& step);

    VacuumRun& run_;
    const WorkerId worker_;
    const std::stop_token stop_;
    std::optional<pg::Connection> connection_;
    uint32_t database_ = 0;
    int32_t pid_ = 0;
    std::string settings_;  ///< as the session was told last
    std::string rename_;    ///< to be told with the next ones
    Duration waited_{};     ///< for locks of other sessions, in the task under way
    bool again_ = false;    ///< an earlier attempt at this was cut short
    bool sound_ = true;     ///< nothing has gone wrong in the session, or is under way
};

}  // namespace gantry::vacuum
