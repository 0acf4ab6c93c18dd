// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_state.h"

#include <algorithm>

namespace gantry::events {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRateWindow = 5s;
constexpr Duration kSampleInterval = 100ms;
constexpr Duration kShortestBasis = 500ms;

}  // namespace

void RunState::apply(const Event& event) {
    now_ = std::max(now_, event.at);
    std::visit([this](const auto& payload) { on(payload); }, event.payload);
    sample();
}

void RunState::on(const RunStarted& e) {
    started_ = e;
    for (uint32_t worker = 1; worker <= e.workers; ++worker) workers_[WorkerId{worker}];
}

void RunState::on(const Plan& e) {
    lowerBoundMs_ = e.lowerBoundMs;
    for (const PlannedTask& planned : e.tasks) {
        TaskState& task = tasks_[planned.task];
        estimatedBytes_ += planned.estimatedBytes - task.estimatedBytes;
        task.kind = planned.kind;
        task.object = planned.object;
        task.estimatedBytes = planned.estimatedBytes;
        task.divisible = planned.divisible;
        task.after = planned.after;
    }
}

void RunState::on(const TaskStarted& e) {
    const std::size_t index = spans_.size();
    SpanState span;
    span.span = e.span;
    span.kind = e.kind;
    span.object = e.object;
    span.worker = e.worker;
    span.backendPid = e.backendPid;
    span.begin = now_;
    span.estimatedBytes = e.estimatedBytes;
    spans_.push_back(std::move(span));
    open_[e.span] = index;
    TaskState& task = tasks_[e.span.task];
    task.kind = e.kind;
    task.object = e.object;
    task.status = TaskStatus::Running;
    ++task.runningSpans;
    task.spans.push_back(index);
    workers_[e.worker] = WorkerState{.span = index, .idle = std::nullopt, .since = now_};
}

SpanState* RunState::running(const Span& span) {
    const auto found = open_.find(span);
    return found == open_.end() ? nullptr : &spans_[found->second];
}

void RunState::advance(SpanState& span, uint64_t bytes, uint64_t rows) {
    bytesDone_ += bytes - span.bytes;
    rowsDone_ += rows - span.rows;
    span.bytes = bytes;
    span.rows = rows;
}

void RunState::close(const Span& span) {
    const auto found = open_.find(span);
    if (found == open_.end()) return;
    SpanState& state = spans_[found->second];
    state.end = now_;
    WorkerState& worker = workers_[state.worker];
    if (worker.span == found->second) worker = {.span = {}, .idle = {}, .since = now_};
    open_.erase(found);
    --tasks_[span.task].runningSpans;
}

void RunState::on(const TaskProgress& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    if (e.estimatedBytes > 0) span->estimatedBytes = e.estimatedBytes;
    advance(*span, e.bytes, e.rows);
}

void RunState::on(const TaskPhase& e) {
    if (SpanState* span = running(e.span)) span->phase = e.phase;
}

void RunState::on(const TaskFinished& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    advance(*span, e.bytes, e.rows);
    TaskState& task = tasks_[e.span.task];
    task.bytes += e.bytes;
    task.rows += e.rows;
    task.estimateDone += span->estimatedBytes;
    estimateDone_ += span->estimatedBytes;
    finishedBytes_ += e.bytes;
    finishedEstimate_ += span->estimatedBytes;
    close(e.span);
    if (e.whole) task.status = TaskStatus::Done;
}

void RunState::on(const TaskFailed& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    failures_.push_back(open_[e.span]);
    span->error = e.error;
    span->ignored = e.ignored;
    span->retried = e.retried;
    advance(*span, 0, 0);  // what it had done does not count
    TaskState& task = tasks_[e.span.task];
    if (!e.retried) {
        task.status = TaskStatus::Failed;
        estimateDone_ += span->estimatedBytes;
    }
    close(e.span);
}

void RunState::on(const ErrorIgnored& e) { ignoredErrors_.push_back(e.error); }

