// SPDX-License-Identifier: PostgreSQL
#include "core/dump/dump_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <numeric>
#include <thread>

#include "core/archive/nowhere_writer.h"
#include "core/archive/restrict_key.h"
#include "core/base/format.h"
#include "core/base/processor_load.h"
#include "core/base/stoppable_sleep.h"
#include "core/dump/copy_statement.h"
#include "core/dump/large_object_list.h"
#include "core/dump/schema_dump.h"
#include "core/dump/session_form.h"
#include "core/events/plan_event.h"
#include "core/options/command.h"
#include "core/options/pg_dump_arguments.h"
#include "core/options/validate.h"
#include "core/pg/environment.h"
#include "core/pg/server_versions.h"
#include "core/pg/sql_state.h"
#include "core/plan/simulator.h"

namespace gantry::dump {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kMostAutomaticJobs = 8;
constexpr auto kWatchInterval = 100ms;
constexpr auto kHangUpPatience = 500ms;
constexpr uint32_t kMostAttempts = 12;
constexpr double kSchemaSeconds = 0.1;  // what pg_dump takes to begin, and for each table
constexpr double kSchemaSecondsPerTable = 0.0004;

/// -Z auto: what the server's own pg_restore can read, at a level that follows the load.
io::Compression chooseCompression(const options::DumpOptions& options, int serverMajor) {
    const bool uncompressed =
        options.format == archive::Format::Tar || options.format == archive::Format::Plain;
    if (options.compression && !options.compression->automatic) return *options.compression;
    if (!options.compression && uncompressed) return {};
    if (options.format == archive::Format::Tar) return {};
    io::Compression chosen;
    chosen.algorithm =
        serverMajor >= pg::kZstdEverywhere ? io::Algorithm::Zstd : io::Algorithm::Gzip;
    chosen.automatic = true;
    return chosen;
}

/// One core compresses as fast as a connection brings rows: more threads would only get in the way
/// of what reads, and of a server on this machine.
bool keepsUp(const io::Compression& compression) {
    switch (compression.algorithm) {
        case io::Algorithm::None:
            return true;
        case io::Algorithm::Lz4:
            return !compression.level || *compression.level < 3;
        case io::Algorithm::Zstd:
            return !compression.automatic && compression.level && *compression.level <= 1;
        case io::Algorithm::Gzip:
            break;
    }
    return false;
}

/// Of the processors' work on a row what the server and the copy thread do, one row after the
/// other: as measured with zstd:1, estimated for the others. Higher levels leave less.
double workInOneLine(const io::Compression& compression, bool asText) {
    switch (compression.algorithm) {
        case io::Algorithm::None:
            return 1;
        case io::Algorithm::Lz4:
            return 0.85;
        case io::Algorithm::Zstd:
        case io::Algorithm::Gzip:
            break;
    }
    return asText ? 0.7 : 0.6;
}

}  // namespace

/// A lane of its own connection.
class DumpRun::Worker final : public run::TaskRunner {
public:
    Worker(DumpRun& dump, WorkerId worker, const std::stop_token& stop)
        : dump_(dump),
          session_(dump.options_, dump.coordinator_->snapshot(), dump.sessionsRead_,
                   fmt::format("gantry dump: worker {}", worker.value), stop),
          runner_(*dump.pool_, dump.events_, dump.runnerSettings()) {}

    int32_t backendPid() const override { return pid_; }

    run::TaskResult run(const plan::Assignment& assignment, uint32_t,
                        std::stop_token stop) override {
        try {
            session_.beginRelation();
            return dump_.copy(runner_, session_.connection(), assignment, stop);
        } catch (const Error& error) {
            if (error.info().sqlState != pg::sql_state::kLockNotAvailable) throw;
            session_.restart();
            throw run::NeedsCoordinator(
                "somebody waits for an exclusive lock on it; the coordinator, who holds a lock "
                "already, copies it");
        }
    }

private:
    DumpRun& dump_;
    DumpSession session_;
    CopyRunner runner_;
    const int32_t pid_ = session_.connection().backendPid();
};

/// Lane 0: the schema task, and relations that only the coordinator's session can get at.
class DumpRun::CoordinatorLane final : public run::TaskRunner {
public:
    explicit CoordinatorLane(DumpRun& dump)
        : dump_(dump), runner_(*dump.pool_, dump.events_, dump.runnerSettings()) {}

