// SPDX-License-Identifier: PostgreSQL
// What the engine tells: the one way out of it, for window, terminal, log and history alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/plan/task_graph.h"

namespace gantry::events {

/// A span on the chart: a task, or for a divided one its chunk, numbered from 0.
struct Span {
    TaskId task;
    std::optional<uint32_t> chunk;
    friend auto operator<=>(const Span&, const Span&) = default;
};

struct RunStarted {
    std::string operation;  ///< "dump", "restore", "vacuum"
    std::string database;
    std::map<std::string, std::string> options;   ///< by long name; never a password
    std::map<std::string, std::string> versions;  ///< "gantry", "server", "pg_dump"
    std::string startedAt;                        ///< ISO 8601, UTC
    uint32_t workers = 0;
    std::map<std::string, std::string> environment{};  ///< as pg::describeEnvironment() says it
};

/// A task as planned; what a later event says of the same task replaces it.
struct PlannedTask {
    TaskId task;
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    uint64_t estimatedBytes = 0;
    uint64_t estimatedRows = 0;
    bool divisible = false;
    std::vector<TaskId> after;
    double estimatedMs = 0;  ///< on one worker; 0 unknown
    bool withdrawn = false;  ///< nobody will begin it after all
};

/// Sent once when the plan stands, and again for tasks that come to light later.
struct Plan {
    std::vector<PlannedTask> tasks;
    double lowerBoundMs =
        0;  ///< max(longest path, work / workers) by the plan's estimates; 0 unknown
};

/// How long the run will take, by what earlier ones like it came to. Follows the plan.
struct Forecast {
    double ms = 0;      ///< since the run's begin
    uint32_t runs = 0;  ///< that it was made from
};

struct TaskStarted {
    Span span;
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    WorkerId worker;
    int32_t backendPid = 0;
    uint64_t estimatedBytes = 0;  ///< of this span
    double share = 0;             ///< of the task's work, up to 1; 0 unknown
};

/// Cumulative within the span.
struct TaskProgress {
    Span span;
    uint64_t bytes = 0;
    uint64_t rows = 0;
    uint64_t estimatedBytes = 0;
};

struct TaskPhase {
    Span span;
    std::string phase;
};

struct TaskFinished {
    Span span;
    uint64_t bytes = 0;  ///< raw
    uint64_t rows = 0;
    uint64_t compressedBytes = 0;  ///< 0 where nothing is written or the share is not known
    bool whole = true;             ///< with this span the task is finished
};

struct TaskFailed {
    Span span;
    ErrorInfo error;
    bool ignored = false;  ///< the run goes on
    bool retried = false;  ///< the same span will be started again
};

/// Something within a span failed and was passed over: the span goes on, the run ends with an
/// ignored error. (A span that fails as a whole and is passed over says this too.)
struct ErrorIgnored {
    Span span;
    ErrorInfo error;
};

enum class IdleCause {
    Dependency,
    Lock,
    Tail,
    Starting,
    Paused,  ///< somebody asked that nothing new begins
    Left     ///< it is no longer part of the run
};
std::string_view toString(IdleCause cause);

/// Also of a worker that has a task and waits in the middle of it: until the task is heard of
/// again.
struct WorkerIdle {
    WorkerId worker;
    IdleCause cause = IdleCause::Starting;
    std::string on;  ///< the object, or the session, waited for, or why it left; may be empty
};

enum class Severity { Info, Warning };
std::string_view toString(Severity severity);

/// What a later run can tell by whether it is about the same: a restore's archive and database.
struct Identity {
    std::string archive;
    std::string database;
};

/// Entries of the archive that stand now, whole and committed.
struct EntriesDone {
    std::vector<DumpId> entries;
};

/// A sentence for people.
struct Notice {
    Severity severity = Severity::Info;
    std::string message;
};

enum class Outcome { Clean, CompletedWithErrors, Failed, Cancelled };
std::string_view toString(Outcome outcome);

struct RunFinished {
    Outcome outcome = Outcome::Clean;
    std::optional<ErrorInfo> error;  ///< why it failed
    uint64_t bytes = 0;              ///< raw
    uint64_t compressedBytes = 0;    ///< on disk
    uint64_t rows = 0;
    uint64_t relations = 0;
    uint64_t largeObjects = 0;
    uint64_t ignoredErrors = 0;
    /// What all workers together waited for compressors; empty where nothing is compressed.
    std::optional<Duration> compressionWait{};
};

using Payload =
    std::variant<RunStarted, Plan, Forecast, TaskStarted, TaskProgress, TaskPhase, TaskFinished,
                 TaskFailed, ErrorIgnored, WorkerIdle, Identity, EntriesDone, Notice, RunFinished>;

struct Event {
    Duration at{};  ///< since the run began
    Payload payload;
};

/// Where the engine puts events. post() is called from any thread and must not block for long.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void post(Payload payload) = 0;
};

}  // namespace gantry::events
