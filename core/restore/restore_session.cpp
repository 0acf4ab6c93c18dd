// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore_session.h"

#include <fmt/format.h>

namespace gantry::restore {

using archive::Statements;
using archive::TocEntry;

bool isOfStatement(const Error& error) {
    return error.kind() == ErrorKind::Server && error.info().connectionUsable;
}

RestoreSession::RestoreSession(const SharedTarget& target, std::string_view application,
                               const std::stop_token& stop)
    : connection_(pg::Connection::open(target.connection, application, stop)),
      statements_(*target.toc, target.script) {
    // Nothing that the archive does not name by its schema may be found by accident.
    connection_.execute("SELECT pg_catalog.set_config('search_path', '', false)");
    if (!target.role.empty()) {
        connection_.execute("SET ROLE " + pg::quoteIdentifier(target.role));
    }
    connection_.execute(statements_.settings(connection_.serverMajor()) + target.settings);
}

void RestoreSession::rollback() {
    connection_.execute("ROLLBACK");
    statements_.forget();
}

void RestoreSession::execute(const Statements& statements) {
    for (const std::string& statement : statements) connection_.execute(statement);
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

std::vector<const TocEntry*> RestoreSession::define(std::span<const TocEntry* const> entries,
                                                    bool together,
                                                    const OnEntryFailure& onFailure) {
    if (together && entries.size() > 1 && defineTogether(entries)) {
        return {entries.begin(), entries.end()};
    }
    std::vector<const TocEntry*> standing;
    for (const TocEntry* entry : entries) {
        Statements statements;
        try {
            statements_.prepare(*entry, statements);
            statements_.define(*entry, statements);
        } catch (const Error& error) {
            onFailure(*entry, error);
            continue;
        }
        if (run(*entry, statements, onFailure)) standing.push_back(entry);
    }
    return standing;
}

bool RestoreSession::run(const TocEntry& entry, const Statements& statements,
                         const OnEntryFailure& onFailure) {
    bool good = true;
    for (const std::string& statement : statements) {
        try {
            connection_.execute(statement);
        } catch (const Error& error) {
            if (!isOfStatement(error)) throw;
            // What follows is tried all the same (an object that existed gets its owner), but one
            // cause is told once.
            if (good) onFailure(entry, error);
            good = false;
        }
    }
    return good;
}

}  // namespace gantry::restore