void RunState::on(const WorkerIdle& e) {
    WorkerState& worker = workers_[e.worker];
    worker = {.span = worker.span, .idle = e, .since = now_};
}

void RunState::on(const Notice& e) { notices_.emplace_back(now_, e); }

void RunState::on(const RunFinished& e) {
    finished_ = e;
    for (auto& [span, index] : open_) spans_[index].end = now_;
    open_.clear();
    for (auto& [id, worker] : workers_) worker = {.span = {}, .idle = {}, .since = now_};
    if (e.outcome != Outcome::Clean && e.outcome != Outcome::CompletedWithErrors) return;
    for (auto& [id, task] : tasks_) {
        if (task.status == TaskStatus::Running) task.status = TaskStatus::Done;
    }
}

void RunState::sample() {
    if (!samples_.empty() && now_ - samples_.back().first < kSampleInterval) return;
    samples_.emplace_back(now_, bytesDone_);
    while (samples_.size() > 2 && now_ - samples_.front().first > kRateWindow) {
        samples_.pop_front();
    }
}

double RunState::fraction() const {
    if (finished_ && finished_->outcome != Outcome::Failed &&
        finished_->outcome != Outcome::Cancelled) {
        return 1;
    }
    if (estimatedBytes_ == 0) return 0;
    auto done = static_cast<double>(estimateDone_);
    for (const auto& [span, index] : open_) {
        done += spanFraction(spans_[index]) * static_cast<double>(spans_[index].estimatedBytes);
    }
    return std::min(done / static_cast<double>(estimatedBytes_), 0.999);
}

double RunState::estimateRatio(const TaskState* task) const {
    // Too small a sample says nothing about the rest.
    constexpr uint64_t kLeastShare = 50;
    static constexpr double kFarthest = 20;
    const auto ratio = [](uint64_t bytes, uint64_t estimate) {
        return std::clamp(static_cast<double>(bytes) / static_cast<double>(estimate), 1 / kFarthest,
                          kFarthest);
    };
    if (task != nullptr && task->estimateDone > 0 && task->bytes > 0) {
        return ratio(task->bytes, task->estimateDone);
    }
    if (finishedBytes_ == 0 || finishedEstimate_ <= estimatedBytes_ / kLeastShare) return 1;
    return ratio(finishedBytes_, finishedEstimate_);
}

double RunState::spanFraction(const SpanState& span) const {
    if (span.estimatedBytes == 0) return 0;
    const auto task = tasks_.find(span.span.task);
    const double expected = static_cast<double>(span.estimatedBytes) *
                            estimateRatio(task == tasks_.end() ? nullptr : &task->second);
    return std::min(static_cast<double>(span.bytes) / expected, 1.0);
}

uint64_t RunState::expectedBytes() const {
    if (finished_) return bytesDone_;
    double left = static_cast<double>(estimatedBytes_) - static_cast<double>(estimateDone_);
    left *= estimateRatio(nullptr);
    double running = 0;
    for (const auto& [span, index] : open_) running += static_cast<double>(spans_[index].bytes);
    return bytesDone_ + static_cast<uint64_t>(std::max(left - running, 0.0));
}

double RunState::rate() const {
    if (samples_.size() < 2) return 0;
    const Duration span = now_ - samples_.front().first;
    if (span < kShortestBasis || bytesDone_ < samples_.front().second) return 0;
    return static_cast<double>(bytesDone_ - samples_.front().second) * 1e6 /
           static_cast<double>(span.count());
}

std::optional<Duration> RunState::timeLeft() const {
    const double done = fraction();
    if (finished_ || done < 0.01 || now_ < kShortestBasis) return std::nullopt;
    // By the share done so far, which forgives estimates that are off by a common factor.
    return Duration(static_cast<int64_t>(static_cast<double>(now_.count()) * (1 - done) / done));
}

}  // namespace gantry::events
