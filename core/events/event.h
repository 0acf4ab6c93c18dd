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
    std::vector<plan::TaskLock> locks{};  ///< tasks whose locks conflict exclude each other
    double estimatedMs = 0;               ///< on one worker; 0 unknown
    bool withdrawn = false;               ///< nobody will begin it after all
    std::string note{};                   ///< what is done and why, for people; may be empty
    std::string relation{};  ///< whose index or constraint it is; empty: none, or of several
};

/// Sent once when the plan stands, and again for tasks that come to light later.
struct Plan {
    std::vector<PlannedTask> tasks;
    double lowerBoundMs =
        0;              ///< max(longest path, work / workers) by the plan's estimates; 0 unknown
    bool anew = false;  ///< all that was done before is thrown away: these are the run's tasks now
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
    std::string phase;  ///< empty: whoever waited goes on with what it was at
};

/// What the server is asked to do for a span, without passwords; not told of many small ones
/// together.
struct TaskStatement {
    Span span;
    std::string statement;
};

/// What of a span has a place of its own on the chart.
enum class PartKind {
    Index,  ///< one pass over it
    Toast,  ///< of the span's table
    Table   ///< of a span that has several
};
std::string_view toString(PartKind kind);

/// Comes once more for a part that another process turns out to be at.
struct PartStarted {
    Span span;
    uint32_t part = 0;  ///< numbered within the span
    PartKind kind = PartKind::Index;
    std::string object;
    std::string phase;    ///< "vacuuming", "cleaning up"; may be empty
    uint32_t helper = 0;  ///< which of the server's parallel workers; 0: the session itself
};

struct PartFinished {
    Span span;
    uint32_t part = 0;
    uint64_t rows = 0;               ///< removed, of an index
    std::optional<Duration> took{};  ///< it began so long ago after all
    uint32_t helper = 0;             ///< who did it after all
};

/// Parallel workers that the server started for a span.
struct HelpersLaunched {
    Span span;
    uint32_t launched = 0;
    uint32_t planned = 0;
    std::string phase;
};

/// Where a VACUUM stands, as far as the server's version tells; what is not told is 0.
struct VacuumProgress {
    Span span;
    std::string relation;  ///< the table, or its TOAST table
    uint64_t blocks = 0;
    uint64_t blocksScanned = 0;
    uint64_t blocksVacuumed = 0;
    uint32_t indexPass = 0;  ///< passes over all indexes that are over
    uint32_t indexes = 0;
    uint32_t indexesDone = 0;    ///< in this pass
    uint64_t deadRows = 0;       ///< remembered, to be removed from the indexes
    uint64_t deadBytes = 0;      ///< memory that these take
    uint64_t deadBytesMost = 0;  ///< memory that they may take
};

/// What a vacuum of a table came to, or of an index that was built anew or dropped.
struct VacuumOutcome {
    Span span;
    std::string relation;
    bool index = false;  ///< then only its bytes are told
    uint64_t rowsRemoved = 0;
    uint64_t rowsKept = 0;  ///< dead, but somebody may still see them
    uint64_t bytesBefore = 0;
    uint64_t bytesAfter = 0;  ///< both with TOAST and indexes
    uint64_t xidAgeBefore = 0;
    uint64_t xidAgeAfter = 0;
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

/// How busy machines were at that time; what is not told is empty.
struct Load {
    std::optional<double> processors{};  ///< of this machine: share of their time, 0…1
    std::optional<uint32_t> sessions{};  ///< of clients, at the server,
    std::optional<uint32_t> active{};    ///< and how many of them have a statement under way
};

/// What a later run can tell by whether it is about the same: a restore's archive and database.
struct Identity {
    std::string archive;
    std::string database;
    std::string incarnation{};  ///< of the server: another one after each start and each crash
    uint64_t firstTransaction =
        0;  ///< what came from this transaction on, the restore may have made
};

/// Entries of the archive that stand now, whole and committed.
struct EntriesDone {
    std::vector<DumpId> entries;
};

/// A sentence for people.
struct Notice {
    Severity severity = Severity::Info;
    std::string message;
    bool ofWait = false;  ///< for a lock: holds as long as somebody waits
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
    bool nothingRestored = false;  ///< nothing of a restore's archive is there, if not clean
    bool commitInDoubt = false;    ///< no answer came to the commit of a transaction
                                   ///< that spans entries: all of that is there, or nothing
    /// What all workers together waited for compressors; empty where nothing is compressed.
    std::optional<Duration> compressionWait{};
    bool brokenOff = false;  ///< no run told this: its record ends here, nobody knows how it did

    /// All of it was done, as far as errors that were passed over let it.
    bool cameToItsEnd() const {
        return outcome == Outcome::Clean || outcome == Outcome::CompletedWithErrors;
    }
};

using Payload = std::variant<RunStarted, Plan, Forecast, TaskStarted, TaskStatement, TaskProgress,
                             TaskPhase, PartStarted, PartFinished, HelpersLaunched, VacuumProgress,
                             VacuumOutcome, TaskFinished, TaskFailed, ErrorIgnored, WorkerIdle,
                             Load, Identity, EntriesDone, Notice, RunFinished>;

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
