// SPDX-License-Identifier: PostgreSQL
// A recorder beside the state of its run, as front ends have them.
#pragma once

#include <filesystem>
#include <span>

#include "core/events/event.h"
#include "core/events/run_state.h"
#include "core/history/recorder.h"

namespace gantry::test {

class Recording {
public:
    Recording(std::filesystem::path folder, events::EventSink& notices)
        : recorder_(std::move(folder), notices) {}

    void take(std::span<const events::Event> events) {
        for (const events::Event& event : events) run_.apply(event);
        recorder_.take(events, run_);
    }
    std::filesystem::path log() const { return recorder_.log(); }

private:
    history::Recorder recorder_;
    events::RunState run_;
};

}  // namespace gantry::test
