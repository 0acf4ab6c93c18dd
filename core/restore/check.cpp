// SPDX-License-Identifier: PostgreSQL
#include "core/restore/check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/archive/archive_reader.h"
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

}  // namespace

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
