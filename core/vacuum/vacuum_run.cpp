// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/vacuum_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/events/plan_event.h"
#include "core/pg/wal_writer_waker.h"
#include "core/plan/lower_bound.h"
#include "core/plan/simulator.h"
#include "core/vacuum/read_facts.h"
#include "core/vacuum/statement.h"
#include "core/vacuum/vacuum_worker.h"

namespace gantry::vacuum {
namespace {

constexpr uint32_t kRetries = 3;
/// What the first tables took says how far estimates are to be trusted.
constexpr double kBasis = 5;  // seconds
constexpr double kLeastCorrection = 0.2;
constexpr double kMostCorrection = 20;

Duration ofSeconds(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double secondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// For want of time; the rest takes none.
bool mayBeLeft(const Step& step) {
    return step.kind == Step::Kind::Tables || step.kind == Step::Kind::Reindex;
}

/// The longest of what writes into the WAL, which an ANALYZE does not; several tables of a
/// statement are small, and each commits.
uint64_t longestWriting(const VacuumPlan& plan) {
    return std::transform_reduce(
        plan.steps.begin(), plan.steps.end(), plan.graph.tasks.begin(), uint64_t{0},
        [](uint64_t one, uint64_t other) { return std::max(one, other); },
        [](const Step& step, const plan::Task& task) {
            const bool table = step.vacuum && step.tables.size() == 1;
            return table || step.kind == Step::Kind::Reindex ? task.bytes : 0;
        });
}

}  // namespace

VacuumRun::VacuumRun(const options::VacuumOptions& options, events::EventSink& events,
                     std::stop_token stop, run::RunControl* control)
    : options_(options),
      events_(events),
      stop_(std::move(stop)),
      control_(control),
      locks_(events) {}

void VacuumRun::prepare() {
    const bool thorough =
        options_.plansItself() || options_.dryRun || options_.work.reindexConcurrently;
    surveyed_ = surveyAll(options_, thorough, stop_, options_.dryRun ? nullptr : &sessions_);
    plan_ = planVacuum(surveyed_.survey, options_);
}

void VacuumRun::execute() {
    if (!options_.budget.empty())
        deadline_ = clock_.now() + *options::parseDuration(options_.budget);
    postRunStarted();
    for (const Refused& refused : surveyed_.refused) noteIgnored({}, refused.error);
    tellLeftOut();
    tellProposals();
    tellUnskippable();
    tellLocks();
    tellHeldBack();
    tellInvalid();
    tellUnjudged();
    tellClosed();
    tellNothing();
    postPlan();
    if (options_.dryRun || plan_.steps.empty()) return;
    runPlan();
    sessions_.closeSurplus();
    tellBudget();
    tellOutcomes();
    tellOldestLeft();
}

void VacuumRun::postRunStarted() {
    std::map<std::string, std::string> told = toldOptions(options_);
    told.emplace("jobs", std::to_string(plan_.proposals.jobs));
    events_.post(events::RunStarted{
        .operation = "vacuum",
        .database = surveyed_.endpoint,
        .options = std::move(told),
        .versions = {{"gantry", GANTRY_VERSION}, {"server", surveyed_.serverVersion}},
        .startedAt = formatIsoTime(std::chrono::system_clock::now()),
        .workers = plan_.proposals.jobs,
        .environment = surveyed_.environment});
}

void VacuumRun::postPlan() {
    events::Plan told = events::describePlan(plan_.graph, plan_.proposals.jobs);
    for (std::size_t i = 0; i < told.tasks.size(); ++i) told.tasks[i].note = plan_.steps[i].note;
    if (options_.dryRun && deadline_) {
        const std::vector<TaskId> late = foreseenLate();
        for (const TaskId id : late)
            told.tasks[id.value].note += "; would be left, for want of time";
        tellLeft(late,
                 fmt::format("By these estimates {} would not be enough for", options_.budget));
    }
    events_.post(std::move(told));
}

/// What a run would leave if all took as long as it is estimated to.
std::vector<TaskId> VacuumRun::foreseenLate() const {
    const double budget = secondsOf(*options::parseDuration(options_.budget));
    std::vector<TaskId> late = plan::simulate(plan_.graph, {.workers = plan_.proposals.jobs,
                                                            .weights = plan::Weights{},
                                                            .duration = {},
                                                            .until = budget})
                                   .givenUp;
    std::erase_if(late, [this](TaskId id) { return !mayBeLeft(plan_.steps[id.value]); });
    return late;
}

bool VacuumRun::needsSomething(std::size_t place) const {
    if (options_.work.reindexConcurrently) {
        const TableFacts& table = surveyed_.survey.tables[place];
        const auto isWork = [&table](const IndexFacts& index) {
            return isBloated(index) || isLeftover(table, index);
        };
        return std::any_of(table.indexes.begin(), table.indexes.end(), isWork) ||
               (table.toastPermitted &&
                std::any_of(table.toastCopies.begin(), table.toastCopies.end(), isWork));
    }
    // All that is to be vacuumed of such a one is below it.
    if (surveyed_.survey.tables[place].relkind == 'p' && !options_.plansItself()) {
        return options_.work.analyze || options_.work.analyzesAlone();
    }
    const Decision& decision = plan_.decisions[place];
    return !options_.plansItself() || decision.action != Action::Nothing || decision.analyze;
}

/// Tables that we may not touch: each that we should is an error, of catalogs it is told.
void VacuumRun::tellLeftOut() {
    std::vector<std::string> catalogs;
    std::vector<std::string> wouldFail;
    for (std::size_t place = 0; place < surveyed_.survey.tables.size(); ++place) {
        const TableFacts& table = surveyed_.survey.tables[place];
        if (table.permitted || !needsSomething(place)) continue;
        if (table.catalog && !table.named) {
            catalogs.push_back(table.shownName());
            continue;
        }
        if (options_.dryRun) {
            wouldFail.push_back(table.shownName());
            continue;
        }
        ErrorInfo error;
        error.kind = ErrorKind::Server;
        error.object = table.shownName();
        error.message = "you may not vacuum or analyze it";
        error.hint =
            "Run it as its owner or a superuser, or be granted MAINTAIN on it (from version 17 "
            "on).";
        noteIgnored({}, std::move(error));
    }
    if (!wouldFail.empty()) {
        events_.post(
            events::Notice{.severity = events::Severity::Warning,
                           .message = fmt::format("You may not vacuum or analyze {}. Run it as "
                                                  "the owner or a superuser, or be granted "
                                                  "MAINTAIN (from version 17 on).",
                                                  firstFew(wouldFail))});
    }
    if (catalogs.empty()) return;
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message =
            fmt::format("{} left out, which only the owner may vacuum.",
                        catalogs.size() == 1 ? "One catalog is"
                                             : fmt::format("{} catalogs are", catalogs.size()))});
}

