// SPDX-License-Identifier: PostgreSQL
// Everything that a dump can be told. Spelling and meaning are pg_dump's where it has the option.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "core/io/compression.h"
#include "core/options/connection_options.h"

namespace gantry::options {

/// Which objects. Patterns are psql's; lists keep the order of the command line.
struct Selection {
    std::vector<std::string> schemas;         ///< -n
    std::vector<std::string> excludeSchemas;  ///< -N
    std::vector<std::string> tables;          ///< -t
    std::vector<std::string> excludeTables;   ///< -T
    std::vector<std::string> excludeTableData;
    std::vector<std::string> tablesAndChildren;  ///< --table-and-children
    std::vector<std::string> excludeTablesAndChildren;
    std::vector<std::string> excludeTableDataAndChildren;
    std::vector<std::string> extensions;  ///< -e
    std::vector<std::string> excludeExtensions;
    std::vector<std::string> includeForeignData;
    std::vector<std::filesystem::path> filterFiles;  ///< --filter
    bool strictNames = false;
};

/// Which parts of them. A set flag means the option was given.
struct Content {
    bool schemaOnly = false;  ///< -s
    bool dataOnly = false;    ///< -a
    bool statisticsOnly = false;
    bool statistics = false;
    bool noSchema = false;
    bool noData = false;
    bool noStatistics = false;
    std::vector<std::string> sections;  ///< pre-data, data, post-data
    bool largeObjects = false;          ///< -b
    bool noLargeObjects = false;        ///< -B
    bool noOwner = false;               ///< -O
    bool noPrivileges = false;          ///< -x
    bool noComments = false;
    bool noPolicies = false;
    bool noPublications = false;
    bool noSecurityLabels = false;
    bool noSubscriptions = false;
    bool noTableAccessMethod = false;
    bool noTablespaces = false;
    bool noToastCompression = false;
    bool noUnloggedTableData = false;
    bool sequenceData = false;
    bool create = false;  ///< -C
    bool clean = false;   ///< -c
    bool ifExists = false;
    bool disableTriggers = false;
    bool enableRowSecurity = false;
    bool loadViaPartitionRoot = false;
    bool quoteAllIdentifiers = false;
    bool disableDollarQuoting = false;
    bool useSetSessionAuthorization = false;
};

struct DumpOptions {
    ConnectionOptions connection;
    std::string role;                                     ///< --role
    std::filesystem::path output;                         ///< -f
    archive::Format format = archive::Format::Directory;  ///< -F
    std::optional<uint32_t> jobs;                         ///< -j; empty: auto
    std::optional<uint32_t> compressJobs;        ///< --compress-jobs; empty: by cores and method
    std::optional<io::Compression> compression;  ///< -Z; empty: auto
    Selection selection;
    Content content;
    std::string encoding;  ///< -E
    std::optional<int> extraFloatDigits;
    std::string lockWaitTimeout;  ///< as the server's lock_timeout takes it
    bool serializableDeferrable = false;
    std::string restrictKey;  ///< plain; empty: a random one
    bool noChunks = false;    ///< --no-chunks: a table is one task
    bool noBinary = false;    ///< --no-binary: rows come as the text they will be
    /// Tables of twice as many bytes are divided. On no command line: for small tests.
    uint64_t smallestChunk = uint64_t{16} << 20;
    /// Tables are divided although there is enough else to do. On no command line either.
    bool divideAlways = false;
    bool noSync = false;
    bool overwrite = false;
    std::filesystem::path clientToolsFolder;  ///< --pg-bindir; empty: discovered
    bool dryRun = false;                      ///< plan only
};

}  // namespace gantry::options
