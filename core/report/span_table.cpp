// SPDX-License-Identifier: PostgreSQL
#include "core/report/span_table.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/clock.h"

namespace gantry::report {
namespace {

/// A cell that a spreadsheet would take for a formula is told to be text.
std::string cell(const std::string& value) {
    std::string text = value;
    if (!text.empty() &&
        std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
        text.insert(0, 1, '\'');
    }
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

std::string csvOf(const events::RunState& run) {
    std::string text =
        "task,part,kind,object,worker,backend_pid,begin_s,end_s,rows,bytes,compressed_bytes,"
        "outcome,error\n";
    for (const events::SpanState& span : run.spans()) {
        const char* outcome = span.running() ? "running" : span.cutOff ? "cut off" : "done";
        if (span.error) outcome = span.retried ? "tried again" : "failed";
        text += fmt::format(
            "{},{},{},{},{},{},{:.6f},{:.6f},{},{},{},{},{}\n", span.span.task.value,
            span.span.chunk ? std::to_string(*span.span.chunk + 1) : std::string(),
            plan::toString(span.kind), cell(span.object), span.worker.value, span.backendPid,
            secondsOf(span.begin), secondsOf(span.end.value_or(run.now())), span.rows, span.bytes,
            span.compressedBytes, outcome,
            span.error ? cell(span.error->describe()) : std::string());
    }
    return text;
}

}  // namespace gantry::report
