// SPDX-License-Identifier: PostgreSQL
// A run as it stands, folded from its events: what window, terminal, log and history show.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rare.h"
#include "core/events/event.h"

namespace gantry::events {

/// A stretch of a span in which it was at one thing.
struct PhaseState {
    std::string phase;
    Duration begin{};
    std::optional<Duration> end;  ///< empty while it lasts
};

/// What has a place of its own beneath a span.
struct PartState {
    uint32_t part = 0;
    PartKind kind = PartKind::Index;
    std::string object;
    std::string phase;
    uint32_t helper = 0;  ///< 0: the span's own session
    uint64_t rows = 0;
    Duration begin{};
    std::optional<Duration> end;
};

/// A stretch of time on a lane.
struct SpanState {
    Span span;
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    WorkerId worker;
    int32_t backendPid = 0;
    Duration begin{};
    std::optional<Duration> end;  ///< empty while it runs
    Duration waited{};            ///< of that time, for locks that others had
    uint64_t estimatedBytes = 0;
    uint64_t bytes = 0;
    uint64_t rows = 0;
    uint64_t compressedBytes = 0;  ///< known at the end; 0 where nothing is compressed
    double weight = 0;             ///< estimated milliseconds on one worker
    double done = 0;               ///< 0…1 as far as is known by now, while it runs
    double shown = 0;              ///< the most that this has been
    std::string statement;         ///< empty if none was told
    std::string phase;
    std::vector<PhaseState> phases;  ///< all that it has been in, in order
    std::vector<PartState> parts;
    std::vector<HelpersLaunched> helpers;
    Rare<VacuumProgress> vacuum;  ///< the latest
    Rare<ErrorInfo> error;
    bool ignored = false;
    bool retried = false;
    bool cutOff = false;      ///< the run ended before it did
    bool passedOver = false;  ///< an error within it, and it went on

    bool running() const { return !end; }
    /// Stopped in order to begin from its beginning: no failure of its own.
    bool begunAgain() const { return retried && error && error->kind == ErrorKind::Cancelled; }
    bool failed() const { return error && !begunAgain(); }
};

enum class TaskStatus {
    Planned,
    Running,  ///< or, of a divided task, begun
    Done,
    Failed,
    Withdrawn,  ///< nobody began it, and nobody will
    CutOff      ///< the run ended before it did
};

struct TaskState {
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    uint64_t estimatedBytes = 0;
    double weight = 0;  ///< estimated milliseconds on one worker
    bool divisible = false;
    std::string note;      ///< what is done and why
    std::string relation;  ///< whose index or constraint it is; empty: none, or of several
    std::vector<TaskId> after;
    std::vector<plan::TaskLock> locks;
    TaskStatus status = TaskStatus::Planned;
    uint64_t bytes = 0;         ///< of finished spans
    uint64_t estimateDone = 0;  ///< what these were estimated at
    uint64_t rows = 0;
    uint32_t runningSpans = 0;
    std::vector<std::size_t> spans;  ///< indexes into RunState::spans()
    uint64_t estimateBegun = 0;      ///< what its spans have of its estimate,
    double weightBegun = 0;          ///< and of its weight
};

struct WorkerState {
    std::optional<std::size_t> span;  ///< what it does now
    std::optional<WorkerIdle> idle;   ///< or why it does nothing
    Duration since{};
};

/// A stretch of time in which a worker did nothing.
struct IdleState {
    WorkerIdle idle;
    Duration begin{};
    std::optional<Duration> end;  ///< empty while it lasts
};

/// What was told of machines at one time.
struct LoadState {
    Duration at{};
    Load load;
};

/// apply() looks at what runs now and at nothing that has gone before; copy the object for a
/// snapshot. Takes events in any order that a cut-off or mended log may have them in: what does not
/// fit is left out.
///
/// Sizes and durations are estimates until a task is finished. So that what is shown makes sense
/// nevertheless, they are corrected by what the finished chunks of the same task came to, or else
/// the finished tasks of its kind; what exceeds its estimate nears its end without ever reaching
/// it; and bytes and percent never go back, even if work turns up or has to be repeated.
class RunState {
public:
    void apply(const Event& event);

    const std::optional<RunStarted>& started() const { return started_; }
    const std::optional<RunFinished>& finished() const { return finished_; }
    const std::map<TaskId, TaskState>& tasks() const { return tasks_; }
    const std::deque<SpanState>& spans() const { return spans_; }
    const std::vector<IdleState>& idles() const { return idles_; }
    const std::map<WorkerId, WorkerState>& workers() const { return workers_; }
    const std::vector<std::pair<Duration, Notice>>& notices() const { return notices_; }
    const std::vector<std::size_t>& failures() const { return failures_; }  ///< spans
    const std::vector<ErrorInfo>& ignoredErrors() const { return ignoredErrors_; }
    /// When, and in which span, each of them came up.
    const std::vector<std::pair<Duration, Span>>& ignoredAt() const { return ignoredAt_; }
    const std::vector<VacuumOutcome>& vacuumed() const { return vacuumed_; }
    const std::vector<LoadState>& loads() const { return loads_; }
    double lowerBoundMs() const { return lowerBoundMs_; }
    const std::optional<Forecast>& forecast() const { return forecast_; }
    Duration now() const { return now_; }

