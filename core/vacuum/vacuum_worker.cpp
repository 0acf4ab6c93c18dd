// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/vacuum_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/pg/relation_size.h"
#include "core/pg/sql_state.h"
#include "core/vacuum/read_facts.h"
#include "core/vacuum/statement.h"

namespace gantry::vacuum {
namespace {

/// From this version on VERBOSE leaves indexes to messages of a lower level.
constexpr int kQuietIndexes = 15;

constexpr std::string_view kApplications = "gantry vacuum: ";

bool saysItIsGone(const Error& error) {
    const std::string& state = error.info().sqlState;
    return state == pg::sql_state::kUndefinedTable || state == pg::sql_state::kUndefinedObject ||
           state == pg::sql_state::kUndefinedSchema;
}

}  // namespace

VacuumRun::Worker::Worker(VacuumRun& run, WorkerId worker, std::stop_token stop)
    : run_(run), worker_(worker), stop_(std::move(stop)) {
    // One that refuses by now is an error of its own tables alone.
    const auto databases = static_cast<uint32_t>(run_.surveyed_.connections.size());
    for (uint32_t database = 0; !connection_; ++database) {
        try {
            connect(database);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Connection || database + 1 >= databases) throw;
        }
    }
}

/// What it leaves behind looks at the outcome.
VacuumRun::Worker::~Worker() {
    if (!connection_ || !sound_ || !connection_->alive()) return;
    connection_->setNoticeObserver([](const pg::ServerNotice&) {});
    run_.sessions_.give(database_, std::move(*connection_));
}

void VacuumRun::Worker::connect(uint32_t database) {
    connection_.reset();
    settings_.clear();
    rename_.clear();
    const std::string name = workerName(worker_.value);
    if ((connection_ = run_.sessions_.take(database))) {
        // One that was opened for something else; a name that the user gave stays.
        const std::string now = connection_->applicationName();
        if (now != name && now.starts_with(kApplications)) {
            rename_ = fmt::format("SET application_name = {};", pg::quoteLiteral(name));
        }
    } else {
        connection_.emplace(openSession(run_.surveyed_.connections.at(database), name, stop_));
    }
    database_ = database;
    pid_ = connection_->backendPid();
}

run::TaskResult VacuumRun::Worker::run(const plan::Assignment& assignment, uint32_t attempt,
                                       std::stop_token stop) {
    const Step& step = run_.plan_.steps[assignment.task.value];
    const events::Span span{assignment.task, assignment.chunk};
    if (step.kind == Step::Kind::Barrier) return {};
    {
        const MutexLock lock(run_.mutex_);
        run_.begun_.insert(assignment.task);
    }
    if (run_.isRefused(step.database)) {
        throw Error(ErrorKind::Server, "its database could not be reached before");
    }
    if (step.database != database_) connect(step.database);
    connection_->stopOn(stop);
    const Duration began = run_.clock_.now();
    waited_ = {};
    again_ = attempt > 0;
    run::TaskResult result;
    switch (step.kind) {
        case Step::Kind::Tables:
            result = vacuumTables(step, span);
            break;
        case Step::Kind::Reindex:
            reindex(step, span);
            result.bytes = run_.plan_.graph[assignment.task].bytes;
            break;
        case Step::Kind::DropIndex:
            dropLeftover(step, span);
            break;
        case Step::Kind::Database:
            execute(step, span, nullptr);
            break;
        case Step::Kind::Barrier:
            break;
    }
    run_.bytes_ += result.bytes;
    run_.rows_ += result.rows;
    run_.noteDone(assignment.task, std::max(run_.clock_.now() - began - waited_, Duration{}));
    return result;
}

