// SPDX-License-Identifier: PostgreSQL
// A run's events on their way into the history, off the GUI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/events/run_state.h"
#include "core/history/recorder.h"

namespace gantry::ui {

/// Hands batches on in the order in which they came, whenever the pool gets to it. What goes wrong
/// is told among the run's own events.
class RunRecorder : public std::enable_shared_from_this<RunRecorder> {
public:
    /// `events` is where the run posts.
    RunRecorder(std::filesystem::path folder, std::shared_ptr<events::EventSink> events)
        : folder_(std::move(folder)), events_(std::move(events)) {}

    /// From any thread; never waits for the disk.
    void write(const std::vector<events::Event>& events);
    /// The file of its events, as of the last batch; empty while there is none.
    std::filesystem::path path() const;

private:
    void writeWaiting();

    const std::filesystem::path folder_;
    const std::shared_ptr<events::EventSink> events_;
    // Of whoever is writing.
    std::optional<history::Recorder> recorder_;
    events::RunState run_;
    mutable Mutex mutex_;
    std::vector<events::Event> waiting_ GUARDED_BY(mutex_);
    std::filesystem::path path_ GUARDED_BY(mutex_);
    bool writing_ GUARDED_BY(mutex_) = false;
};

}  // namespace gantry::ui
