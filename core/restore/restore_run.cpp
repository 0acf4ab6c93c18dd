// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <thread>

#include "core/archive/identifier.h"
#include "core/archive/list.h"
#include "core/base/buffer.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/events/plan_event.h"
#include "core/options/command.h"
#include "core/pg/environment.h"
#include "core/pg/wal_writer_waker.h"
#include "core/plan/simulator.h"
#include "core/restore/error_causes.h"
#include "core/restore/restore_worker.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

constexpr int kTableAccessMethods = 12;
constexpr uint32_t kRetries = 3;
constexpr std::chrono::milliseconds kTidyingTime{1000};
/// By then the workers have their connections, as a rule.
constexpr std::chrono::milliseconds kWorkersFirst{500};
/// Bytes of rows: FREEZE wants the table emptied first, which costs more for a smaller one.
constexpr uint64_t kWorthFreezing = uint64_t{1} << 20;

std::string chooseSettings(pg::Connection& connection, uint32_t jobs) {
    // Commits need not wait for the disk one by one: the run makes all of them durable at its end.
    std::string settings = "SET synchronous_commit = off;\n";
    const pg::Result sizes = connection.query(
        "SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('shared_buffers')),"
        " pg_catalog.pg_size_bytes(pg_catalog.current_setting('maintenance_work_mem'))");
    if (const auto memory = maintenanceMemory(sizes.number(0, 0), sizes.number(0, 1), jobs)) {
        settings += fmt::format("SET maintenance_work_mem = '{}kB';\n", *memory / 1024);
    }
    return settings;
}

/// Helpers that the server may start for an index; 0 before 11, which knows none.
uint64_t askMostHelpers(pg::Connection& connection) {
    return connection
        .query("SELECT pg_catalog.current_setting('max_parallel_maintenance_workers', true)")
        .number(0, 0);
}

bool answers(pg::Connection& connection) {
    try {
        connection.execute("SELECT 1");
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// "dump.failed.list", also for a folder that is given as "dump/" or, from within, as ".". Beside
/// a device nobody would look: what comes through /dev/stdin is named here.
std::filesystem::path besideArchive(const std::filesystem::path& archive) {
    std::filesystem::path path = archive.has_filename() ? archive : archive.parent_path();
    const std::string name = path.filename().string();
    const bool device = path.string().starts_with("/dev/") || path.string().starts_with("/proc/");
    if (device || name == "." || name == "..") {
        std::error_code gone;
        const std::filesystem::path itself = std::filesystem::canonical(path, gone);
        if (!gone) path = itself;
    }
    if (device) path = path.filename();
    path += ".failed.list";
    return path;
}

void replaceFile(const std::filesystem::path& path, const std::string& text) {
    std::error_code none;
    std::filesystem::remove(path, none);
    File file = File::create(path);
    file.writeAt(0, bytesOf(text));
    file.close();
}

}  // namespace

RestoreRun::RestoreRun(const options::RestoreOptions& options, events::EventSink& events,
                       std::stop_token stop, run::RunControl* control)
    : options_(options), events_(events), stop_(std::move(stop)), control_(control) {}

RestoreRun::~RestoreRun() = default;

void RestoreRun::prepare() {
    if (const auto folder = options_.failedList.parent_path();
        !folder.empty() && !std::filesystem::is_directory(folder)) {
        throw Error(ErrorKind::Usage, "there is no such folder", folder.string(),
                    "--failed-list names a file in a folder that exists.");
    }
    reader_ = archive::openArchive(options_.archive);
    choice_ = choose(reader_->toc(), options_);
    if (options_.selection.strictNames && !choice_.unmatched.empty()) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("the archive has no {}", fmt::join(choice_.unmatched, ", no ")),
                    options_.archive.string(), "Look at what it has: gantryctl list.");
    }
    sizes_ = measureData(*reader_);
    for (const archive::DataMember& member : reader_->members()) {
        members_[member.entry].push_back(&member);
    }
    if (reader_->manifest()) {
        for (const archive::Member& member : reader_->manifest()->members) {
            if (!member.largeObject) continue;
            listedObjects_.emplace(std::pair(member.dumpId, member.largeObject), &member);
        }
    }
    const options::RestoreContent& c = options_.content;
    target_.toc = &reader_->toc();
    target_.script = {.create = c.create,
                      .clean = c.clean,
                      .ifExists = c.ifExists,
                      .noOwner = c.noOwner,
                      .noTablespaces = c.noTablespaces,
                      .noTableAccessMethod = c.noTableAccessMethod,
                      .useSetSessionAuthorization = c.useSetSessionAuthorization,
                      .disableTriggers = c.disableTriggers,
                      .enableRowSecurity = c.enableRowSecurity,
                      .quoteAllIdentifiers = false,
                      .restrictKey = {}};
    target_.connection = options_.connection;
    target_.role = options_.role;
    jobs_ = jobsFor(options_);
    checkFirst();
    if (!options_.jobs && mayReferToEachOther()) jobs_ = 1;
    coordinator_ = std::make_unique<RestoreSession>(target_, "gantry restore: coordinator", stop_);
    // Older servers have no access methods to choose from.
    if (coordinator_->connection().serverMajor() < kTableAccessMethods) {
        target_.script.noTableAccessMethod = true;
    }
    environment_ = pg::describeEnvironment(coordinator_->connection());
    target_.settings = chooseSettings(coordinator_->connection(), jobs_);
    mostHelpers_ = askMostHelpers(coordinator_->connection());
    incarnation_ = serverIncarnation(coordinator_->connection());
    takeUpEarlierRun();
}

