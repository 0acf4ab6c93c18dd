// SPDX-License-Identifier: PostgreSQL
#include "core/events/event_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

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
    TaskKind::Acl,        TaskKind::Statistics, TaskKind::Vacuum,           TaskKind::Analyze,
    TaskKind::Finish};
constexpr std::array kCauses{IdleCause::Dependency, IdleCause::Lock, IdleCause::Tail,
                             IdleCause::Starting, IdleCause::Left};
constexpr std::array kOutcomes{Outcome::Clean, Outcome::CompletedWithErrors, Outcome::Failed,
                               Outcome::Cancelled};
constexpr std::array kSeverities{Severity::Info, Severity::Warning};
constexpr std::array kErrorKinds{ErrorKind::Usage,     ErrorKind::Preflight, ErrorKind::Connection,
                                 ErrorKind::Server,    ErrorKind::Format,    ErrorKind::Io,
                                 ErrorKind::Cancelled, ErrorKind::Internal};

template <class T>
T value(const Json& json, const char* key, T otherwise = {}) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? otherwise : found->get<T>();
}

void putSpan(Json& json, const Span& span) {
    json["task"] = span.task.value;
    if (span.chunk) json["chunk"] = *span.chunk;
}

Span spanFrom(const Json& json) {
    Span span{.task = TaskId{value<uint32_t>(json, "task")}, .chunk = std::nullopt};
    if (json.contains("chunk")) span.chunk = json["chunk"].get<uint32_t>();
    return span;
}

void putError(Json& json, const ErrorInfo& error) {
    json["error_kind"] = toString(error.kind);
    json["message"] = error.message;
    if (!error.object.empty()) json["object"] = error.object;
    if (!error.hint.empty()) json["hint"] = error.hint;
    if (!error.sqlState.empty()) json["sqlstate"] = error.sqlState;
    if (!error.statement.empty()) json["statement"] = error.statement;
    if (error.byteOffset) json["byte_offset"] = *error.byteOffset;
}

ErrorInfo errorFrom(const Json& json) {
    ErrorInfo error;
    error.kind = enumFrom(json, "error_kind", kErrorKinds, ErrorKind::Internal);
    error.message = value<std::string>(json, "message");
    error.object = value<std::string>(json, "object");
    error.hint = value<std::string>(json, "hint");
    error.sqlState = value<std::string>(json, "sqlstate");
    error.statement = value<std::string>(json, "statement");
    if (json.contains("byte_offset")) error.byteOffset = json["byte_offset"].get<uint64_t>();
    return error;
}

/// One overload a type each way: the compiler tells when one is missing.
struct Put {
    Json& json;

    void operator()(const RunStarted& e) const {
        json["type"] = "run_started";
        json["operation"] = e.operation;
        json["database"] = e.database;
        json["options"] = e.options;
        json["versions"] = e.versions;
        json["started_at"] = e.startedAt;
        json["workers"] = e.workers;
    }
    void operator()(const Plan& e) const {
        json["type"] = "plan";
        json["lower_bound_ms"] = e.lowerBoundMs;
        Json tasks = Json::array();
        for (const PlannedTask& planned : e.tasks) {
            Json task{{"task", planned.task.value},    {"kind", plan::toString(planned.kind)},
                      {"object", planned.object},      {"bytes", planned.estimatedBytes},
                      {"rows", planned.estimatedRows}, {"divisible", planned.divisible}};
            if (!planned.after.empty()) {
                Json after = Json::array();
                for (const TaskId id : planned.after) after.push_back(id.value);
                task["after"] = std::move(after);
            }
            tasks.push_back(std::move(task));
        }
        json["tasks"] = std::move(tasks);
    }
    void operator()(const TaskStarted& e) const {
        json["type"] = "task_started";
        putSpan(json, e.span);
        json["kind"] = plan::toString(e.kind);
        json["object"] = e.object;
        json["worker"] = e.worker.value;
        json["backend_pid"] = e.backendPid;
        json["estimated"] = e.estimatedBytes;
    }
    void operator()(const TaskProgress& e) const {
        json["type"] = "task_progress";
        putSpan(json, e.span);
        json["bytes"] = e.bytes;
        json["rows"] = e.rows;
        if (e.estimatedBytes > 0) json["estimated"] = e.estimatedBytes;
    }
    void operator()(const TaskPhase& e) const {
        json["type"] = "task_phase";
        putSpan(json, e.span);
        json["phase"] = e.phase;
    }
    void operator()(const TaskFinished& e) const {
        json["type"] = "task_finished";
        putSpan(json, e.span);
        json["bytes"] = e.bytes;
        json["rows"] = e.rows;
        json["compressed"] = e.compressedBytes;
        if (!e.whole) json["whole"] = false;
    }
    void operator()(const TaskFailed& e) const {
        json["type"] = "task_failed";
        putSpan(json, e.span);
        putError(json, e.error);
        json["ignored"] = e.ignored;
        json["retried"] = e.retried;
    }
    void operator()(const ErrorIgnored& e) const {
        json["type"] = "error_ignored";
        putSpan(json, e.span);
        putError(json, e.error);
    }
    void operator()(const WorkerIdle& e) const {
        json["type"] = "worker_idle";
        json["worker"] = e.worker.value;
        json["cause"] = toString(e.cause);
        if (!e.on.empty()) json["on"] = e.on;
    }
    void operator()(const Notice& e) const {
        json["type"] = "notice";
        json["severity"] = toString(e.severity);
        json["message"] = e.message;
    }
    void operator()(const RunFinished& e) const {
        json["type"] = "run_finished";
        json["outcome"] = toString(e.outcome);
        json["totals"] = {{"bytes", e.bytes},
                          {"compressed", e.compressedBytes},
                          {"rows", e.rows},
                          {"relations", e.relations},
                          {"large_objects", e.largeObjects},
                          {"ignored_errors", e.ignoredErrors}};
        if (e.error) {
            Json error;
            putError(error, *e.error);
            json["error"] = std::move(error);
        }
    }
};