run::TaskResult VacuumRun::Worker::vacuumTables(const Step& step, const events::Span& span) {
    run::TaskResult result;
    result.bytes = run_.plan_.graph[span.task].bytes;
    try {
        result.rows = carryOut(step, span);
        return result;
    } catch (const Error& error) {
        const bool ofStatement = error.info().connectionUsable && error.kind() == ErrorKind::Server;
        // Whoever cancels means all of it.
        if (!ofStatement || error.info().sqlState == pg::sql_state::kQueryCanceled ||
            (step.tables.size() == 1 && !saysItIsGone(error))) {
            throw;
        }
        if (step.tables.size() == 1) {
            const TableFacts& table = run_.surveyed_.survey.tables[step.tables.front()];
            const std::string now = nameOf(*connection_, step.toastAlone ? table.toast : table.oid);
            if (!step.toastAlone && now == table.displayName()) throw;  // something else is gone
            tellGone(now, table.shownName(), span);
            run_.noteSettled(step.tables.front());
            return {};
        }
    }
    // One of them made the whole statement fail: which one turns out one by one.
    for (const std::size_t table : step.tables) {
        Step one = step;
        one.tables = {table};
        try {
            result.rows += vacuumTables(one, span).rows;
        } catch (const Error& error) {
            if (!error.info().connectionUsable || error.kind() != ErrorKind::Server) throw;
            ErrorInfo info = error.info();
            info.object = run_.surveyed_.survey.tables[table].shownName();
            run_.noteIgnored(span, std::move(info));
        }
    }
    return result;
}

uint64_t VacuumRun::Worker::carryOut(const Step& step, const events::Span& span) {
    const auto telling =
        std::make_shared<Telling>(step, run_.surveyed_.survey, span, run_.events_, run_.clock_);
    execute(step, span, telling);
    tellSkipped(step, span, *telling);
    std::set<std::size_t> leftOut;
    std::size_t oneOfSeveral = 0;  // left out, of tables with the same name
    for (const SkippedTable& skipped : telling->skipped()) {
        if (!skipped.said.leftOut()) continue;
        if (skipped.table) {
            leftOut.insert(*skipped.table);
        } else {
            ++oneOfSeveral;
        }
    }
    std::vector<Removed> removed = telling->removed();
    if (step.vacuum && !isVerbose(step, run_.surveyed_.survey.server.major())) {
        for (const std::size_t place : step.tables) {
            if (leftOut.contains(place)) continue;
            removed.push_back({.table = place, .told = false});
        }
    }
    // What an attempt that was cut short has removed is in nobody's words.
    if (again_) std::for_each(removed.begin(), removed.end(), [](Removed& r) { r.told = false; });
    run_.noteRemoved(span, removed);
    for (const std::size_t place : step.tables) {
        if (!leftOut.contains(place) && !step.toastAlone) run_.noteSettled(place);
    }
    if (step.stage <= 1) {  // a relation is one, however many stages it goes through
        run_.relations_ +=
            step.tables.size() - std::min(leftOut.size() + oneOfSeveral, step.tables.size());
    }
    uint64_t rows = 0;
    for (const Removed& one : removed) rows += one.rows;
    return rows;
}

/// Nothing has that name any more; `now` is the new one, or empty. What was dropped needs no
/// vacuum, what was renamed still does.
void VacuumRun::Worker::tellGone(const std::string& now, const std::string& name,
                                 const events::Span& span) {
    if (now.empty()) {
        run_.events_.post(events::Notice{
            .severity = events::Severity::Info,
            .message = fmt::format("{} is not there any more: it was dropped meanwhile", name)});
        return;
    }
    ErrorInfo error;
    error.kind = ErrorKind::Server;
    error.object = name;
    error.message = fmt::format("it was renamed meanwhile, to {}, and is left as it was", now);
    error.hint = "Run the vacuum again.";
    run_.noteIgnored(span, std::move(error));
}

void VacuumRun::Worker::set(const std::string& settings) {
    if (settings == settings_ && rename_.empty()) return;
    settings_.clear();  // unknown, should it fail
    if (!settings.empty()) echo(settings);
    connection_->execute(std::exchange(rename_, {}) + settings);
    settings_ = settings;
}

void VacuumRun::Worker::echo(const std::string& statement) {
    if (!run_.options_.echo) return;
    run_.events_.post(events::Notice{.severity = events::Severity::Info, .message = statement});
}