    int32_t backendPid() const override { return pid_; }

    run::TaskResult run(const plan::Assignment& assignment, uint32_t,
                        std::stop_token stop) override {
        pg::Connection& connection = dump_.coordinator_->connection();
        connection.stopOn(stop);
        try {
            if (assignment.task != dump_.schemaTask_) {
                return dump_.copy(runner_, connection, assignment, stop);
            }
            dump_.takeContents(stop);
            return {};
        } catch (const Error& error) {
            if (dump_.mayBeginAnew(error)) {
                {
                    const MutexLock lock(dump_.mutex_);
                    if (!dump_.failure_) dump_.failure_ = std::current_exception();
                }
                dump_.executor_->stop();  // no task's failure is to be told
            }
            if (!error.retryable()) throw;
            throw Coordinator::lossOf(error.info());
        }
    }

private:
    DumpRun& dump_;
    CopyRunner runner_;
    const int32_t pid_ = dump_.coordinator_->connection().backendPid();
};

DumpRun::DumpRun(const options::DumpOptions& options, events::EventSink& events,
                 std::stop_token stop, run::RunControl* control)
    : options_(options), events_(events), stop_(std::move(stop)), control_(control) {}

DumpRun::~DumpRun() {
    // Workers hand frames to the pool, and a compressor that fails stops the executor: the threads
    // of both end before either goes.
    if (executor_) {
        executor_->stop();
        try {
            executor_->wait();
        } catch (...) {  // has been told already
        }
    }
    // The server is let go of first: a compressor may be at a large frame.
    schema_.reset();
    coordinator_.reset();
    pool_.reset();
    executor_.reset();
}

void DumpRun::prepare() {
    auto installations = std::async(
        std::launch::async, [this] { return pg::findInstallations(options_.clientToolsFolder); });
    coordinator_ = std::make_unique<Coordinator>(options_, events_, stop_);
    pg::Connection& connection = coordinator_->connection();
    environment_ = pg::describeEnvironment(connection);
    pgDump_ = pg::chooseForServer(installations.get(), connection.serverMajor(), "pg_dump",
                                  options::neededPgDump(options_));
    (void)options::pgDumpArguments(options_, pgDump_.major);  // refuses what this one cannot do

    // Foreign servers share no snapshot between our connections.
    const bool foreign = includesForeignData(options_);
    jobs_ = options_.jobs.value_or(
        foreign ? 1U : std::clamp(usableProcessors(), 1U, kMostAutomaticJobs));
    if (foreign && jobs_ > 1) {  // as the filter file says, which is read only now
        throw Error(ErrorKind::Usage, options::foreignDataNeedsOneJob().describe());
    }
    limitJobs();
    compression_ = chooseCompression(options_, connection.serverMajor());
    compressors_ = options_.compressJobs.value_or(
        keepsUp(compression_) ? std::min(usableProcessors(), jobs_) : usableProcessors());

    openWriter();
    coordinator_->establishSnapshot();
    readTables();
}

void DumpRun::openWriter() {
    if (options_.dryRun) return;
    archive::ArchiveWriter::Options target;
    target.format = options_.format;
    target.path = options_.output;
    target.compression = compression_;
    target.sync = !options_.noSync;
    target.overwrite = options_.overwrite;
    target.script = {.create = options_.content.create,
                     .clean = options_.content.clean,
                     .ifExists = options_.content.ifExists,
                     .noOwner = options_.content.noOwner,
                     .noTablespaces = options_.content.noTablespaces,
                     .noTableAccessMethod = options_.content.noTableAccessMethod,
                     .useSetSessionAuthorization = options_.content.useSetSessionAuthorization,
                     .disableTriggers = options_.content.disableTriggers,
                     .enableRowSecurity = options_.content.enableRowSecurity,
                     .quoteAllIdentifiers = options_.content.quoteAllIdentifiers,
                     .restrictKey = options_.restrictKey.empty() ? archive::randomRestrictKey()
                                                                 : options_.restrictKey};
    std::optional<std::string> leftover;
    writer_ = archive::createArchiveWriter(target, &leftover);
    if (leftover) {
        events_.post(events::Notice{.severity = events::Severity::Warning, .message = *leftover});
    }
}

