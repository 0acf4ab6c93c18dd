// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/archive/frame_watcher.h"
#include "core/archive/identifier.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/pg/secrets.h"
#include "core/restore/error_causes.h"
#include "core/restore/rewrites.h"
#include "core/restore/statement_splitter.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

/// Definitions go out in transactions of so many entries.
constexpr std::size_t kEntriesPerTransaction = 100;
constexpr std::chrono::milliseconds kProgressInterval{100};
constexpr std::size_t kObjectPart = std::size_t{1} << 20;
constexpr archive::ArchiveVersion kObjectsHaveEntries{1, 12, 0};

/// What a repeated statement meets if its first attempt had succeeded unseen.
bool saysItExists(const TocEntry& entry, const Error& error) {
    const std::string& state = error.info().sqlState;
    const std::string_view desc = entry.description();
    // Not every kind of object has a word of its own for it.
    if (desc.starts_with("TEXT SEARCH") || desc.starts_with("BLOB")) return state == "23505";
    if (desc == "TABLE ATTACH" && state == "42809") return true;
    if (desc == "SEQUENCE" && state == "55000") return true;
    return state == "42P07" || state == "42710" || state == "42723" || state == "42P06" ||
           state == "42P16" || state == "42701";
}

std::string schemaName(const TocEntry& entry) {
    return archive::formatIdentifier(entry.namespaceName.value_or(""));
}

std::string tableName(const TocEntry& entry) {
    return schemaName(entry) + "." + archive::formatIdentifier(entry.name());
}

[[noreturn]] void throwInDoubt(const TocEntry& entry) {
    throw Error(ErrorKind::Server,
                "the connection was lost while its rows were being committed: whether they are "
                "there is not known",
                entry.qualifiedName(),
                "Compare the number of its rows with the archive's: gantryctl list.");
}

/// The rows are at fault, or the server has no room or time for them: any other wording would meet
/// the same, hours later.
bool isOfRowsOrRoom(const Error& error) {
    const std::string_view state = error.info().sqlState;
    return isOneOf(state.substr(0, 2), {"22", "23", "40", "53", "54", "55", "57", "58"});
}

/// What the server is asked to do; empty of several entries together, and of rows, which are sent
/// as the table allows.
std::string statementOf(const Step& step) {
    if (step.entries.size() != 1) return {};
    const TocEntry& entry = *step.entries.front();
    const std::string& definition = entry.defn.value_or("");
    switch (step.kind) {
        case Step::Kind::Define:
            return definition;
        case Step::Kind::BuildIndex:
            return splitKey(definition)->buildIndex;
        case Step::Kind::AttachKey:
            return splitKey(definition)->attach;
        case Step::Kind::AddForeignKey:
            return splitForeignKey(definition)->add;
        case Step::Kind::ValidateForeignKey:
            return splitForeignKey(definition)->validate;
        case Step::Kind::Analyze:
            return "ANALYZE " + tableName(entry);
        case Step::Kind::Rows:
        case Step::Kind::LargeObjects:
        case Step::Kind::Barrier:
            break;
    }
    return {};
}

void add(run::TaskResult& sum, const run::TaskResult& part) {
    sum.bytes += part.bytes;
    sum.rows += part.rows;
}

}  // namespace

RestoreRun::Worker::Worker(RestoreRun& run, WorkerId worker, const std::stop_token& stop)
    : run_(run),
      worker_(worker),
      own_(run.spansEntries()
               ? nullptr
               : std::make_unique<RestoreSession>(
                     run.target_, fmt::format("gantry restore: worker {}", worker.value), stop)),
      session_(own_ ? *own_ : *run.coordinator_),
      pid_(session_.connection().backendPid()) {}

