// SPDX-License-Identifier: PostgreSQL
// One dump under way: who holds what, and in which order things begin and end.
//
//   coordinator (lane 0)   locks, exports the snapshot; runs the schema task, which waits for
//                          pg_dump's table of contents and adds what it alone knows; copies what
//                          only its own session can get at
//   workers (lanes 1…)     copy tables and large objects under the snapshot
//   compressors            between the workers and the archive writer
//
// Tables that the catalog shows start before pg_dump is done; its table of contents has the last
// word: what it adds is added, what it lacks is thrown away.
//
// Until pg_dump has its locks, somebody who wants a table exclusively may come between it and the
// coordinator. Such a circle costs an attempt: the run lets go of everything, so that the other can
// go on, throws away what it has written and begins anew under a fresh snapshot.
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

#include "core/archive/archive_writer.h"
#include "core/base/sync.h"
#include "core/dump/compressor_pool.h"
#include "core/dump/coordinator.h"
#include "core/dump/copy_runner.h"
#include "core/dump/large_object_copy.h"
#include "core/dump/large_object_list.h"
#include "core/dump/schema_dump.h"
#include "core/dump/table_copy.h"
#include "core/events/event.h"
#include "core/options/dump_options.h"
#include "core/pg/client_tools.h"
#include "core/pg/reading.h"
#include "core/plan/dump_plan.h"
#include "core/run/executor.h"
#include "core/run/run_control.h"

namespace gantry::dump {

class SchemaDump;

class DumpRun {
public:
    DumpRun(const options::DumpOptions& options, events::EventSink& events, std::stop_token stop,
            run::RunControl* control);
    ~DumpRun();

    /// What can be refused without touching anything is refused here, before RunStarted.
    void prepare();
    /// Everything else; posts RunStarted first. Throws what made it fail.
    void execute();
    /// As far as the run came: for RunFinished, whatever its outcome.
    events::RunFinished totals() const;
    bool hasStarted() const { return startedAt_.has_value(); }

private:
    class Worker;
    class CoordinatorLane;

    /// No more workers than the server has connections for.
    void limitJobs();
    void openWriter();
    void readTables();
    /// Nothing of a server on another machine.
    pg::Reading describeReading();
    /// One attempt: the whole archive, or what keeps it from coming about.
    void attempt();
    bool mayBeginAnew(const Error& error) const;
    void beginAnew(const ErrorInfo& cause);
    void postRunStarted();
    void postPlan(const plan::TaskGraph& graph, bool anew = false);
    plan::TaskGraph planEarly();
    /// The table, of `tasks` by earlyTables_, for which the others make way.
    std::optional<TaskId> letOneGoFirst(plan::TaskGraph& graph, const std::vector<TaskId>& tasks);
    void runTasks(plan::TaskGraph graph);
    void finishArchive(TaskId task);
    void dryRun();
    /// In which form the rows would be read.
    void tellForms();

    std::unique_ptr<SchemaDump> startSchemaDump() const;
    // On the coordinator's lane, inside the schema task.
    archive::Toc readContents(SchemaDump& schema, const std::stop_token& stop);
    void takeContents(const std::stop_token& stop);
    void addLateTables(const archive::Toc& toc);
    void addLargeObjects(const std::vector<LargeObjectGroup>& groups);
    void dropUnlisted(const std::set<Oid>& listed);

    plan::Task taskFor(const TableFacts& table, const std::string& condition) const;
    /// Of an extension's configuration table.
    std::string conditionOf(Oid table) const;
    /// `facts` stay as long as the attempt lasts.
    void registerTable(TaskId task, const TableFacts& facts, const std::string& condition,
                       const plan::Task& planned, bool goesFirst);
    CopyRunner::Settings runnerSettings() const;
    /// Does an assignment on a connection that reads under the snapshot.
    run::TaskResult copy(CopyRunner& runner, pg::Connection& connection,
                         const plan::Assignment& assignment, const std::stop_token& stop);
    void watchCoordinator(const std::stop_token& stop);
    archive::Manifest describeRun() const;

    const options::DumpOptions options_;
    events::EventSink& events_;
    const std::stop_token stop_;
    run::RunControl* const control_;

    uint32_t jobs_ = 1;
    uint32_t compressors_ = 1;
    io::Compression compression_;
    pg::ClientTool pgDump_;
    std::unique_ptr<Coordinator> coordinator_;
    std::unique_ptr<SchemaDump> schema_;  ///< until its task reads it
    std::unique_ptr<archive::ArchiveWriter> writer_;
    std::unique_ptr<CompressorPool> pool_;
    std::optional<Duration> compressionWait_;  ///< known at the end
    std::unique_ptr<run::Executor> executor_;
    std::optional<std::chrono::system_clock::time_point> startedAt_;
    std::map<std::string, std::string> environment_;
    std::vector<TableFacts> earlyTables_;
    std::vector<TableFacts> lateTables_;  ///< that the table of contents has besides
    bool processorsAreScarce_ = false;
    bool sessionsRead_ = false;  ///< for themselves
    std::map<Oid, std::string> extensionConditions_;
    std::optional<TaskId> schemaTask_;
    std::optional<TaskId> first_;  ///< for which the others make way
    std::string keptWhole_;        ///< its name, if it could be divided
    uint32_t attempts_ = 1;
    std::atomic<bool> contentsTaken_ = false;  ///< no circle can come about any more

    mutable Mutex mutex_;
    std::map<TaskId, std::shared_ptr<TableCopy>> tables_ GUARDED_BY(mutex_);
    std::map<TaskId, std::shared_ptr<LargeObjectCopy>> largeObjects_ GUARDED_BY(mutex_);
    std::vector<Oid> unlisted_ GUARDED_BY(mutex_);   ///< copied, but no entry of the archive
    std::exception_ptr failure_ GUARDED_BY(mutex_);  ///< of what is no task: compressors; a circle

    std::atomic<uint64_t> bytes_ = 0;
    std::atomic<uint64_t> rows_ = 0;
    std::atomic<uint64_t> relations_ = 0;
    std::atomic<uint64_t> objects_ = 0;
    uint64_t archiveSize_ = 0;
};

}  // namespace gantry::dump