    uint64_t bytesDone() const { return bytesShown_; }
    uint64_t rowsDone() const { return rowsDone_; }
    /// As planned.
    uint64_t estimatedBytes() const;
    /// What it will come to as far as is known by now, of a run that ended early what it would have
    /// come to; never below bytesDone().
    uint64_t expectedBytes() const;
    /// The same of a span that is running, and of a task.
    uint64_t expectedBytes(const SpanState& span) const;
    uint64_t expectedBytes(const TaskState& task) const;
    /// 0…1 of the work, as timeLeft() knows it; 1 only when the run has finished.
    double fraction() const;
    /// 0…1 of a span, which never goes back; 1 only when it has finished.
    double spanFraction(const SpanState& span) const;
    /// Bytes a second over the last few seconds.
    double rate() const;
    /// Time left if each kind of work goes on as it did so far, and no less than the longest span
    /// needs to its end; empty while there is too little to go by.
    std::optional<Duration> timeLeft() const;

private:
    /// What the tasks of one kind were estimated at and came to.
    struct Experience {
        uint64_t plannedBytes = 0;  ///< estimates of all tasks
        uint64_t begunBytes = 0;    ///< of the spans that have begun
        double plannedMs = 0;       ///< estimates of all tasks
        double estimatedBytes = 0;  ///< of finished spans
        double bytes = 0;
        double estimatedMs = 0;
        double ms = 0;

        double bytesPerEstimated() const;
        double msPerEstimated() const;
    };

    void on(const RunStarted& e);
    void on(const Plan& e);
    void on(const Forecast& e) { forecast_ = e; }
    void on(const TaskStarted& e);
    void on(const TaskStatement& e);
    void on(const TaskProgress& e);
    void on(const TaskPhase& e);
    void on(const PartStarted& e);
    void on(const PartFinished& e);
    void on(const HelpersLaunched& e);
    void on(const VacuumProgress& e);
    void on(const VacuumOutcome& e);
    void on(const TaskFinished& e);
    void on(const TaskFailed& e);
    void on(const ErrorIgnored& e);
    void on(const WorkerIdle& e);
    void on(const Load& e);
    static void on(const Identity&) {}
    static void on(const EntriesDone&) {}
    void on(const Notice& e);
    void on(const RunFinished& e);

    void beginAnew();
    SpanState* running(const Span& span);
    void estimate(TaskState& task, uint64_t bytes, double weight);
    void putBack(const SpanState& span);
    void giveUpRest(TaskState& task);
    void close(const Span& span);
    void endPieces(SpanState& span) const;
    void endIdle(WorkerId worker);
    void goOn(const SpanState& span);
    void advance(SpanState& span, uint64_t bytes, uint64_t rows);
    void sample();

    Experience& experience(plan::TaskKind kind) {
        return experiences_[static_cast<std::size_t>(kind)];
    }
    const Experience& experience(plan::TaskKind kind) const {
        return experiences_[static_cast<std::size_t>(kind)];
    }
    double bytesPerEstimated(const TaskState& task) const;
    double currentFraction() const;
    double currentFraction(const SpanState& span) const;
    std::optional<double> workLeft() const;

    std::optional<RunStarted> started_;
    std::optional<RunFinished> finished_;
    std::map<TaskId, TaskState> tasks_;
    std::deque<SpanState> spans_;  ///< of many thousands a vector would reserve as many more
    std::vector<IdleState> idles_;
    std::map<Span, std::size_t> open_;
    std::map<WorkerId, std::size_t> openIdles_;
    std::map<WorkerId, WorkerState> workers_;
    std::vector<std::pair<Duration, Notice>> notices_;
    std::vector<std::size_t> failures_;
    std::vector<ErrorInfo> ignoredErrors_;
    std::vector<std::pair<Duration, Span>> ignoredAt_;
    std::vector<VacuumOutcome> vacuumed_;
    std::vector<LoadState> loads_;
    double lowerBoundMs_ = 0;
    std::optional<Forecast> forecast_;
    Duration now_{};
    std::optional<Duration> firstWork_;
    uint64_t bytesDone_ = 0;
    uint64_t bytesShown_ = 0;  ///< the most that bytesDone_ has been
    uint64_t expectedAtEnd_ = 0;
    uint64_t rowsDone_ = 0;
    std::array<Experience, plan::kTaskKinds> experiences_{};
    double weight_ = 0;                                  ///< of all tasks
    double weightDone_ = 0;                              ///< of spans that are over
    double fractionShown_ = 0;                           ///< the most that it has been
    std::deque<std::pair<Duration, uint64_t>> samples_;  ///< time, bytesShown_
};

}  // namespace gantry::events