/// Rows alone, of an archive that has the foreign keys too, come in no order that would heed those
/// of the target: one connection loads them in the archive's, as pg_restore does.
bool RestoreRun::mayReferToEachOther() const {
    if (!choice_.dataOnly || (disablesTriggers() && seen_.superuser)) return false;
    const std::vector<TocEntry>& entries = reader_->toc().entries;
    return std::any_of(entries.begin(), entries.end(), [](const TocEntry& entry) {
        return entry.description() == "FK CONSTRAINT";
    });
}

/// Refuses what cannot succeed; the rest is told at the run's beginning.
void RestoreRun::checkFirst() {
    seen_ = lookFirst(reader_->toc(), choice_, sizes_, options_, stop_);
    // What the earlier run left there is no obstacle.
    if (!options_.resume.empty()) seen_.findings.clear();
    if (!options_.dryRun) refuseIfBlocked(seen_.findings);
}

void RestoreRun::execute() {
    startedAt_ = std::chrono::system_clock::now();
    postRunStarted();
    if (!choice_.unmatched.empty()) {
        events_.post(events::Notice{.severity = events::Severity::Warning,
                                    .message = fmt::format("The archive has no {}.",
                                                           fmt::join(choice_.unmatched, ", no "))});
    }
    if (!choice_.unmetExclusions.empty()) {
        events_.post(
            events::Notice{.severity = events::Severity::Warning,
                           .message = fmt::format("Nothing in the archive is left out by {}.",
                                                  fmt::join(choice_.unmetExclusions, ", "))});
    }
    if (!options_.jobs && mayReferToEachOther()) {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = "Rows alone of tables with foreign keys come over one connection, in the "
                       "archive's order; --jobs takes more, --disable-triggers makes that safe."});
    }
    tell(seen_.findings, events_);
    RestorePlanSettings settings = planSettings(options_, reader_->toc(), jobs_);
    for (const TocEntry* entry : resumed_) settings.standing.insert(entry->dumpId);
    RestorePlan plan = planRestore(choice_, sizes_, settings);
    events_.post(events::describePlan(plan.graph, jobs_));
    if (options_.dryRun) {
        tellHowRowsGo();
        return;
    }
    try {
        execute(std::move(plan));
    } catch (const Error&) {
        tellWhatIsThere();
        throw;
    }
    makeDurable();
    writeFailedList();
}

