// SPDX-License-Identifier: PostgreSQL
// What the chart costs: frames of pan and zoom over 64 lanes × 100,000 tasks, and the GUI thread's
// share of one core while 50,000 events a second are folded, and its longest turn. Offscreen, drawn
// by the CPU.
#include <fmt/format.h>
#include <time.h>

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTemporaryDir>
#include <QThreadPool>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "core/events/event_json.h"
#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "ui/bridge/async.h"
#include "ui/gantt/gantt_view.h"
#include "ui/gantt/insight.h"
#include "ui/run/run_page.h"
#include "ui/theme/theme.h"

namespace {

using namespace gantry;
using namespace gantry::events;
using namespace gantry::ui;

constexpr uint32_t kLanes = 64;
constexpr uint32_t kTasks = 100'000;
constexpr int kFrames = 600;
constexpr QSize kSize(2560, 1440);

/// Of this thread, so that what else the machine does is left out.
double processorMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double wallMs() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Tasks of all kinds, most of them short and some very long, with pauses in between.
std::vector<Event> eventsOfLargeRun() {
    std::mt19937 random(7);
    std::lognormal_distribution<double> length(4.0, 1.4);
    std::vector<Event> events;
    RunStarted started;
    started.operation = "restore";
    started.database = "shop";
    started.workers = kLanes;
    events.push_back({Duration{}, started});
    std::vector<Duration> free(kLanes);
    for (uint32_t task = 0; task < kTasks; ++task) {
        const uint32_t lane = task % kLanes;
        TaskStarted start;
        start.span.task = TaskId{task};
        start.kind = static_cast<plan::TaskKind>(1 + random() % 6);
        start.object = fmt::format("public.table_{}", task);
        start.worker = WorkerId{lane + 1};
        start.backendPid = static_cast<int32_t>(40'000 + lane);
        start.estimatedBytes = 1'000'000;
        events.push_back({free[lane], start});
        free[lane] += Duration(static_cast<int64_t>(length(random) * 1000) + 200);
        TaskFinished end;
        end.span = start.span;
        end.bytes = 1'000'000;
        end.compressedBytes = 200'000 + random() % 100'000;
        events.push_back({free[lane], end});
        if (random() % 8 != 0) continue;
        WorkerIdle idle;
        idle.worker = start.worker;
        idle.cause = IdleCause::Dependency;
        idle.on = "public.audit_log";
        events.push_back({free[lane], idle});
        free[lane] += Duration(static_cast<int64_t>(length(random) * 500));
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    return events;
}

struct Frames {
    std::vector<double> processor;
    std::vector<double> wall;

    void print(const char* what) {
        const auto at = [](std::vector<double>& times, double share) {
            std::sort(times.begin(), times.end());
            return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
        };
        fmt::print(
            "{:<22} processor p50 {:6.2f} ms  p99 {:6.2f} ms   wall p50 {:6.2f} ms  "
            "p99 {:6.2f} ms\n",
            what, at(processor, 0.5), at(processor, 0.99), at(wall, 0.5), at(wall, 0.99));
    }
};

/// `step` changes the view, then a frame is drawn, as the window would.
Frames measure(GanttView& view, const std::function<void(int)>& step) {
    QImage image(kSize, QImage::Format_RGB32);
    Frames frames;
    for (int i = 0; i < kFrames; ++i) {
        const double processor = processorMs();
        const double wall = wallMs();
        step(i);
        view.render(&image);
        frames.processor.push_back(processorMs() - processor);
        frames.wall.push_back(wallMs() - wall);
    }
    return frames;
}

void measureFrames(const RunState& run, const report::Throughput& throughput) {
    GanttView view;
    view.resize(kSize);
    view.setRun(&run, &throughput);
    view.show();
    view.setInsight(insightInto(run));
    QApplication::processEvents();
    const Duration whole = run.now();
    measure(view, [](int) {});  // caches fill
    view.fit();
    measure(view, [](int) {}).print("whole run");
    measure(view, [&](int i) { view.zoomBy(i % 120 < 60 ? 1.16 : 1 / 1.16); }).print("zoom");
    for (const int part : {4, 50, 1000}) {
        measure(view, [&](int i) {
            const Duration from = whole * i / (kFrames + kFrames / part + 1);
            view.showRange(from, from + whole / part);
        }).print(fmt::format("pan, 1/{} of the run", part).c_str());
    }
}

/// Batches as the window drains them, 30 a second; what each costs, with the chart's refresh.
void measureFold(const std::vector<Event>& events) {
    constexpr int kEventsASecond = 50'000;
    constexpr int kBatchesASecond = 30;
    constexpr int kSeconds = 10;
    std::vector<Event> stream;
    for (const Event& event : events) {
        stream.push_back(event);
        if (const auto* end = std::get_if<TaskFinished>(&event.payload)) {
            stream.insert(
                stream.end() - 1, 2,
                Event{event.at, TaskProgress{.span = end->span, .bytes = 500'000, .rows = 1000}});
        }
        if (stream.size() > static_cast<std::size_t>(kEventsASecond) * kSeconds) break;
    }
    RunState run;
    report::Throughput throughput;
    GanttView view;
    view.resize(kSize);
    view.setRun(&run, &throughput);
    view.show();
    QImage image(kSize, QImage::Format_RGB32);
    double longest = 0;
    std::size_t next = 0;
    int batches = 0;
    const double begin = processorMs();
    while (next < stream.size()) {
        const double batch = processorMs();
        const std::size_t end = std::min(next + kEventsASecond / kBatchesASecond, stream.size());
        for (; next < end; ++next) run.apply(stream[next]);
        throughput.observe(run);
        view.refresh();
        view.render(&image);
        longest = std::max(longest, processorMs() - batch);
        ++batches;
    }
    const double spent = processorMs() - begin;
    const double streamed = 1000.0 * batches / kBatchesASecond;
    fmt::print("{:<22} {} events, {:.0f} % of one core, longest batch {:.1f} ms\n",
               "50,000 events/s", stream.size(), 100 * spent / streamed, longest);
}

/// Planned tasks, each after the one sixty-four before; every fourth waits for a lock in between.
std::vector<Event> plannedOf(const std::vector<Event>& events) {
    std::vector<Event> planned{events.front()};
    Plan plan;
    for (uint32_t task = 0; task < kTasks; ++task) {
        PlannedTask& one = plan.tasks.emplace_back();
        one.task = TaskId{task};
        one.object = fmt::format("public.table_{}", task);
        one.estimatedBytes = 1'000'000;
        if (task >= kLanes) one.after.push_back(TaskId{task - kLanes});
    }
    planned.push_back({Duration{}, plan});
    for (const Event& event : events) {
        if (const auto* start = std::get_if<TaskStarted>(&event.payload)) {
            planned.push_back(event);
            if (start->span.task.value % 4 != 0) continue;
            planned.push_back({event.at, WorkerIdle{.worker = start->worker,
                                                    .cause = IdleCause::Lock,
                                                    .on = "public.audit_log, session 7"}});
            planned.push_back(
                {event.at + Duration(100), TaskPhase{.span = start->span, .phase = {}}});
        } else {
            planned.push_back(event);
        }
    }
    std::stable_sort(planned.begin(), planned.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    planned.push_back({planned.back().at, RunFinished{}});
    return planned;
}

Frames times(const std::function<void()>& what) {
    constexpr int kTimes = 15;
    Frames turns;
    for (int i = 0; i < kTimes; ++i) {
        const double processor = processorMs();
        const double wall = wallMs();
        what();
        turns.processor.push_back(processorMs() - processor);
        turns.wall.push_back(wallMs() - wall);
    }
    return turns;
}

/// What the window knows of the run as a whole; it is found out in the background.
void measureInsight(const std::vector<Event>& events) {
    RunState run;
    for (const Event& event : plannedOf(events)) run.apply(event);
    times([&] { (void)insightInto(run); }).print("insight");
}

/// The longest turns of the window's thread from the moment at which a run's page is asked for
/// until its verdict is there.
void measurePage(const std::vector<Event>& events) {
    const QTemporaryDir folder;
    const std::filesystem::path record = folder.filePath(QStringLiteral("run.jsonl")).toStdString();
    {
        std::ofstream file(record);
        for (const Event& event : plannedOf(events)) file << toJson(event) << '\n';
    }
    Frames turns;
    RunPage page(record);
    page.resize(kSize);
    page.show();
    while (page.verdict().isEmpty()) {
        const double processor = processorMs();
        const double wall = wallMs();
        QApplication::processEvents();
        turns.processor.push_back(processorMs() - processor);
        turns.wall.push_back(wallMs() - wall);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const double most = *std::max_element(turns.processor.begin(), turns.processor.end());
    fmt::print("{:<22} longest turn {:.1f} ms of processor time\n", "page", most);
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    const ThemeKeeper theme;
    fmt::print("{} lanes × {} tasks, {} × {} pixels\n", kLanes, kTasks, kSize.width(),
               kSize.height());
    const std::vector<Event> events = eventsOfLargeRun();
    RunState run;
    report::Throughput throughput;
    for (const Event& event : events) {
        run.apply(event);
        throughput.observe(run);
    }
    measureFrames(run, throughput);
    measureFold(events);
    measureInsight(events);
    measurePage(events);
    workPool().waitForDone();
    return 0;
}
