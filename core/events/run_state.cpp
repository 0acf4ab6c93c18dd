// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_state.h"

#include <algorithm>
#include <cmath>

namespace gantry::events {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRateWindow = 5s;
constexpr Duration kSampleInterval = 100ms;
constexpr Duration kShortestBasis = 500ms;
constexpr Duration kShortestSpanBasis = 1s;
constexpr double kLeastBasis = 0.01;
constexpr double kLeastSpanBasis = 0.05;
constexpr double kMostUnfinished = 0.999;

/// Lanes beyond are shown when they do something; a damaged log may say any number.
constexpr uint32_t kMostLanesAtOnce = 1024;

/// Where a plan gives no durations, they follow from sizes.
constexpr double kBytesPerMs = 150'000;

/// Experience counts from about here; until then estimates are taken as they are.
constexpr double kBytesForExperience = 16e6;
constexpr double kShareForExperience = 0.02;
constexpr double kMsForExperience = 100;

/// Of a kind's estimates: what so much of it took tells what the rest will take.
constexpr double kShareForPace = 0.02;

/// A task's own experience goes no farther.
constexpr double kMostCorrection = 20;

double milliseconds(Duration duration) { return static_cast<double>(duration.count()) / 1000; }

/// What is done of `expected`: as it is up to nine tenths, then ever slower towards 1.
double share(double done, double expected) {
    constexpr double kStraight = 0.9;
    const double plain = done / expected;
    if (plain <= kStraight) return plain;
    const double rest = 1 - kStraight;
    return std::min(1 - rest * std::exp(-(plain - kStraight) / rest), kMostUnfinished);
}

uint64_t countOf(double bytes) {
    constexpr double kMost = 1e18;  // a damaged log may say any number
    return static_cast<uint64_t>(std::min(std::round(bytes), kMost));
}

double partOf(uint64_t part, uint64_t whole) {
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

void RunState::apply(const Event& event) {
    now_ = std::max(now_, event.at);
    std::visit([this](const auto& payload) { this->on(payload); }, event.payload);
    bytesShown_ = std::max(bytesShown_, bytesDone_);
    for (const auto& [span, index] : open_) {
        SpanState& state = spans_[index];
        state.done = currentFraction(state);
        state.shown = std::max(state.shown, state.done);
    }
    fractionShown_ = std::max(fractionShown_, currentFraction());
    sample();
}

void RunState::on(const RunStarted& e) {
    started_ = e;
    const uint32_t lanes = std::min(e.workers, kMostLanesAtOnce);
    for (uint32_t worker = 1; worker <= lanes; ++worker) workers_[WorkerId{worker}];
}

void RunState::on(const Plan& e) {
    if (e.lowerBoundMs > 0) lowerBoundMs_ = e.lowerBoundMs;
    if (e.anew) beginAnew();
    for (const PlannedTask& planned : e.tasks) {
        TaskState& task = tasks_[planned.task];
        if (e.anew) task.status = TaskStatus::Planned;
        if (task.status == TaskStatus::Failed || task.status == TaskStatus::Withdrawn) continue;
        estimate(task, 0, 0);
        task.kind = planned.kind;
        task.object = planned.object;
        task.divisible = planned.divisible;
        task.note = planned.note;
        task.relation = planned.relation;
        task.after = planned.after;
        task.locks = planned.locks;
        if (planned.withdrawn) {
            task.status = TaskStatus::Withdrawn;
            continue;
        }
        const double fromSize = static_cast<double>(planned.estimatedBytes) / kBytesPerMs;
        estimate(task, planned.estimatedBytes,
                 planned.estimatedMs > 0 ? planned.estimatedMs : fromSize);
        if (task.status == TaskStatus::Done) giveUpRest(task);
    }
}

/// Spans stay on the chart, as those that are tried again.
void RunState::beginAnew() {
    while (!open_.empty()) close(Span(open_.begin()->first));
    for (SpanState& span : spans_) {
        advance(span, 0, 0);
        span.compressedBytes = 0;
        if (!span.error) {
            span.error = Error(ErrorKind::Cancelled, "the run began anew").info();
        }
        span.ignored = span.retried = true;
    }
    for (auto& [id, task] : tasks_) {
        TaskState left;
        left.kind = task.kind;
        left.object = task.object;
        left.status = TaskStatus::Withdrawn;
        task = std::move(left);
    }
    experiences_ = {};
    weight_ = weightDone_ = 0;
}

void RunState::estimate(TaskState& task, uint64_t bytes, double weight) {
    experience(task.kind).plannedBytes += bytes - task.estimatedBytes;
    task.estimatedBytes = bytes;
    experience(task.kind).plannedMs += weight - task.weight;
    weight_ += weight - task.weight;
    task.weight = weight;
}

void RunState::on(const TaskStarted& e) {
    if (SpanState* before = running(e.span)) {  // its end is missing
        putBack(*before);
        advance(*before, 0, 0);
        close(e.span);
    }
    const std::size_t index = spans_.size();
    TaskState& task = tasks_[e.span.task];
    SpanState span;
    span.span = e.span;
    span.kind = e.kind;
    span.object = e.object;
    span.worker = e.worker;
    span.backendPid = e.backendPid;
    span.begin = now_;
    span.estimatedBytes = e.estimatedBytes;
    span.weight = task.weight;
    if (e.share > 0) {
        span.weight *= e.share;
    } else if (e.span.chunk && task.estimatedBytes > 0) {
        span.weight *= partOf(e.estimatedBytes, task.estimatedBytes);
    }
    if (task.object.empty()) {  // it was not planned
        task.kind = e.kind;
        task.object = e.object;
    }
    if (span.weight > 0 && !firstWork_) firstWork_ = now_;
    task.weightBegun += span.weight;
    task.estimateBegun += e.estimatedBytes;
    experience(task.kind).begunBytes += e.estimatedBytes;
    if (task.status != TaskStatus::Failed) task.status = TaskStatus::Running;
    ++task.runningSpans;
    task.spans.push_back(index);
    spans_.push_back(std::move(span));
    open_[e.span] = index;
    endIdle(e.worker);
    workers_[e.worker] = WorkerState{.span = index, .idle = std::nullopt, .since = now_};
}

SpanState* RunState::running(const Span& span) {
    const auto found = open_.find(span);
    return found == open_.end() ? nullptr : &spans_[found->second];
}

/// What the span stands for is to be done again.
void RunState::putBack(const SpanState& span) {
    TaskState& task = tasks_[span.span.task];
    task.weightBegun -= span.weight;
    task.estimateBegun -= std::min(task.estimateBegun, span.estimatedBytes);
    Experience& known = experience(task.kind);
    known.begunBytes -= std::min(known.begunBytes, span.estimatedBytes);
}

/// Nothing more of the task will begin.
void RunState::giveUpRest(TaskState& task) {
    estimate(task, std::min(task.estimatedBytes, task.estimateBegun),
             std::min(task.weight, task.weightBegun));
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
    endIdle(state.worker);
    endPieces(state);
    WorkerState& worker = workers_[state.worker];
    if (worker.span == found->second) worker = {.span = {}, .idle = {}, .since = now_};
    open_.erase(found);
    --tasks_[span.task].runningSpans;
}

void RunState::on(const TaskStatement& e) {
    if (SpanState* span = running(e.span)) span->statement = e.statement;
}

void RunState::on(const TaskProgress& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    if (e.estimatedBytes > 0 && e.estimatedBytes != span->estimatedBytes) {
        TaskState& task = tasks_[e.span.task];
        const double weight = span->weight;
        putBack(*span);
        task.weightBegun += weight;
        task.estimateBegun += e.estimatedBytes;
        experience(task.kind).begunBytes += e.estimatedBytes;
        if (!e.span.chunk) estimate(task, e.estimatedBytes, task.weight);
        span->estimatedBytes = e.estimatedBytes;
    }
    advance(*span, e.bytes, e.rows);
    goOn(*span);
}

void RunState::on(const TaskPhase& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    goOn(*span);
    if (e.phase.empty() || span->phase == e.phase) return;
    if (!span->phases.empty()) span->phases.back().end = now_;
    span->phase = e.phase;
    span->phases.push_back({.phase = e.phase, .begin = now_, .end = std::nullopt});
}

void RunState::on(const PartStarted& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    const auto known = std::find_if(
        span->parts.rbegin(), span->parts.rend(),
        [&](const PartState& p) { return p.part == e.part && p.object == e.object && !p.end; });
    if (known != span->parts.rend()) {
        known->helper = e.helper;
        return;
    }
    span->parts.push_back({.part = e.part,
                           .kind = e.kind,
                           .object = e.object,
                           .phase = e.phase,
                           .helper = e.helper,
                           .rows = 0,
                           .begin = now_,
                           .end = std::nullopt});
}

void RunState::on(const PartFinished& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    const auto part = std::find_if(span->parts.rbegin(), span->parts.rend(),
                                   [&](const PartState& p) { return p.part == e.part; });
    if (part == span->parts.rend()) return;
    part->end = now_;
    part->rows = e.rows;
    part->helper = e.helper;
    // The server's own measure tells its beginning better than what we saw.
    if (e.took) part->begin = std::max(span->begin, now_ - *e.took);
}

void RunState::on(const HelpersLaunched& e) {
    if (SpanState* span = running(e.span)) span->helpers.push_back(e);
}

void RunState::on(const VacuumProgress& e) {
    if (SpanState* span = running(e.span)) span->vacuum = e;
}

void RunState::on(const VacuumOutcome& e) { vacuumed_.push_back(e); }

/// Whoever waited in the middle of a task is at it again.
void RunState::goOn(const SpanState& span) {
    endIdle(span.worker);
    workers_[span.worker].idle.reset();
}

/// What a span was at when it ended, ended with it.
void RunState::endPieces(SpanState& span) const {
    if (!span.phases.empty() && !span.phases.back().end) span.phases.back().end = now_;
    for (PartState& part : span.parts) {
        if (!part.end) part.end = now_;
    }
}

void RunState::on(const TaskFinished& e) {
    SpanState* span = running(e.span);
    if (span == nullptr) return;
    goOn(*span);
    advance(*span, e.bytes, e.rows);
    span->compressedBytes = e.compressedBytes;
    TaskState& task = tasks_[e.span.task];
    task.bytes += e.bytes;
    task.estimateDone += span->estimatedBytes;
    task.rows += e.rows;
    weightDone_ += span->weight;
    Experience& known = experience(task.kind);
    known.estimatedBytes += static_cast<double>(span->estimatedBytes);
    if (span->estimatedBytes > 0) known.bytes += static_cast<double>(e.bytes);
    known.estimatedMs += span->weight;
    if (span->weight > 0) known.ms += milliseconds(now_ - span->begin - span->waited);
    close(e.span);
    if (e.whole && task.status == TaskStatus::Running) {
        task.status = TaskStatus::Done;
        giveUpRest(task);
    }
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
    putBack(*span);
    if (!e.retried) {
        task.status = TaskStatus::Failed;
        if (e.ignored) giveUpRest(task);  // else the run ends, short of all of this
    }
    close(e.span);
}

void RunState::on(const ErrorIgnored& e) {
    ignoredErrors_.push_back(e.error);
    ignoredAt_.emplace_back(now_, e.span);
    if (SpanState* span = running(e.span)) span->passedOver = true;
}

void RunState::endIdle(WorkerId worker) {
    const auto open = openIdles_.find(worker);
    if (open == openIdles_.end()) return;
    IdleState& idle = idles_[open->second];
    idle.end = now_;
    const std::optional<std::size_t> span = workers_[worker].span;
    if (span && idle.idle.cause == IdleCause::Lock) {
        spans_[*span].waited += now_ - std::max(idle.begin, spans_[*span].begin);
    }
    openIdles_.erase(open);
}

void RunState::on(const WorkerIdle& e) {
    const auto open = openIdles_.find(e.worker);
    if (open != openIdles_.end()) {
        const WorkerIdle& before = idles_[open->second].idle;
        if (before.cause == e.cause && before.on == e.on) return;  // still
    }
    endIdle(e.worker);
    openIdles_[e.worker] = idles_.size();
    idles_.push_back({.idle = e, .begin = now_, .end = std::nullopt});
    WorkerState& worker = workers_[e.worker];
    worker = {.span = worker.span, .idle = e, .since = now_};
}

void RunState::on(const Load& e) { loads_.push_back({.at = now_, .load = e}); }

void RunState::on(const Notice& e) { notices_.emplace_back(now_, e); }

void RunState::on(const RunFinished& e) {
    expectedAtEnd_ = e.cameToItsEnd() ? bytesShown_ : expectedBytes();
    finished_ = e;
    const bool complete = e.cameToItsEnd();
    for (auto& [span, index] : open_) {
        spans_[index].end = now_;
        spans_[index].cutOff = !complete;
        endPieces(spans_[index]);
        tasks_[span.task].runningSpans = 0;
    }
    open_.clear();
    for (auto& [worker, index] : openIdles_) idles_[index].end = now_;
    openIdles_.clear();
    for (auto& [id, worker] : workers_) worker = {.span = {}, .idle = {}, .since = now_};
    for (auto& [id, task] : tasks_) {
        if (task.status != TaskStatus::Running) continue;
        task.status = complete ? TaskStatus::Done : TaskStatus::CutOff;
    }
}

void RunState::sample() {
    if (!samples_.empty() && now_ - samples_.back().first < kSampleInterval) return;
    samples_.emplace_back(now_, bytesShown_);
    while (samples_.size() > 2 && now_ - samples_.front().first > kRateWindow) {
        samples_.pop_front();
    }
}

double RunState::Experience::bytesPerEstimated() const {
    const double basis =
        1 + std::min(kBytesForExperience, static_cast<double>(plannedBytes) * kShareForExperience);
    return (bytes + basis) / (estimatedBytes + basis);
}

double RunState::Experience::msPerEstimated() const {
    return (ms + kMsForExperience) / (estimatedMs + kMsForExperience);
}

double RunState::bytesPerEstimated(const TaskState& task) const {
    if (task.estimateDone == 0) return experience(task.kind).bytesPerEstimated();
    return std::clamp(static_cast<double>(task.bytes) / static_cast<double>(task.estimateDone),
                      1 / kMostCorrection, kMostCorrection);
}

uint64_t RunState::estimatedBytes() const {
    uint64_t all = 0;
    for (const Experience& known : experiences_) all += known.plannedBytes;
    return all;
}

uint64_t RunState::expectedBytes() const {
    if (finished_) return std::max(bytesShown_, expectedAtEnd_);
    auto all = static_cast<double>(bytesDone_);
    for (const auto& [span, index] : open_) {
        const SpanState& state = spans_[index];
        all += static_cast<double>(expectedBytes(state) - state.bytes);
    }
    for (const Experience& known : experiences_) {
        if (known.plannedBytes <= known.begunBytes) continue;
        all +=
            static_cast<double>(known.plannedBytes - known.begunBytes) * known.bytesPerEstimated();
    }
    return std::max(bytesShown_, countOf(all));
}

uint64_t RunState::expectedBytes(const SpanState& span) const {
    const double expected =
        static_cast<double>(span.estimatedBytes) * bytesPerEstimated(tasks_.at(span.span.task));
    return std::max(span.bytes, countOf(expected));
}

uint64_t RunState::expectedBytes(const TaskState& task) const {
    auto all = static_cast<double>(task.bytes);
    for (const std::size_t index : task.spans) {
        if (spans_[index].running()) all += static_cast<double>(expectedBytes(spans_[index]));
    }
    if (task.estimatedBytes > task.estimateBegun) {
        all +=
            static_cast<double>(task.estimatedBytes - task.estimateBegun) * bytesPerEstimated(task);
    }
    return countOf(all);
}

double RunState::spanFraction(const SpanState& span) const {
    if (span.end && !span.cutOff) return span.error ? 0 : 1;
    return std::max(span.shown, currentFraction(span));
}

double RunState::currentFraction(const SpanState& span) const {
    const auto task = tasks_.find(span.span.task);
    if (task == tasks_.end()) return 0;
    if (span.estimatedBytes > 0) {
        return share(static_cast<double>(span.bytes),
                     static_cast<double>(span.estimatedBytes) * bytesPerEstimated(task->second));
    }
    if (span.weight <= 0) return 0;
    return share(milliseconds(now_ - span.begin),
                 span.weight * experience(task->second.kind).msPerEstimated());
}

double RunState::currentFraction() const {
    if (weight_ <= 0) return 0;
    if (const auto left = workLeft()) return std::min(1 / (1 + *left), kMostUnfinished);
    double done = weightDone_;
    for (const auto& [span, index] : open_) {
        done += spans_[index].weight * spans_[index].done;
    }
    return std::clamp(done / weight_, 0.0, kMostUnfinished);
}

double RunState::fraction() const {
    const bool complete = finished_ && finished_->outcome != Outcome::Failed &&
                          finished_->outcome != Outcome::Cancelled;
    return complete ? 1 : fractionShown_;
}

double RunState::rate() const {
    if (samples_.size() < 2) return 0;
    const Duration span = now_ - samples_.front().first;
    if (span < kShortestBasis) return 0;
    return static_cast<double>(bytesShown_ - samples_.front().second) * 1e6 /
           static_cast<double>(span.count());
}

/// As a multiple of the work that was done so far; empty while none was.
///
/// Estimates of one kind may be wrong by a factor that those of another are not. What has not begun
/// is as slow as the rest if the machine is to blame, and as fast as estimated if that kind's
/// estimates are: it is taken to be in the middle, as factors go.
std::optional<double> RunState::workLeft() const {
    struct Pace {
        double estimatedMs = 0;
        double ms = 0;
        double factor() const { return ms / estimatedMs; }
    };
    std::array<Pace, plan::kTaskKinds> paces;
    std::array<double, plan::kTaskKinds> done{};
    Pace known;
    double spent = 0;
    const auto add = [&](std::size_t kind, const Pace& part, bool tellsPace) {
        done[kind] += part.estimatedMs;
        spent += part.ms;
        if (!tellsPace) return;
        for (Pace* sum : {&paces[kind], &known}) {
            sum->estimatedMs += part.estimatedMs;
            sum->ms += part.ms;
        }
    };
    for (std::size_t kind = 0; kind < experiences_.size(); ++kind) {
        add(kind, {experiences_[kind].estimatedMs, experiences_[kind].ms}, true);
    }
    for (const auto& [span, index] : open_) {
        const SpanState& state = spans_[index];
        if (state.weight <= 0) continue;
        // Without bytes the clock is all that its share goes by.
        add(static_cast<std::size_t>(state.kind),
            {state.weight * state.done, milliseconds(now_ - state.begin - state.waited)},
            state.estimatedBytes > 0);
    }
    if (spent <= 0 || std::none_of(done.begin(), done.end(), [](double ms) { return ms > 0; })) {
        return std::nullopt;
    }
    const double untried = known.estimatedMs > 0 && known.ms > 0 ? std::sqrt(known.factor()) : 1;
    double left = 0;
    for (std::size_t kind = 0; kind < paces.size(); ++kind) {
        const double planned = experiences_[kind].plannedMs;
        if (planned <= done[kind]) continue;
        const Pace& pace = paces[kind];
        const double trust = std::min(1.0, pace.estimatedMs / (planned * kShareForPace));
        const double factor = trust > 0 ? trust * pace.factor() + (1 - trust) * untried : untried;
        left += (planned - done[kind]) * factor;
    }
    return left / spent;
}

std::optional<Duration> RunState::timeLeft() const {
    const std::optional<double> workLeft = this->workLeft();
    if (finished_ || !firstWork_ || !workLeft || 1 / (1 + *workLeft) < kLeastBasis) {
        return std::nullopt;
    }
    const Duration worked = now_ - *firstWork_;
    if (worked < kShortestBasis) return std::nullopt;
    const auto rest = [](Duration basis, double part) {
        return static_cast<double>(basis.count()) * (1 - part) / part;
    };
    double left = static_cast<double>(worked.count()) * *workLeft;
    for (const auto& [span, index] : open_) {
        const SpanState& state = spans_[index];
        const Duration age = now_ - state.begin;
        const double part = state.done;
        if (age < kShortestSpanBasis || part < kLeastSpanBasis) continue;
        left = std::max(left, rest(age, part));
    }
    return Duration(std::llround(left));
}

}  // namespace gantry::events