void RestoreRun::execute(RestorePlan plan) {
    const options::RestoreContent& c = options_.content;
    ledger_.expect(plan.steps);
    // Neither is possible within a transaction.
    const bool clean = c.clean && !earlier_;
    if (clean && c.create) dropObjects();
    if (c.create && c.createRoles) createRoles();  // one of them may own the database
    if (c.create) createDatabase();
    if (spansEntries()) {
        coordinator_->connection().execute(target_.settings);
        coordinator_->spanEntries(options_.transactionSize
                                      ? static_cast<uint64_t>(*options_.transactionSize)
                                      : std::numeric_limits<uint64_t>::max());
    }
    if (clean && !c.create) dropObjects();
    if (!c.create && c.createRoles) createRoles();
    if (c.createSchemas) createSchemas();
    beginRecord();
    runPlan(std::move(plan));
    coordinator_->commitSpan();
    noteCommitted();
}

bool RestoreRun::spansEntries() const {
    return options_.singleTransaction || (options_.transactionSize && jobs_ == 1);
}

void RestoreRun::tellWhatIsThere() {
    if (options_.singleTransaction) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = coordinator_->isInDoubt()
                           ? "All of the archive is there, or nothing: no answer came to the "
                             "commit of its one transaction. Look into the database before you "
                             "restore it again."
                           : "Nothing of the archive is there: all of it was one transaction."});
        return;
    }
    std::vector<std::string> left;
    const auto giveUp = std::chrono::steady_clock::now() + kTidyingTime;
    pg::Connection& connection = coordinator_->connection();
    connection.stopOn({});  // the run's own stop must not keep it from tidying up
    for (const Ledger::Half& half : ledger_.halves()) {
        try {
            if (std::chrono::steady_clock::now() > giveUp || !connection.alive()) {
                throw Error(ErrorKind::Cancelled, "no time is left");
            }
            connection.execute(fmt::format("SET lock_timeout = {};\n", kTidyingTime.count() / 2) +
                               half.undo);
        } catch (const Error&) {
            left.push_back(half.object);
        }
    }
    if (!left.empty()) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format("Half done, and not taken back (an index that was to become a "
                                   "key, or a foreign key that is NOT VALID): {}. Drop them before "
                                   "you restore them again.",
                                   fmt::join(left, ", "))});
    }
    std::string there = ledger_.describe();
    if (coordinator_->isInDoubt()) {
        there +=
            " The first of what is not may be there all the same: no answer came to the commit of "
            "the transaction it was in.";
    }
    events_.post(
        events::Notice{.severity = events::Severity::Warning, .message = std::move(there)});
}

/// In the archive's order backwards; with --create the database alone.
void RestoreRun::dropObjects() {
    for (std::size_t i = choice_.order.size(); i-- > 0;) {
        const TocEntry& entry = *choice_.order[i];
        if (!choice_.wanted[i].any() || entry.dropStmt.value_or("").empty()) continue;
        if (options_.content.create && !archive::isOfDatabase(entry)) continue;
        archive::Statements statements;
        coordinator_->statements().drop(entry, statements);
        // What cannot be dropped may be created all the same.
        (void)coordinator_->run(entry, statements, [this](const TocEntry& at, const Error& error) {
            passOver({}, displayName(at), error);
        });
    }
    coordinator_->statements().forgetSchema();
    coordinator_->becomeOneself();
}

void RestoreRun::createSchemas() {
    for (const std::string& schema : seen_.missingSchemas) {
        const std::string name = archive::formatIdentifier(schema);
        // What is resumed may have made it, and somebody else meanwhile, too.
        makeBefore("SCHEMA " + name, "CREATE SCHEMA IF NOT EXISTS " + name);
    }
}

void RestoreRun::createRoles() {
    for (const std::string& role : seen_.missingRoles) {
        const std::string name = archive::formatIdentifier(role);
        std::string statements = fmt::format("CREATE ROLE {} NOLOGIN", name);
        // Only members may give something to a role.
        if (!seen_.superuser) statements += fmt::format("; GRANT {} TO CURRENT_USER", name);
        makeBefore("ROLE " + name, statements);
    }
}

void RestoreRun::makeBefore(const std::string& object, const std::string& statements) {
    try {
        if (coordinator_->spansEntries()) coordinator_->begin();
        coordinator_->connection().execute(statements);
        events_.post(
            events::Notice{.severity = events::Severity::Info,
                           .message = fmt::format("{} was missing, and has been made.", object)});
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        passOver({}, object, error);
    }
}

