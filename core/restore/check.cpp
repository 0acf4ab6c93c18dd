// SPDX-License-Identifier: PostgreSQL
#include "core/restore/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/archive/archive_reader.h"
#include "core/pg/relation_size.h"
#include "core/restore/refresh.h"
#include "core/restore/script_run.h"

namespace gantry::restore {
namespace {

/// What is told on the way is found as well.
class Told final : public events::EventSink {
public:
    void post(events::Payload payload) override {
        const auto* notice = std::get_if<events::Notice>(&payload);
        if (notice == nullptr) return;
        findings.push_back({notice->severity == events::Severity::Warning ? FindingSeverity::Warning
                                                                          : FindingSeverity::Note,
                            notice->message,
                            {}});
    }
    std::vector<Finding> findings;
};

std::vector<Finding> checkScript(const options::RestoreOptions& options, events::EventSink& events,
                                 const std::stop_token& stop) {
    ScriptRun run(options, events, stop);
    try {
        run.prepare();
    } catch (const Error& error) {
        return {missingDatabase(error, {}, options.connection.database)};
    }
    return run.findings();
}

std::vector<Finding> checkArchive(const options::RestoreOptions& options,
                                  const std::stop_token& stop) {
    const auto reader = archive::openArchive(options.archive);
    Choice choice = choose(reader->toc(), options);
    return lookFirst(reader->toc(), choice, measureData(*reader), options, stop).findings;
}

/// "schema.name" of what the choice creates, and so drops first.
std::set<std::string> droppedBy(const options::RestoreOptions& options) {
    const auto reader = archive::openArchive(options.archive);
    const Choice choice = choose(reader->toc(), options);
    const ArchiveNeeds needs = needsOf(choice, measureData(*reader), reader->toc(), options);
    return {needs.newRelations.begin(), needs.newRelations.end()};
}

}  // namespace

Doomed whatIsDoomed(const options::RestoreOptions& options, const std::stop_token& stop) {
    std::set<std::string> dropped;
    if (!options.refresh) dropped = droppedBy(options);
    pg::Connection connection =
        pg::Connection::open(options.connection, "gantry restore: check", stop);
    const pg::Result tables = connection.query(
        fmt::format("{} SELECT n.nspname || '.' || c.relname, sum({}) FROM pg_catalog.pg_class c"
                    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace,"
                    " LATERAL (SELECT c.oid UNION ALL SELECT c.reltoastrelid UNION ALL"
                    "  SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = c.oid) part(oid)"
                    " JOIN pg_catalog.pg_class p ON p.oid = part.oid"
                    " WHERE c.relkind IN ('r', 'm') AND n.nspname !~ '^pg_'"
                    " AND n.nspname <> 'information_schema' GROUP BY 1",
                    pg::kTakenRelations, pg::sizeWithoutWaiting("p", "c")));
    Doomed doomed;
    for (int row = 0; row < tables.rows(); ++row) {
        if (!options.refresh && !dropped.contains(tables.string(row, 0))) continue;
        ++doomed.tables;
        doomed.bytes += tables.number(row, 1);
    }
    return doomed;
}

std::vector<Finding> check(const options::RestoreOptions& options, std::stop_token stop) {
    Told told;
    options::RestoreOptions inner = options;
    inner.dryRun = true;
    std::optional<Refresh> refresh;
    if (inner.refresh) {
        refresh.emplace(inner, told, stop);
        inner = refresh->begin();
    }
    std::vector<Finding> findings =
        isScript(inner.archive) ? checkScript(inner, told, stop) : checkArchive(inner, stop);
    findings.insert(findings.end(), told.findings.begin(), told.findings.end());
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return findings;
}

}  // namespace gantry::restore