run::TaskResult RestoreRun::Worker::run(const plan::Assignment& assignment, uint32_t attempt,
                                        std::stop_token stop) {
    const run::LockObserver::AtWork atWork(run_.locks_, worker_,
                                           {assignment.task, assignment.chunk}, pid_);
    const Job job{.step = run_.steps_[assignment.task.value],
                  .span = {assignment.task, assignment.chunk},
                  .attempt = attempt,
                  .stop = stop};
    const std::string statement = pg::withoutSecrets(statementOf(job.step));
    if (!statement.empty()) {
        run_.events_.post(events::TaskStatement{.span = job.span, .statement = statement});
    }
    switch (job.step.kind) {
        case Step::Kind::Define:
            define(job);
            break;
        case Step::Kind::Rows:
            return loadRows(job);
        case Step::Kind::LargeObjects:
            return loadLargeObjects(job);
        case Step::Kind::BuildIndex:
            buildIndex(job);
            break;
        case Step::Kind::AttachKey:
            attachKey(job);
            break;
        case Step::Kind::AddForeignKey:
            addForeignKey(job);
            break;
        case Step::Kind::ValidateForeignKey:
            validateForeignKey(job);
            break;
        case Step::Kind::Analyze:
            analyze(job);
            break;
        case Step::Kind::Barrier:
            break;
    }
    return {};
}

OnEntryFailure RestoreRun::Worker::passOver(const Job& job) {
    return [this, job](const TocEntry& entry, const Error& error) {
        // Of the first attempt only what was under way is in doubt; a table that was there before
        // the run is never taken for ours.
        if (!run_.mayBeDone(job.attempt) || !saysItExists(entry, error) || !mayBeOurs(entry)) {
            run_.noteFailure(job.span, entry, error);
            return;
        }
        try {
            finishHalf(entry);
            run_.noteStanding({&entry});
        } catch (const Error& reason) {
            if (!isOfStatement(reason)) throw;
            run_.noteFailure(job.span, entry, reason);
        }
    };
}

bool RestoreRun::Worker::mayBeOurs(const TocEntry& entry) {
    if (!run_.earlier_) return !run_.seen_.relations.contains(entry.qualifiedName());
    return entry.description() != "TABLE" || run_.earlierTables_.contains(entry.qualifiedName());
}

/// What stands of a constraint may be the first half that an earlier run was killed after. This one
/// may plan it in one step.
void RestoreRun::Worker::finishHalf(const TocEntry& entry) {
    if (entry.description() == "CONSTRAINT" && splitKey(entry.defn.value_or(""))) {
        makeKey(entry);
    } else if (entry.description() == "FK CONSTRAINT" && splitForeignKey(entry.defn.value_or(""))) {
        validate(entry);
    }
}

TableLoad::Progress RestoreRun::Worker::progressOf(const events::Span& span) {
    return [this, span, last = std::chrono::steady_clock::now()](uint64_t bytes,
                                                                 uint64_t rows) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kProgressInterval) return;
        last = now;
        run_.events_.post(
            events::TaskProgress{.span = span, .bytes = bytes, .rows = rows, .estimatedBytes = 0});
    };
}

const archive::DataMember& RestoreRun::Worker::memberOf(const TocEntry& entry) const {
    const auto found = run_.members_.find(entry.dumpId);
    if (found != run_.members_.end()) return *found->second.front();
    checkThere(entry);
    throw Error(ErrorKind::Format, "the archive has no data for it", entry.qualifiedName(),
                kVerifyTells);
}

void RestoreRun::Worker::checkThere(const TocEntry& entry) const {
    for (const archive::MissingMember& missing : run_.reader_->missing()) {
        if (missing.entry != entry.dumpId) continue;
        throw Error(ErrorKind::Format, missing.problem, missing.name, kVerifyTells);
    }
}

/// An index is built with the server's helpers only as far as workers of this run leave processors
/// to them: beside other tasks they would make the whole slower.
void RestoreRun::Worker::allowHelpers() {
    if (run_.jobs_ == 1 || run_.mostHelpers_ == 0) return;
    const uint32_t idle = run_.jobs_ - std::min(run_.jobs_, run_.locks_.busy());
    const uint64_t helpers = std::min<uint64_t>(idle, run_.mostHelpers_);
    if (helpers_ == helpers) return;
    session_.connection().execute(
        fmt::format("SET max_parallel_maintenance_workers = {}", helpers));
    helpers_ = helpers;
}