void RestoreRun::createDatabase() {
    const auto onFailure = [this](const TocEntry& at, const Error& error) {
        noteFailure({}, at, error);
    };
    for (std::size_t i = 0; i < choice_.order.size(); ++i) {
        const TocEntry& entry = *choice_.order[i];
        if (!choice_.wanted[i].any() || !archive::isOfDatabase(entry)) continue;
        if (entry.description() == "DATABASE") {
            if (earlier_) continue;
            // Without it nothing can be restored; without its owner it is there all the same.
            archive::Statements create;
            coordinator_->statements().prepare(entry, create);
            coordinator_->statements().create(entry, create);
            coordinator_->execute(create);
            archive::Statements owner;
            coordinator_->statements().giveOwner(entry, owner);
            (void)coordinator_->run(entry, owner, onFailure);
        } else {
            const TocEntry* const entries[] = {&entry};
            coordinator_->define(
                entries, false, [](const auto&) {}, onFailure);
        }
        // Its own settings take effect in new sessions only.
        connectToCreated();
    }
}

/// The entry of the database that --create makes; null if there is none.
const TocEntry* RestoreRun::databaseToCreate() const {
    if (!options_.content.create) return nullptr;
    const auto named = [](const TocEntry* entry) { return entry->description() == "DATABASE"; };
    const auto entry = std::find_if(choice_.order.begin(), choice_.order.end(), named);
    return entry == choice_.order.end() ? nullptr : *entry;
}

void RestoreRun::connectToCreated() {
    const TocEntry* const entry = databaseToCreate();
    if (entry == nullptr) return;
    const pg::Connection& there = coordinator_->connection();
    target_.connection.password = there.password();
    target_.connection.database =
        there.conninfoWithoutSecrets() + " dbname=" + pg::quoteConninfoValue(entry->name());
    coordinator_ = std::make_unique<RestoreSession>(target_, "gantry restore: coordinator", stop_);
}

std::optional<uint64_t> RestoreRun::wakesWalWriter(const plan::TaskGraph& graph) {
    const auto large = [](const plan::Task& task) { return task.bytes >= pg::kWorthAWaker; };
    if (spansEntries() || std::none_of(graph.tasks.begin(), graph.tasks.end(), large)) {
        return std::nullopt;
    }
    try {
        return pg::worthWaking(coordinator_->connection());
    } catch (const Error& error) {
        // Which costs time only; a session that is lost will be missed by whoever needs it.
        if (isOfStatement(error)) coordinator_->rollback();
        return std::nullopt;
    }
}

void RestoreRun::runPlan(RestorePlan plan) {
    steps_ = std::move(plan.steps);
    const std::optional<uint64_t> wakes = wakesWalWriter(plan.graph);
    plan::Weights weights = plan::bestWeights(plan.graph, jobs_, plan::kThoroughSearch);
    run::Executor executor(
        plan::Scheduler(std::move(plan.graph), jobs_, std::move(weights)),
        run::Executor::Settings{.workers = jobs_, .retries = spansEntries() ? 0U : kRetries},
        [this](WorkerId worker, const std::stop_token& stop) {
            return std::make_unique<Worker>(*this, worker, stop);
        },
        events_);
    executor.onFailure([this](const plan::Assignment& assignment, const ErrorInfo& error) {
        const Step& step = steps_[assignment.task.value];
        const bool oneObject = step.entries.size() == 1 || error.kind == ErrorKind::Cancelled;
        const bool lost = error.kind == ErrorKind::Connection && !isDeadlock(error);
        if (lost || !oneObject || options_.stopsAtFirstError() || isDiskFull(error)) {
            if (!lost && step.entries.size() == 1 && error.object.empty()) {
                const MutexLock lock(mutex_);
                failedAt_[error.message] = displayName(*step.entries.front());
            }
            return run::Executor::OnFailure::Stop;
        }
        for (const TocEntry* entry : step.entries) {
            noteFailure({assignment.task, assignment.chunk}, *entry, Error(error));
        }
        return run::Executor::OnFailure::GoOn;
    });
    const std::stop_callback onStop(stop_, [&executor] { executor.stop(); });
    // The coordinator's connection is free meanwhile, unless it does all of the work.
    const std::jthread observer([this](const std::stop_token& stop) {
        if (!spansEntries()) watchLocks(stop);
    });
    executor.start();
    std::optional<pg::WalWriterWaker> waker;
    if (wakes) {
        waker.emplace(target_.connection, pg::WalWriterWaker::Settings{
                                              .application = "gantry restore: wakes the WAL writer",
                                              .enough = *wakes,
                                              .leaves = jobs_,
                                              .delay = kWorkersFirst});
    }
    // Another worker would have to share the one connection.
    const run::RunControl::Attachment attachment(spansEntries() ? nullptr : control_, executor);
    try {
        executor.wait();
    } catch (const Error& error) {
        const MutexLock lock(mutex_);
        const auto object = failedAt_.find(error.info().message);
        if (object == failedAt_.end()) throw;
        ErrorInfo info = error.info();
        info.object = object->second;
        throw Error(std::move(info));
    }
    if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
}

