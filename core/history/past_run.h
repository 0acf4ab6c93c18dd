// SPDX-License-Identifier: PostgreSQL
// What the history tells of a run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/ids.h"

namespace gantry::history {

enum class Status {
    Running,
    Interrupted,  ///< its process ended before it did
    Clean,
    CompletedWithErrors,
    Failed,
    Cancelled
};
/// "running", "interrupted", "clean", "completed_with_errors", "failed", "cancelled".
std::string_view toString(Status status);
std::optional<Status> statusFrom(std::string_view text);

/// Under this name the record of a run that a sweep measured says which one, among its options.
inline constexpr const char* kSweepOption = "sweep";

struct PastRun {
    int64_t id = 0;   ///< its number, for people
    std::string log;  ///< name of its events' file, without extension
    std::string operation;
    std::string database;
    std::string server;   ///< "host:port"
    std::string cluster;  ///< as pg::systemIdentifier() says it; may be empty
    std::string startedAt;
    uint32_t workers = 0;
    std::map<std::string, std::string> options;
    std::map<std::string, std::string> versions;
    std::map<std::string, std::string> environment;
    Status status = Status::Running;
    std::string error;    ///< why it failed
    std::string verdict;  ///< in sentences; may be empty
    Duration elapsed{};
    Duration heldUp{};             ///< of that, all of it waited for locks of others or was paused,
    Duration partlyHeldUp{};       ///< or some workers did while others worked
    uint64_t bytes = 0;            ///< raw
    uint64_t compressedBytes = 0;  ///< on disk; 0 where nothing is written
    uint64_t rows = 0;
    uint64_t relations = 0;
    uint64_t largeObjects = 0;
    uint64_t ignoredErrors = 0;
    Duration predicted{};      ///< at its beginning; 0: it was not
    uint32_t predictedBy = 0;  ///< by so many earlier runs

    /// What another run like it would have taken.
    Duration worked() const { return elapsed - heldUp; }
    /// Some workers waited for locks, or were paused, for so long that even that tells little.
    bool wasDisturbed() const {
        constexpr int kTolerable = 5;  // part of the run
        return partlyHeldUp * kTolerable > worked();
    }
    /// One of many, made to be measured.
    bool ofSweep() const { return options.contains(kSweepOption); }
    bool cameToItsEnd() const {
        return status == Status::Clean || status == Status::CompletedWithErrors;
    }
};

struct PastTask {
    uint32_t task = 0;
    std::string kind;  ///< as plan::toString() says it
    std::string object;
    std::string status;  ///< "planned", "running", "done", "failed", "withdrawn", "cut off"
    bool divisible = false;
    uint64_t estimatedBytes = 0;
    double estimatedMs = 0;  ///< on one worker; 0 unknown
    std::vector<TaskId> after;
    /// Of its spans together; all 0 for a task that was never begun.
    Duration begin{};
    Duration end{};
    Duration busy{};
    uint32_t spans = 0;
    uint32_t workers = 0;
    uint64_t bytes = 0;
    uint64_t rows = 0;

    Duration took() const { return end - begin; }
};

}  // namespace gantry::history