void VacuumRun::Worker::execute(const Step& step, const events::Span& span,
                                const std::shared_ptr<Telling>& telling) {
    const Survey& survey = run_.surveyed_.survey;
    std::string settings = settingsFor(step, run_.plan_.proposals);
    const run::Throttle throttle = run_.throttle();
    if (throttle.costDelay) {
        settings += fmt::format("SET vacuum_cost_delay = {};", *throttle.costDelay);
    } else if (step.stage == 0) {
        settings += "RESET vacuum_cost_delay;";
    }
    settings += throttle.costLimit ? fmt::format("SET vacuum_cost_limit = {};", *throttle.costLimit)
                                   : "RESET vacuum_cost_limit;";
    const bool single = step.tables.size() == 1;
    const TableFacts* table = step.tables.empty() ? nullptr : &survey.tables[step.tables.front()];
    // What is left out is told by a warning, whatever the role or the database has set.
    const bool listens = survey.server.major() >= kQuietIndexes && single && step.vacuum &&
                         !step.full && !table->indexes.empty();
    settings += listens ? "SET client_min_messages = debug2;" : "SET client_min_messages = notice;";
    // Before it listens: setting up is of no interest.
    connection_->setNoticeObserver([](const pg::ServerNotice&) {});
    set(settings);
    if (telling) {
        connection_->setNoticeObserver(
            [telling](const pg::ServerNotice& notice) { telling->hear(notice); });
    }
    const bool visitsToast = single && (step.withToast || step.toastAlone);
    run_.watch_->watch(pid_, {.span = span,
                              .table = table,
                              .single = single,
                              .estimatedBytes = run_.plan_.graph[span.task].bytes,
                              .toastBytes = visitsToast ? table->toastBytes : 0,
                              .visitedAgain = single ? bytesVisitedAgain(step, *table) : 0,
                              .telling = telling});
    struct Forget {
        ProgressWatch& watch;
        const int32_t pid;
        ~Forget() { watch.forget(pid); }
    } const forget{*run_.watch_, pid_};
    run::LockObserver::AtWork atWork(run_.locks_, worker_, span, pid_);
    struct CountWait {  // of a statement that fails, too
        run::LockObserver::AtWork& atWork;
        Duration& waited;
        ~CountWait() { waited += atWork.endWait(); }
    } const countWait{atWork, waited_};
    const std::string statement = statementOf(step, survey, run_.options_, run_.plan_.proposals);
    echo(statement + ";");
    run_.events_.post(events::TaskStatement{.span = span, .statement = statement});
    sound_ = false;
    try {
        connection_->execute(statement);
    } catch (const Error& error) {
        // The run goes on: who vacuums the table next, and may skip what is locked, is not to
        // meet this statement. The next one of its session waits for its end.
        if (error.kind() == ErrorKind::Cancelled && !stop_.stop_requested()) {
            connection_->stopOn(stop_);
            connection_->execute("SELECT 1");
        }
        throw;
    }
    sound_ = true;
}

void VacuumRun::Worker::tellSkipped(const Step& step, const events::Span& span,
                                    const Telling& telling) {
    for (const auto& [said, table] : telling.skipped()) {
        const std::string name =
            table ? run_.surveyed_.survey.tables[*table].shownName() : said.table;
        switch (said.why) {
            case Skipped::Why::Locked:
                run_.events_.post(
                    events::Notice{.severity = events::Severity::Warning,
                                   .message = run_.whyLeftOut(*connection_, step, {said, table})});
                break;
            case Skipped::Why::Gone:
                run_.events_.post(events::Notice{
                    .severity = events::Severity::Info,
                    .message =
                        fmt::format("{} is not there any more: it was dropped meanwhile", name)});
                if (table) run_.noteSettled(*table);
                break;
            case Skipped::Why::NotPermitted: {
                ErrorInfo error;
                error.kind = ErrorKind::Server;
                error.object = name;
                error.message = "you may not vacuum or analyze it";
                error.hint =
                    "Run it as its owner or a superuser, or be granted MAINTAIN on it (from "
                    "version 17 on).";
                run_.noteIgnored(span, std::move(error));
                break;
            }
            case Skipped::Why::Other:
                run_.events_.post(events::Notice{.severity = events::Severity::Warning,
                                                 .message = name + ": " + said.message});
                break;
        }
    }
}