/// Of thousands of tables pg_dump is what all wait for in the end: it begins as soon as it can.
void DumpRun::readTables() {
    schema_ = startSchemaDump();
    earlyTables_ = coordinator_->readEarlyTables();
    extensionConditions_ = readExtensionConditions(coordinator_->connection());
    const pg::Reading reading = describeReading();
    processorsAreScarce_ = pg::processorsAreScarce(reading);
    sessionsRead_ = pg::sessionsShouldRead(reading);
    if (sessionsRead_) pg::readForItself(coordinator_->connection());
}

pg::Reading DumpRun::describeReading() {
    pg::Connection& connection = coordinator_->connection();
    if (!pg::sharesMachine(connection)) return {};
    const uint64_t bytes =
        std::transform_reduce(earlyTables_.begin(), earlyTables_.end(), uint64_t{0}, std::plus{},
                              [](const TableFacts& table) { return table.bytes(); });
    const bool compresses = compression_.algorithm != io::Algorithm::None;
    return {.serverMajor = connection.serverMajor(),
            .bytes = bytes,
            .cacheSize = pg::cacheSizeHere(connection),
            .threads = jobs_ + (compresses ? std::min(compressors_, jobs_) : 0),
            .processors = usableProcessors()};
}

void DumpRun::limitJobs() {
    const uint32_t room = coordinator_->connectionsLeft();
    constexpr uint32_t kSchemaDump = 1;  // pg_dump's connection
    if (room < 1 + kSchemaDump) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("a dump needs three connections, and besides the first the server "
                                "has room for {}",
                                room),
                    coordinator_->connection().endpoint(),
                    "Run it when fewer sessions are there, or raise max_connections (or the "
                    "CONNECTION LIMIT of the role or the database).");
    }
    if (jobs_ <= room - kSchemaDump) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("the server has room for {} more connections, one of which pg_dump "
                               "needs: {} instead of {} workers",
                               room, room - kSchemaDump, jobs_)});
    jobs_ = room - kSchemaDump;
}

void DumpRun::execute() {
    startedAt_ = std::chrono::system_clock::now();
    postRunStarted();
    const int major = coordinator_->connection().serverMajor();
    if (major < pg::kTidRangeScans && jobs_ > 1 && !options_.noChunks) {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("server {} cannot read a range of a table's rows (14 and later "
                                   "can): each table is one task",
                                   major)});
    }
    for (;;) {
        try {
            return attempt();
        } catch (const Error& error) {
            if (!mayBeginAnew(error)) throw;
            beginAnew(error.info());
        }
    }
}

void DumpRun::attempt() {
    if (options_.dryRun) return dryRun();
    pool_ =
        std::make_unique<CompressorPool>(CompressorPool::Settings{.threads = compressors_,
                                                                  .producers = jobs_ + 1,
                                                                  .compression = compression_,
                                                                  .style = writer_->frameStyle()},
                                         [this](const std::exception_ptr& error) {
                                             {
                                                 const MutexLock lock(mutex_);
                                                 if (!failure_) failure_ = error;
                                             }
                                             executor_->stop();
                                         });
    runTasks(planEarly());
}

bool DumpRun::mayBeginAnew(const Error& error) const {
    return error.info().sqlState == pg::sql_state::kDeadlock && !contentsTaken_ &&
           attempts_ < kMostAttempts && !stop_.stop_requested();
}

void DumpRun::beginAnew(const ErrorInfo& cause) {
    pool_.reset();
    executor_.reset();
    schema_.reset();
    writer_.reset();
    {
        const MutexLock lock(mutex_);
        tables_.clear();
        largeObjects_.clear();
        unlisted_.clear();
        failure_ = nullptr;
    }
    bytes_ = rows_ = relations_ = objects_ = 0;
    ++attempts_;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message =
            fmt::format("{}: {}. The dump lets go of all tables and begins anew.",
                        cause.object.empty() ? "definitions" : cause.object, cause.message)});
    coordinator_->establishAnew();
    readTables();
    openWriter();
}

