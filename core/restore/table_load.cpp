// SPDX-License-Identifier: PostgreSQL
#include "core/restore/table_load.h"

#include <fmt/format.h>

#include <chrono>

#include "core/archive/identifier.h"
#include "core/base/format.h"
#include "core/restore/error_causes.h"

namespace gantry::restore {
namespace {

constexpr std::chrono::milliseconds kStopLatency{100};

}  // namespace

TableLoad::TableLoad(const archive::ArchiveReader& reader, const archive::DataMember& member,
                     const archive::TocEntry& entry, LoadSettings settings)
    : reader_(reader), member_(member), entry_(entry), settings_(std::move(settings)) {}

bool TableLoad::join(uint32_t attempt, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    if (attempt > 0 && failed_ && repeatable_) {
        while (active_ > 0) {
            if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
            changed_.wait_for(lock.native(), kStopLatency);
        }
        source_.reset();
        rows_ = 0;
        drained_ = failed_ = wrongCount_ = committing_ = false;
        alone_ = true;  // it empties the table first, which lets nobody else in
    } else if (alone_) {
        return false;
    }
    if (drained_ || failed_) return false;
    if (!source_) source_ = openRows(reader_, member_);
    ++active_;
    if (!settings_.fresh) alone_ = true;
    return true;
}

RowFeed TableLoad::begin(RestoreSession& session, bool again,
                         const RowFeed::OnStatement& onStatement) {
    session.begin();
    archive::Statements statements;
    const std::string table = archive::formatIdentifier(entry_.namespaceName.value_or("")) + "." +
                              archive::formatIdentifier(entry_.name());
    if (settings_.disableTriggers) {
        session.statements().disableTriggers(entry_, settings_.superuser, statements);
    }
    session.statements().prepareRows(entry_, statements);
    // A new file for the table is what FREEZE wants, and what an attempt whose end nobody saw
    // needs.
    if (settings_.fresh && (settings_.freeze || again)) {
        statements.push_back("TRUNCATE TABLE ONLY " + table);
    }
    session.execute(statements);
    return {session.connection(),
            entry_.copyStmt.value_or(""),
            {.binary = settings_.binary, .freeze = settings_.fresh && settings_.freeze},
            onStatement};
}

run::TaskResult TableLoad::copy(RowFeed& feed, const Progress& progress) {
    std::shared_ptr<RowSource> source;
    {
        const MutexLock lock(mutex_);
        source = source_;
    }
    run::TaskResult result;
    Buffer batch;
    while (source->next(batch)) {
        {
            const MutexLock lock(mutex_);
            if (failed_) break;
        }
        feed.send(batch.span(), source->lineEnd());
        result.bytes += batch.size();
        progress(result.bytes, 0);
    }
    {
        const MutexLock lock(mutex_);
        drained_ = true;
    }
    result.rows = feed.end();
    return result;
}

bool TableLoad::agree(uint64_t rows, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    rows_ += rows;
    ++arrived_;
    if (arrived_ == active_ && !failed_) {
        const auto expected = source_->expectedRows();
        wrongCount_ = expected && *expected != rows_;
        failed_ = failed_ || wrongCount_;
    }
    changed_.notify_all();
    while (arrived_ < active_ && !failed_) {
        if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        changed_.wait_for(lock.native(), kStopLatency);
    }
    whole_ = !failed_;
    return whole_;
}

bool TableLoad::fail(bool repeatable) {
    const MutexLock lock(mutex_);
    if (!failed_) repeatable_ = repeatable;
    changed_.notify_all();
    return !std::exchange(failed_, true);
}

run::TaskResult TableLoad::run(RestoreSession& session, uint32_t attempt, const Telling& telling,
                               const std::stop_token& stop) {
    if (!join(attempt, stop)) return {};
    struct Leave {
        TableLoad& load;
        ~Leave() { load.leave(); }
    } const leave{*this};
    bool copying = false;
    bool countTold = false;
    try {
        RowFeed feed = begin(session, attempt > 0, telling.statement);
        copying = true;
        const run::TaskResult result = copy(feed, telling.progress);
        copying = false;
        if (agree(result.rows, stop)) {
            archive::Statements end;
            if (settings_.disableTriggers) {
                session.statements().enableTriggers(entry_, settings_.superuser, end);
            }
            session.execute(end);
            beginCommit();
            session.commit();
            return result;
        }
        session.rollback();
        const MutexLock lock(mutex_);
        if (!std::exchange(wrongCount_, false)) return {};
        countTold = true;
        throw Error(ErrorKind::Format,
                    fmt::format("the server took {} rows, the manifest says {}", formatCount(rows_),
                                formatCount(*source_->expectedRows())),
                    entry_.qualifiedName(), kVerifyTells);
    } catch (const Error& caught) {
        const bool again = isRepeatable(caught);
        const bool first = fail(again) || countTold;
        const Error error = first && copying ? causeOf(caught, stop) : caught;
        if (session.connection().alive() && caught.kind() != ErrorKind::Cancelled &&
            caught.info().connectionUsable) {
            if (copying && !isOfStatement(caught)) session.connection().abandonCopyIn();
            session.rollback();
            if (!first) return {};
        }
        ErrorInfo info = error.info();
        if (again) {
            // A new connection takes it up again, after a deadlock too.
            info.kind = ErrorKind::Connection;
            info.connectionUsable = false;
        } else if (error.retryable()) {
            info.kind = ErrorKind::Server;
            info.message += "; whether its rows were committed is not known";
            info.hint = "Compare the number of its rows with the archive's: gantryctl list.";
        }
        throw Error(std::move(info));
    }
}

Error TableLoad::causeOf(const Error& refusal, const std::stop_token& stop) {
    if (!isOfStatement(refusal)) return refusal;
    std::shared_ptr<RowSource> source;
    {
        const MutexLock lock(mutex_);
        source = source_;
    }
    try {
        source->checkRest(stop);
    } catch (const Error& damage) {
        return damage;
    }
    return refusal;
}

/// Its transaction is gone, unless that was being committed: then rows may be there already, which
/// must not come twice. Only a table that was empty can begin anew then.
bool TableLoad::isRepeatable(const Error& error) {
    const MutexLock lock(mutex_);
    const bool transient = error.retryable() || isDeadlock(error.info());
    return transient && (settings_.fresh || !committing_);
}

void TableLoad::beginCommit() {
    const MutexLock lock(mutex_);
    committing_ = true;
}

void TableLoad::leave() {
    const MutexLock lock(mutex_);
    --active_;
    if (arrived_ > 0) --arrived_;
    changed_.notify_all();
}

}  // namespace gantry::restore
