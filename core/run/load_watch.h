// SPDX-License-Identifier: PostgreSQL
// How busy this machine and the server are while a run goes on: a load event about once a second.
#pragma once

#include <thread>

#include "core/events/event.h"
#include "core/pg/connection.h"

namespace gantry::run {

/// Looks at this machine for as long as it lives, on a thread of its own.
class LoadWatch {
public:
    explicit LoadWatch(events::EventSink& events);

private:
    std::jthread thread_;
};

/// Asks the server how many sessions it has and how many of them are at work; where we may not see
/// the others' states, those of our own user count. Throws Error.
void postServerLoad(pg::Connection& connection, events::EventSink& events);

}  // namespace gantry::run