plan::Task DumpRun::taskFor(const TableFacts& table, const std::string& condition) const {
    const plan::DumpPlanSettings settings{
        .chunks = !options_.noChunks,
        .smallestChunk = options_.smallestChunk,
        .divideAlways = options_.divideAlways,
        .tidRangeScans = coordinator_->connection().serverMajor() >= pg::kTidRangeScans};
    return plan::planTable({.object = table.displayName(),
                            .heapBlocks = table.heapBlocks,
                            .bytes = table.bytes(),
                            .divisible = table.relkind == 'r' && table.heapAccessMethod &&
                                         !table.columns.empty() && condition.empty()},
                           settings);
}

std::string DumpRun::conditionOf(Oid table) const {
    const auto found = extensionConditions_.find(table);
    return found == extensionConditions_.end() ? std::string() : found->second;
}

void DumpRun::registerTable(TaskId task, const TableFacts& facts, const std::string& condition,
                            const plan::Task& planned, bool goesFirst) {
    const uint64_t units = planned.division ? planned.division->units : 1;
    auto table = std::make_shared<TableCopy>(facts, condition, units, goesFirst,
                                             writer_->openTable(facts.oid));
    const MutexLock lock(mutex_);
    tables_.emplace(task, std::move(table));
}

plan::TaskGraph DumpRun::planEarly() {
    plan::TaskGraph graph;
    graph.tasks.reserve(earlyTables_.size() + 1);
    plan::Task schema;
    schema.kind = plan::TaskKind::Schema;
    schema.object = "definitions";
    schema.cost =
        kSchemaSeconds + kSchemaSecondsPerTable * static_cast<double>(earlyTables_.size());
    schema.pinnedTo = WorkerId{0};
    schemaTask_ = graph.add(std::move(schema));
    std::vector<TaskId> tasks;
    for (const TableFacts& table : earlyTables_) {
        tasks.push_back(graph.add(taskFor(table, conditionOf(table.oid))));
    }
    first_ = letOneGoFirst(graph, tasks);
    for (std::size_t i = 0; writer_ && i < tasks.size(); ++i) {
        const TableFacts& table = earlyTables_[i];
        registerTable(tasks[i], table, conditionOf(table.oid), graph[tasks[i]], tasks[i] == first_);
    }
    postPlan(graph, attempts_ > 1);
    return graph;
}

std::optional<TaskId> DumpRun::letOneGoFirst(plan::TaskGraph& graph,
                                             const std::vector<TaskId>& tasks) {
    keptWhole_.clear();
    const std::optional<TaskId> largest = plan::largestTable(graph);
    if (!processorsAreScarce_ || !largest) return std::nullopt;
    const auto table = std::find(tasks.begin(), tasks.end(), *largest) - tasks.begin();
    const bool asText =
        options_.noBinary || !SessionForm(coordinator_->connection())
                                  .textRowsOf(earlyTables_[static_cast<std::size_t>(table)]);
    const plan::RowWork work{.processors = usableProcessors(),
                             .inOneLine = workInOneLine(compression_, asText)};
    const bool divisible = graph[*largest].division.has_value();
    if (!plan::letGoFirst(graph, *largest, jobs_, work)) return std::nullopt;
    if (divisible) keptWhole_ = graph[*largest].object;
    return largest;
}

void DumpRun::runTasks(plan::TaskGraph graph) {
    plan::Weights weights = plan::bestWeights(graph, jobs_, plan::kThoroughSearch);
    plan::Scheduler scheduler(std::move(graph), jobs_, std::move(weights));
    scheduler.expectMore(true);
    executor_ = std::make_unique<run::Executor>(
        std::move(scheduler), run::Executor::Settings{.workers = jobs_, .coordinatorWorks = true},
        [this](WorkerId worker, const std::stop_token& stop) -> std::unique_ptr<run::TaskRunner> {
            if (worker.value != 0) return std::make_unique<Worker>(*this, worker, stop);
            return std::make_unique<CoordinatorLane>(*this);
        },
        events_);

    std::exception_ptr failure;
    ErrorKind kind = ErrorKind::Internal;
    {
        const std::stop_callback onStop(stop_, [this] { executor_->stop(); });
        const std::jthread watch([this](const std::stop_token& stop) { watchCoordinator(stop); });
        executor_->start();
        const run::RunControl::Attachment attachment(control_, *executor_);
        try {
            executor_->wait();
            pool_->drain(stop_);
            if (compression_.algorithm != io::Algorithm::None) compressionWait_ = pool_->waited();
        } catch (const Error& error) {
            failure = std::current_exception();
            kind = error.kind();
        }
    }
    coordinator_->connection().stopOn(stop_);
    if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
    {
        const MutexLock lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
    }
    if (failure) {
        // What a lost snapshot or server makes fail elsewhere may come to light before it does.
        const bool mayFollow = kind == ErrorKind::Connection || kind == ErrorKind::Server ||
                               kind == ErrorKind::Preflight;  // no such snapshot
        if (coordinator_->hungUp(mayFollow ? kHangUpPatience : 0ms)) {
            coordinator_->checkStillThere();
        }
        std::rethrow_exception(failure);
    }
    coordinator_->checkStillThere();
    TaskId last;
    executor_->withScheduler(
        [&](plan::Scheduler& s) { last = TaskId{static_cast<uint32_t>(s.graph().tasks.size())}; });
    finishArchive(last);
}

