// SPDX-License-Identifier: PostgreSQL
// Runs for tests of the history: their events, as an engine would have posted them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/events/event.h"
#include "core/history/recorder.h"

namespace gantry::test {

/// Two tables over two workers, read and compressed; `seconds` for the larger one.
struct SampleRun {
    std::string operation = "dump";
    std::string database = "shop";
    std::string startedAt = "2026-11-20T14:02:03Z";
    double seconds = 10;
    uint64_t bytes = 1'000'000'000;  ///< of the larger table; the other has half
    events::Outcome outcome = events::Outcome::Clean;
    std::string cluster = "7001";
    std::string file{};                            ///< that a dump goes to; empty: not told
    std::map<std::string, std::string> options{};  ///< further ones
    double waits = 0;                              ///< seconds for a lock, before anything begins

    std::vector<events::Event> events() const;
};

/// Keeps what is posted.
class Notices final : public events::EventSink {
public:
    void post(events::Payload payload) override {
        if (const auto* notice = std::get_if<events::Notice>(&payload)) {
            messages.push_back(notice->message);
        } else {
            forecasts.push_back(std::get<events::Forecast>(payload));
        }
    }
    std::vector<std::string> messages;
    std::vector<events::Forecast> forecasts;
};

/// Records all of it in `folder`; returns what was told on the way.
std::vector<std::string> record(const std::filesystem::path& folder, const SampleRun& run);

}  // namespace gantry::test
