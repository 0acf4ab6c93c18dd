// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/history/past_runs.h"

#include "tests/support/recording.h"

namespace gantry::test {

using namespace events;

std::vector<Event> SampleRun::events() const {
    std::vector<Event> all;
    Duration now{};
    const auto post = [&](Payload payload) { all.push_back({now, std::move(payload)}); };
    RunStarted started{.operation = operation,
                       .database = database,
                       .options = {{"format", "directory"}, {"compress", "zstd"}, {"jobs", "2"}},
                       .versions = {{"gantry", "0.1.0"}, {"server", "18.1"}},
                       .startedAt = startedAt,
                       .workers = 2,
                       .environment = {{"server", "db1:5432"}, {"cluster", cluster}}};
    if (!file.empty()) started.options["file"] = file;
    for (const auto& [name, value] : options) started.options[name] = value;
    const auto after = [](double time) {
        return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(time));
    };
    if (waits > 0) {
        post(WorkerIdle{
            .worker = WorkerId{0}, .cause = IdleCause::Lock, .on = "public.large, session 7"});
        now = after(waits);
    }
    post(std::move(started));
    Plan plan;
    for (uint32_t task = 0; task < 2; ++task) {
        PlannedTask planned;
        planned.task = TaskId{task};
        planned.object = task == 0 ? "public.large" : "public.small";
        planned.estimatedBytes = bytes / (task + 1);
        planned.estimatedMs = static_cast<double>(planned.estimatedBytes) / 150e6 * 1000;
        plan.tasks.push_back(planned);
    }
    post(plan);
    if (operation == "restore") post(Identity{.archive = "a1", .database = cluster + "/5"});
    for (uint32_t task = 0; task < 2; ++task) {
        TaskStarted begun;
        begun.span = {TaskId{task}, std::nullopt};
        begun.object = plan.tasks[task].object;
        begun.worker = WorkerId{task + 1};
        begun.backendPid = 100;
        begun.estimatedBytes = plan.tasks[task].estimatedBytes;
        post(begun);
    }
    const auto finish = [&](uint32_t task, double at) {
        now = after(waits + at);
        post(TaskFinished{.span = {TaskId{task}, std::nullopt},
                          .bytes = bytes / (task + 1),
                          .rows = 1000,
                          .compressedBytes = bytes / (task + 1) / 4});
    };
    finish(1, seconds / 2);
    finish(0, seconds);
    RunFinished end;
    end.outcome = outcome;
    if (outcome == Outcome::Failed) end.error.emplace().message = "it broke";
    end.bytes = bytes + bytes / 2;
    end.compressedBytes = end.bytes / 4;
    end.rows = 2000;
    end.relations = 2;
    post(end);
    return all;
}

std::vector<std::string> record(const std::filesystem::path& folder, const SampleRun& run) {
    Notices notices;
    Recording recorder(folder, notices);
    recorder.take(run.events());
    return notices.messages;
}

}  // namespace gantry::test