void DumpRun::finishArchive(TaskId task) {
    const events::Span span{.task = task, .chunk = std::nullopt};
    events_.post(events::TaskStarted{.span = span,
                                     .kind = plan::TaskKind::Finish,
                                     .object = archive::isNowhere(options_.output)
                                                   ? options_.output.string()
                                                   : options_.output.filename().string(),
                                     .worker = WorkerId{0},
                                     .backendPid = 0,
                                     .estimatedBytes = 0});
    {
        const MutexLock lock(mutex_);
        for (const Oid relation : unlisted_) writer_->discardTable(relation);
        tables_.clear();  // of many thousands the manifest needs the room
    }
    archiveSize_ = writer_->finish(describeRun());
    events_.post(
        events::TaskFinished{.span = span, .bytes = 0, .rows = 0, .compressedBytes = archiveSize_});
}

CopyRunner::Settings DumpRun::runnerSettings() const {
    return {.binary = !options_.noBinary, .readsAhead = jobs_ < usableProcessors()};
}

run::TaskResult DumpRun::copy(CopyRunner& runner, pg::Connection& connection,
                              const plan::Assignment& assignment, const std::stop_token& stop) {
    std::shared_ptr<TableCopy> table;
    std::shared_ptr<LargeObjectCopy> group;
    {
        const MutexLock lock(mutex_);
        if (const auto found = tables_.find(assignment.task); found != tables_.end()) {
            table = found->second;
        } else {
            group = largeObjects_.at(assignment.task);
        }
    }
    run::TaskResult result;
    if (table) {
        result = runner.copyTable(connection, *table, assignment, stop);
        rows_ += result.rows;
        if (assignment.last) ++relations_;
    } else {
        result = runner.copyLargeObjects(connection, *group, assignment, stop);
        objects_ += result.rows;
    }
    bytes_ += result.bytes;
    return result;
}

std::unique_ptr<SchemaDump> DumpRun::startSchemaDump() const {
    return std::make_unique<SchemaDump>(options_, pgDump_, coordinator_->connection(),
                                        coordinator_->snapshot().id,
                                        coordinator_->lockWatch().schemaDumpName());
}

archive::Toc DumpRun::readContents(SchemaDump& schema, const std::stop_token& stop) {
    try {
        return schema.read(stop, [this] { coordinator_->lockWatch().schemaDumpWaits(); });
    } catch (const Error& error) {
        // pg_dump limits the wait for locks by the statement's time.
        const std::string& reason = error.info().message;
        if (error.kind() == ErrorKind::Server &&
            reason.find("deadlock detected") != std::string::npos) {
            ErrorInfo info = error.info();
            info.sqlState = pg::sql_state::kDeadlock;
            throw Error(std::move(info));
        }
        const bool lockTimeout = reason.find("LOCK TABLE") != std::string::npos &&
                                 reason.find("timeout") != std::string::npos;
        if (error.kind() != ErrorKind::Server || !lockTimeout) throw;
        throw coordinator_->lockRefused(error.info());
    }
}

