// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore_session.h"

#include <fmt/format.h>

#include <utility>

#include "core/pg/session.h"
#include "core/restore/error_causes.h"

namespace gantry::restore {
namespace {

constexpr int kMostAttempts = 4;

}  // namespace

using archive::Statements;
using archive::TocEntry;

bool isOfStatement(const Error& error) {
    return error.kind() == ErrorKind::Server && error.info().connectionUsable;
}

RestoreSession::RestoreSession(const SharedTarget& target, std::string_view application,
                               const std::stop_token& stop)
    : connection_(pg::Connection::open(target.connection, application, stop)),
      statements_(*target.toc, target.script) {
    pg::liftTimeLimits(connection_);
    // Nothing that the archive does not name by its schema may be found by accident.
    connection_.execute("SELECT pg_catalog.set_config('search_path', '', false)");
    pg::setRole(connection_, target.role);
    connection_.execute(statements_.settings(connection_.serverMajor()) + target.settings);
}

void RestoreSession::begin() {
    if (!std::exchange(open_, true)) connection_.execute("BEGIN");
}

void RestoreSession::commit() {
    if (++entries_ >= span_) commitSpan();
}

void RestoreSession::commitSpan() {
    entries_ = 0;
    if (!std::exchange(open_, false)) return;
    try {
        connection_.commit();
    } catch (const Error& error) {
        inDoubt_ = !error.info().connectionUsable;
        throw;
    }
}

void RestoreSession::rollback() {
    open_ = false;
    entries_ = 0;
    connection_.execute("ROLLBACK");
    statements_.forget();
}

void RestoreSession::execute(const Statements& statements) {
    try {
        for (const std::string& statement : statements) connection_.execute(statement);
    } catch (const Error&) {
        statements_.forget();  // the session may not be what it was told to be
        throw;
    }
}

void RestoreSession::becomeOneself() {
    Statements self;
    statements_.becomeOneself(self);
    execute(self);
}

bool RestoreSession::defineTogether(std::span<const TocEntry* const> entries) {
    Statements all;
    for (const TocEntry* entry : entries) {
        statements_.prepare(*entry, all);
        statements_.define(*entry, all);
    }
    std::string text;
    for (const std::string& statement : all) text += statement;
    try {
        connection_.execute(text);
        return true;
    } catch (const Error& error) {
        if (!isOfStatement(error)) throw;
        statements_.forget();
        return false;
    }
}

void RestoreSession::define(std::span<const TocEntry* const> entries, bool together,
                            const OnStanding& onStanding, const OnEntryFailure& onFailure) {
    if (together && entries.size() > 1 && defineTogether(entries)) {
        onStanding({entries.begin(), entries.end()});
        return;
    }
    for (const TocEntry* entry : entries) {
        Statements owner;
        Statements statements;
        try {
            // As somebody else nothing is made: it would be his.
            statements_.becomeOwner(*entry, owner);
            execute(owner);
            statements_.prepare(*entry, statements);
            statements_.define(*entry, statements);
        } catch (const Error& error) {
            if (!isOfStatement(error) && error.kind() != ErrorKind::Format) throw;
            onFailure(*entry, error);
            continue;
        }
        if (run(*entry, statements, onFailure)) onStanding({entry});
    }
}

bool RestoreSession::run(const TocEntry& entry, const Statements& statements,
                         const OnEntryFailure& onFailure) {
    bool good = true;
    if (spansEntries()) begin();
    for (const std::string& statement : statements) {
        try {
            executeAgainAfterDeadlock(statement);
        } catch (const Error& error) {
            if (!isOfStatement(error)) throw;
            // What follows is tried all the same (an object that existed gets its owner), but one
            // cause is told once.
            if (good) onFailure(entry, error);
            good = false;
        }
    }
    if (spansEntries()) commit();
    return good;
}

/// By itself a statement is a transaction, which the server has taken back.
void RestoreSession::executeAgainAfterDeadlock(const std::string& statement) {
    for (int attempt = 1;; ++attempt) {
        try {
            return connection_.execute(statement);
        } catch (const Error& error) {
            if (spansEntries() || !isDeadlock(error.info()) || attempt == kMostAttempts) throw;
        }
    }
}

}  // namespace gantry::restore
