// SPDX-License-Identifier: PostgreSQL
// Everything that a restore can be told. Spelling and meaning are pg_restore's where it has the
// option.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/options/connection_options.h"

namespace gantry::options {

/// Which entries of the archive. Names are plain names, not patterns, as in pg_restore.
struct RestoreSelection {
    std::vector<std::string> schemas;         ///< -n
    std::vector<std::string> excludeSchemas;  ///< -N
    std::vector<std::string> tables;          ///< -t: also views, sequences, foreign tables
    std::vector<std::string> indexes;         ///< -I
    std::vector<std::string> functions;       ///< -P: "name(argument types)"
    std::vector<std::string> triggers;        ///< -T
    std::vector<std::string> excludeTableData;
    std::filesystem::path listFile;                  ///< -L
    std::vector<std::filesystem::path> filterFiles;  ///< --filter
    bool strictNames = false;

    /// True if any of -t, -I, -P, -T was given: other kinds of objects are left out then.
    bool byKind() const {
        return !tables.empty() || !indexes.empty() || !functions.empty() || !triggers.empty();
    }
};

/// Which parts of them, and how. A set flag means the option was given.
struct RestoreContent {
    bool schemaOnly = false;  ///< -s
    bool dataOnly = false;    ///< -a
    bool statisticsOnly = false;
    bool statistics = false;
    bool noSchema = false;
    bool noData = false;
    bool noStatistics = false;
    std::vector<std::string> sections;  ///< pre-data, data, post-data
    bool create = false;                ///< -C
    bool clean = false;                 ///< -c
    bool ifExists = false;
    bool createSchemas = false;  ///< --create-schemas: those that are missing and not in the choice
    bool createRoles = false;    ///< --create-roles: owners and grantees that are missing
    bool noOwner = false;        ///< -O
    bool noPrivileges = false;   ///< -x
    bool noComments = false;
    bool noPolicies = false;
    bool noPublications = false;
    bool noSecurityLabels = false;
    bool noSubscriptions = false;
    bool noTableAccessMethod = false;
    bool noTablespaces = false;
    bool disableTriggers = false;
    bool enableRowSecurity = false;
    bool noDataForFailedTables = false;
    bool useSetSessionAuthorization = false;

    bool wantsSchema() const { return !dataOnly && !statisticsOnly && !noSchema; }
    bool wantsData() const { return !schemaOnly && !statisticsOnly && !noData; }
    /// As pg_restore: the archive's statistics come along unless something leaves them out.
    bool wantsStatistics() const {
        return statistics || statisticsOnly || (!schemaOnly && !dataOnly && !noStatistics);
    }
};

struct RestoreOptions {
    ConnectionOptions connection;
    std::string role;               ///< --role
    std::string superuser;          ///< -S: who disables triggers
    std::filesystem::path archive;  ///< the operand
    std::optional<uint32_t> jobs;   ///< -j; empty: auto
    RestoreSelection selection;
    RestoreContent content;
    bool exitOnError = false;            ///< -e
    bool singleTransaction = false;      ///< -1: all in one, over one connection
    std::optional<int> transactionSize;  ///< --transaction-size: entries in each transaction
    bool analyze = false;                ///< --analyze: at the end, in parallel
    bool noShare = false;                ///< --no-share: a table is loaded over one connection
    bool noRewrites = false;             ///< --no-rewrites: constraints as the archive words them
    bool noFreeze = false;               ///< --no-freeze
    bool noBinary = false;               ///< --no-binary: rows go as the text they are
    bool noBatches = false;              ///< --no-batches: a transaction for each entry
    std::filesystem::path failedList;    ///< --failed-list: where the failed entries are written
    bool dryRun = false;                 ///< plan only
    bool checkOnly = false;              ///< --check: what will fail, and nothing else
    std::filesystem::path resume;        ///< --resume: the record of the run to finish, or "last"
    bool scratch = false;                ///< --scratch: into a throwaway server
    bool refresh = false;                ///< --refresh: beside the database, then in its place
    bool dropOld = false;                ///< --drop-old: the one that was refreshed
    bool terminateSessions = false;      ///< --terminate-sessions: those that keep it in use
    /// The caller makes the database, from template0, before the run. On no command line: for the
    /// window, whose look at the target comes before.
    bool newDatabase = false;
    /// Tables of fewer bytes are neither shared nor worth rewrites. On no command line: for tests.
    uint64_t worthSharing = uint64_t{32} << 20;

    /// As in pg_restore, transactions that span entries end with the first error.
    bool stopsAtFirstError() const { return exitOnError || singleTransaction || transactionSize; }
};

}  // namespace gantry::options