void RestoreRun::watchLocks(const std::stop_token& stop) {
    for (uint32_t attempt = 0; attempt < kRetries; ++attempt) {
        locks_.watch(coordinator_->connection(), stop);
        if (stop.stop_requested() || answers(coordinator_->connection())) return;
        try {
            connectAgain();
        } catch (const Error&) {
            return;
        }
    }
}

/// Between the first definitions and the end the coordinator holds nothing that would be lost. But
/// if the server went down with it, the last commits, which wait for no disk, may be lost.
void RestoreRun::connectAgain() {
    auto session = std::make_unique<RestoreSession>(target_, "gantry restore: coordinator", stop_);
    if (serverIncarnation(session->connection()) != incarnation_) {
        throw Error(
            ErrorKind::Connection,
            "the server was restarted while the restore ran: what was committed last may be "
            "lost",
            {}, "Look at the server's log for the reason.");
    }
    coordinator_ = std::move(session);
    events_.post(
        events::Notice{.severity = events::Severity::Warning,
                       .message = "The coordinator's session was ended; it has a new one."});
}

/// What ran with synchronous_commit off reaches the disk with the next commit that waits for it.
void RestoreRun::makeDurable() {
    if (!answers(coordinator_->connection())) connectAgain();  // it was ended while nobody looked
    try {
        coordinator_->connection().execute(
            "BEGIN; SET LOCAL synchronous_commit = on;"
            "SELECT pg_catalog.pg_logical_emit_message(true, 'gantry', 'restored'); COMMIT");
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        coordinator_->rollback();
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = "The server writes the last transactions to disk within a second."});
    }
}

void RestoreRun::writeFailedList() {
    const std::set<DumpId> failures = ledger_.failures();
    if (failures.empty()) return;
    std::vector<archive::ListedEntry> failed;
    for (const archive::ListedEntry& listed : archive::listEntries(*reader_)) {
        if (failures.contains(listed.entry->dumpId)) failed.push_back(listed);
    }
    const std::string list = archive::renderList(*reader_, failed);
    std::filesystem::path path = options_.failedList;
    try {
        if (!path.empty()) {
            replaceFile(path, list);
        } else {
            path = besideArchive(reader_->path());
            try {
                replaceFile(path, list);
            } catch (const Error&) {  // where backups are kept, few may write
                path = path.filename();
                replaceFile(path, list);
            }
        }
    } catch (const Error& error) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = "The list of what failed could not be written: " + error.info().describe()});
        return;
    }
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message =
            fmt::format("What failed is listed in {}: --use-list takes it.", path.string())});
}

void RestoreRun::noteFailure(const events::Span& span, const TocEntry& entry, const Error& error) {
    passOver(span, displayName(entry), error);
    ledger_.failed(entry);
}

void RestoreRun::passOver(const events::Span& span, std::string object, const Error& error) {
    ErrorInfo info = error.info();
    info.object = std::move(object);
    info.hint = nextStep(info, {.others = ignoredErrors_ > 0,
                                .clean = options_.content.clean,
                                .withoutRows = !options_.content.wantsData() ||
                                               !options_.selection.listFile.empty()});
    if (options_.stopsAtFirstError() || isDiskFull(info)) throw Error(std::move(info));
    ++ignoredErrors_;
    events_.post(events::ErrorIgnored{.span = span, .error = std::move(info)});
}

