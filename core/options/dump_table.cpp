// SPDX-License-Identifier: PostgreSQL
#include "core/options/dump_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry::options {
namespace {

using Group = OptionGroup;

Option formatOption(DumpOptions& o) {
    Option row;
    row.name = "format";
    row.letter = 'F';
    row.placeholder = "d|c|t|p";
    row.help = "directory, custom, tar or plain SQL script";
    row.standard = "directory";
    row.group = Group::Output;
    row.kind = OptionKind::Text;
    row.pgDump.since = 0;
    row.set = [&o](std::string_view text) { o.format = parseFormat(text); };
    row.get = [&o] {
        if (o.format == DumpOptions().format) return std::vector<std::string>{};
        return std::vector<std::string>{std::string(1, formatLetter(o.format))};
    };
    return row;
}

Option compressionOption(DumpOptions& o) {
    Option row;
    row.name = "compress";
    row.letter = 'Z';
    row.placeholder = "METHOD[:LEVEL]";
    row.help =
        "zstd, gzip, lz4 or none, with a level (zstd:3, gzip:6), zstd also with a long window "
        "(zstd:3,long); auto: zstd (gzip for servers before 16, whose pg_restore knows nothing "
        "newer) at the level that keeps this machine's cores just busy enough, and none in tar and "
        "plain";
    row.standard = "auto";
    row.group = Group::Output;
    row.kind = OptionKind::Text;
    row.pgDump.since = 0;
    row.set = [&o](std::string_view text) {
        if (text == "auto") {
            o.compression.reset();
        } else {
            o.compression = io::parseCompression(text);
        }
    };
    row.get = [&o] {
        if (!o.compression) return std::vector<std::string>{};
        return std::vector<std::string>{io::toString(*o.compression)};
    };
    return row;
}

void addOutput(std::vector<Option>& table, DumpOptions& o) {
    addRows(
        table,
        {
            pathOption(Group::Output,
                       {"file", 'f', "PATH",
                        "the archive to make: a folder or a file; /dev/null: read all, keep none"},
                       o.output)
                .since(0),
            formatOption(o),
            compressionOption(o),
            flagOption(Group::Output,
                       {"overwrite", 0, "", "replace PATH if it is an archive already"},
                       o.overwrite),
            flagOption(Group::Output,
                       {"no-sync", 0, "", "do not wait for the disk at the end (not for backups)"},
                       o.noSync)
                .since(10),
            countOption(
                Group::Speed,
                {"jobs", 'j', "N|auto", "read the database over N connections, in any format"},
                o.jobs)
                .since(0),
            countOption(Group::Speed,
                        {"compress-jobs", 0, "N|auto", "compress with N threads on this machine"},
                        o.compressJobs)
                .otherwise("auto, by its cores and the method"),
            flagOption(
                Group::Speed,
                {"no-chunks", 0, "", "read each table over one connection, however large it is"},
                o.noChunks),
            flagOption(Group::Speed,
                       {"no-binary", 0, "", "read all rows as text, none in COPY's binary form"},
                       o.noBinary),
        });
}

void addObjects(std::vector<Option>& table, Selection& s) {
    addRows(
        table,
        {
            listOption(Group::Objects, {"schema", 'n', "PATTERN", "only these schemas"}, s.schemas)
                .handed(),
            listOption(Group::Objects, {"exclude-schema", 'N', "PATTERN", "not these schemas"},
                       s.excludeSchemas)
                .handed(),
            listOption(
                Group::Objects,
                {"table", 't', "PATTERN", "only these tables, views, sequences and foreign tables"},
                s.tables)
                .handed(),
            listOption(Group::Objects, {"exclude-table", 'T', "PATTERN", "not these tables"},
                       s.excludeTables)
                .handed(),
            listOption(Group::Objects,
                       {"exclude-table-data", 0, "PATTERN", "not the rows of these tables"},
                       s.excludeTableData)
                .handed(),
            listOption(Group::Objects,
                       {"table-and-children", 0, "PATTERN",
                        "as --table, with their children and partitions"},
                       s.tablesAndChildren)
                .handed(16),
            listOption(Group::Objects,
                       {"exclude-table-and-children", 0, "PATTERN",
                        "as --exclude-table, with their children and partitions"},
                       s.excludeTablesAndChildren)
                .handed(16),
            listOption(Group::Objects,
                       {"exclude-table-data-and-children", 0, "PATTERN",
                        "as --exclude-table-data, with their children and partitions"},
                       s.excludeTableDataAndChildren)
                .handed(16),
            listOption(Group::Objects, {"extension", 'e', "PATTERN", "only these extensions"},
                       s.extensions)
                .handed(14),
            listOption(Group::Objects, {"exclude-extension", 0, "PATTERN", "not these extensions"},
                       s.excludeExtensions)
                .handed(17),
            listOption(Group::Objects,
                       {"include-foreign-data", 0, "PATTERN",
                        "also the rows of foreign tables of these foreign servers (over one "
                        "connection)"},
                       s.includeForeignData)
                .handed(13),
            pathsOption(Group::Objects,
                        {"filter", 0, "FILE",
                         "take what to include and exclude from this file (- for standard input)"},
                        s.filterFiles)
                .handed(17),
            flagOption(
                Group::Objects,
                {"strict-names", 0, "", "refuse if a PATTERN of what to include matches nothing"},
                s.strictNames)
                .handed(),
        });
}

void addParts(std::vector<Option>& table, Content& c) {
    addRows(
        table,
        {
            flagOption(Group::Parts, {"schema-only", 's', "", "definitions, no rows"}, c.schemaOnly)
                .handed(),
            flagOption(Group::Parts, {"data-only", 'a', "", "rows, no definitions"}, c.dataOnly)
                .handed(),
            flagOption(Group::Parts, {"statistics-only", 0, "", "the planner's statistics alone"},
                       c.statisticsOnly)
                .handed(18),
            flagOption(Group::Parts, {"statistics", 0, "", "the planner's statistics as well"},
                       c.statistics)
                .handed(18),
            flagOption(Group::Parts, {"no-schema", 0, "", "no definitions"}, c.noSchema).handed(18),
            flagOption(Group::Parts, {"no-data", 0, "", "no rows"}, c.noData).handed(18),
            flagOption(Group::Parts, {"no-statistics", 0, "", "no statistics"}, c.noStatistics)
                .handed(18),
            listOption(Group::Parts,
                       {"section", 0, "SECTION",
                        "only pre-data, data or post-data (may be given several times)"},
                       c.sections)
                .handed(),
            flagOption(Group::Parts,
                       {"large-objects", 'b', "",
                        "large objects even if -n, -t or -s would leave them out"},
                       c.largeObjects)
                .handed()
                .alias("blobs"),
            flagOption(Group::Parts, {"no-large-objects", 'B', "", "no large objects"},
                       c.noLargeObjects)
                .handed(10)
                .alias("no-blobs"),
            flagOption(Group::Parts, {"no-privileges", 'x', "", "no privileges (GRANT, REVOKE)"},
                       c.noPrivileges)
                .handed()
                .alias("no-acl"),
            flagOption(Group::Parts, {"no-comments", 0, "", "no comments"}, c.noComments)
                .handed(11),
            flagOption(Group::Parts, {"no-policies", 0, "", "no row security policies"},
                       c.noPolicies)
                .handed(18),
            flagOption(Group::Parts, {"no-publications", 0, "", "no publications"},
                       c.noPublications)
                .handed(10),
            flagOption(Group::Parts, {"no-security-labels", 0, "", "no security labels"},
                       c.noSecurityLabels)
                .handed(),
            flagOption(Group::Parts, {"no-subscriptions", 0, "", "no subscriptions"},
                       c.noSubscriptions)
                .handed(10),
            flagOption(Group::Parts,
                       {"no-toast-compression", 0, "", "no TOAST compression methods"},
                       c.noToastCompression)
                .handed(14),
            flagOption(Group::Parts,
                       {"no-unlogged-table-data", 0, "", "no rows of unlogged tables"},
                       c.noUnloggedTableData)
                .handed(),
            flagOption(Group::Parts,
                       {"sequence-data", 0, "", "the values of sequences even without rows"},
                       c.sequenceData)
                .handed(18),
        });
}

void addScript(std::vector<Option>& table, DumpOptions& o) {
    Content& c = o.content;
    addRows(
        table,
        {
            flagOption(Group::Script,
                       {"create", 'C', "", "create the database first, and connect to it"},
                       c.create)
                .handed(),
            flagOption(Group::Script, {"clean", 'c', "", "drop objects before creating them"},
                       c.clean)
                .handed(),
            flagOption(Group::Script, {"if-exists", 0, "", "drop with IF EXISTS (needs --clean)"},
                       c.ifExists)
                .handed(),
            flagOption(Group::Script,
                       {"no-owner", 'O', "", "leave owners to whoever runs the script"}, c.noOwner)
                .handed(),
            flagOption(Group::Script, {"no-tablespaces", 0, "", "leave tablespaces out"},
                       c.noTablespaces)
                .handed(),
            flagOption(Group::Script,
                       {"no-table-access-method", 0, "", "leave table access methods out"},
                       c.noTableAccessMethod)
                .handed(15),
            flagOption(Group::Script,
                       {"disable-triggers", 0, "",
                        "disable triggers while rows are loaded (with --data-only)"},
                       c.disableTriggers)
                .handed(),
            flagOption(Group::Script,
                       {"use-set-session-authorization", 0, "",
                        "set owners with SET SESSION AUTHORIZATION, not ALTER OWNER"},
                       c.useSetSessionAuthorization)
                .handed(),
            textOption(Group::Script,
                       {"restrict-key", 0, "KEY",
                        "the key of the script's \\restrict command (letters and digits)"},
                       o.restrictKey)
                .since(18)
                .otherwise("a random one"),
        });
}

void addSession(std::vector<Option>& table, DumpOptions& o) {
    Content& c = o.content;
    addRows(
        table,
        {
            textOption(Group::Session, {"role", 0, "ROLE", "SET ROLE before anything is read"},
                       o.role)
                .handed(),
            textOption(Group::Session, {"encoding", 'E', "ENCODING", "write text in this encoding"},
                       o.encoding)
                .handed()
                .otherwise("the database's"),
            textOption(Group::Session,
                       {"lock-wait-timeout", 0, "TIME",
                        "give up if a table cannot be locked within TIME (milliseconds, or with a "
                        "unit: 5s)"},
                       o.lockWaitTimeout)
                .handed(),
            flagOption(Group::Session,
                       {"serializable-deferrable", 0, "",
                        "wait for a snapshot that no serialization anomaly can touch"},
                       o.serializableDeferrable)
                .since(0),
            flagOption(
                Group::Session,
                {"enable-row-security", 0, "", "only the rows that row security lets the user see"},
                c.enableRowSecurity)
                .handed(),
            flagOption(Group::Session,
                       {"load-via-partition-root", 0, "",
                        "make the rows of partitions load through their root table"},
                       c.loadViaPartitionRoot)
                .handed(11),
            flagOption(Group::Session, {"quote-all-identifiers", 0, "", "quote every name"},
                       c.quoteAllIdentifiers)
                .handed(),
            flagOption(
                Group::Session,
                {"disable-dollar-quoting", 0, "", "quote function bodies as SQL standard strings"},
                c.disableDollarQuoting)
                .handed(),
            numberOption(
                Group::Session,
                {"extra-float-digits", 0, "N", "the server's extra_float_digits, -15 to 3"},
                o.extraFloatDigits)
                .handed(12)
                .otherwise("3"),
        });
}

void addRun(std::vector<Option>& table, DumpOptions& o) {
    addRows(
        table,
        {
            pathOption(Group::Run, {"pg-bindir", 0, "DIR", "the folder with the pg_dump to use"},
                       o.clientToolsFolder)
                .otherwise("the oldest on this machine that is new enough"),
            flagOption(Group::Run, {"dry-run", 0, "", "print the plan, dump nothing"}, o.dryRun),
        });
}

}  // namespace