void VacuumRun::tellProposals() {
    const Proposals& p = plan_.proposals;
    // A number that was told may have been advised to whoever told it, with a reason of its own.
    std::string text = fmt::format("{} at a time", p.jobs);
    if (!p.jobsWhy.empty()) text += fmt::format(" ({})", p.jobsWhy);
    if (p.ring && *p.ring == 0) {
        text += fmt::format("; no buffer usage limit ({})", p.ringWhy);
    } else if (p.ring) {
        text += fmt::format("; buffer usage limit {} each ({})", formatSetting(*p.ring), p.ringWhy);
    }
    if (p.memory) {
        text += fmt::format("; maintenance_work_mem {} each ({})", formatSetting(*p.memory),
                            p.memoryWhy);
    }
    if (p.sessionsRead)
        text += "; nobody reads ahead for them (all of it fits effective_cache_size)";
    events_.post(events::Notice{.severity = events::Severity::Info, .message = text + "."});
}

void VacuumRun::tellUnskippable() {
    if (!options_.plansItself() || !options_.work.skipLocked) return;
    const auto waste = std::count_if(plan_.decisions.begin(), plan_.decisions.end(),
                                     [](const Decision& d) { return !d.reindex.empty(); });
    if (waste == 0) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("No index is rebuilt with --skip-locked, where the server can only "
                               "wait for a lock; those that are mostly waste: of {} {}.",
                               waste, waste == 1 ? "table" : "tables")});
}