void DumpRun::takeContents(const std::stop_token& stop) {
    std::unique_ptr<SchemaDump> schema = std::move(schema_);
    if (!schema) schema = startSchemaDump();  // the task is tried again
    archive::Toc toc = readContents(*schema, stop);
    // pg_dump has locked everything by now and holds on until we have.
    addLateTables(toc);
    contentsTaken_ = true;
    const std::vector<LargeObjectGroup> groups = listLargeObjects(toc, coordinator_->connection());
    writer_->setToc(std::move(toc));
    addLargeObjects(groups);
    for (const std::string& warning : schema->finish()) {
        events_.post(events::Notice{.severity = events::Severity::Warning, .message = warning});
    }
    executor_->withScheduler([](plan::Scheduler& scheduler) { scheduler.expectMore(false); });
}

void DumpRun::addLateTables(const archive::Toc& toc) {
    std::map<Oid, const TableFacts*> known;
    for (const TableFacts& table : earlyTables_) known.emplace(table.oid, &table);
    std::set<Oid> listed;
    std::vector<LockTarget> late;
    std::map<Oid, const archive::TocEntry*> entries;
    for (const archive::TocEntry& entry : toc.entries) {
        if (entry.description() == "ENCODING" && entry.defn &&
            entry.defn->find("'" + coordinator_->snapshot().encoding + "'") == std::string::npos) {
            throw Error(ErrorKind::Internal,
                        fmt::format("pg_dump reads in another encoding than we do ({})",
                                    coordinator_->snapshot().encoding));
        }
        if (entry.description() != "TABLE DATA" || !entry.hadDumper) continue;
        listed.insert(entry.catalogOid);
        entries.emplace(entry.catalogOid, &entry);
        if (!known.contains(entry.catalogOid)) {
            late.push_back({.oid = entry.catalogOid,
                            .schema = entry.namespaceName.value_or(""),
                            .name = std::string(entry.name())});
        }
    }
    lateTables_ = coordinator_->lockLate(late);
    for (const TableFacts& table : lateTables_) known.emplace(table.oid, &table);
    for (const auto& [oid, entry] : entries) {
        const auto found = known.find(oid);
        if (found == known.end()) {
            throw Error(ErrorKind::Internal, "pg_dump lists a table that the catalog does not show",
                        entry->qualifiedName());
        }
        if (columnsOfCopyStatement(entry->copyStmt.value_or("")) != found->second->columns) {
            throw Error(ErrorKind::Internal,
                        "pg_dump would load other columns than the catalog shows",
                        entry->qualifiedName());
        }
    }
    dropUnlisted(listed);
    plan::TaskGraph added;
    executor_->withScheduler([&](plan::Scheduler& scheduler) {
        for (const TableFacts& table : lateTables_) {
            const std::string condition = conditionOf(table.oid);
            const plan::Task planned = taskFor(table, condition);
            registerTable(scheduler.add(planned), table, condition, planned, false);
        }
        added = scheduler.graph();
    });
    if (!lateTables_.empty()) postPlan(added);
}

void DumpRun::dropUnlisted(const std::set<Oid>& listed) {
    events::Plan withdrawn;
    executor_->withScheduler([&](plan::Scheduler& scheduler) {
        const MutexLock lock(mutex_);
        for (const auto& [task, table] : tables_) {
            if (listed.contains(table->facts().oid)) continue;
            unlisted_.push_back(table->facts().oid);
            if (!scheduler.withdraw(task)) continue;
            events::PlannedTask planned;
            planned.task = task;
            planned.object = table->facts().displayName();
            planned.withdrawn = true;
            withdrawn.tasks.push_back(std::move(planned));
        }
    });
    if (!withdrawn.tasks.empty()) events_.post(std::move(withdrawn));
}

void DumpRun::addLargeObjects(const std::vector<LargeObjectGroup>& groups) {
    if (groups.empty()) return;
    uint64_t all = 0;
    for (const LargeObjectGroup& group : groups) all += group.objects.size();
    const uint64_t bytes = largeObjectBytes(coordinator_->connection());
    plan::TaskGraph added;
    executor_->withScheduler([&](plan::Scheduler& scheduler) {
        for (const LargeObjectGroup& group : groups) {
            auto copy = std::make_shared<LargeObjectCopy>(group.objects,
                                                          writer_->openLargeObjects(group.entry));
            if (group.objects.empty()) {
                copy->member().finish();
                continue;
            }
            const TaskId task = scheduler.add(plan::planLargeObjects(
                group.name, group.objects.size(), bytes * group.objects.size() / all));
            const MutexLock lock(mutex_);
            largeObjects_.emplace(task, std::move(copy));
        }
        added = scheduler.graph();
    });
    postPlan(added);
}

