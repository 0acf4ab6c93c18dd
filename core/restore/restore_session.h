// SPDX-License-Identifier: PostgreSQL
// A connection that restores: its settings, and entries' statements sent one by one or many at
// once.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/entry_statements.h"
#include "core/options/restore_options.h"
#include "core/pg/connection.h"

namespace gantry::restore {

/// What all sessions of a run have in common; fixed before the first worker starts.
struct SharedTarget {
    const archive::Toc* toc = nullptr;
    archive::ScriptOptions script;
    options::ConnectionOptions connection;  ///< to the database that is restored into
    std::string role;
    std::string settings;  ///< further SET commands, chosen for this server
};

/// Told of entries that stand now.
using OnStanding = std::function<void(const std::vector<const archive::TocEntry*>&)>;
/// Told of each entry whose statements failed, and why; it may throw to end the run.
using OnEntryFailure = std::function<void(const archive::TocEntry&, const Error&)>;

/// One thread at a time.
class RestoreSession {
public:
    /// Throws Error{Connection, Server}.
    RestoreSession(const SharedTarget& target, std::string_view application,
                   const std::stop_token& stop);

    pg::Connection& connection() { return connection_; }
    archive::EntryStatements& statements() { return statements_; }

    /// Creates the entries' objects, all in one transaction if that succeeds, else each statement
    /// by itself as pg_restore does. A lost connection throws.
    void define(std::span<const archive::TocEntry* const> entries, bool together,
                const OnStanding& onStanding, const OnEntryFailure& onFailure);
    /// Statements of one entry, each by itself (again and again after a deadlock); false if one
    /// failed.
    bool run(const archive::TocEntry& entry, const archive::Statements& statements,
             const OnEntryFailure& onFailure);
    void execute(const archive::Statements& statements);
    /// What follows is run by whoever restores, not by the last entry's owner.
    void becomeOneself();

    /// From now on transactions span this many entries. What fails is not taken up again then.
    void spanEntries(uint64_t entries) { span_ = entries; }
    bool spansEntries() const { return span_ > 0; }
    /// True while a transaction is open that begin() began.
    bool isOpen() const { return open_; }
    /// True if no answer came to the commit of such a transaction, which may mean either.
    bool isInDoubt() const { return inDoubt_; }
    /// Begins a transaction for one entry; commits it. If transactions span entries, one is opened
    /// if none is open, and committed when it holds as many as it should.
    void begin();
    void commit();
    /// Commits what is open of a transaction that spans entries.
    void commitSpan();
    /// Ends a transaction that failed; the session then remembers nothing.
    void rollback();

private:
    bool defineTogether(std::span<const archive::TocEntry* const> entries);
    void executeAgainAfterDeadlock(const std::string& statement);

    pg::Connection connection_;
    archive::EntryStatements statements_;
    uint64_t span_ = 0;     ///< entries that a transaction spans; 0: each has its own
    uint64_t entries_ = 0;  ///< in the open one
    bool open_ = false;
    bool inDoubt_ = false;
};

/// True for what the server said of a statement: the session goes on.
bool isOfStatement(const Error& error);

}  // namespace gantry::restore