/// What VACUUM FULL costs others is told before it takes it.
void VacuumRun::tellLocks() {
    std::vector<std::pair<double, std::string>> tables;
    std::vector<uint64_t> disk;
    bool gentler = false;  // there is a way
    for (const Step& step : plan_.steps) {
        if (!step.full) continue;
        const TableFacts& table = surveyed_.survey.tables[step.tables.front()];
        disk.push_back(extraDisk(table));
        tables.emplace_back(
            step.seconds,
            fmt::format("{} (about {}, {} of disk)", table.shownName(),
                        formatDuration(ofSeconds(step.seconds)), formatBytes(disk.back())));
        gentler = gentler || (!table.catalog && !table.indexes.empty());
    }
    if (tables.empty()) return;
    std::sort(tables.rbegin(), tables.rend());
    std::sort(disk.rbegin(), disk.rend());
    uint64_t atOnce = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(disk.size(), plan_.proposals.jobs); ++i) {
        atOnce += disk[i];
    }
    std::vector<std::string> names;
    for (const auto& [seconds, words] : tables) names.push_back(words);
    constexpr std::size_t kMostLocked = 25;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format(
            "VACUUM FULL locks {} against everybody, also against reading, while it is "
            "written anew: {}. Up to {} of disk are needed meanwhile.{}",
            tables.size() == 1 ? "one table" : fmt::format("each of {} tables", tables.size()),
            firstFew(names, kMostLocked), formatBytes(atOnce),
            gentler && surveyed_.survey.server.major() >= 12
                ? " Where indexes are most of the waste, --reindex-concurrently locks nobody out."
                : "")});
}

void VacuumRun::tellHeldBack() {
    const auto& holder = surveyed_.heldBack;
    const bool removes = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                     [](const Step& step) { return step.vacuum; });
    if (!holder || !holder->isOld(surveyed_.survey.server.freezeMaxAge) || !removes) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("Rows that were deleted in the last {} transactions cannot be "
                               "removed, nor younger ones frozen: {} may still see them.",
                               formatCount(holder->xids), holder->who)});
}

/// An index that somebody else's build has left may be wanted: its owner has to say.
void VacuumRun::tellInvalid() {
    if (!options_.work.reindexConcurrently) return;
    std::vector<std::string> names;
    std::vector<std::string> ofToast;
    for (const TableFacts& table : surveyed_.survey.tables) {
        if (!table.permitted) continue;
        for (const IndexFacts& copy : table.toastCopies) {
            if (table.toastPermitted || !isLeftover(table, copy)) continue;
            ofToast.push_back("pg_toast." + copy.name + table.where);
        }
        for (const IndexFacts& index : table.indexes) {
            if (index.valid || index.workedOn || isLeftover(table, index)) continue;
            names.push_back(table.schema + "." + index.name + table.where);
        }
    }
    if (!ofToast.empty()) {
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format("Interrupted rebuilds left {}, which only who may use the "
                                   "schema pg_toast can drop: run it as a superuser.",
                                   firstFew(ofToast))});
    }
    if (names.empty()) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message =
            fmt::format("Never built to their end, maybe kept by each write, and used by no query: "
                        "{}. REINDEX INDEX CONCURRENTLY finishes such an index, DROP INDEX "
                        "takes it away.",
                        firstFew(names))});
}

