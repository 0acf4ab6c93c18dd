// SPDX-License-Identifier: PostgreSQL
// One restore under way.
//
//   coordinator   checks, drops and creates what has to be before anything else; stays to the end
//   workers       carry out the steps of the plan, each over a connection of its own
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/archive_reader.h"
#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/options/restore_options.h"
#include "core/restore/earlier_run.h"
#include "core/restore/ledger.h"
#include "core/restore/preflight.h"
#include "core/restore/restore_plan.h"
#include "core/restore/restore_session.h"
#include "core/restore/table_load.h"
#include "core/run/executor.h"
#include "core/run/lock_observer.h"
#include "core/run/run_control.h"

namespace gantry::restore {

class RestoreRun {
public:
    RestoreRun(const options::RestoreOptions& options, events::EventSink& events,
               std::stop_token stop, run::RunControl* control);
    ~RestoreRun();

    /// What can be refused without touching anything is refused here, before RunStarted.
    void prepare();
    /// Everything else; posts RunStarted first. Throws what made it fail.
    void execute();
    /// As far as the run came: for RunFinished.
    events::RunFinished totals() const;

private:
    class Worker;
    friend class Worker;

    /// What was loaded.
    struct Amount {
        uint64_t bytes = 0;
        uint64_t rows = 0;
        uint64_t relations = 0;
        uint64_t objects = 0;
    };

    bool mayReferToEachOther() const;
    void checkFirst();
    void postRunStarted();
    std::map<std::string, std::string> optionsTold() const;
    /// With --resume: reads the record and leaves out what stands. Throws Error{Preflight}.
    void takeUpEarlierRun();
    events::Identity identify();
    /// Says what this run is about, for whoever resumes it; clears what the earlier one left.
    void beginRecord();
    void endEarlierSessions();
    void dropDoubtful();
    void emptyUnfinishedTables();
    std::set<DumpId> unloggedContents(pg::Connection& connection) const;
    /// Rows of a table that the run did not make which came since the earlier run began; those of
    /// an extension's script are its own.
    uint64_t rowsSinceEarlierRun(pg::Connection& connection, const std::string& table) const;
    const archive::TocEntry* databaseToCreate() const;
    void connectToCreated();
    void dropObjects();
    void createDatabase();
    /// With --create-schemas: those that neither the choice nor the database has.
    void createSchemas();
    /// With --create-roles: those that the server lacks.
    void createRoles();
    /// Something that is there before the archive's own entries, in their transaction if there is
    /// one.
    void makeBefore(const std::string& object, const std::string& statements);
    void runPlan(RestorePlan plan);
    /// What is written between one waking of the WAL writer and the next; empty: nobody wakes it.
    std::optional<uint64_t> wakesWalWriter(const plan::TaskGraph& graph);
    /// May give the coordinator another session; nobody else uses it meanwhile.
    void watchLocks(const std::stop_token& stop);
    void connectAgain();
    void makeDurable();
    void writeFailedList();

    void execute(RestorePlan plan);
    /// As in pg_restore only where no triggers are restored besides.
    bool disablesTriggers() const { return options_.content.disableTriggers && choice_.dataOnly; }
    /// True if one connection carries out everything, in transactions that span entries.
    bool spansEntries() const;
    /// After a run that ended early: no half of a constraint stays, and what is there is told.
    void tellWhatIsThere();

    /// Tells an error of `object` that the run goes on without. Throws it if the run is to stop at
    /// the first.
    void passOver(const events::Span& span, std::string object, const Error& error);
    /// The same for an entry that is not there because of it.
    void noteFailure(const events::Span& span, const archive::TocEntry& entry, const Error& error);
    void noteStanding(const std::vector<const archive::TocEntry*>& entries);
    /// These stand whole, and committed unless transactions span entries.
    void noteDone(const std::vector<const archive::TocEntry*>& entries);
    /// Where transactions span entries: unless one is open, all that was done so far is there.
    void noteCommitted();
    void postDone(const std::vector<const archive::TocEntry*>& entries);
    /// True where an earlier attempt, or the run that this one resumes, may have done it already.
    bool mayBeDone(uint32_t attempt) const { return attempt > 0 || earlier_.has_value(); }
    /// True if rows stay out because their table could not be created.
    bool isInhibited(const archive::TocEntry& data) const;
    /// Rows that were committed, or will be with the transaction that spans them.
    void count(const run::TaskResult& rows);
    void tellHowRowsGo();
    std::shared_ptr<TableLoad> makeLoad(const archive::TocEntry& entry,
                                        const archive::DataMember& member, bool shared,
                                        bool disableTriggers) const;
    /// The load that the connections on one table share.
    std::shared_ptr<TableLoad> loadOf(TaskId task, const archive::TocEntry& entry,
                                      const archive::DataMember& member, bool disableTriggers);

    const options::RestoreOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    run::RunControl* const control_;

    std::unique_ptr<archive::ArchiveReader> reader_;
    Choice choice_;
    DataSizes sizes_;
    Preflight seen_;
    std::optional<EarlierRun> earlier_;              ///< with --resume
    std::vector<const archive::TocEntry*> resumed_;  ///< what stands of it
    std::set<std::string> earlierTables_;            ///< that it made, told or not
    bool serverRestarted_ = false;                   ///< since, or after a crash
    std::map<DumpId, std::vector<const archive::DataMember*>> members_;
    /// What the manifest says of large objects, if there is one.
    std::map<std::pair<DumpId, std::optional<Oid>>, const archive::Member*> listedObjects_;
    uint32_t jobs_ = 1;
    uint64_t mostHelpers_ = 0;  ///< that the server may start to build an index
    std::string incarnation_;   ///< of the server, when the run began
    std::set<DumpId> keysInOneStep_ GUARDED_BY(mutex_);  ///< whose index cannot be built ahead
    std::set<DumpId> triggersStay_ GUARDED_BY(mutex_);   ///< tables of which that was told
    run::LockObserver locks_{events_};
    SharedTarget target_;
    std::unique_ptr<RestoreSession> coordinator_;
    std::vector<Step> steps_;
    Ledger ledger_;
    std::optional<std::chrono::system_clock::time_point> startedAt_;
    std::map<std::string, std::string> environment_;

    mutable Mutex mutex_;
    std::map<TaskId, std::shared_ptr<TableLoad>> loads_ GUARDED_BY(mutex_);
    /// The object of what ended the run, by what the server said.
    std::map<std::string, std::string> failedAt_ GUARDED_BY(mutex_);

    /// Of transactions that span entries: what the open one has done, and what the others loaded.
    std::vector<const archive::TocEntry*> uncommitted_ GUARDED_BY(mutex_);
    Amount committed_ GUARDED_BY(mutex_);

    std::atomic<uint64_t> bytes_ = 0;
    std::atomic<uint64_t> rows_ = 0;
    std::atomic<uint64_t> relations_ = 0;
    std::atomic<uint64_t> objects_ = 0;
    std::atomic<uint64_t> ignoredErrors_ = 0;
};

}  // namespace gantry::restore
