// SPDX-License-Identifier: PostgreSQL
// -j auto: as many jobs as the advisor says, and why, told once the run has begun.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/events/event.h"
#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/vacuum_options.h"

namespace gantry::headless {

/// Sets the number of jobs if `options` have none, and returns why, as a sentence. Empty, and the
/// options as they are, where only one connection can be used or no advice was to be had: then the
/// run chooses, or refuses for the same reason. A history found damaged on the way is told to
/// `events`. Throws Error{Cancelled}.
std::string takeAdvice(options::DumpOptions& options, events::EventSink& events,
                       const std::stop_token& stop);
std::string takeAdvice(options::RestoreOptions& options, events::EventSink& events,
                       const std::stop_token& stop);
std::string takeAdvice(options::VacuumOptions& options, events::EventSink& events,
                       const std::stop_token& stop);

/// Hands everything on, and a notice of its own behind RunStarted: a run that is refused has
/// nothing to say about its jobs.
class NoticeAtStart final : public events::EventSink {
public:
    NoticeAtStart(events::EventSink& inner, std::string notice)
        : inner_(inner), notice_(std::move(notice)) {}
    void post(events::Payload payload) override;

private:
    events::EventSink& inner_;
    const std::string notice_;
};

/// `run` with the advised number of jobs.
template <class Options, class Run>
void runWithAdvice(Options options, events::EventSink& events, const std::stop_token& stop,
                   Run run) {
    NoticeAtStart sink(events, takeAdvice(options, events, stop));
    run(options, sink);
}

}  // namespace gantry::headless
