// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "core/options/problem_collector.h"
#include "core/pg/connection.h"

namespace gantry::vacuum {
namespace {

constexpr int kAnalyzeTakesOptions = 11;
constexpr int kSkipLocked = 12;
constexpr int kIndexCleanup = 12;
constexpr int kTruncate = 12;
constexpr int kConcurrently = 12;
constexpr int kParallel = 13;
constexpr int kProcessToast = 14;
constexpr int kMissingStatistics = 15;
constexpr int kSharedStatistics = 15;
constexpr int kProcessMain = 16;
constexpr int kBufferUsageLimit = 16;
constexpr int kSkipDatabaseStats = 16;

struct Gate {
    bool given;
    const char* option;
    int since;
    const char* wayOut = "Leave it out.";
};

std::string quotedName(const TableFacts& table, bool toastAlone) {
    if (toastAlone) return pg::quoteQualified("pg_toast", table.toastName);
    return pg::quoteQualified(table.schema, table.name);
}

std::string tablesOf(const Step& step, const Survey& survey,
                     const options::VacuumOptions& options) {
    std::string list;
    for (const std::size_t place : step.tables) {
        const TableFacts& table = survey.tables[place];
        if (!list.empty()) list += ", ";
        // One that was named is meant with its partitions, where they are not taken by themselves.
        if (table.relkind == 'p' && (!table.named || takesPartitionsApart(options)) &&
            survey.server.major() >= kAnalyzeOnlyParent) {
            list += "ONLY ";
        }
        list += quotedName(table, step.toastAlone);
        if (step.analyze) list += table.columns;
    }
    return list;
}

std::string ring(const Proposals& proposals) {
    return fmt::format("BUFFER_USAGE_LIMIT '{}kB'", *proposals.ring / 1024);
}

std::string analyzeStatement(const Step& step, const Survey& survey,
                             const options::VacuumOptions& options, const Proposals& proposals) {
    const int major = survey.server.major();
    const std::string tables = tablesOf(step, survey, options);
    if (major < kAnalyzeTakesOptions) return "ANALYZE VERBOSE " + tables;
    std::vector<std::string> words;
    if (isVerbose(step, major)) words.emplace_back("VERBOSE");
    if (options.work.skipLocked) words.emplace_back("SKIP_LOCKED");
    if (proposals.ring && major >= kBufferUsageLimit) words.push_back(ring(proposals));
    if (words.empty()) return "ANALYZE " + tables;
    return fmt::format("ANALYZE ({}) {}", fmt::join(words, ", "), tables);
}

std::string vacuumStatement(const Step& step, const Survey& survey,
                            const options::VacuumOptions& options, const Proposals& proposals) {
    const options::VacuumWork& w = options.work;
    const int major = survey.server.major();
    std::vector<std::string> words;
    if (step.full) words.emplace_back("FULL");
    if (step.freeze) words.emplace_back("FREEZE");
    if (isVerbose(step, major)) words.emplace_back("VERBOSE");
    if (step.analyze) words.emplace_back("ANALYZE");
    if (w.disablePageSkipping) words.emplace_back("DISABLE_PAGE_SKIPPING");
    if (w.skipLocked) words.emplace_back("SKIP_LOCKED");
    if (w.noIndexCleanup) words.emplace_back("INDEX_CLEANUP FALSE");
    if (w.forceIndexCleanup) words.emplace_back("INDEX_CLEANUP TRUE");
    if (w.noTruncate) words.emplace_back("TRUNCATE FALSE");
    if (w.noProcessMain) words.emplace_back("PROCESS_MAIN FALSE");
    if (major >= kProcessToast && !step.full && (!step.withToast && !step.toastAlone)) {
        words.emplace_back("PROCESS_TOAST FALSE");
    }
    if (major >= kSkipDatabaseStats) words.emplace_back("SKIP_DATABASE_STATS");
    if (major >= kParallel && !step.full) words.push_back(fmt::format("PARALLEL {}", step.helpers));
    if (proposals.ring && major >= kBufferUsageLimit && (!step.full || step.analyze)) {
        words.push_back(ring(proposals));
    }
    return fmt::format("VACUUM ({}) {}", fmt::join(words, ", "), tablesOf(step, survey, options));
}

}  // namespace

std::vector<options::Problem> serverGates(const options::VacuumOptions& o, int serverMajor) {
    const options::VacuumWork& w = o.work;
    const std::array<Gate, 10> gates{
        {{w.skipLocked, "skip-locked", kSkipLocked},
         {w.noIndexCleanup, "no-index-cleanup", kIndexCleanup},
         {w.forceIndexCleanup, "force-index-cleanup", kIndexCleanup},
         {w.noTruncate, "no-truncate", kTruncate},
         {w.reindexConcurrently, "reindex-concurrently", kConcurrently,
          "REINDEX INDEX builds one anew there, and locks its table against writing meanwhile."},
         {o.parallel.has_value(), "parallel", kParallel},
         {w.noProcessToast, "no-process-toast", kProcessToast},
         {o.selection.missingStatsOnly, "missing-stats-only", kMissingStatistics},
         {w.noProcessMain, "no-process-main", kProcessMain},
         {!o.bufferUsageLimit.empty(), "buffer-usage-limit", kBufferUsageLimit}}};
    options::Collector found;
    for (const Gate& gate : gates) {
        if (!gate.given || serverMajor >= gate.since) continue;
        found.error({gate.option},
                    fmt::format("PostgreSQL has it from version {} on, and the server is of {}",
                                gate.since, serverMajor),
                    gate.wayOut);
    }
    return found.take();
}

bool isVerbose(const Step& step, int serverMajor) {
    return step.tables.size() == 1 || serverMajor < kSharedStatistics;
}

std::string statementOf(const Step& step, const Survey& survey,
                        const options::VacuumOptions& options, const Proposals& proposals) {
    switch (step.kind) {
        case Step::Kind::Tables:
            return step.vacuum ? vacuumStatement(step, survey, options, proposals)
                               : analyzeStatement(step, survey, options, proposals);
        case Step::Kind::Reindex:
        case Step::Kind::DropIndex: {
            const TableFacts& table = survey.tables[step.tables.front()];
            const std::string name =
                pg::quoteQualified(indexSchema(step, table), indexOf(step, table).name);
            return step.kind == Step::Kind::Reindex ? "REINDEX INDEX CONCURRENTLY " + name
                                                    : "DROP INDEX CONCURRENTLY IF EXISTS " + name;
        }
        case Step::Kind::Database:
            return "VACUUM (ONLY_DATABASE_STATS)";
        case Step::Kind::Barrier:
            break;
    }
    return {};
}

std::string settingsFor(const Step& step, const Proposals& proposals) {
    std::string sql;
    // As vacuumdb: rough statistics at once, better ones soon, then those that the columns ask for.
    constexpr std::array<const char*, 3> kStages{
        "SET default_statistics_target = 1; SET vacuum_cost_delay = 0;",
        "SET default_statistics_target = 10; RESET vacuum_cost_delay;",
        "RESET default_statistics_target;"};
    if (step.stage > 0) sql += kStages.at(step.stage - 1);
    if (proposals.memory) {
        sql += fmt::format("SET maintenance_work_mem = '{}kB';", *proposals.memory / 1024);
    }
    // Samples of ANALYZE are read here and there: somebody had better read ahead.
    if (proposals.sessionsRead) {
        sql += step.vacuum && !step.analyze ? "SET maintenance_io_concurrency = 0;"
                                            : "RESET maintenance_io_concurrency;";
    }
    return sql;
}

}  // namespace gantry::vacuum
