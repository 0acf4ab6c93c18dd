// SPDX-License-Identifier: PostgreSQL
#include "app/headless/run_text.h"

#include <catch2/catch_test_macros.hpp>

#include "app/headless/quantity.h"

using namespace gantry;
using namespace gantry::events;
using namespace gantry::headless;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kMega = 1'000'000;

class Run {
public:
    explicit Run(uint32_t workers) {
        RunStarted started;
        started.operation = "dump";
        started.database = "shop";
        started.workers = workers;
        post(0s, started);
    }
    void post(Duration at, Payload payload) { state.apply(Event{at, std::move(payload)}); }
    void plan(uint32_t id, const std::string& object, uint64_t bytes, bool divisible = false) {
        PlannedTask task;
        task.task = TaskId{id};
        task.object = object;
        task.estimatedBytes = bytes;
        task.divisible = divisible;
        Plan event;
        event.tasks = {task};
        post(state.now(), event);
    }
    void start(Duration at, uint32_t id, uint32_t worker, const std::string& object, uint64_t bytes,
               std::optional<uint32_t> chunk = {}) {
        TaskStarted event;
        event.span = {TaskId{id}, chunk};
        event.worker = WorkerId{worker};
        event.object = object;
        event.estimatedBytes = bytes;
        post(at, event);
    }
    void progress(Duration at, uint32_t id, uint64_t bytes, std::optional<uint32_t> chunk = {}) {
        TaskProgress event;
        event.span = {TaskId{id}, chunk};
        event.bytes = bytes;
        post(at, event);
    }
    void fail(Duration at, uint32_t id, const std::string& message) {
        TaskFailed event;
        event.span = {TaskId{id}, {}};
        event.error.message = message;
        event.error.hint = "Grant SELECT.";
        event.ignored = true;
        post(at, event);
    }
    void idle(uint32_t worker, IdleCause cause, std::string on) {
        post(state.now(), WorkerIdle{WorkerId{worker}, cause, std::move(on)});
    }
    RunState state;
};

Run underway() {
    Run run(3);
    run.plan(1, "public.events", 400 * kMega, true);
    run.plan(2, "public.orders", 100 * kMega);
    run.start(0s, 1, 1, "public.events", 200 * kMega, 2);
    run.start(0s, 2, 2, "public.orders", 100 * kMega);
    run.idle(3, IdleCause::Tail, "public.events");
    run.progress(1s, 1, 100 * kMega, 2);
    run.progress(2s, 2, 25 * kMega);
    return run;
}

RunFinished finished(Outcome outcome) {
    RunFinished end;
    end.outcome = outcome;
    end.bytes = 1310 * kMega;
    end.compressedBytes = 260 * kMega;
    end.rows = 4512331;
    end.relations = 61;
    end.largeObjects = 12;
    return end;
}

}  // namespace

TEST_CASE("the live display: the whole, then each worker with what it does or why it does not") {
    const Run run = underway();
    const std::vector<std::string> lines =
        renderProgress(run.state, {.width = 90, .height = 24, .color = false, .unicode = false});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] ==
          " 25% ########.........................  125 MB of about 500 MB, 62.5 MB/s, about 6 s "
          "left");
    CHECK(lines[1] ==
          "  1  public.events #3                                  #####.....  50%    100 MB");
    CHECK(lines[2] ==
          "  2  public.orders                                     ##........  25%   25.0 MB");
    CHECK(lines[3] == fitted("  3  nothing left to do but public.events", 89, false));
}

TEST_CASE("where there is little room, the end matters more than the speed") {
    const Run run = underway();
    CHECK(renderProgress(run.state, {.width = 60})[0] ==
          fitted(" 25% 125 MB of about 500 MB, 62.5 MB/s, about 6 s left", 59, false));
    CHECK(renderProgress(run.state, {.width = 50})[0] ==
          fitted(" 25% 125 MB, about 6 s left", 49, false));
}