/// Which indexes stay though they may be waste: small ones, those that cannot be rebuilt, and those
/// of which it is not known.
void VacuumRun::tellUnjudged() {
    if (!options_.work.reindexConcurrently) return;
    std::size_t others = 0;
    std::size_t uncounted = 0;
    std::size_t exclusions = 0;
    std::size_t small = 0;
    uint64_t smallBytes = 0;
    for (const TableFacts& table : surveyed_.survey.tables) {
        if (!table.permitted || table.catalog) continue;
        for (const IndexFacts& index : table.indexes) {
            if (!index.valid) continue;
            if (isMostlyWaste(index) && !isBloated(index) && !index.exclusion) {
                ++small;
                smallBytes +=
                    static_cast<uint64_t>(wasteOf(index) * static_cast<double>(index.bytes));
            }
            if (index.bytes < kIndexWasteWorthIt) continue;
            if (index.exclusion) {
                ++exclusions;
            } else if (index.accessMethod != "btree") {
                ++others;
            } else if (index.entryBytes <= 0 || index.rows < 0) {
                ++uncounted;
            }
        }
    }
    if (small > 0) {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("{} with {} of waste in all {} too small to be worth it: less "
                                   "than {} of waste each.",
                                   small == 1 ? "One index" : fmt::format("{} indexes", small),
                                   formatBytes(smallBytes), small == 1 ? "is" : "are",
                                   formatBytes(kIndexWasteWorthIt))});
    }
    if (exclusions > 0) {
        events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("Left as they are, of indexes of {} and more: {} of exclusion "
                                   "constraints, which the server cannot build anew while they are "
                                   "in use. REINDEX INDEX does, and locks the table meanwhile.",
                                   formatBytes(kIndexWasteWorthIt), exclusions)});
    }
    if (others + uncounted == 0) return;
    std::vector<std::string> reasons;
    if (uncounted > 0) {
        reasons.push_back(fmt::format("of {} the server has no statistics (analyze {} first)",
                                      uncounted, uncounted == 1 ? "its table" : "their tables"));
    }
    if (others > 0) {
        reasons.push_back(fmt::format("{} no B-tree{}",
                                      others == 1 ? "one is" : fmt::format("{} are", others),
                                      others == 1 ? "" : "s"));
    }
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message = fmt::format("Not judged, of indexes of {} and more: {}. REINDEX INDEX "
                               "CONCURRENTLY builds one anew all the same.",
                               formatBytes(kIndexWasteWorthIt), fmt::join(reasons, "; "))});
}

/// Whoever asks for a table by its name, or what would be done, learns why it is nothing.
void VacuumRun::tellNothing() {
    if (!options_.plansItself()) return;
    std::vector<std::string> names;
    for (std::size_t place = 0; place < surveyed_.survey.tables.size(); ++place) {
        const TableFacts& table = surveyed_.survey.tables[place];
        if (needsSomething(place) || (table.catalog && !table.named)) continue;
        if (table.named && !table.ofNamed) {
            events_.post(
                events::Notice{.severity = events::Severity::Info,
                               .message = fmt::format("{} needs nothing: {}.", table.shownName(),
                                                      plan_.decisions[place].why())});
        } else if (options_.dryRun || table.named) {
            names.push_back(
                fmt::format("{} ({})", table.shownName(), plan_.decisions[place].why()));
        }
    }
    if (names.empty()) return;
    events_.post(events::Notice{
        .severity = events::Severity::Info,
        .message =
            fmt::format("Nothing is needed by {}: {}.",
                        names.size() == 1 ? "one table" : fmt::format("{} tables", names.size()),
                        firstFew(names))});
}

/// The server's age is that of its oldest database, also of one that we cannot enter.
void VacuumRun::tellClosed() {
    for (const ClosedDatabase& database : surveyed_.closed) {
        if (static_cast<double>(database.xidAge) <
            kOldShare * static_cast<double>(surveyed_.survey.server.freezeMaxAge)) {
            continue;
        }
        events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format(
                "Database {0} is left out, since it allows no connections, and its oldest row is "
                "{1} transactions behind. Autovacuum freezes it in time; to do it now: ALTER "
                "DATABASE {2} ALLOW_CONNECTIONS true, vacuum it with --freeze, then take that "
                "back.",
                database.name, formatCount(database.xidAge), pg::quoteIdentifier(database.name))});
    }
}

/// Who still sees rows that should have been removed is known best while it is in the way.
void VacuumRun::tellKept(pg::Connection& connection, const std::vector<std::size_t>& tables) {
    uint64_t kept = 0;
    bool catalogs = true;
    {
        const MutexLock lock(mutex_);
        for (const std::size_t place : tables) {
            const uint64_t rows = removed_.at(place).second.kept;
            kept += rows;
            if (rows > 0 && !surveyed_.survey.tables[place].catalog) catalogs = false;
        }
    }
    if (kept == 0) return;
    const auto holder = whoHoldsBack(connection, catalogs);
    if (!holder) return;
    events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("{} deleted rows could not be removed: {} may still see them.",
                               formatCount(kept), holder->who)});
}

