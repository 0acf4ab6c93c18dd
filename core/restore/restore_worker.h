// SPDX-License-Identifier: PostgreSQL
// A worker of a restore: carries out steps over its own connection.
#pragma once

#include "core/restore/restore_run.h"

namespace gantry::restore {

class RestoreRun::Worker final : public run::TaskRunner {
public:
    Worker(RestoreRun& run, WorkerId worker, const std::stop_token& stop);

    int32_t backendPid() const override { return pid_; }
    run::TaskResult run(const plan::Assignment& assignment, uint32_t attempt,
                        std::stop_token stop) override;

private:
    /// What a step is done with.
    struct Job {
        const Step& step;
        events::Span span;
        uint32_t attempt;
        const std::stop_token& stop;
    };

    void allowHelpers();
    void define(const Job& job);
    run::TaskResult loadRows(const Job& job);
    run::TaskResult loadRowsOf(const Job& job, const archive::TocEntry& entry);
    run::TaskResult tryToLoad(const Job& job, const archive::TocEntry& entry);
    /// False if one of them failed and none stays.
    bool loadTogether(const Job& job, run::TaskResult& result);
    run::TaskResult loadLargeObjects(const Job& job);
    bool disablesTriggersOf(const Job& job, const archive::TocEntry& entry);
    /// Rows as INSERT statements, in one transaction.
    run::TaskResult runStatements(const Job& job, const archive::TocEntry& entry,
                                  const archive::DataMember& member);
    /// With `passOver`, a statement that fails is told and left out, else it throws.
    run::TaskResult runEach(const archive::DataMember& member, const archive::TocEntry& entry,
                            const OnEntryFailure& passOver);
    void buildIndex(const Job& job);
    void attachKey(const Job& job);
    void makeKey(const archive::TocEntry& entry);
    void attachIndex(const archive::TocEntry& entry);
    void addForeignKey(const Job& job);
    void validateForeignKey(const Job& job);
    void validate(const archive::TocEntry& entry);
    void finishHalf(const archive::TocEntry& entry);
    void analyze(const Job& job);

    /// Runs statements of the step's one entry, its tablespace and the like set before.
    void runFor(const archive::TocEntry& entry, const std::string& statements);
    OnEntryFailure passOver(const Job& job);
    /// True if what is there already may be what this run, or the one it resumes, made.
    bool mayBeOurs(const archive::TocEntry& entry);
    bool loadedEarlier(const archive::TocEntry& entry, const archive::DataMember& member);
    TableLoad::Progress progressOf(const events::Span& span);
    const archive::DataMember& memberOf(const archive::TocEntry& entry) const;
    /// Throws if the archive lacks what belongs to the entry.
    void checkThere(const archive::TocEntry& entry) const;

    RestoreRun& run_;
    const WorkerId worker_;
    std::unique_ptr<RestoreSession> own_;
    RestoreSession& session_;  ///< the coordinator's where transactions span entries
    const int32_t pid_;
    std::optional<uint64_t> helpers_;  ///< as the session was told last
};

}  // namespace gantry::restore