void RestoreRun::Worker::define(const Job& job) {
    allowHelpers();
    std::vector<const TocEntry*> all = job.step.entries;
    std::erase_if(all, [&](const TocEntry* entry) {  // an attempt before has dealt with it
        return run_.ledger_.isDone(*entry) || run_.ledger_.hasFailed(*entry);
    });
    const bool together = !run_.options_.noBatches && !session_.spansEntries();
    const std::size_t most = run_.options_.transactionSize
                                 ? static_cast<std::size_t>(*run_.options_.transactionSize)
                                 : kEntriesPerTransaction;
    for (std::size_t at = 0; at < all.size(); at += most) {
        const auto part = std::span(all).subspan(at, std::min(most, all.size() - at));
        if (all.size() > most) {
            run_.events_.post(events::TaskPhase{.span = job.span,
                                                .phase = fmt::format("{} of {}", at, all.size())});
        }
        const auto onStanding = [this](const auto& entries) { run_.noteStanding(entries); };
        session_.define(part, together, onStanding, passOver(job));
    }
}

run::TaskResult RestoreRun::Worker::loadRows(const Job& job) {
    run::TaskResult result;
    if (job.step.entries.size() == 1) {
        result = loadRowsOf(job, *job.step.entries.front());
    } else if (!loadTogether(job, result)) {
        result = {};
        for (const TocEntry* entry : job.step.entries) {
            if (run_.ledger_.isDone(*entry) || run_.ledger_.hasFailed(*entry)) continue;
            try {
                add(result, loadRowsOf(job, *entry));
            } catch (const Error& error) {
                if (error.retryable() || error.kind() == ErrorKind::Cancelled) throw;
                run_.noteFailure(job.span, *entry, error);
            }
        }
    }
    return result;
}

bool RestoreRun::Worker::loadTogether(const Job& job, run::TaskResult& result) {
    if (job.attempt > 0 || run_.disablesTriggers()) return false;
    if (run_.earlier_ && !std::all_of(job.step.entries.begin(), job.step.entries.end(),
                                      [this](const TocEntry* entry) {
                                          return run_.ledger_.createdTableOf(*entry);
                                      })) {
        return false;
    }
    const TableLoad::Progress progress = progressOf(job.span);
    bool copying = false;
    try {
        session_.connection().execute("BEGIN");
        for (const TocEntry* entry : job.step.entries) {
            if (run_.isInhibited(*entry)) continue;
            const auto source = openRows(*run_.reader_, memberOf(*entry));
            if (source->expectedRows() == uint64_t{0}) continue;
            archive::Statements before;
            session_.statements().prepareRows(*entry, before);
            session_.execute(before);
            session_.connection().beginCopyIn(entry->copyStmt.value_or(""));
            copying = true;
            Buffer batch;
            while (source->next(batch)) {
                session_.connection().putCopyData(batch.span());
                result.bytes += batch.size();
            }
            copying = false;
            const uint64_t rows = session_.connection().endCopyIn();
            if (rows != source->expectedRows().value_or(rows)) {
                session_.rollback();
                return false;
            }
            result.rows += rows;
            progress(result.bytes, result.rows);
        }
        for (const TocEntry* entry : job.step.entries) run_.ledger_.committing(*entry);
        session_.connection().commit();
        run_.count(result);
        std::vector<const TocEntry*> loaded = job.step.entries;
        std::erase_if(loaded, [&](const TocEntry* entry) { return run_.isInhibited(*entry); });
        run_.noteDone(loaded);
    } catch (const Error& error) {
        if (!isOfStatement(error) && error.kind() != ErrorKind::Format) throw;
        if (copying && error.kind() == ErrorKind::Format) session_.connection().abandonCopyIn();
        session_.rollback();
        // A deferred constraint of one table refuses the commit of all: none is in doubt for it.
        for (const TocEntry* entry : job.step.entries) run_.ledger_.notCommitted(*entry);
        return false;
    }
    run_.relations_ += job.step.entries.size();
    return true;
}

run::TaskResult RestoreRun::Worker::loadRowsOf(const Job& job, const TocEntry& entry) {
    if (run_.isInhibited(entry)) return {};
    try {
        return tryToLoad(job, entry);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Format) throw;
        ErrorInfo damage = error.info();
        damage.message += "; none of its rows were loaded";
        throw Error(std::move(damage));
    }
}