std::optional<uint64_t> VacuumRun::wakesWalWriter() {
    if (longestWriting(plan_) < pg::kWorthAWaker) return std::nullopt;
    try {
        std::optional<pg::Connection> session = sessions_.take(0);
        if (!session) session = openSession(surveyed_.connections.front(), workerName(1), stop_);
        const std::optional<uint64_t> enough = pg::worthWaking(*session);
        sessions_.give(0, std::move(*session));
        return enough;
    } catch (const Error&) {
        return std::nullopt;  // a worker will say what is wrong
    }
}

void VacuumRun::runPlan() {
    const uint32_t jobs = plan_.proposals.jobs;
    run::Executor executor(
        plan::Scheduler(plan_.graph, jobs),
        run::Executor::Settings{.workers = jobs, .retries = kRetries},
        [this](WorkerId worker, const std::stop_token& stop) {
            return std::make_unique<Worker>(*this, worker, stop);
        },
        events_);
    executor.onFailure([this](const plan::Assignment& assignment, const ErrorInfo& error) {
        return judge(assignment, error);
    });
    executor_ = &executor;
    watch_ = std::make_unique<ProgressWatch>(surveyed_.connections.front(),
                                             surveyed_.survey.server.blockSize, events_, locks_,
                                             clock_, [this] { keepBudget(); });
    struct EndWatch {
        VacuumRun& run;
        ~EndWatch() {
            run.watch_.reset();
            run.executor_ = nullptr;
        }
    } const endWatch{*this};
    const std::stop_callback onStop(stop_, [&executor] { executor.stop(); });
    const std::optional<uint64_t> wakes = wakesWalWriter();
    keepBudget();  // before anything is begun
    executor.start();
    // After the workers, whom it must not take a connection.
    std::optional<pg::WalWriterWaker> waker;
    if (wakes) {
        waker.emplace(surveyed_.connections.front(),
                      pg::WalWriterWaker::Settings{
                          .application = "gantry vacuum: wakes the WAL writer", .enough = *wakes});
    }
    const run::RunControl::Attachment attachment(control_, executor);
    executor.wait();
    if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
}

run::Executor::OnFailure VacuumRun::judge(const plan::Assignment& assignment,
                                          const ErrorInfo& error) {
    const Step& step = plan_.steps[assignment.task.value];
    if (error.kind == ErrorKind::Connection) {
        if (!options_.allDatabases) return run::Executor::OnFailure::Stop;
        const MutexLock lock(mutex_);
        refused_.insert(step.database);
    } else if (error.kind == ErrorKind::Internal) {
        return run::Executor::OnFailure::Stop;
    }
    ErrorInfo told = error;
    if (told.object.empty()) told.object = plan_.graph[assignment.task].object;
    noteIgnored({assignment.task, assignment.chunk}, std::move(told));
    return run::Executor::OnFailure::GoOn;
}

void VacuumRun::keepBudget() {
    if (!deadline_ || executor_ == nullptr) return;
    std::vector<TaskId> late;
    {
        const MutexLock lock(mutex_);
        const double left = secondsOf(*deadline_ - clock_.now());
        const double correction = std::clamp((taken_ + kBasis) / (estimated_ + kBasis),
                                             kLeastCorrection, kMostCorrection);
        for (uint32_t i = 0; i < plan_.steps.size(); ++i) {
            const Step& step = plan_.steps[i];
            const TaskId id{i};
            if (!mayBeLeft(step) || begun_.contains(id) || withdrawn_.contains(id)) continue;
            if (step.seconds * correction > left) late.push_back(id);
        }
    }
    if (late.empty()) return;
    events::Plan told;
    executor_->withScheduler([&](plan::Scheduler& scheduler) {
        for (const TaskId id : late) {
            if (!scheduler.withdraw(id)) continue;
            const plan::Task& task = plan_.graph[id];
            events::PlannedTask left;
            left.task = id;
            left.kind = task.kind;
            left.object = task.object;
            left.withdrawn = true;
            left.note = "left: it would not be done in time";
            told.tasks.push_back(std::move(left));
        }
    });
    if (told.tasks.empty()) return;
    {
        const MutexLock lock(mutex_);
        for (const events::PlannedTask& task : told.tasks) withdrawn_.insert(task.task);
    }
    events_.post(std::move(told));
}

