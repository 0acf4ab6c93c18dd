// SPDX-License-Identifier: PostgreSQL
#include "core/events/event_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/events/json_line.h"

namespace gantry::events {
namespace {

using Json = nlohmann::json;

template <class Enum, std::size_t N>
Enum enumFrom(const Json& json, const char* key, const std::array<Enum, N>& values,
              Enum otherwise) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return otherwise;
    const auto& text = found->get_ref<const std::string&>();
    for (const Enum value : values) {
        if (toString(value) == text) return value;
    }
    return otherwise;
}

using plan::TaskKind;
constexpr std::array kKinds{
    TaskKind::Schema,     TaskKind::TableData,  TaskKind::LargeObjects,     TaskKind::Index,
    TaskKind::Constraint, TaskKind::ForeignKey, TaskKind::MaterializedView, TaskKind::PostData,
    TaskKind::Acl,        TaskKind::Statistics, TaskKind::Vacuum,           TaskKind::VacuumFull,
    TaskKind::Analyze,    TaskKind::Finish};
using plan::LockMode;
constexpr std::array kLockModes{LockMode::AccessShare,  LockMode::RowShare,
                                LockMode::RowExclusive, LockMode::ShareUpdateExclusive,
                                LockMode::Share,        LockMode::ShareRowExclusive,
                                LockMode::Exclusive,    LockMode::AccessExclusive};
constexpr std::array kCauses{IdleCause::Dependency, IdleCause::Lock,   IdleCause::Tail,
                             IdleCause::Starting,   IdleCause::Paused, IdleCause::Left};
constexpr std::array kOutcomes{Outcome::Clean, Outcome::CompletedWithErrors, Outcome::Failed,
                               Outcome::Cancelled};
constexpr std::array kPartKinds{PartKind::Index, PartKind::Toast, PartKind::Table};
constexpr std::array kSeverities{Severity::Info, Severity::Warning};
constexpr std::array kErrorKinds{ErrorKind::Usage,     ErrorKind::Preflight, ErrorKind::Connection,
                                 ErrorKind::Server,    ErrorKind::Format,    ErrorKind::Io,
                                 ErrorKind::Cancelled, ErrorKind::Internal};

[[noreturn]] void refuse(const char* key, std::string_view what) {
    throw Error(ErrorKind::Format, fmt::format("not an event: \"{}\" {}", key, what));
}

/// The field, or nullptr if it is missing or null.
const Json* fieldOf(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text(const Json& json, const char* key) {
    const Json* field = fieldOf(json, key);
    if (field == nullptr) return {};
    if (!field->is_string()) refuse(key, "is not text");
    return field->get<std::string>();
}

bool flag(const Json& json, const char* key, bool otherwise) {
    const Json* field = fieldOf(json, key);
    if (field == nullptr) return otherwise;
    if (!field->is_boolean()) refuse(key, "is neither true nor false");
    return field->get<bool>();
}

template <class T>
T countFrom(const Json& field, const char* key) {
    if (!field.is_number_integer()) refuse(key, "is not a whole number");
    const bool fits = field.is_number_unsigned() &&
                      field.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (!fits) refuse(key, "is out of range");
    return static_cast<T>(field.get<uint64_t>());
}

/// A whole number from 0.
template <class T>
T count(const Json& json, const char* key) {
    const Json* field = fieldOf(json, key);
    return field == nullptr ? T{} : countFrom<T>(*field, key);
}

double number(const Json& json, const char* key, double most) {
    const Json* field = fieldOf(json, key);
    if (field == nullptr) return 0;
    if (!field->is_number()) refuse(key, "is not a number");
    const auto found = field->get<double>();
    if (!(found >= 0 && found <= most)) refuse(key, "is out of range");
    return found;
}

double milliseconds(const Json& json, const char* key) {
    constexpr double kMost = 1e12;  // thirty years
    return number(json, key, kMost);
}

std::map<std::string, std::string> texts(const Json& json, const char* key) {
    std::map<std::string, std::string> all;
    const Json* field = fieldOf(json, key);
    if (field == nullptr) return all;
    if (!field->is_object()) refuse(key, "is not an object");
    for (const auto& [name, value] : field->items()) {
        if (!value.is_string()) refuse(key, "holds what is not text");
        all.emplace(name, value.get<std::string>());
    }
    return all;
}

/// Empty if the field is missing.
const Json& list(const Json& json, const char* key) {
    static const Json kNone = Json::array();
    const Json* field = fieldOf(json, key);
    if (field == nullptr) return kNone;
    if (!field->is_array()) refuse(key, "is not a list");
    return *field;
}

void putSpan(JsonLine& json, const Span& span) {
    json.put("task", span.task.value);
    if (span.chunk) json.put("chunk", *span.chunk);
}

Span spanFrom(const Json& json) {
    Span span{.task = TaskId{count<uint32_t>(json, "task")}, .chunk = std::nullopt};
    if (fieldOf(json, "chunk") != nullptr) span.chunk = count<uint32_t>(json, "chunk");
    return span;
}

void putError(JsonLine& json, const ErrorInfo& error) {
    json.put("error_kind", toString(error.kind));
    json.put("message", error.message);
    if (!error.object.empty()) json.put("object", error.object);
    if (!error.hint.empty()) json.put("hint", error.hint);
    if (!error.sqlState.empty()) json.put("sqlstate", error.sqlState);
    if (!error.statement.empty()) json.put("statement", error.statement);
    if (error.byteOffset) json.put("byte_offset", *error.byteOffset);
    if (!error.connectionUsable) json.put("connection_usable", false);
}

ErrorInfo errorFrom(const Json& json) {
    ErrorInfo error;
    error.kind = enumFrom(json, "error_kind", kErrorKinds, ErrorKind::Internal);
    error.message = text(json, "message");
    error.object = text(json, "object");
    error.hint = text(json, "hint");
    error.sqlState = text(json, "sqlstate");
    error.statement = text(json, "statement");
    if (fieldOf(json, "byte_offset") != nullptr) {
        error.byteOffset = count<uint64_t>(json, "byte_offset");
    }
    error.connectionUsable = flag(json, "connection_usable", true);
    return error;
}

/// One overload a type each way: the compiler tells when one is missing.
struct Put {
    JsonLine& json;

    void operator()(const RunStarted& e) const {
        json.put("type", "run_started");
        json.put("operation", e.operation);
        json.put("database", e.database);
        json.put("options", e.options);
        json.put("versions", e.versions);
        json.put("started_at", e.startedAt);
        json.put("workers", e.workers);
        if (!e.environment.empty()) json.put("environment", e.environment);
    }
    void operator()(const Plan& e) const {
        json.put("type", "plan");
        json.put("lower_bound_ms", e.lowerBoundMs);
        if (e.anew) json.put("anew", true);
        json.putList("tasks", e.tasks, [](const PlannedTask& planned) {
            JsonLine task;
            task.put("task", planned.task.value);
            task.put("kind", plan::toString(planned.kind));
            task.put("object", planned.object);
            task.put("bytes", planned.estimatedBytes);
            task.put("rows", planned.estimatedRows);
            task.put("divisible", planned.divisible);
            if (planned.estimatedMs > 0) task.put("ms", planned.estimatedMs);
            if (planned.withdrawn) task.put("withdrawn", true);
            if (!planned.note.empty()) task.put("note", planned.note);
            if (!planned.relation.empty()) task.put("relation", planned.relation);
            if (!planned.after.empty()) {
                task.putList("after", planned.after, [](TaskId id) { return id.value; });
            }
            if (!planned.locks.empty()) {
                task.putList("locks", planned.locks, [](const plan::TaskLock& held) {
                    JsonLine lock;
                    lock.put("key", held.key);
                    lock.put("mode", plan::toString(held.mode));
                    return lock;
                });
            }
            return task;
        });
    }
    void operator()(const Forecast& e) const {
        json.put("type", "forecast");
        json.put("ms", e.ms);
        json.put("runs", e.runs);
    }
    void operator()(const TaskStarted& e) const {
        json.put("type", "task_started");
        putSpan(json, e.span);
        json.put("kind", plan::toString(e.kind));
        json.put("object", e.object);
        json.put("worker", e.worker.value);
        json.put("backend_pid", e.backendPid);
        json.put("estimated", e.estimatedBytes);
        if (e.share > 0) json.put("share", e.share);
    }
    void operator()(const TaskStatement& e) const {
        json.put("type", "task_statement");
        putSpan(json, e.span);
        json.put("statement", e.statement);
    }
    void operator()(const TaskProgress& e) const {
        json.put("type", "task_progress");
        putSpan(json, e.span);
        json.put("bytes", e.bytes);
        json.put("rows", e.rows);
        if (e.estimatedBytes > 0) json.put("estimated", e.estimatedBytes);
    }
    void operator()(const TaskPhase& e) const {
        json.put("type", "task_phase");
        putSpan(json, e.span);
        json.put("phase", e.phase);
    }
    void operator()(const PartStarted& e) const {
        json.put("type", "part_started");
        putSpan(json, e.span);
        json.put("part", e.part);
        json.put("kind", toString(e.kind));
        json.put("object", e.object);
        if (!e.phase.empty()) json.put("phase", e.phase);
        if (e.helper > 0) json.put("helper", e.helper);
    }
    void operator()(const PartFinished& e) const {
        json.put("type", "part_finished");
        putSpan(json, e.span);
        json.put("part", e.part);
        if (e.rows > 0) json.put("rows", e.rows);
        if (e.took) json.put("took_ms", static_cast<double>(e.took->count()) / 1000);
        if (e.helper > 0) json.put("helper", e.helper);
    }
    void operator()(const HelpersLaunched& e) const {
        json.put("type", "helpers_launched");
        putSpan(json, e.span);
        json.put("launched", e.launched);
        json.put("planned", e.planned);
        json.put("phase", e.phase);
    }
    void operator()(const VacuumProgress& e) const {
        json.put("type", "vacuum_progress");
        putSpan(json, e.span);
        json.put("relation", e.relation);
        json.put("blocks", e.blocks);
        json.put("scanned", e.blocksScanned);
        json.put("vacuumed", e.blocksVacuumed);
        json.put("index_pass", e.indexPass);
        json.put("indexes", e.indexes);
        json.put("indexes_done", e.indexesDone);
        json.put("dead_rows", e.deadRows);
        json.put("dead_bytes", e.deadBytes);
        json.put("dead_bytes_most", e.deadBytesMost);
    }
    void operator()(const VacuumOutcome& e) const {
        json.put("type", "vacuum_outcome");
        putSpan(json, e.span);
        json.put("relation", e.relation);
        if (e.index) json.put("index", true);
        json.put("rows_removed", e.rowsRemoved);
        json.put("rows_kept", e.rowsKept);
        json.put("bytes_before", e.bytesBefore);
        json.put("bytes_after", e.bytesAfter);
        json.put("xid_age_before", e.xidAgeBefore);
        json.put("xid_age_after", e.xidAgeAfter);
    }
    void operator()(const TaskFinished& e) const {
        json.put("type", "task_finished");
        putSpan(json, e.span);
        json.put("bytes", e.bytes);
        json.put("rows", e.rows);
        json.put("compressed", e.compressedBytes);
        if (!e.whole) json.put("whole", false);
    }
    void operator()(const TaskFailed& e) const {
        json.put("type", "task_failed");
        putSpan(json, e.span);
        putError(json, e.error);
        json.put("ignored", e.ignored);
        json.put("retried", e.retried);
    }
    void operator()(const ErrorIgnored& e) const {
        json.put("type", "error_ignored");
        putSpan(json, e.span);
        putError(json, e.error);
    }
    void operator()(const WorkerIdle& e) const {
        json.put("type", "worker_idle");
        json.put("worker", e.worker.value);
        json.put("cause", toString(e.cause));
        if (!e.on.empty()) json.put("on", e.on);
    }
    void operator()(const Load& e) const {
        json.put("type", "load");
        if (e.processors) json.put("processors", *e.processors);
        if (e.sessions) json.put("sessions", *e.sessions);
        if (e.active) json.put("active", *e.active);
    }
    void operator()(const Identity& e) const {
        json.put("type", "identity");
        json.put("archive", e.archive);
        json.put("database", e.database);
        json.put("incarnation", e.incarnation);
        json.put("first_transaction", e.firstTransaction);
    }
    void operator()(const EntriesDone& e) const {
        json.put("type", "entries_done");
        json.putList("entries", e.entries, [](DumpId id) { return id.value; });
    }
    void operator()(const Notice& e) const {
        json.put("type", "notice");
        json.put("severity", toString(e.severity));
        json.put("message", e.message);
        if (e.ofWait) json.put("of_wait", true);
    }
    void operator()(const RunFinished& e) const {
        json.put("type", "run_finished");
        json.put("outcome", toString(e.outcome));
        JsonLine totals;
        totals.put("bytes", e.bytes);
        totals.put("compressed", e.compressedBytes);
        totals.put("rows", e.rows);
        totals.put("relations", e.relations);
        totals.put("large_objects", e.largeObjects);
        totals.put("ignored_errors", e.ignoredErrors);
        if (e.nothingRestored) totals.put("nothing_restored", true);
        if (e.commitInDoubt) totals.put("commit_in_doubt", true);
        if (e.compressionWait) {
            totals.put("compression_wait_ms",
                       static_cast<double>(e.compressionWait->count()) / 1000);
        }
        json.put("totals", totals);
        if (e.error) {
            JsonLine error;
            putError(error, *e.error);
            json.put("error", error);
        }
    }
};

Plan planFrom(const Json& json) {
    Plan plan;
    plan.lowerBoundMs = milliseconds(json, "lower_bound_ms");
    plan.anew = flag(json, "anew", false);
    for (const Json& task : list(json, "tasks")) {
        if (!task.is_object()) refuse("tasks", "holds what is not an object");
        PlannedTask planned;
        planned.task = TaskId{count<uint32_t>(task, "task")};
        planned.kind = enumFrom(task, "kind", kKinds, TaskKind::TableData);
        planned.object = text(task, "object");
        planned.estimatedBytes = count<uint64_t>(task, "bytes");
        planned.estimatedRows = count<uint64_t>(task, "rows");
        planned.divisible = flag(task, "divisible", false);
        planned.estimatedMs = milliseconds(task, "ms");
        planned.withdrawn = flag(task, "withdrawn", false);
        planned.note = text(task, "note");
        planned.relation = text(task, "relation");
        for (const Json& id : list(task, "after")) {
            planned.after.push_back(TaskId{countFrom<uint32_t>(id, "after")});
        }
        for (const Json& lock : list(task, "locks")) {
            if (!lock.is_object()) refuse("locks", "holds what is not an object");
            planned.locks.push_back(
                {.key = count<uint64_t>(lock, "key"),
                 .mode = enumFrom(lock, "mode", kLockModes, LockMode::AccessShare)});
        }
        plan.tasks.push_back(std::move(planned));
    }
    return plan;
}

RunFinished runFinishedFrom(const Json& json) {
    RunFinished e;
    e.outcome = enumFrom(json, "outcome", kOutcomes, Outcome::Failed);
    const Json* found = fieldOf(json, "totals");
    const Json totals = found == nullptr ? Json::object() : *found;
    e.bytes = count<uint64_t>(totals, "bytes");
    e.compressedBytes = count<uint64_t>(totals, "compressed");
    e.rows = count<uint64_t>(totals, "rows");
    e.relations = count<uint64_t>(totals, "relations");
    e.largeObjects = count<uint64_t>(totals, "large_objects");
    e.ignoredErrors = count<uint64_t>(totals, "ignored_errors");
    e.nothingRestored = flag(totals, "nothing_restored", false);
    e.commitInDoubt = flag(totals, "commit_in_doubt", false);
    if (fieldOf(totals, "compression_wait_ms") != nullptr) {
        e.compressionWait =
            Duration(std::llround(milliseconds(totals, "compression_wait_ms") * 1000));
    }
    if (const Json* error = fieldOf(json, "error")) e.error = errorFrom(*error);
    return e;
}

/// What a vacuum tells beyond what every run does.
std::optional<Payload> vacuumPayloadFrom(const Json& json, std::string_view type) {
    if (type == "part_started") {
        return PartStarted{.span = spanFrom(json),
                           .part = count<uint32_t>(json, "part"),
                           .kind = enumFrom(json, "kind", kPartKinds, PartKind::Index),
                           .object = text(json, "object"),
                           .phase = text(json, "phase"),
                           .helper = count<uint32_t>(json, "helper")};
    }
    if (type == "part_finished") {
        PartFinished e{.span = spanFrom(json),
                       .part = count<uint32_t>(json, "part"),
                       .rows = count<uint64_t>(json, "rows"),
                       .took = std::nullopt,
                       .helper = count<uint32_t>(json, "helper")};
        if (fieldOf(json, "took_ms") != nullptr) {
            e.took = Duration(std::llround(milliseconds(json, "took_ms") * 1000));
        }
        return e;
    }
    if (type == "helpers_launched") {
        return HelpersLaunched{.span = spanFrom(json),
                               .launched = count<uint32_t>(json, "launched"),
                               .planned = count<uint32_t>(json, "planned"),
                               .phase = text(json, "phase")};
    }
    if (type == "vacuum_progress") {
        return VacuumProgress{.span = spanFrom(json),
                              .relation = text(json, "relation"),
                              .blocks = count<uint64_t>(json, "blocks"),
                              .blocksScanned = count<uint64_t>(json, "scanned"),
                              .blocksVacuumed = count<uint64_t>(json, "vacuumed"),
                              .indexPass = count<uint32_t>(json, "index_pass"),
                              .indexes = count<uint32_t>(json, "indexes"),
                              .indexesDone = count<uint32_t>(json, "indexes_done"),
                              .deadRows = count<uint64_t>(json, "dead_rows"),
                              .deadBytes = count<uint64_t>(json, "dead_bytes"),
                              .deadBytesMost = count<uint64_t>(json, "dead_bytes_most")};
    }
    if (type == "vacuum_outcome") {
        return VacuumOutcome{.span = spanFrom(json),
                             .relation = text(json, "relation"),
                             .index = flag(json, "index", false),
                             .rowsRemoved = count<uint64_t>(json, "rows_removed"),
                             .rowsKept = count<uint64_t>(json, "rows_kept"),
                             .bytesBefore = count<uint64_t>(json, "bytes_before"),
                             .bytesAfter = count<uint64_t>(json, "bytes_after"),
                             .xidAgeBefore = count<uint64_t>(json, "xid_age_before"),
                             .xidAgeAfter = count<uint64_t>(json, "xid_age_after")};
    }
    return std::nullopt;
}

std::optional<Payload> payloadFrom(const Json& json) {
    const auto type = text(json, "type");
    if (type == "run_started") {
        return RunStarted{.operation = text(json, "operation"),
                          .database = text(json, "database"),
                          .options = texts(json, "options"),
                          .versions = texts(json, "versions"),
                          .startedAt = text(json, "started_at"),
                          .workers = count<uint32_t>(json, "workers"),
                          .environment = texts(json, "environment")};
    }
    if (type == "plan") return planFrom(json);
    if (type == "forecast") {
        return Forecast{.ms = milliseconds(json, "ms"), .runs = count<uint32_t>(json, "runs")};
    }
    if (type == "task_started") {
        return TaskStarted{.span = spanFrom(json),
                           .kind = enumFrom(json, "kind", kKinds, TaskKind::TableData),
                           .object = text(json, "object"),
                           .worker = WorkerId{count<uint32_t>(json, "worker")},
                           .backendPid = count<int32_t>(json, "backend_pid"),
                           .estimatedBytes = count<uint64_t>(json, "estimated"),
                           .share = number(json, "share", 1)};
    }
    if (type == "task_statement") {
        return TaskStatement{.span = spanFrom(json), .statement = text(json, "statement")};
    }
    if (type == "task_progress") {
        return TaskProgress{.span = spanFrom(json),
                            .bytes = count<uint64_t>(json, "bytes"),
                            .rows = count<uint64_t>(json, "rows"),
                            .estimatedBytes = count<uint64_t>(json, "estimated")};
    }
    if (type == "task_phase") {
        return TaskPhase{.span = spanFrom(json), .phase = text(json, "phase")};
    }
    if (type == "task_finished") {
        return TaskFinished{.span = spanFrom(json),
                            .bytes = count<uint64_t>(json, "bytes"),
                            .rows = count<uint64_t>(json, "rows"),
                            .compressedBytes = count<uint64_t>(json, "compressed"),
                            .whole = flag(json, "whole", true)};
    }
    if (type == "task_failed") {
        return TaskFailed{.span = spanFrom(json),
                          .error = errorFrom(json),
                          .ignored = flag(json, "ignored", false),
                          .retried = flag(json, "retried", false)};
    }
    if (type == "error_ignored") {
        return ErrorIgnored{.span = spanFrom(json), .error = errorFrom(json)};
    }
    if (type == "worker_idle") {
        return WorkerIdle{.worker = WorkerId{count<uint32_t>(json, "worker")},
                          .cause = enumFrom(json, "cause", kCauses, IdleCause::Tail),
                          .on = text(json, "on")};
    }
    if (type == "load") {
        Load load;
        if (fieldOf(json, "processors") != nullptr) load.processors = number(json, "processors", 1);
        if (fieldOf(json, "sessions") != nullptr) load.sessions = count<uint32_t>(json, "sessions");
        if (fieldOf(json, "active") != nullptr) load.active = count<uint32_t>(json, "active");
        return load;
    }
    if (type == "identity") {
        return Identity{.archive = text(json, "archive"),
                        .database = text(json, "database"),
                        .incarnation = text(json, "incarnation"),
                        .firstTransaction = count<uint64_t>(json, "first_transaction")};
    }
    if (type == "entries_done") {
        EntriesDone done;
        for (const Json& id : list(json, "entries")) {
            done.entries.push_back(DumpId{countFrom<int32_t>(id, "entries")});
        }
        return done;
    }
    if (type == "notice") {
        return Notice{.severity = enumFrom(json, "severity", kSeverities, Severity::Info),
                      .message = text(json, "message"),
                      .ofWait = flag(json, "of_wait", false)};
    }
    if (type == "run_finished") return runFinishedFrom(json);
    return vacuumPayloadFrom(json, type);
}

}  // namespace

std::string toJson(const Event& event) {
    JsonLine json;
    json.put("t_ms", static_cast<double>(event.at.count()) / 1000);
    std::visit(Put{json}, event.payload);
    return json.text();
}

std::optional<Event> fromJson(std::string_view line) {
    constexpr bool kThrows = false;
    const Json json = Json::parse(line, nullptr, kThrows);
    if (json.is_discarded()) throw Error(ErrorKind::Format, "not an event: it is not JSON");
    if (!json.is_object() || text(json, "type").empty()) {
        throw Error(ErrorKind::Format, "not an event: it has no type");
    }
    std::optional<Payload> payload = payloadFrom(json);
    if (!payload) return std::nullopt;
    return Event{.at = Duration(std::llround(milliseconds(json, "t_ms") * 1000)),
                 .payload = std::move(*payload)};
}

std::vector<Event> readEvents(std::istream& lines) {
    std::vector<Event> events;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const bool cutOff = lines.eof();  // no newline behind it
        if (line.empty()) continue;
        try {
            if (auto event = fromJson(line)) events.push_back(std::move(*event));
        } catch (const Error& error) {
            if (cutOff) break;
            throw Error(ErrorKind::Format, error.info().message, fmt::format("line {}", number));
        }
    }
    return events;
}

std::string_view toString(IdleCause cause) {
    switch (cause) {
        case IdleCause::Dependency:
            return "dependency";
        case IdleCause::Lock:
            return "lock";
        case IdleCause::Tail:
            return "tail";
        case IdleCause::Starting:
            return "starting";
        case IdleCause::Paused:
            return "paused";
        case IdleCause::Left:
            return "left";
    }
    return "";
}

std::string_view toString(PartKind kind) {
    switch (kind) {
        case PartKind::Index:
            return "index";
        case PartKind::Toast:
            return "toast";
        case PartKind::Table:
            return "table";
    }
    return "";
}

std::string_view toString(Outcome outcome) {
    switch (outcome) {
        case Outcome::Clean:
            return "clean";
        case Outcome::CompletedWithErrors:
            return "completed_with_errors";
        case Outcome::Failed:
            return "failed";
        case Outcome::Cancelled:
            return "cancelled";
    }
    return "";
}

std::string_view toString(Severity severity) {
    switch (severity) {
        case Severity::Info:
            return "info";
        case Severity::Warning:
            return "warning";
    }
    return "";
}

}  // namespace gantry::events