run::TaskResult RestoreRun::Worker::tryToLoad(const Job& job, const TocEntry& entry) {
    const archive::DataMember& member = memberOf(entry);
    if (!run_.ledger_.createdTableOf(entry)) {
        if (run_.ledger_.isInDoubt(entry)) throwInDoubt(entry);
        if (run_.earlier_ && loadedEarlier(entry, member)) {
            run_.noteDone({&entry});
            return {};
        }
    }
    if (entry.copyStmt.value_or("").empty()) return runStatements(job, entry, member);
    const bool alone = job.step.entries.size() > 1;
    const bool disable = disablesTriggersOf(job, entry);
    const auto load = alone ? run_.makeLoad(entry, member, false, disable)
                            : run_.loadOf(job.span.task, entry, member, disable);
    const auto tell = [this, &job](const std::string& statement) {
        run_.events_.post(events::TaskStatement{.span = job.span, .statement = statement});
    };
    const run::TaskResult result = load->run(
        session_, job.attempt, {.statement = tell, .progress = progressOf(job.span)}, job.stop);
    run_.count(result);
    if (load->takeWhole()) {
        ++run_.relations_;
        run_.noteDone({&entry});
    }
    return result;
}

/// Its rows may have been committed without a word of it in the record.
bool RestoreRun::Worker::loadedEarlier(const TocEntry& entry, const archive::DataMember& member) {
    session_.becomeOneself();
    const uint64_t there = run_.rowsSinceEarlierRun(session_.connection(), tableName(entry));
    if (there == 0) return false;
    if (!entry.copyStmt.value_or("").empty() && countRows(*run_.reader_, member) == there) {
        return true;
    }
    throw Error(ErrorKind::Server,
                fmt::format("it holds {} rows that came since the interrupted restore began: "
                            "whether those of the archive are among them is not known",
                            formatCount(there)),
                entry.qualifiedName(),
                "Compare the number of its rows with the archive's: gantryctl list.");
}

/// Who may not disable the triggers of a table loads it all the same, as with pg_restore.
bool RestoreRun::Worker::disablesTriggersOf(const Job& job, const TocEntry& entry) {
    if (!run_.disablesTriggers() || run_.seen_.superuser || run_.spansEntries()) {
        return run_.disablesTriggers();
    }
    try {
        archive::Statements trial;
        session_.begin();
        session_.statements().disableTriggers(entry, run_.options_.superuser, trial);
        session_.execute(trial);
        session_.rollback();
        return true;
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        session_.rollback();
        if (isDeadlock(error.info())) {  // taken up again, on a new connection
            ErrorInfo info = error.info();
            info.kind = ErrorKind::Connection;
            info.connectionUsable = false;
            throw Error(std::move(info));
        }
        if (error.info().sqlState != "42501") throw;
        bool first = false;
        {
            const MutexLock lock(run_.mutex_);
            first = run_.triggersStay_.insert(entry.dumpId).second;
        }
        if (first) run_.passOver(job.span, displayName(entry), error);
        return false;
    }
}

run::TaskResult RestoreRun::Worker::runStatements(const Job& job, const TocEntry& entry,
                                                  const archive::DataMember& member) {
    const bool disable = disablesTriggersOf(job, entry);
    const bool fresh = run_.ledger_.createdTableOf(entry) && !archive::isViaRoot(entry);
    const auto attempt = [&](const OnEntryFailure& passOver) {
        archive::Statements before;
        session_.begin();
        if (disable) {
            session_.statements().disableTriggers(entry, run_.options_.superuser, before);
        }
        session_.statements().prepareRows(entry, before);
        if (fresh && job.attempt > 0) before.push_back("TRUNCATE TABLE ONLY " + tableName(entry));
        if (passOver) before.push_back("SET CONSTRAINTS ALL IMMEDIATE");  // told row by row
        session_.execute(before);
        const run::TaskResult result = runEach(member, entry, passOver);
        archive::Statements after;
        if (disable) {
            session_.statements().enableTriggers(entry, run_.options_.superuser, after);
        }
        session_.execute(after);
        if (!session_.spansEntries()) run_.ledger_.committing(entry);
        session_.commit();
        run_.count(result);
        ++run_.relations_;
        run_.noteDone({&entry});
        return result;
    };
    try {
        return attempt({});
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        session_.rollback();
        run_.ledger_.notCommitted(entry);
        if (run_.options_.stopsAtFirstError()) throw;
        // As pg_restore does: rows that fail stay out, the others come in.
        return attempt(
            [&](const TocEntry& at, const Error& row) { run_.noteFailure(job.span, at, row); });
    }
}