void VacuumRun::tellBudget() {
    std::vector<TaskId> left;
    {
        const MutexLock lock(mutex_);
        left.assign(withdrawn_.begin(), withdrawn_.end());
    }
    tellLeft(left, fmt::format("Left, since {} would not have been enough", options_.budget));
}

void VacuumRun::tellLeft(const std::vector<TaskId>& tasks, const std::string& words) {
    if (tasks.empty()) return;
    std::vector<std::pair<double, std::string>> left;
    for (const TaskId id : tasks) {
        left.emplace_back(plan_.steps[id.value].seconds, plan_.graph[id].object);
    }
    std::sort(left.rbegin(), left.rend());
    std::vector<std::string> names;
    for (const auto& [seconds, name] : left) {
        names.push_back(fmt::format("{} (about {})", name, formatDuration(ofSeconds(seconds))));
    }
    events_.post(events::Notice{.severity = events::Severity::Warning,
                                .message = fmt::format("{}: {}.", words, firstFew(names))});
}

/// What the tables are like now, asked once for each database.
void VacuumRun::tellOutcomes() {
    std::map<uint32_t, std::vector<std::size_t>> tables;
    std::map<uint32_t, std::vector<Oid>> measured;
    std::map<uint32_t, std::vector<Oid>> withToast;
    {
        const MutexLock lock(mutex_);
        for (const auto& [place, outcome] : removed_) {
            const TableFacts& table = surveyed_.survey.tables[place];
            tables[table.database].push_back(place);
            // Indexes become smaller only where they are built anew.
            const bool rewritten = plan_.steps[outcome.first.task.value].full ||
                                   !plan_.decisions[place].reindex.empty();
            if (!table.sizeRemembered || rewritten) measured[table.database].push_back(table.oid);
            if (table.toastDead > 0) withToast[table.database].push_back(table.oid);
        }
    }
    for (const auto& [database, places] : tables) {
        std::map<Oid, TableState> states;
        try {
            std::optional<pg::Connection> connection = sessions_.take(database);
            if (!connection) {
                connection.emplace(openSession(surveyed_.connections.at(database),
                                               "gantry vacuum: outcome", stop_));
            }
            connection->stopOn(stop_);
            states = readStates(*connection, measured[database], withToast[database]);
            tellKept(*connection, places);
            sessions_.close(std::move(*connection));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            continue;  // the work is done, only its outcome stays untold
        }
        const MutexLock lock(mutex_);
        for (const std::size_t place : places) {
            const TableFacts& table = surveyed_.survey.tables[place];
            const auto state = states.find(table.oid);
            if (state == states.end()) continue;
            const auto& [span, removed] = removed_.at(place);
            // What is remembered of before may be out of date: no vacuum makes a table larger.
            const uint64_t after =
                state->second.bytes + state->second.indexBytes.value_or(table.indexBytes());
            const uint64_t before =
                table.sizeRemembered ? std::max(table.bytes(), after) : table.bytes();
            uint64_t rows = removed.rows;
            if (!removed.told) {
                const uint64_t dead = table.deadRows + table.toastDead;
                rows = std::max(rows, dead - std::min(dead, state->second.deadRows));
                rows_ += rows - removed.rows;
            }
            events_.post(events::VacuumOutcome{.span = span,
                                               .relation = table.shownName(),
                                               .rowsRemoved = rows,
                                               .rowsKept = removed.kept,
                                               .bytesBefore = before,
                                               .bytesAfter = after,
                                               .xidAgeBefore = table.xidAge,
                                               .xidAgeAfter = state->second.xidAge});
            uint64_t& oldest = oldestAfter_[database];
            oldest = std::max(oldest, state->second.xidAge);
        }
    }
}

