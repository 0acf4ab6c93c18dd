// SPDX-License-Identifier: PostgreSQL
#include "core/report/critical_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace gantry::report {
namespace {

using events::RunState;
using events::SpanState;

/// Spans in the order in which they began; what runs ends now.
class Chain {
public:
    explicit Chain(const RunState& run) : run_(run) {
        std::map<WorkerId, std::size_t> latest;
        before_.resize(run.spans().size());
        for (std::size_t i = 0; i < run.spans().size(); ++i) {
            const auto [at, first] = latest.try_emplace(run.spans()[i].worker, i);
            if (!first) before_[i] = std::exchange(at->second, i);
        }
    }

    std::optional<std::size_t> last() const {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < run_.spans().size(); ++i) {
            if (!best || endOf(i) > endOf(*best)) best = i;
        }
        return best;
    }

    /// What held this span up; its index is smaller, so that every walk ends.
    std::optional<CriticalStep> before(std::size_t span, Link& link) const {
        std::optional<std::size_t> best;
        const auto consider = [&](std::size_t other, Link reason) {
            if (other >= span || endOf(other) > run_.spans()[span].begin) return;
            if (best && endOf(other) <= endOf(*best)) return;
            best = other;
            link = reason;
        };
        const auto task = run_.tasks().find(run_.spans()[span].span.task);
        if (task != run_.tasks().end()) {
            for (const TaskId required : task->second.after) {
                const auto found = run_.tasks().find(required);
                if (found == run_.tasks().end()) continue;
                for (const std::size_t other : found->second.spans) {
                    consider(other, Link::Dependency);
                }
            }
        }
        if (run_.spans()[span].kind == plan::TaskKind::Finish) {  // comes after everything
            for (std::size_t other = 0; other < span; ++other) consider(other, Link::Dependency);
        }
        if (before_[span]) consider(*before_[span], Link::Worker);
        if (!best) return std::nullopt;
        return CriticalStep{.span = *best};
    }

    Duration endOf(std::size_t span) const { return run_.spans()[span].end.value_or(run_.now()); }

private:
    const RunState& run_;
    std::vector<std::optional<std::size_t>> before_;  ///< on the same worker
};

}  // namespace

std::vector<CriticalStep> criticalPath(const RunState& run) {
    std::vector<CriticalStep> path;
    const Chain chain(run);
    const auto last = chain.last();
    if (!last) return path;
    CriticalStep step{.span = *last};
    for (;;) {
        Link link = Link::Start;
        const auto before = chain.before(step.span, link);
        step.link = link;
        if (before) step.waited = run.spans()[step.span].begin - chain.endOf(before->span);
        path.push_back(step);
        if (!before) break;
        step = *before;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<bool> criticalSpans(const RunState& run, const std::vector<CriticalStep>& path) {
    std::vector<bool> critical(run.spans().size());
    for (const CriticalStep& step : path) {
        const SpanState& span = run.spans()[step.span];
        critical[step.span] = true;
        if (!span.span.chunk) continue;
        const auto task = run.tasks().find(span.span.task);
        if (task == run.tasks().end()) continue;
        for (const std::size_t chunk : task->second.spans) critical[chunk] = true;
    }
    return critical;
}

}  // namespace gantry::report