void RestoreRun::noteStanding(const std::vector<const TocEntry*>& entries) {
    for (const TocEntry* entry : entries) ledger_.created(*entry);
    noteDone(entries);
}

void RestoreRun::count(const run::TaskResult& rows) {
    bytes_ += rows.bytes;
    rows_ += rows.rows;
}

bool RestoreRun::isInhibited(const TocEntry& data) const {
    // In a run that is resumed such a table may hold these very rows already.
    return (options_.content.noDataForFailedTables || earlier_) && ledger_.failedTableOf(data);
}

void RestoreRun::tellHowRowsGo() {
    std::vector<std::string_view> ways;
    if (!options_.noBinary) {
        ways.push_back(
            "in COPY's binary form where the types of all columns allow it (--no-binary)");
    }
    if (!options_.noFreeze) {
        ways.push_back("frozen where one connection loads a table that is new (--no-freeze)");
    }
    if (ways.empty()) return;
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format("Rows of larger tables go {}.", fmt::join(ways, ", and "))});
}

std::shared_ptr<TableLoad> RestoreRun::makeLoad(const TocEntry& entry,
                                                const archive::DataMember& member, bool shared,
                                                bool disableTriggers) const {
    LoadSettings settings;
    settings.fresh = !archive::isViaRoot(entry) && ledger_.createdTableOf(entry);
    const uint64_t bytes = sizeOf(sizes_, entry.dumpId).bytes;
    settings.freeze = !options_.noFreeze && !shared && !spansEntries() &&
                      bytes >= std::min(kWorthFreezing, options_.worthSharing);
    settings.binary = !options_.noBinary;
    settings.disableTriggers = disableTriggers;
    settings.superuser = options_.superuser;
    return std::make_shared<TableLoad>(*reader_, member, entry, settings);
}

std::shared_ptr<TableLoad> RestoreRun::loadOf(TaskId task, const TocEntry& entry,
                                              const archive::DataMember& member,
                                              bool disableTriggers) {
    {
        const MutexLock lock(mutex_);
        if (const auto found = loads_.find(task); found != loads_.end()) return found->second;
    }
    auto load = makeLoad(entry, member, steps_[task.value].shared, disableTriggers);
    const MutexLock lock(mutex_);
    return loads_.emplace(task, std::move(load)).first->second;
}

std::map<std::string, std::string> RestoreRun::optionsTold() const {
    std::map<std::string, std::string> told = options::optionsGiven(options_);
    told["archive"] = options_.archive.string();
    told["jobs"] = std::to_string(jobs_);
    return told;
}

void RestoreRun::postRunStarted() {
    pg::Connection& connection = coordinator_->connection();
    const TocEntry* const created = databaseToCreate();
    events_.post(events::RunStarted{
        .operation = "restore",
        .database = created != nullptr ? std::string(created->name()) : connection.databaseName(),
        .options = optionsTold(),
        .versions = {{"gantry", GANTRY_VERSION},
                     {"server", connection.serverVersionText()},
                     {"archive", reader_->toc().dumpVersion.value_or("")}},
        .startedAt = formatIsoTime(*startedAt_),
        .workers = jobs_,
        .environment = environment_});
}

events::RunFinished RestoreRun::totals() const {
    Amount loaded{bytes_, rows_, relations_, objects_};
    const bool inDoubt = coordinator_->isInDoubt();
    if (spansEntries()) {
        const MutexLock lock(mutex_);
        loaded = committed_;
    }
    return {.outcome =
                ignoredErrors_ > 0 ? events::Outcome::CompletedWithErrors : events::Outcome::Clean,
            .error = std::nullopt,
            .bytes = loaded.bytes,
            .compressedBytes = 0,
            .rows = loaded.rows,
            .relations = loaded.relations,
            .largeObjects = loaded.objects,
            .ignoredErrors = ignoredErrors_,
            .nothingRestored = !inDoubt && !earlier_ && loaded.rows == 0 && loaded.objects == 0 &&
                               !ledger_.anyStands(),
            .commitInDoubt = inDoubt};
}

}  // namespace gantry::restore