void VacuumRun::Worker::reindex(const Step& step, const events::Span& span) {
    try {
        execute(step, span, nullptr);
    } catch (const Error& error) {
        if (saysItIsGone(error)) {
            const TableFacts& table = run_.surveyed_.survey.tables[step.tables.front()];
            const IndexFacts& index = indexOf(step, table);
            const std::string now = nameOf(*connection_, index.oid);
            if (now != table.schema + "." + index.name) {
                tellGone(now, run_.plan_.graph[span.task].object, span);
                return;
            }
        }
        dropUnfinished(step);
        throw;
    }
    ++run_.relations_;
    try {
        tellIndex(step, span);
    } catch (const Error&) {
        sound_ = false;  // it is built all the same, only its size stays untold
    }
}

/// How large it has become; nothing of one that is gone again.
void VacuumRun::Worker::tellIndex(const Step& step, const events::Span& span) {
    const TableFacts& table = run_.surveyed_.survey.tables[step.tables.front()];
    const IndexFacts& index = indexOf(step, table);
    uint64_t bytes = 0;
    if (step.kind == Step::Kind::Reindex) {
        // It has another OID now.
        const pg::Result r = connection_->query(
            std::string(pg::kTakenRelations) +
                fmt::format("SELECT {} FROM pg_catalog.pg_class x"
                            " JOIN pg_catalog.pg_namespace n ON n.oid = x.relnamespace"
                            " JOIN pg_catalog.pg_index i ON i.indexrelid = x.oid"
                            " JOIN pg_catalog.pg_class c ON c.oid = i.indrelid"
                            " WHERE n.nspname = $1 AND x.relname = $2",
                            pg::sizeWithoutWaiting("x", "c")),
            {table.schema, index.name});
        if (r.rows() == 0) return;
        bytes = r.number(0, 0);
    }
    run_.events_.post(events::VacuumOutcome{.span = span,
                                            .relation = run_.plan_.graph[span.task].object,
                                            .index = true,
                                            .bytesBefore = index.bytes,
                                            .bytesAfter = bytes});
}

/// Whoever builds or rebuilds an index of the table now would lose it, or wait for us for ever.
void VacuumRun::Worker::dropLeftover(const Step& step, const events::Span& span) {
    const TableFacts& table = run_.surveyed_.survey.tables[step.tables.front()];
    const std::string holder = holderOf(*connection_, step.toastAlone ? table.toast : table.oid);
    if (holder.empty()) {
        execute(step, span, nullptr);
        tellIndex(step, span);
        return;
    }
    run_.events_.post(events::Notice{
        .severity = events::Severity::Warning,
        .message = fmt::format("Index {} stays: {} is at work on {} and may be building it. Run "
                               "this again when that is over.",
                               run_.plan_.graph[span.task].object, holder, table.shownName())});
}

/// The copy that an interrupted rebuild leaves takes space and every write, and serves nobody.
void VacuumRun::Worker::dropUnfinished(const Step& step) {
    const TableFacts& table = run_.surveyed_.survey.tables[step.tables.front()];
    const std::string& index = table.indexes[step.index].name;
    std::string copy;
    try {
        pg::Connection connection =
            openSession(run_.surveyed_.connections.at(step.database), "gantry vacuum: tidy up", {});
        const pg::Result left = connection.query(
            "SELECT x.relname FROM pg_catalog.pg_index i"
            " JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid"
            " WHERE i.indrelid = $1::pg_catalog.oid AND NOT i.indisvalid"
            " AND pg_catalog.starts_with(x.relname::pg_catalog.text, pg_catalog.left($2, 50))"
            " AND x.relname::pg_catalog.text OPERATOR(pg_catalog.~) '_cc(new|old)[0-9]*$'",
            {std::to_string(table.oid.value), index});
        for (int row = 0; row < left.rows(); ++row) {
            copy = left.string(row, 0);
            connection.execute("SET lock_timeout = '500ms'; SET statement_timeout = '1s'");
            connection.execute("DROP INDEX CONCURRENTLY IF EXISTS " +
                               pg::quoteQualified(table.schema, copy));
        }
    } catch (const Error&) {
        if (copy.empty()) copy = index + "_ccnew";
        run_.events_.post(events::Notice{
            .severity = events::Severity::Warning,
            .message = fmt::format("An unfinished copy of index {}.{} may be left as {}: "
                                   "--reindex-concurrently drops it.",
                                   table.schema, index, copy)});
    }
}

}  // namespace gantry::vacuum
