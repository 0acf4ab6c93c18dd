// SPDX-License-Identifier: PostgreSQL
#include "core/events/trace_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gantry::events {
namespace {

using TraceJson = nlohmann::ordered_json;

constexpr int kProcess = 1;

TraceJson nameOf(const char* what, uint32_t thread, std::string name) {
    return TraceJson{{"name", what},
                     {"ph", "M"},
                     {"pid", kProcess},
                     {"tid", thread},
                     {"args", {{"name", std::move(name)}}}};
}

TraceJson stretch(std::string name, std::string_view category, Duration begin, Duration end,
                  WorkerId worker) {
    return TraceJson{{"name", std::move(name)},
                     {"cat", category},
                     {"ph", "X"},
                     {"ts", begin.count()},
                     {"dur", (end - begin).count()},
                     {"pid", kProcess},
                     {"tid", worker.value}};
}

TraceJson traced(const SpanState& span, Duration now) {
    std::string name = span.object;
    if (span.span.chunk) name += fmt::format(" #{}", *span.span.chunk + 1);
    TraceJson event = stretch(std::move(name), plan::toString(span.kind), span.begin,
                              span.end.value_or(now), span.worker);
    TraceJson args{{"task", span.span.task.value}, {"bytes", span.bytes}, {"rows", span.rows}};
    if (span.backendPid != 0) args["backend_pid"] = span.backendPid;
    if (!span.phase.empty()) args["phase"] = span.phase;
    if (span.error) {
        args["error"] = span.error->describe();
        args["retried"] = span.retried;
    }
    event["args"] = std::move(args);
    return event;
}

TraceJson traced(const IdleState& idle, Duration now) {
    std::string name = fmt::format("idle: {}", toString(idle.idle.cause));
    if (!idle.idle.on.empty()) name += fmt::format(" ({})", idle.idle.on);
    return stretch(std::move(name), "idle", idle.begin, idle.end.value_or(now), idle.idle.worker);
}

}  // namespace

std::string traceOf(const RunState& run) {
    TraceJson events = TraceJson::array();
    if (run.started()) {
        events.push_back(
            nameOf("process_name", 0,
                   fmt::format("{} of {}", run.started()->operation, run.started()->database)));
    }
    for (const auto& [worker, state] : run.workers()) {
        events.push_back(
            nameOf("thread_name", worker.value,
                   worker.value == 0 ? "coordinator" : fmt::format("worker {}", worker.value)));
    }
    for (const SpanState& span : run.spans()) events.push_back(traced(span, run.now()));
    for (const IdleState& idle : run.idles()) events.push_back(traced(idle, run.now()));
    for (const auto& [at, notice] : run.notices()) {
        events.push_back(TraceJson{{"name", notice.message},
                                   {"cat", toString(notice.severity)},
                                   {"ph", "i"},
                                   {"ts", at.count()},
                                   {"pid", kProcess},
                                   {"tid", 0},
                                   {"s", "g"}});
    }
    const TraceJson trace{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
    return trace.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
}

}  // namespace gantry::events