TEST_CASE("on a very narrow terminal nothing is cut to nonsense") {
    const Run run = underway();
    const std::vector<std::string> lines = renderProgress(run.state, {.width = 24});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == fitted(" 25% 125 MB", 23, false));
    CHECK(lines[1] == fitted("  1  public.events #3", 23, false));
    CHECK(renderProgress(run.state, {.width = 30})[1] == "  1  public.events #3  100 MB");
}

TEST_CASE("no line is ever wider than the terminal, none too many") {
    Run run(40);
    for (uint32_t worker = 1; worker <= 40; ++worker) {
        const std::string name = "schema_with_a_long_name.größentabelle_" + std::to_string(worker);
        run.plan(worker, name, kMega);
        run.start(1s, worker, worker, name, kMega);
        run.progress(2s, worker, kMega / 3);
    }
    for (const bool unicode : {false, true}) {
        for (std::size_t width = 20; width < 140; ++width) {
            for (const std::size_t height : {1U, 4U, 24U, 100U}) {
                const TextStyle style{width, height, false, unicode};
                const std::vector<std::string> lines = renderProgress(run.state, style);
                CHECK(lines.size() <= std::max<std::size_t>(height, 3) - 1);
                for (const std::string& line : lines) {
                    CAPTURE(width, line);
                    CHECK(columnsOf(line) < width);
                }
            }
        }
    }
    const std::vector<std::string> lines = renderProgress(run.state, {.width = 80, .height = 10});
    REQUIRE(lines.size() == 9);
    CHECK(lines.back() == "     and 33 more");
}

TEST_CASE("each cause of idleness is said in words") {
    Run run(4);
    run.idle(1, IdleCause::Dependency, "public.a");
    run.idle(2, IdleCause::Lock, "session 4711");
    run.idle(3, IdleCause::Starting, "");
    run.idle(4, IdleCause::Tail, "");
    const std::vector<std::string> lines = renderProgress(run.state, {.width = 40, .height = 24});
    REQUIRE(lines.size() == 5);
    CHECK(lines[1] == fitted("  1  waits for public.a", 39, false));
    CHECK(lines[2] == fitted("  2  waits for a lock: session 4711", 39, false));
    CHECK(lines[3] == fitted("  3  starting", 39, false));
    CHECK(lines[4] == fitted("  4  nothing left to do", 39, false));
}

TEST_CASE("before it begins, a run says what it waits for") {
    RunState state;
    CHECK(renderStart(state, {}) == std::vector<std::string>{"starting"});
    state.apply(
        Event{1s, WorkerIdle{WorkerId{0}, IdleCause::Lock, "public.a, held by\x1b session 7"}});
    CHECK(renderStart(state, {.width = 30}) ==
          std::vector<std::string>{"waits for a lock: public.a,", "held by? session 7"});
}

TEST_CASE("a lock that the coordinator waits for has a line of its own") {
    Run run(1);
    CHECK(renderProgress(run.state, {}).size() == 2);
    run.idle(0, IdleCause::Lock, "public.a");
    const std::vector<std::string> lines = renderProgress(run.state, {});
    REQUIRE(lines.size() == 3);
    CHECK(lines[1] == fitted("  -  waits for a lock: public.a", 79, false));
}

TEST_CASE("stopping says in time what another Ctrl-C would do") {
    CHECK(renderStopping(0s) == "stopping");
    CHECK(renderStopping(1900ms) == "stopping");
    CHECK(renderStopping(2s) == "stopping; Ctrl-C ends it at once, without tidying up");
}

TEST_CASE("colour only where it is wanted") {
    const Run run = underway();
    const auto text = [&run](bool color) {
        std::string all;
        for (const std::string& line :
             renderProgress(run.state, {.width = 80, .height = 24, .color = color})) {
            all += line;
        }
        return all;
    };
    CHECK(text(false).find('\x1b') == std::string::npos);
    CHECK(text(true).find("\x1b[1m 25% \x1b[0m") != std::string::npos);
}

TEST_CASE("the whole in one plain line") {
    CHECK(renderProgressLine(underway().state) ==
          "25%, 125 MB of about 500 MB, 62.5 MB/s, about 6 s left");
    CHECK(renderProgressLine(Run(1).state) == "0%, 0 B");
}