/// The age of a database is that of its oldest table, whatever became of the others.
void VacuumRun::tellOldestLeft() {
    constexpr uint64_t kAlarming = 2;  // part of what forces autovacuum
    const MutexLock lock(mutex_);
    const TableFacts* oldest = nullptr;
    for (const Step& step : plan_.steps) {
        if (!step.vacuum || step.toastAlone) continue;
        for (const std::size_t place : step.tables) {
            const TableFacts& table = surveyed_.survey.tables[place];
            const auto after = oldestAfter_.find(table.database);
            const bool younger = after != oldestAfter_.end() && table.xidAge <= after->second;
            if (settled_.contains(place) || younger) continue;
            if (oldest == nullptr || table.xidAge > oldest->xidAge) oldest = &table;
        }
    }
    if (oldest == nullptr) return;
    const bool alarming = oldest->xidAge >= surveyed_.survey.server.freezeMaxAge / kAlarming;
    const options::VacuumSelection& s = options_.selection;
    const bool all = s.tables.empty() && s.schemas.empty() && s.excludeSchemas.empty();
    events_.post(events::Notice{
        .severity = alarming ? events::Severity::Warning : events::Severity::Info,
        .message =
            fmt::format("{} was not vacuumed: its oldest row stays {} transactions behind{}.",
                        oldest->shownName(), formatCount(oldest->xidAge),
                        all ? ", and with it the database's" : "")});
}

void VacuumRun::noteIgnored(const events::Span& span, ErrorInfo error) {
    ++ignoredErrors_;
    events_.post(events::ErrorIgnored{.span = span, .error = std::move(error)});
}

void VacuumRun::noteRemoved(const events::Span& span, const std::vector<Removed>& removed) {
    const MutexLock lock(mutex_);
    for (const Removed& one : removed) {
        auto& [known, sum] = removed_[one.table];
        known = span;
        sum.table = one.table;
        sum.rows += one.rows;
        sum.kept += one.kept;
        sum.indexPasses = std::max(sum.indexPasses, one.indexPasses);
        sum.told = sum.told && one.told;
    }
}

void VacuumRun::noteDone(TaskId task, Duration took) {
    {
        const MutexLock lock(mutex_);
        estimated_ += plan_.steps[task.value].seconds;
        taken_ += secondsOf(took);
    }
    // Before the worker asks for more.
    keepBudget();
}

void VacuumRun::noteSettled(std::size_t place) {
    const MutexLock lock(mutex_);
    settled_.insert(place);
}

bool VacuumRun::isRefused(uint32_t database) const {
    const MutexLock lock(mutex_);
    return refused_.contains(database);
}

run::Throttle VacuumRun::throttle() const {
    run::Throttle throttle = control_ != nullptr ? control_->throttle() : run::Throttle{};
    if (!throttle.costDelay) throttle.costDelay = options_.costDelay;
    if (!throttle.costLimit) throttle.costLimit = options_.costLimit;
    return throttle;
}

/// "public.t is left out: session 4711 (…) has it locked".
std::string VacuumRun::whyLeftOut(pg::Connection& connection, const Step& step,
                                  const SkippedTable& skipped) const {
    const Survey& survey = surveyed_.survey;
    for (const std::size_t place : step.tables) {
        const TableFacts& known = survey.tables[place];
        // Of several that the message fits, the one that is locked.
        const bool meant =
            skipped.table ? *skipped.table == place : known.name == skipped.said.table;
        if (!meant) continue;
        const std::string session = holderOf(connection, known.oid);
        if (session.empty()) continue;
        return fmt::format("{} is left out: {} has it locked", known.shownName(), session);
    }
    return fmt::format(
        "{} is left out: somebody has it locked",
        skipped.table ? survey.tables[*skipped.table].shownName() : skipped.said.table);
}

events::RunFinished VacuumRun::totals() const {
    return {.outcome =
                ignoredErrors_ > 0 ? events::Outcome::CompletedWithErrors : events::Outcome::Clean,
            .error = std::nullopt,
            .bytes = bytes_,
            .compressedBytes = 0,
            .rows = rows_,
            .relations = relations_,
            .largeObjects = 0,
            .ignoredErrors = ignoredErrors_};
}

}  // namespace gantry::vacuum