std::vector<Option> connectionTable(ConnectionOptions& c) {
    std::vector<Option> table;
    addRows(
        table,
        {
            textOption(
                Group::Connection,
                {"dbname", 'd', "CONN", "the database: a name, \"host=… dbname=…\" or a URI"},
                c.database)
                .since(0),
            textOption(Group::Connection,
                       {"host", 'h', "HOST", "the server's host, or its socket's folder"}, c.host)
                .since(0),
            textOption(Group::Connection, {"port", 'p', "PORT", "the server's port"}, c.port)
                .since(0),
            textOption(Group::Connection, {"username", 'U', "USER", "connect as this user"}, c.user)
                .since(0),
            flagOption(Group::Connection, {"no-password", 'w', "", "never ask for a password"},
                       c.neverPrompt)
                .since(0),
            flagOption(Group::Connection, {"password", 'W', "", "ask for a password at once"},
                       c.forcePrompt)
                .since(0),
        });
    return table;
}

std::vector<Option> dumpTable(DumpOptions& o) {
    std::vector<Option> table = connectionTable(o.connection);
    addOutput(table, o);
    addObjects(table, o.selection);
    addParts(table, o.content);
    addScript(table, o);
    addSession(table, o);
    addRun(table, o);
    return table;
}

archive::Format parseFormat(std::string_view text) {
    const std::string lower = lowered(text);
    if (lower == "d" || lower == "directory") return archive::Format::Directory;
    if (lower == "c" || lower == "custom") return archive::Format::Custom;
    if (lower == "t" || lower == "tar") return archive::Format::Tar;
    if (lower == "p" || lower == "plain") return archive::Format::Plain;
    throw Error(ErrorKind::Usage, fmt::format("\"{}\" is not a format", text), "--format",
                "Choose d (directory), c (custom), t (tar) or p (plain SQL).");
}

