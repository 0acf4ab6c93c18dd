// SPDX-License-Identifier: PostgreSQL
#include "core/options/vacuum_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gantry::options {
namespace {

using Group = OptionGroup;

void addDatabases(std::vector<Option>& table, VacuumOptions& o) {
    addRows(
        table,
        {
            flagOption(Group::Connection, {"all", 'a', "", "every database of the server"},
                       o.allDatabases),
            textOption(Group::Connection,
                       {"maintenance-db", 0, "CONN", "where to ask which there are (with --all)"},
                       o.maintenanceDatabase)
                .otherwise("postgres, else template1"),
        });
}

void addSpeed(std::vector<Option>& table, VacuumOptions& o) {
    addRows(table,
            {
                countOption(Group::Speed, {"jobs", 'j', "N|auto", "work on N tables at a time"},
                            o.jobs),
                countOption(Group::Speed,
                            {"parallel", 'P', "N|auto",
                             "up to N more processes for the indexes of each table; 0: none"},
                            o.parallel),
                textOption(Group::Speed,
                           {"buffer-usage-limit", 0, "SIZE",
                            "of the server's cache, for each table; 0: no limit"},
                           o.bufferUsageLimit)
                    .otherwise("by shared_buffers"),
                textOption(Group::Speed,
                           {"maintenance-work-mem", 0, "SIZE",
                            "memory for dead rows, so that indexes are read once"},
                           o.maintenanceWorkMem)
                    .otherwise("by what the largest table needs and shared_buffers allow"),
                numberOption(
                    Group::Speed,
                    {"cost-delay", 0, "MS", "sleep so long whenever the cost limit is reached"},
                    o.costDelay),
                numberOption(Group::Speed,
                             {"cost-limit", 0, "N", "the cost of pages after which it sleeps"},
                             o.costLimit),
            });
}

void addTables(std::vector<Option>& table, VacuumSelection& s) {
    addRows(
        table,
        {
            listOption(
                Group::Tables,
                {"table", 't', "NAME[(COLUMN,…)]", "only this table; columns are those to analyze"},
                s.tables),
            listOption(Group::Tables, {"schema", 'n', "NAME", "only tables of this schema"},
                       s.schemas),
            listOption(Group::Tables, {"exclude-schema", 'N', "NAME", "no tables of this schema"},
                       s.excludeSchemas),
            numberOption(Group::Tables,
                         {"min-xid-age", 0, "N",
                          "only tables whose oldest transaction is at least so many behind"},
                         s.minXidAge),
            numberOption(Group::Tables, {"min-mxid-age", 0, "N", "the same for multixact IDs"},
                         s.minMxidAge),
            flagOption(Group::Tables,
                       {"missing-stats-only", 0, "", "only tables that lack statistics"},
                       s.missingStatsOnly),
        });
}

void addWork(std::vector<Option>& table, VacuumOptions& o) {
    VacuumWork& w = o.work;
    addRows(
        table,
        {
            textOption(Group::Work,
                       {"plan", 0, "auto",
                        "do to each table what it needs, and nothing to those that need nothing"},
                       o.plan)
                .otherwise("the same to every chosen table"),
            flagOption(Group::Work, {"analyze", 'z', "", "also update the planner's statistics"},
                       w.analyze),
            flagOption(Group::Work,
                       {"analyze-only", 'Z', "", "only update the planner's statistics"},
                       w.analyzeOnly),
            flagOption(Group::Work,
                       {"analyze-in-stages", 0, "",
                        "only statistics, in three stages, so that rough ones are there soon"},
                       w.analyzeInStages),
            flagOption(Group::Work,
                       {"full", 'f', "",
                        "write each table anew (VACUUM FULL): nobody else can use it meanwhile"},
                       w.full),
            flagOption(Group::Work, {"freeze", 'F', "", "freeze all rows"}, w.freeze),
            flagOption(
                Group::Work,
                {"reindex-concurrently", 0, "",
                 "instead: build bloated indexes anew while the tables stay in use, and drop "
                 "what earlier attempts left"},
                w.reindexConcurrently),
            flagOption(Group::Work, {"skip-locked", 0, "", "leave out what others have locked"},
                       w.skipLocked),
            flagOption(Group::Work,
                       {"no-index-cleanup", 0, "", "leave dead entries in the indexes"},
                       w.noIndexCleanup),
            flagOption(Group::Work,
                       {"force-index-cleanup", 0, "", "remove even a few dead index entries"},
                       w.forceIndexCleanup),
            flagOption(Group::Work, {"no-truncate", 0, "", "keep empty pages at the tables' ends"},
                       w.noTruncate),
            flagOption(Group::Work, {"no-process-main", 0, "", "TOAST tables alone"},
                       w.noProcessMain),
            flagOption(Group::Work, {"no-process-toast", 0, "", "no TOAST tables"},
                       w.noProcessToast),
            flagOption(Group::Work,
                       {"disable-page-skipping", 0, "",
                        "read every page, whatever the visibility map says"},
                       w.disablePageSkipping),
        });
}

void addRun(std::vector<Option>& table, VacuumOptions& o) {
    addRows(
        table,
        {
            textOption(Group::Run,
                       {"for", 0, "TIME",
                        "begin nothing that will not be done in TIME (2h, 45min, 1h30m)"},
                       o.budget),
            flagOption(Group::Run, {"echo", 'e', "", "tell each statement as it is sent"}, o.echo),
            flagOption(Group::Run,
                       {"dry-run", 0, "",
                        "print what would be done to each table and why, and do nothing"},
                       o.dryRun),
        });
}

}  // namespace

std::vector<Option> vacuumTable(VacuumOptions& o) {
    std::vector<Option> table = connectionTable(o.connection);
    addDatabases(table, o);
    addSpeed(table, o);
    addTables(table, o.selection);
    addWork(table, o);
    addRun(table, o);
    return table;
}

bool isOnlyOurs(std::string_view vacuumOption) {
    constexpr std::array kOurs{"maintenance-work-mem", "cost-delay", "cost-limit", "plan",
                               "reindex-concurrently", "for",        "dry-run"};
    return std::find(kOurs.begin(), kOurs.end(), vacuumOption) != kOurs.end();
}

}  // namespace gantry::options