Plan planFrom(const Json& json) {
    Plan plan;
    plan.lowerBoundMs = value<double>(json, "lower_bound_ms");
    for (const Json& task : json.at("tasks")) {
        PlannedTask planned;
        planned.task = TaskId{value<uint32_t>(task, "task")};
        planned.kind = enumFrom(task, "kind", kKinds, TaskKind::TableData);
        planned.object = value<std::string>(task, "object");
        planned.estimatedBytes = value<uint64_t>(task, "bytes");
        planned.estimatedRows = value<uint64_t>(task, "rows");
        planned.divisible = value<bool>(task, "divisible");
        for (const uint32_t id : value<std::vector<uint32_t>>(task, "after")) {
            planned.after.push_back(TaskId{id});
        }
        plan.tasks.push_back(std::move(planned));
    }
    return plan;
}

RunFinished runFinishedFrom(const Json& json) {
    RunFinished e;
    e.outcome = enumFrom(json, "outcome", kOutcomes, Outcome::Failed);
    const Json totals = value<Json>(json, "totals", Json::object());
    e.bytes = value<uint64_t>(totals, "bytes");
    e.compressedBytes = value<uint64_t>(totals, "compressed");
    e.rows = value<uint64_t>(totals, "rows");
    e.relations = value<uint64_t>(totals, "relations");
    e.largeObjects = value<uint64_t>(totals, "large_objects");
    e.ignoredErrors = value<uint64_t>(totals, "ignored_errors");
    if (json.contains("error")) e.error = errorFrom(json["error"]);
    return e;
}

std::optional<Payload> payloadFrom(const Json& json) {
    using Strings = std::map<std::string, std::string>;
    const auto type = value<std::string>(json, "type");
    if (type == "run_started") {
        return RunStarted{.operation = value<std::string>(json, "operation"),
                          .database = value<std::string>(json, "database"),
                          .options = value<Strings>(json, "options"),
                          .versions = value<Strings>(json, "versions"),
                          .startedAt = value<std::string>(json, "started_at"),
                          .workers = value<uint32_t>(json, "workers")};
    }
    if (type == "plan") return planFrom(json);
    if (type == "task_started") {
        return TaskStarted{.span = spanFrom(json),
                           .kind = enumFrom(json, "kind", kKinds, TaskKind::TableData),
                           .object = value<std::string>(json, "object"),
                           .worker = WorkerId{value<uint32_t>(json, "worker")},
                           .backendPid = value<int32_t>(json, "backend_pid"),
                           .estimatedBytes = value<uint64_t>(json, "estimated")};
    }
    if (type == "task_progress") {
        return TaskProgress{.span = spanFrom(json),
                            .bytes = value<uint64_t>(json, "bytes"),
                            .rows = value<uint64_t>(json, "rows"),
                            .estimatedBytes = value<uint64_t>(json, "estimated")};
    }
    if (type == "task_phase") {
        return TaskPhase{.span = spanFrom(json), .phase = value<std::string>(json, "phase")};
    }
    if (type == "task_finished") {
        return TaskFinished{.span = spanFrom(json),
                            .bytes = value<uint64_t>(json, "bytes"),
                            .rows = value<uint64_t>(json, "rows"),
                            .compressedBytes = value<uint64_t>(json, "compressed"),
                            .whole = value<bool>(json, "whole", true)};
    }
    if (type == "task_failed") {
        return TaskFailed{.span = spanFrom(json),
                          .error = errorFrom(json),
                          .ignored = value<bool>(json, "ignored"),
                          .retried = value<bool>(json, "retried")};
    }
    if (type == "error_ignored") {
        return ErrorIgnored{.span = spanFrom(json), .error = errorFrom(json)};
    }
    if (type == "worker_idle") {
        return WorkerIdle{.worker = WorkerId{value<uint32_t>(json, "worker")},
                          .cause = enumFrom(json, "cause", kCauses, IdleCause::Tail),
                          .on = value<std::string>(json, "on")};
    }
    if (type == "notice") {
        return Notice{.severity = enumFrom(json, "severity", kSeverities, Severity::Info),
                      .message = value<std::string>(json, "message")};
    }
    if (type == "run_finished") return runFinishedFrom(json);
    return std::nullopt;
}

}  // namespace

std::string toJson(const Event& event) {
    Json json;
    json["t_ms"] = static_cast<double>(event.at.count()) / 1000;
    std::visit(Put{json}, event.payload);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Event> fromJson(std::string_view line) {
    try {
        const Json json = Json::parse(line);
        if (!json.is_object() || !json.contains("type")) {
            throw Error(ErrorKind::Format, "not an event: it has no type");
        }
        std::optional<Payload> payload = payloadFrom(json);
        if (!payload) return std::nullopt;
        const double milliseconds = value<double>(json, "t_ms");
        return Event{.at = Duration(static_cast<int64_t>(milliseconds * 1000)),
                     .payload = std::move(*payload)};
    } catch (const Json::exception& error) {
        throw Error(ErrorKind::Format, fmt::format("not an event: {}", error.what()));
    }
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
        case IdleCause::Left:
            return "left";
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
