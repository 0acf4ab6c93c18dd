// SPDX-License-Identifier: PostgreSQL
// A run's events on their way into a file, off the GUI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/sync.h"
#include "core/events/event.h"
#include "core/events/run_log.h"

namespace gantry::ui {

/// Writes batches as JSON Lines, in the order in which they came, whenever the pool gets to it.
/// What cannot be written is told by problem() and does not hurt the run.
class RunRecorder : public std::enable_shared_from_this<RunRecorder> {
public:
    explicit RunRecorder(std::filesystem::path path) : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }
    /// From any thread; never waits for the disk. Missing folders are made.
    void write(const std::vector<events::Event>& events);
    /// Why the record is not whole; empty if it is.
    std::string problem() const;

private:
    void writeWaiting();

    const std::filesystem::path path_;
    std::optional<events::RunLog> log_;  ///< of whoever is writing
    mutable Mutex mutex_;
    std::vector<events::Event> waiting_ GUARDED_BY(mutex_);
    bool writing_ GUARDED_BY(mutex_) = false;
    std::string problem_ GUARDED_BY(mutex_);
};

}  // namespace gantry::ui
