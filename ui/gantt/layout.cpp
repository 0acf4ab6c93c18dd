// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/layout.h"

#include <cmath>
#include <numeric>

namespace gantry::ui {
namespace {

using events::IdleState;
using events::RunState;
using events::SpanState;

constexpr double kLeastFraction = 0.02;

/// Tables first, then TOAST, then indexes: the session's own, and those of its helpers.
bool liesAbove(const SubLane& one, const SubLane& other) {
    const auto place = [](const SubLane& lane) {
        switch (lane.kind) {
            case events::PartKind::Table:
                return 0;
            case events::PartKind::Toast:
                return 1;
            case events::PartKind::Index:
                return 2;
        }
        return 2;
    };
    return std::pair(place(one), one.helper) < std::pair(place(other), other.helper);
}

}  // namespace

Flaw flawOf(const SpanState& span) {
    if (span.failed()) return Flaw::Failed;
    if (span.cutOff) return Flaw::CutOff;
    return span.passedOver ? Flaw::PassedOver : Flaw::None;
}

SubLane subLaneOf(const events::PartState& part) {
    return {.kind = part.kind, .helper = part.kind == events::PartKind::Index ? part.helper : 0};
}

void Layout::setGrouping(Grouping grouping) {
    grouping_ = grouping;
    reset();
}

void Layout::setShown(const std::vector<bool>* shown) {
    shown_ = shown;
    reset();
}

void Layout::reset() {
    const Grouping grouping = grouping_;
    const std::vector<bool>* shown = shown_;
    *this = Layout();
    grouping_ = grouping;
    shown_ = shown;
}

void Layout::update(const RunState& run) {
    if (run.spans().size() < places_.size() || run.idles().size() < idlesSeen_) reset();
    if (grouping_ == Grouping::Worker) addLanesOfWorkers(run);
    addSpans(run);
    if (grouping_ == Grouping::Worker) addGaps(run);
    refreshOpen(run);
    if (lanesChanged_) sortLanes();
    if (subLanesChanged_) countSubLanes();
}

void Layout::addLanesOfWorkers(const RunState& run) {
    if (laneOfWorker_.size() == run.workers().size()) return;
    for (const auto& [worker, state] : run.workers()) {
        const auto [at, added] = laneOfWorker_.try_emplace(worker, lanes_.size());
        if (!added) continue;
        Lane lane;
        lane.worker = worker;
        lanes_.push_back(std::move(lane));
        addRow(at->second);
    }
}

std::size_t Layout::addRow(std::size_t lane) {
    Row row;
    row.lane = lane;
    rows_.push_back(std::move(row));
    lanes_[lane].rows.push_back(rows_.size() - 1);
    lanesChanged_ = true;
    return rows_.size() - 1;
}

std::size_t Layout::laneFor(const RunState& run, const SpanState& span) {
    switch (grouping_) {
        case Grouping::Worker:
            return laneOfWorker_.at(span.worker);
        case Grouping::Kind: {
            const auto [at, added] = laneOfKind_.try_emplace(span.kind, lanes_.size());
            if (added) {
                Lane lane;
                lane.kind = span.kind;
                lanes_.push_back(std::move(lane));
            }
            return at->second;
        }
        case Grouping::Table:
            break;
    }
    const auto known = laneOfTask_.find(span.span.task);
    if (known != laneOfTask_.end()) return known->second;
    const std::string relation = relationOf(run, span.span.task);
    const auto [at, added] = laneOfTable_.try_emplace(relation, lanes_.size());
    if (added) {
        Lane lane;
        lane.name = relation;
        lanes_.push_back(std::move(lane));
    }
    laneOfTask_[span.span.task] = at->second;
    return at->second;
}

/// The first row whose last bar is over; of a worker's own there is but one.
std::size_t Layout::rowFor(std::size_t lane, Duration begin) {
    for (const std::size_t row : lanes_[lane].rows) {
        const std::vector<Bar>& bars = rows_[row].bars;
        if (bars.empty() || (!bars.back().running && bars.back().end <= begin)) return row;
    }
    return addRow(lane);
}

void Layout::addSpans(const RunState& run) {
    refreshOpen(run);
    for (std::size_t i = places_.size(); i < run.spans().size(); ++i) {
        const SpanState& span = run.spans()[i];
        if (shown_ != nullptr && !(*shown_)[i]) {
            places_.push_back({.row = kNowhere, .bar = 0});
            continue;
        }
        const std::size_t row = rowFor(laneFor(run, span), span.begin);
        Bar bar;
        bar.begin = span.begin;
        bar.end = span.end.value_or(Duration::max());  // nothing may follow it in its row yet
        bar.span = static_cast<uint32_t>(i);
        bar.task = span.span.task;
        bar.kind = span.kind;
        bar.running = span.running();
        bar.chunk = span.span.chunk.has_value();
        places_.push_back({.row = row, .bar = rows_[row].bars.size()});
        rows_[row].bars.push_back(bar);
        noteFlaw(span, rows_[row], places_[i].bar);
        addSubLanes(span, rows_[row]);
        if (bar.running) open_.push_back(i);
    }
}

void Layout::refreshOpen(const RunState& run) {
    std::erase_if(open_, [&](std::size_t index) {
        const SpanState& span = run.spans()[index];
        Row& row = rows_[places_[index].row];
        Bar& bar = row.bars[places_[index].bar];
        bar.running = span.running();
        bar.end = span.end.value_or(run.now());
        noteFlaw(span, row, places_[index].bar);
        if (bar.running) {
            addSubLanes(span, row);
        } else if (!span.parts.empty()) {
            // Who worked on an index is known for certain only now.
            row.below.clear();
            for (const Bar& each : row.bars) addSubLanes(run.spans()[each.span], row);
            subLanesChanged_ = true;
        }
        return !bar.running;
    });
    std::erase_if(openGaps_, [&](const OpenGap& open) {
        Gap& gap = rows_[open.row].gaps[open.gap];
        const IdleState& idle = run.idles()[gap.idle];
        gap.end = idle.end.value_or(run.now());
        return idle.end.has_value();
    });
}

void Layout::noteFlaw(const SpanState& span, Row& row, std::size_t bar) {
    Flaw& flaw = row.bars[bar].flaw;
    if (flaw == Flaw::None && flawOf(span) != Flaw::None) {
        row.flawed.push_back(static_cast<uint32_t>(bar));
    }
    flaw = flawOf(span);
}

void Layout::addSubLanes(const SpanState& span, Row& row) {
    for (const events::PartState& part : span.parts) {
        const SubLane lane = subLaneOf(part);
        const auto at = std::lower_bound(row.below.begin(), row.below.end(), lane, liesAbove);
        if (at != row.below.end() && *at == lane) continue;
        row.below.insert(at, lane);
        subLanesChanged_ = true;
    }
}

void Layout::addGaps(const RunState& run) {
    for (; idlesSeen_ < run.idles().size(); ++idlesSeen_) {
        const IdleState& idle = run.idles()[idlesSeen_];
        const auto lane = laneOfWorker_.find(idle.idle.worker);
        if (lane == laneOfWorker_.end()) continue;
        const std::size_t row = lanes_[lane->second].rows.front();
        Gap gap;
        gap.begin = idle.begin;
        gap.end = idle.end.value_or(run.now());
        gap.idle = static_cast<uint32_t>(idlesSeen_);
        gap.cause = idle.idle.cause;
        if (!idle.end) openGaps_.push_back({.row = row, .gap = rows_[row].gaps.size()});
        rows_[row].gaps.push_back(gap);
    }
}

/// Workers by number, tables by name, kinds as they are declared.
void Layout::sortLanes() {
    std::vector<std::size_t> lanes(lanes_.size());
    std::iota(lanes.begin(), lanes.end(), std::size_t{0});
    std::sort(lanes.begin(), lanes.end(), [this](std::size_t a, std::size_t b) {
        const Lane& one = lanes_[a];
        const Lane& other = lanes_[b];
        if (grouping_ == Grouping::Worker) return one.worker < other.worker;
        if (grouping_ == Grouping::Kind) return one.kind < other.kind;
        return one.name < other.name;
    });
    order_.clear();
    for (const std::size_t lane : lanes) {
        order_.insert(order_.end(), lanes_[lane].rows.begin(), lanes_[lane].rows.end());
    }
    lanesChanged_ = false;
    subLanesChanged_ = true;
}

void Layout::countSubLanes() {
    subLanesAbove_.assign(1, 0);
    for (const std::size_t row : order_) {
        const auto own = static_cast<uint32_t>(rows_[row].below.size());
        subLanesAbove_.push_back(subLanesAbove_.back() + own);
    }
    subLanesChanged_ = false;
}

std::optional<Layout::Place> Layout::placeOf(std::size_t span) const {
    if (span >= places_.size() || places_[span].row == kNowhere) return std::nullopt;
    return places_[span];
}

std::optional<std::size_t> Layout::barAt(std::size_t row, Duration at, Duration tolerance) const {
    const std::vector<Bar>& bars = rows_[row].bars;
    const auto distance = [&](const Bar& bar) {
        return std::max({bar.begin - at, at - bar.end, Duration::zero()});
    };
    std::size_t best = firstEndingAfter(bars, at);
    if (best == bars.size() || (best > 0 && distance(bars[best - 1]) < distance(bars[best]))) {
        if (best == 0) return std::nullopt;
        --best;
    }
    if (distance(bars[best]) > tolerance) return std::nullopt;
    return best;
}

std::optional<std::size_t> Layout::gapAt(std::size_t row, Duration at) const {
    const std::vector<Gap>& gaps = rows_[row].gaps;
    const std::size_t found = firstEndingAfter(gaps, at);
    if (found == gaps.size() || gaps[found].begin > at) return std::nullopt;
    return found;
}

std::optional<std::size_t> Layout::partAt(const RunState& run, std::size_t row, std::size_t bar,
                                          std::size_t subLane, Duration at,
                                          Duration tolerance) const {
    const SpanState& span = run.spans()[rows_[row].bars[bar].span];
    const SubLane wanted = rows_[row].below[subLane];
    std::optional<std::size_t> nearest;
    Duration least = tolerance + Duration(1);
    for (std::size_t i = 0; i < span.parts.size(); ++i) {
        const events::PartState& part = span.parts[i];
        if (subLaneOf(part) != wanted) continue;
        const Duration end = part.end.value_or(span.end.value_or(run.now()));
        const Duration away = std::max({part.begin - at, at - end, Duration::zero()});
        if (away >= least) continue;
        least = away;
        nearest = i;
    }
    return nearest;
}

std::string relationOf(const RunState& run, TaskId task) {
    const auto found = run.tasks().find(task);
    if (found == run.tasks().end()) return {};
    const events::TaskState& state = found->second;
    if (!state.relation.empty()) return state.relation;
    if (state.object.starts_with(kMatviewEntry)) return state.object.substr(kMatviewEntry.size());
    return state.object;
}

std::optional<Duration> expectedEnd(const RunState& run, const SpanState& span) {
    if (span.end) return span.end;
    const double fraction = run.spanFraction(span);
    if (fraction < kLeastFraction) return std::nullopt;
    const double whole = static_cast<double>((run.now() - span.begin).count()) / fraction;
    constexpr double kMost = 1e15;  // thirty years
    return span.begin + Duration(std::llround(std::min(whole, kMost)));
}

Duration expectedRunEnd(const RunState& run) {
    if (run.finished()) return run.now();
    return run.now() + run.timeLeft().value_or(Duration::zero());
}

}  // namespace gantry::ui
