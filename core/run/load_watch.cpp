// SPDX-License-Identifier: PostgreSQL
#include "core/run/load_watch.h"

#include <chrono>

#include "core/base/processor_load.h"
#include "core/base/stoppable_sleep.h"

namespace gantry::run {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};

constexpr const char* kCountSessions =
    "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE state = 'active')"
    " FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend'";

}  // namespace

LoadWatch::LoadWatch(events::EventSink& events)
    : thread_([&events](const std::stop_token& stop) {
          if (!ProcessorLoad::isTold()) return;
          ProcessorLoad processors;
          processors.idleShareSinceLastCall();
          while (sleepUnlessStopped(kBetweenLooks, stop)) {
              events.post(events::Load{.processors = 1 - processors.idleShareSinceLastCall(),
                                       .sessions = {},
                                       .active = {}});
          }
      }) {}

void postServerLoad(pg::Connection& connection, events::EventSink& events) {
    const pg::Result row = connection.query(kCountSessions);
    events.post(events::Load{.processors = {},
                             .sessions = static_cast<uint32_t>(row.number(0, 0)),
                             .active = static_cast<uint32_t>(row.number(0, 1))});
}

}  // namespace gantry::run
