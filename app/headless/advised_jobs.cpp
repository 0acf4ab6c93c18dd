// SPDX-License-Identifier: PostgreSQL
#include "app/headless/advised_jobs.h"

#include <fmt/format.h>

#include "core/advise/advisor.h"
#include "core/base/error.h"
#include "core/dump/dump_session.h"
#include "core/restore/sql_script.h"

namespace gantry::headless {
namespace {

bool usesOneConnection(const options::DumpOptions& options) {
    // Foreign servers share no snapshot between connections.
    return dump::includesForeignData(options);
}

bool usesOneConnection(const options::RestoreOptions& options) {
    return options.singleTransaction || options.transactionSize.has_value() ||
           restore::isScript(options.archive);
}

bool usesOneConnection(const options::VacuumOptions&) { return false; }

template <class Options>
std::string setJobs(Options& options, events::EventSink& events, const std::stop_token& stop) {
    if (options.jobs) return {};
    try {
        if (usesOneConnection(options)) return {};
        history::History history(history::usualFolder(), [&events](const std::string& message) {
            events.post(events::Notice{events::Severity::Warning, message});
        });
        const advise::Advice advice = advise::adviseOn(options, history, stop);
        options.jobs = advice.jobs();
        return fmt::format(
            "{} advised: {}.",
            advice.jobs() == 1 ? std::string("one job") : fmt::format("{} jobs", advice.jobs()),
            advice.reason("jobs"));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {};
    }
}

}  // namespace

std::string takeAdvice(options::DumpOptions& options, events::EventSink& events,
                       const std::stop_token& stop) {
    return setJobs(options, events, stop);
}

std::string takeAdvice(options::RestoreOptions& options, events::EventSink& events,
                       const std::stop_token& stop) {
    return setJobs(options, events, stop);
}

std::string takeAdvice(options::VacuumOptions& options, events::EventSink& events,
                       const std::stop_token& stop) {
    return setJobs(options, events, stop);
}

void NoticeAtStart::post(events::Payload payload) {
    const bool begins = std::holds_alternative<events::RunStarted>(payload);
    inner_.post(std::move(payload));
    if (begins && !notice_.empty()) {
        inner_.post(events::Notice{.severity = events::Severity::Info, .message = notice_});
    }
}

}  // namespace gantry::headless