run::TaskResult RestoreRun::Worker::runEach(const archive::DataMember& member,
                                            const TocEntry& entry, const OnEntryFailure& passOver) {
    run::TaskResult result;
    pg::Connection& connection = session_.connection();
    const auto source = run_.reader_->openData(member);
    StatementSplitter splitter;
    std::vector<std::byte> buffer(kObjectPart);
    while (const std::size_t got = source->read(buffer)) {
        result.bytes += got;
        splitter.add(textOf(std::span(buffer).first(got)));
        while (const auto statement = splitter.next()) {
            if (passOver) connection.execute("SAVEPOINT gantry");
            try {
                connection.execute(statement->text);
                ++result.rows;
            } catch (const Error& error) {
                if (!passOver || !isOfStatement(error)) throw;
                connection.execute("ROLLBACK TO SAVEPOINT gantry");
                passOver(entry, error);
            }
            if (passOver) connection.execute("RELEASE SAVEPOINT gantry");
        }
    }
    if (!splitter.isAtEnd()) {
        throw Error(ErrorKind::Format, "it ends in the middle of a statement",
                    entry.qualifiedName(), kVerifyTells);
    }
    return result;
}

run::TaskResult RestoreRun::Worker::loadLargeObjects(const Job& job) {
    const TocEntry& entry = *job.step.entries.front();
    const TableLoad::Progress progress = progressOf(job.span);
    const bool create = run_.reader_->toc().version < kObjectsHaveEntries;
    run::TaskResult result;
    checkThere(entry);
    const auto found = run_.members_.find(entry.dumpId);
    if (found == run_.members_.end()) return result;
    pg::Connection& connection = session_.connection();
    std::vector<std::byte> buffer(kObjectPart);
    try {
        session_.begin();
        archive::Statements owner;
        session_.statements().becomeOwner(entry, owner);
        session_.execute(owner);
        for (const archive::DataMember* member : found->second) {
            const Oid object = *member->largeObject;
            if (create) {
                connection.execute(fmt::format(
                    "SELECT pg_catalog.lo_create('{0}') WHERE NOT {1} OR NOT EXISTS (SELECT FROM"
                    " pg_catalog.pg_largeobject_metadata WHERE oid = '{0}')",
                    object.value, run_.mayBeDone(job.attempt)));
            }
            const auto source = run_.reader_->openData(*member);
            std::optional<archive::FrameWatcher> frames;
            if (const auto listed = run_.listedObjects_.find({entry.dumpId, object});
                listed != run_.listedObjects_.end() && !listed->second->frames.empty()) {
                frames.emplace(listed->second->frames, run_.reader_->manifest()->checksums);
            }
            archive::Finding finding;
            uint64_t offset = 0;
            while (const std::size_t got = source->read(buffer)) {
                const auto bytes = std::span(buffer).first(got);
                if (frames && !frames->see(bytes, finding)) {
                    throwDamaged(*member, finding.problem, finding.offset);
                }
                connection.putLargeObject(object, offset, bytes);
                offset += got;
                progress(result.bytes + offset, result.rows);
            }
            if (frames && !frames->finish(finding)) {
                throwDamaged(*member, finding.problem, finding.offset);
            }
            result.bytes += offset;
            ++result.rows;
        }
        session_.commit();
    } catch (const Error& error) {
        if (connection.alive() && error.kind() != ErrorKind::Cancelled &&
            error.info().connectionUsable) {
            session_.rollback();
        }
        throw;
    }
    run_.objects_ += result.rows;
    run_.bytes_ += result.bytes;
    run_.noteDone({&entry});
    return result;
}

void RestoreRun::Worker::runFor(const TocEntry& entry, const std::string& statements) {
    archive::Statements all;
    session_.statements().prepare(entry, all);
    all.push_back(statements);
    session_.execute(all);
}

