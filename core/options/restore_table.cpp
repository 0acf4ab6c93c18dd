// SPDX-License-Identifier: PostgreSQL
#include "core/options/restore_table.h"

#include <iterator>

namespace gantry::options {
namespace {

using Group = OptionGroup;

void addSpeed(std::vector<Option>& table, RestoreOptions& o) {
    addRows(
        table,
        {
            countOption(Group::Speed,
                        {"jobs", 'j', "N|auto", "load and build over N connections, any format"},
                        o.jobs),
            flagOption(Group::Speed,
                       {"no-share", 0, "", "load each table over one connection, however large"},
                       o.noShare),
            flagOption(Group::Speed,
                       {"no-rewrites", 0, "",
                        "add constraints as the archive words them: no index first, no NOT VALID "
                        "and VALIDATE"},
                       o.noRewrites),
            flagOption(Group::Speed, {"no-freeze", 0, "", "load new tables without COPY FREEZE"},
                       o.noFreeze),
            flagOption(Group::Speed,
                       {"no-binary", 0, "", "send all rows as text, none in COPY's binary form"},
                       o.noBinary),
            flagOption(Group::Speed,
                       {"no-batches", 0, "", "a transaction for each entry, however small"},
                       o.noBatches),
            flagOption(
                Group::Speed,
                {"analyze", 0, "", "gather the planner's statistics at the end, in parallel"},
                o.analyze),
        });
}

void addObjects(std::vector<Option>& table, RestoreSelection& s) {
    addRows(
        table,
        {
            listOption(Group::Objects, {"schema", 'n', "NAME", "only what is in this schema"},
                       s.schemas),
            listOption(Group::Objects,
                       {"exclude-schema", 'N', "NAME", "nothing that is in this schema"},
                       s.excludeSchemas),
            listOption(Group::Objects,
                       {"table", 't', "NAME", "only this table, view, sequence or foreign table"},
                       s.tables),
            listOption(Group::Objects, {"index", 'I', "NAME", "only this index"}, s.indexes),
            listOption(Group::Objects, {"function", 'P', "NAME(ARGS)", "only this function"},
                       s.functions),
            listOption(Group::Objects, {"trigger", 'T', "NAME", "only this trigger"}, s.triggers),
            listOption(Group::Objects,
                       {"exclude-table-data", 0, "PATTERN", "not the rows of these tables"},
                       s.excludeTableData),
            pathOption(Group::Objects,
                       {"use-list", 'L', "FILE",
                        "only the entries that this list names, in its order (gantryctl list)"},
                       s.listFile),
            pathsOption(Group::Objects,
                        {"filter", 0, "FILE", "take what to include and exclude from this file"},
                        s.filterFiles),
            flagOption(Group::Objects,
                       {"strict-names", 0, "", "refuse if a NAME to include matches nothing"},
                       s.strictNames),
        });
}

void addParts(std::vector<Option>& table, RestoreContent& c) {
    addRows(
        table,
        {
            flagOption(Group::Parts, {"schema-only", 's', "", "definitions, no rows"},
                       c.schemaOnly),
            flagOption(Group::Parts, {"data-only", 'a', "", "rows, no definitions"}, c.dataOnly),
            flagOption(Group::Parts, {"statistics-only", 0, "", "the planner's statistics alone"},
                       c.statisticsOnly),
            flagOption(Group::Parts, {"statistics", 0, "", "the planner's statistics as well"},
                       c.statistics),
            flagOption(Group::Parts, {"no-schema", 0, "", "no definitions"}, c.noSchema),
            flagOption(Group::Parts, {"no-data", 0, "", "no rows"}, c.noData),
            flagOption(Group::Parts, {"no-statistics", 0, "", "no statistics"}, c.noStatistics),
            listOption(Group::Parts,
                       {"section", 0, "SECTION",
                        "only pre-data, data or post-data (may be given several times)"},
                       c.sections),
            flagOption(Group::Parts, {"no-privileges", 'x', "", "no privileges (GRANT, REVOKE)"},
                       c.noPrivileges)
                .alias("no-acl"),
            flagOption(Group::Parts, {"no-comments", 0, "", "no comments"}, c.noComments),
            flagOption(Group::Parts, {"no-policies", 0, "", "no row security policies"},
                       c.noPolicies),
            flagOption(Group::Parts, {"no-publications", 0, "", "no publications"},
                       c.noPublications),
            flagOption(Group::Parts, {"no-security-labels", 0, "", "no security labels"},
                       c.noSecurityLabels),
            flagOption(Group::Parts, {"no-subscriptions", 0, "", "no subscriptions"},
                       c.noSubscriptions),
        });
}

void addTarget(std::vector<Option>& table, RestoreContent& c) {
    addRows(
        table,
        {
            flagOption(
                Group::Target,
                {"create", 'C', "", "create the archive's database, and restore into that one"},
                c.create),
            flagOption(Group::Target, {"clean", 'c', "", "drop objects before creating them"},
                       c.clean),
            flagOption(Group::Target, {"if-exists", 0, "", "drop with IF EXISTS (needs --clean)"},
                       c.ifExists),
            flagOption(Group::Target,
                       {"create-schemas", 0, "",
                        "make schemas that what is restored needs and nothing else makes"},
                       c.createSchemas),
            flagOption(Group::Target,
                       {"create-roles", 0, "", "make roles that are missing; they may not log in"},
                       c.createRoles),
            flagOption(Group::Target, {"no-owner", 'O', "", "leave owners to whoever restores"},
                       c.noOwner),
            flagOption(Group::Target, {"no-tablespaces", 0, "", "leave tablespaces out"},
                       c.noTablespaces),
            flagOption(Group::Target,
                       {"no-table-access-method", 0, "", "leave table access methods out"},
                       c.noTableAccessMethod),
            flagOption(Group::Target,
                       {"disable-triggers", 0, "",
                        "disable triggers while rows are loaded (with --data-only)"},
                       c.disableTriggers),
            flagOption(Group::Target,
                       {"no-data-for-failed-tables", 0, "",
                        "no rows for a table that could not be created"},
                       c.noDataForFailedTables),
            flagOption(Group::Target,
                       {"use-set-session-authorization", 0, "",
                        "set owners with SET SESSION AUTHORIZATION, not ALTER OWNER"},
                       c.useSetSessionAuthorization),
        });
}

void addRefresh(std::vector<Option>& table, RestoreOptions& o) {
    addRows(
        table,
        {
            flagOption(Group::Target,
                       {"scratch", 0, "",
                        "restore into a throwaway server that is started for it, and tell how to "
                        "connect to it and stop it"},
                       o.scratch),
            flagOption(Group::Target,
                       {"refresh", 0, "",
                        "restore into a new database beside DBNAME, which takes its name only when "
                        "it is whole; the old one stays under a name with the date"},
                       o.refresh),
            flagOption(Group::Target,
                       {"drop-old", 0, "", "drop the old database after that (with --refresh)"},
                       o.dropOld),
            flagOption(Group::Target,
                       {"terminate-sessions", 0, "",
                        "end the sessions that are on the old database then (with --refresh)"},
                       o.terminateSessions),
        });
}

void addSession(std::vector<Option>& table, RestoreOptions& o) {
    addRows(
        table,
        {
            textOption(Group::Target, {"role", 0, "ROLE", "SET ROLE before anything is done"},
                       o.role),
            textOption(Group::Target, {"superuser", 'S', "NAME", "disable triggers as this user"},
                       o.superuser),
            flagOption(Group::Target,
                       {"enable-row-security", 0, "", "load rows under row security"},
                       o.content.enableRowSecurity),
            flagOption(Group::Target, {"exit-on-error", 'e', "", "stop at the first error"},
                       o.exitOnError),
            flagOption(Group::Target,
                       {"single-transaction", '1', "",
                        "all or nothing: one transaction, over one connection"},
                       o.singleTransaction),
            numberOption(Group::Target,
                         {"transaction-size", 0, "N",
                          "commit after each N entries; with more than one job this goes for "
                          "definitions alone"},
                         o.transactionSize),
        });
}

void addRun(std::vector<Option>& table, RestoreOptions& o) {
    addRows(
        table,
        {
            pathOption(
                Group::Run,
                {"failed-list", 0, "FILE", "where to write what failed, as a list for --use-list"},
                o.failedList)
                .otherwise("beside the archive"),
            flagOption(Group::Run,
                       {"check", 0, "", "say what will fail and what mends it, restore nothing"},
                       o.checkOnly),
            pathOption(Group::Run,
                       {"resume", 0, "FILE|last",
                        "finish an interrupted restore: the last one of this archive into this "
                        "database, or the one that FILE (its --events) is the record of"},
                       o.resume),
            flagOption(Group::Run, {"dry-run", 0, "", "print the plan, restore nothing"}, o.dryRun),
        });
}

}  // namespace

std::vector<Option> restoreTable(RestoreOptions& o) {
    std::vector<Option> table = connectionTable(o.connection);
    addSpeed(table, o);
    addObjects(table, o.selection);
    addParts(table, o.content);
    addTarget(table, o.content);
    addRefresh(table, o);
    addSession(table, o);
    addRun(table, o);
    return table;
}

const std::vector<UnsupportedOption>& unsupportedRestoreOptions() {
    static const std::vector<UnsupportedOption> options{
        {"file", 'f', true, "Gantry restores into a database; pg_restore -f prints the script."},
        {"format", 'F', true, "The archive's own bytes say what it is; leave it out."},
        {"list", 'l', false, "Use gantryctl list PATH."},
        {"restrict-key", 0, true, "It belongs into scripts, and no script is written here."},
    };
    return options;
}

}  // namespace gantry::options
