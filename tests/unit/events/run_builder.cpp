// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/events/run_builder.h"

#include <fmt/format.h>

#include <utility>

namespace gantry::test {

using namespace events;

RunBuilder::RunBuilder(uint32_t workers) {
    RunStarted started;
    started.operation = "dump";
    started.database = "shop";
    started.workers = workers;
    post(std::move(started));
}

void RunBuilder::post(Payload payload) {
    events.push_back({now, std::move(payload)});
    state.apply(events.back());
}

void RunBuilder::plan(uint32_t task, uint64_t bytes, bool divisible) {
    PlannedTask planned;
    planned.task = TaskId{task};
    planned.object = fmt::format("t{}", task);
    planned.estimatedBytes = bytes;
    planned.divisible = divisible;
    post(Plan{.tasks = {planned}, .lowerBoundMs = 0});
}

void RunBuilder::planMs(uint32_t task, double ms, plan::TaskKind kind) {
    PlannedTask planned;
    planned.task = TaskId{task};
    planned.kind = kind;
    planned.object = fmt::format("t{}", task);
    planned.estimatedMs = ms;
    post(Plan{.tasks = {planned}, .lowerBoundMs = 0});
}

void RunBuilder::withdraw(uint32_t task) {
    PlannedTask planned;
    planned.task = TaskId{task};
    planned.object = fmt::format("t{}", task);
    planned.withdrawn = true;
    post(Plan{.tasks = {planned}, .lowerBoundMs = 0});
}

void RunBuilder::start(uint32_t task, uint32_t worker, uint64_t bytes,
                       std::optional<uint32_t> chunk, double share) {
    TaskStarted started;
    started.span = {TaskId{task}, chunk};
    const auto planned = state.tasks().find(TaskId{task});
    if (planned != state.tasks().end()) started.kind = planned->second.kind;
    started.object = fmt::format("t{}", task);
    started.worker = WorkerId{worker};
    started.estimatedBytes = bytes;
    started.share = share;
    post(std::move(started));
}

void RunBuilder::progress(uint32_t task, uint64_t bytes, std::optional<uint32_t> chunk) {
    post(TaskProgress{.span = {TaskId{task}, chunk}, .bytes = bytes, .rows = bytes / 100});
}

void RunBuilder::finish(uint32_t task, uint64_t bytes, std::optional<uint32_t> chunk, bool whole) {
    post(TaskFinished{.span = {TaskId{task}, chunk},
                      .bytes = bytes,
                      .rows = bytes / 100,
                      .compressedBytes = bytes / 4,
                      .whole = whole});
}

void RunBuilder::fail(uint32_t task, bool retried, std::optional<uint32_t> chunk) {
    TaskFailed failed;
    failed.span = {TaskId{task}, chunk};
    failed.error.message = "it broke";
    failed.ignored = true;
    failed.retried = retried;
    post(std::move(failed));
}

void RunBuilder::idle(uint32_t worker, IdleCause cause, std::string on) {
    post(WorkerIdle{.worker = WorkerId{worker}, .cause = cause, .on = std::move(on)});
}

void RunBuilder::end(Outcome outcome) {
    RunFinished finished;
    finished.outcome = outcome;
    post(std::move(finished));
}

}  // namespace gantry::test