TEST_CASE("a clean run is summed up with what to do next") {
    Run run(2);
    run.post(4900ms, finished(Outcome::Clean));
    CHECK(renderSummary(run.state, {"/backup/shop", "pg_restore -d NEWDB -j 4 /backup/shop"}) ==
          "The dump of \"shop\" is complete.\n"
          "  Holds:    61 tables, 4,512,331 rows, 12 large objects\n"
          "  Read:     1.31 GB in 4.9 s (267 MB/s), 260 MB on disk\n"
          "  Archive:  /backup/shop\n"
          "  Restore:  pg_restore -d NEWDB -j 4 /backup/shop\n");
}

TEST_CASE("ignored errors are listed, equal ones together") {
    Run run(2);
    for (uint32_t id = 1; id <= 5; ++id) {
        const std::string object = "public.t" + std::to_string(id);
        run.start(1s, id, 1, object, 0);
        run.fail(1s, id, id == 5 ? "disk on fire" : "permission denied");
    }
    RunFinished end = finished(Outcome::CompletedWithErrors);
    end.ignoredErrors = 5;
    run.post(2s, end);
    CHECK(renderSummary(run.state, {}) ==
          "The dump of \"shop\" finished, but with 5 errors on the way:\n"
          "  public.t5: disk on fire. Grant SELECT.\n"
          "  public.t1, public.t2, public.t3 and 1 more: permission denied. Grant SELECT.\n"
          "  Holds:    61 tables, 4,512,331 rows, 12 large objects\n"
          "  Read:     1.31 GB in 2.0 s (655 MB/s), 260 MB on disk\n");
}

TEST_CASE("a failed run says why, and that nothing half is left") {
    Run run(2);
    RunFinished end = finished(Outcome::Failed);
    end.error = ErrorInfo{};
    end.error->object = "public.orders";
    end.error->message = "no space left";
    end.error->hint = "Free some space.";
    run.post(2s, end);
    CHECK(
        renderSummary(run.state, {"/backup/shop", "x"}) ==
        "The dump of \"shop\" failed after 2.0 s: public.orders: no space left. Free some space.\n"
        "Nothing was left that could be taken for a whole dump.\n");
    Run cancelled(2);
    cancelled.post(2s, finished(Outcome::Cancelled));
    CHECK(renderSummary(cancelled.state, {}) ==
          "Cancelled after 2.0 s. Nothing was left that could be taken for a whole dump.\n");
}

TEST_CASE("failures and notices as they come") {
    SpanState span;
    span.object = "public.\x1b[2J";
    span.error = Error(ErrorKind::Server, "lost").info();
    CHECK(renderFailure(span) == "error: public.?[2J: lost");
    span.ignored = true;
    CHECK(renderFailure(span) == "error, going on without it: public.?[2J: lost");
    span.retried = true;
    CHECK(renderFailure(span) == "trying again: public.?[2J: lost");
    CHECK(renderNotice({Severity::Warning, "old server"}) == "warning: old server");
    CHECK(renderNotice({Severity::Info, "hello"}) == "hello");
    SpanState done;
    done.object = "public.a";
    done.rows = 1;
    done.bytes = 12;
    done.begin = 1s;
    done.end = 3s;
    CHECK(renderFinished(done) == "public.a: 1 row, 12 B, 2.0 s");
}

TEST_CASE("a plan names the largest tasks and counts the rest") {
    Run run(2);
    run.plan(1, "public.small", kMega);
    run.plan(2, "public.big", 400 * kMega, true);
    run.plan(3, "public.middle", 3 * kMega);
    CHECK(renderPlan(run.state, 2) ==
          "The plan of the dump of \"shop\": 3 tasks for 2 workers, about 404 MB\n"
          "     400 MB  table data         public.big  (divided if need be)\n"
          "    3.00 MB  table data         public.middle\n"
          "  and 1 smaller task (--verbose lists all)\n"
          "Nothing was done: this was a dry run.\n");
}