void RestoreRun::Worker::buildIndex(const Job& job) {
    const TocEntry& entry = *job.step.entries.front();
    const auto steps = splitKey(entry.defn.value_or(""));
    allowHelpers();
    try {
        runFor(entry, steps->buildIndex);
        run_.ledger_.half(
            entry, fmt::format("DROP INDEX IF EXISTS {}.{}", schemaName(entry), steps->index));
    } catch (const Error& error) {
        if (saysItExists(entry, error)) {
            if (!run_.mayBeDone(job.attempt)) throw;
        } else if (!isOfStatement(error) || isOfRowsOrRoom(error)) {
            throw;
        } else {  // what is forbidden of indexes need not be of constraints
            const MutexLock lock(run_.mutex_);
            run_.keysInOneStep_.insert(entry.dumpId);
        }
    }
}

void RestoreRun::Worker::attachKey(const Job& job) {
    const TocEntry& entry = *job.step.entries.front();
    if (run_.ledger_.hasFailed(entry)) return;
    if (run_.mayBeDone(job.attempt)) {
        makeKey(entry);
    } else {
        attachIndex(entry);
    }
    run_.ledger_.finished(entry);
    run_.noteDone({&entry});
}

/// Of an index that is one already, nothing.
void RestoreRun::Worker::makeKey(const TocEntry& entry) {
    const auto steps = splitKey(entry.defn.value_or(""));
    const std::string index = schemaName(entry) + "." + steps->index;
    const pg::Result key = session_.connection().query(
        "SELECT FROM pg_catalog.pg_constraint"
        " WHERE conindid = pg_catalog.to_regclass($1) AND contype IN ('p', 'u')",
        {index});
    if (key.rows() == 0) attachIndex(entry);
}

void RestoreRun::Worker::attachIndex(const TocEntry& entry) {
    bool inOneStep = false;
    {
        const MutexLock lock(run_.mutex_);
        inOneStep = run_.keysInOneStep_.contains(entry.dumpId);
    }
    if (inOneStep) return runFor(entry, entry.defn.value_or(""));
    const auto steps = splitKey(entry.defn.value_or(""));
    try {
        runFor(entry, steps->attach);
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        // The index alone must not stay: the archive's own words decide what there is to say.
        session_.connection().execute("DROP INDEX " + schemaName(entry) + "." + steps->index);
        run_.ledger_.finished(entry);
        runFor(entry, entry.defn.value_or(""));
    }
}

void RestoreRun::Worker::addForeignKey(const Job& job) {
    const TocEntry& entry = *job.step.entries.front();
    const auto steps = splitForeignKey(entry.defn.value_or(""));
    try {
        runFor(entry, steps->add);
        run_.ledger_.half(entry, steps->drop);
    } catch (const Error& error) {
        if (!run_.mayBeDone(job.attempt) || !saysItExists(entry, error)) throw;
    }
}

void RestoreRun::Worker::validateForeignKey(const Job& job) {
    const TocEntry& entry = *job.step.entries.front();
    if (run_.ledger_.hasFailed(entry)) return;
    validate(entry);
    run_.ledger_.finished(entry);
    run_.noteDone({&entry});
}

void RestoreRun::Worker::validate(const TocEntry& entry) {
    const auto steps = splitForeignKey(entry.defn.value_or(""));
    try {
        runFor(entry, steps->validate);
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        // As without the rewrite: a key that does not hold is not there.
        session_.connection().execute(steps->drop);
        run_.ledger_.finished(entry);
        throw;
    }
}

void RestoreRun::Worker::analyze(const Job& job) {
    session_.becomeOneself();
    for (const TocEntry* entry : job.step.entries) {
        if (run_.ledger_.hasFailed(*entry)) continue;
        try {
            session_.connection().execute("ANALYZE " + tableName(*entry));
        } catch (const Error& error) {
            if (!isOfStatement(error) || session_.spansEntries()) throw;
            // Nothing of the archive is missing for it.
            run_.events_.post(events::Notice{
                .severity = events::Severity::Warning,
                .message = fmt::format("{} could not be analyzed: {}", entry->qualifiedName(),
                                       error.info().message)});
        }
    }
}

}  // namespace gantry::restore