char formatLetter(archive::Format format) {
    switch (format) {
        case archive::Format::Directory:
            return 'd';
        case archive::Format::Custom:
            return 'c';
        case archive::Format::Tar:
            return 't';
        case archive::Format::Plain:
            return 'p';
    }
    return 'd';
}

const std::vector<UnsupportedOption>& unsupportedDumpOptions() {
    static constexpr std::string_view kNoInserts =
        "Gantry moves rows with COPY alone, which is what lets it divide and count them; use "
        "pg_dump for INSERT commands.";
    static const std::vector<UnsupportedOption> options{
        {"inserts", 0, false, kNoInserts},
        {"column-inserts", 0, false, kNoInserts},
        {"attribute-inserts", 0, false, kNoInserts},
        {"rows-per-insert", 0, true, kNoInserts},
        {"on-conflict-do-nothing", 0, false, kNoInserts},
        {"snapshot", 0, true,
         "Gantry locks first and exports a snapshot of its own; use pg_dump to dump under somebody "
         "else's."},
        {"superuser", 'S', true,
         "It names whom a script makes itself with --disable-triggers; run the script as a "
         "superuser instead."},
        {"sync-method", 0, true,
         "Gantry syncs the files that it wrote, one by one; --no-sync leaves that out."},
        {"no-synchronized-snapshots", 0, false,
         "Every server that Gantry reads has synchronized snapshots."},
        {"binary-upgrade", 0, false, "It is for pg_upgrade's own use."},
    };
    return options;
}

}  // namespace gantry::options
