// SPDX-License-Identifier: PostgreSQL
// A run as it stands, folded from its events: what window, terminal, log and history show.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/events/event.h"

namespace gantry::events {

/// A stretch of time on a lane.
struct SpanState {
    Span span;
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    WorkerId worker;
    int32_t backendPid = 0;
    Duration begin{};
    std::optional<Duration> end;  ///< empty while it runs
    uint64_t estimatedBytes = 0;
    uint64_t bytes = 0;
    uint64_t rows = 0;
    std::string phase;
    std::optional<ErrorInfo> error;
    bool ignored = false;
    bool retried = false;

    bool running() const { return !end; }
};

enum class TaskStatus { Planned, Running, Done, Failed };

struct TaskState {
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::string object;
    uint64_t estimatedBytes = 0;
    bool divisible = false;
    std::vector<TaskId> after;
    TaskStatus status = TaskStatus::Planned;
    uint64_t bytes = 0;         ///< of finished spans
    uint64_t estimateDone = 0;  ///< the part of the estimate that those stood for
    uint64_t rows = 0;
    uint32_t runningSpans = 0;
    std::vector<std::size_t> spans;  ///< indexes into RunState::spans()
};

struct WorkerState {
    std::optional<std::size_t> span;  ///< what it does now
    std::optional<WorkerIdle> idle;   ///< or why it does nothing
    Duration since{};
};

/// apply() is cheap (no scan of what has gone before); copy the object for a snapshot.
class RunState {
public:
    void apply(const Event& event);

    const std::optional<RunStarted>& started() const { return started_; }
    const std::optional<RunFinished>& finished() const { return finished_; }
    const std::map<TaskId, TaskState>& tasks() const { return tasks_; }
    const std::vector<SpanState>& spans() const { return spans_; }
    const std::map<WorkerId, WorkerState>& workers() const { return workers_; }
    const std::vector<std::pair<Duration, Notice>>& notices() const { return notices_; }
    const std::vector<std::size_t>& failures() const { return failures_; }  ///< spans
    const std::vector<ErrorInfo>& ignoredErrors() const { return ignoredErrors_; }
    double lowerBoundMs() const { return lowerBoundMs_; }
    Duration now() const { return now_; }

    uint64_t bytesDone() const { return bytesDone_; }
    uint64_t rowsDone() const { return rowsDone_; }
    uint64_t estimatedBytes() const { return estimatedBytes_; }
    /// What it will come to: the estimate, as far as it is still to be done corrected by how far
    /// off it was for what has finished.
    uint64_t expectedBytes() const;
    /// 0…1 of a running span, its estimate corrected likewise; 0 if it has none.
    double spanFraction(const SpanState& span) const;
    /// 0…1 of the estimated bytes; 1 only when the run has finished.
    double fraction() const;
    /// Bytes a second over the last few seconds.
    double rate() const;
    /// Time left by that rate; empty while there is too little to go by.
    std::optional<Duration> timeLeft() const;

private:
    void on(const RunStarted& e);
    void on(const Plan& e);
    void on(const TaskStarted& e);
    void on(const TaskProgress& e);
    void on(const TaskPhase& e);
    void on(const TaskFinished& e);
    void on(const TaskFailed& e);
    void on(const ErrorIgnored& e);
    void on(const WorkerIdle& e);
    void on(const Notice& e);
    void on(const RunFinished& e);

    SpanState* running(const Span& span);
    void close(const Span& span);
    void advance(SpanState& span, uint64_t bytes, uint64_t rows);
    void sample();
    double estimateRatio(const TaskState* task) const;

    std::optional<RunStarted> started_;
    std::optional<RunFinished> finished_;
    std::map<TaskId, TaskState> tasks_;
    std::vector<SpanState> spans_;
    std::map<Span, std::size_t> open_;
    std::map<WorkerId, WorkerState> workers_;
    std::vector<std::pair<Duration, Notice>> notices_;
    std::vector<std::size_t> failures_;
    std::vector<ErrorInfo> ignoredErrors_;
    double lowerBoundMs_ = 0;
    Duration now_{};
    uint64_t bytesDone_ = 0;
    uint64_t rowsDone_ = 0;
    uint64_t estimatedBytes_ = 0;
    uint64_t estimateDone_ = 0;                          ///< of finished spans and failed ones
    uint64_t finishedBytes_ = 0;                         ///< of finished spans
    uint64_t finishedEstimate_ = 0;                      ///< and what they were thought to be
    std::deque<std::pair<Duration, uint64_t>> samples_;  ///< time, bytesDone_
};

}  // namespace gantry::events