void DumpRun::dryRun() {
    // The plan as it would stand once pg_dump's table of contents is known, and nothing more.
    const archive::Toc toc = readContents(*schema_, stop_);
    std::vector<LockTarget> targets;
    for (const archive::TocEntry& entry : toc.entries) {
        if (entry.description() != "TABLE DATA" || !entry.hadDumper) continue;
        targets.push_back({.oid = entry.catalogOid,
                           .schema = entry.namespaceName.value_or(""),
                           .name = std::string(entry.name())});
    }
    earlyTables_ = coordinator_->lockLate(targets);
    tellForms();
    plan::TaskGraph graph = planEarly();
    if (!keptWhole_.empty()) {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("{} is read whole, and the others make way for it: processors "
                                   "are what this dump waits for, and one connection is enough.",
                                   keptWhole_)});
    }
    const std::vector<LargeObjectGroup> groups = listLargeObjects(toc, coordinator_->connection());
    for (const LargeObjectGroup& group : groups) {
        if (group.objects.empty()) continue;
        graph.add(plan::planLargeObjects(group.name, group.objects.size(), 0));
    }
    postPlan(graph);
}

void DumpRun::tellForms() {
    if (options_.noBinary) return;
    const SessionForm form(coordinator_->connection());
    const auto binary =
        std::count_if(earlyTables_.begin(), earlyTables_.end(),
                      [&](const TableFacts& table) { return form.textRowsOf(table).has_value(); });
    if (binary == 0) return;
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format(
            "The rows of {} are read in COPY's binary form, and their text is "
            "written here, as the server would have (--no-binary).",
            binary == 1 ? "one larger table" : fmt::format("{} larger tables", binary))});
}

void DumpRun::watchCoordinator(const std::stop_token& stop) {
    while (sleepUnlessStopped(kWatchInterval, stop)) {
        if (!coordinator_->hungUp(0ms)) continue;
        executor_->stop();
        return;
    }
}

void DumpRun::postRunStarted() {
    pg::Connection& connection = coordinator_->connection();
    std::map<std::string, std::string> told = options::optionsGiven(options_);
    told["format"] = archive::toString(options_.format);
    told["jobs"] = std::to_string(jobs_);
    told["compress-jobs"] = std::to_string(compressors_);
    told["compress"] = io::toString(compression_);
    events_.post(events::RunStarted{.operation = "dump",
                                    .database = connection.databaseName(),
                                    .options = std::move(told),
                                    .versions = {{"gantry", GANTRY_VERSION},
                                                 {"server", connection.serverVersionText()},
                                                 {"pg_dump", pgDump_.version}},
                                    .startedAt = formatIsoTime(*startedAt_),
                                    .workers = jobs_,
                                    .environment = environment_});
}

void DumpRun::postPlan(const plan::TaskGraph& graph, bool anew) {
    events::Plan plan = events::describePlan(graph, jobs_);
    plan.anew = anew;
    events_.post(std::move(plan));
}

archive::Manifest DumpRun::describeRun() const {
    archive::Manifest manifest;
    manifest.gantryVersion = GANTRY_VERSION;
    manifest.serverVersion = coordinator_->connection().serverVersionText();
    manifest.pgDumpVersion = pgDump_.version;
    manifest.databaseName = coordinator_->connection().databaseName();
    manifest.snapshot = coordinator_->snapshot().contents;
    manifest.lsn = coordinator_->snapshot().lsn;
    manifest.startedAt = formatIsoTime(*startedAt_);
    manifest.finishedAt = formatIsoTime(std::chrono::system_clock::now());
    manifest.settings = {{"jobs", std::to_string(jobs_)},
                         {"compress-jobs", std::to_string(compressors_)},
                         {"compress", io::toString(compression_)},
                         {"chunks", options_.noChunks ? "off" : "on"}};
    return manifest;
}

events::RunFinished DumpRun::totals() const {
    return {.outcome = events::Outcome::Clean,
            .error = std::nullopt,
            .bytes = bytes_,
            .compressedBytes = archiveSize_,
            .rows = rows_,
            .relations = relations_,
            .largeObjects = objects_,
            .ignoredErrors = 0,
            .compressionWait = compressionWait_};
}

}  // namespace gantry::dump
