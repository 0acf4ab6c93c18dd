// SPDX-License-Identifier: PostgreSQL
// Searching and filtering in the chart.
#include <algorithm>

#include "ui/gantt/gantt_view.h"

namespace gantry::ui {

std::size_t GanttView::setSearch(const QString& words) {
    if (words.trimmed() != search_) remember();
    applySearch(words.trimmed(), onlyMatches_);
    return static_cast<std::size_t>(std::count(matches_.begin(), matches_.end(), true));
}

void GanttView::setOnlyMatches(bool only) {
    if (only == onlyMatches_) return;
    remember();
    applySearch(search_, only);
}

void GanttView::applySearch(const QString& words, bool only) {
    search_ = words;
    onlyMatches_ = only;
    filter_ = TaskFilter(search_);
    matches_.clear();
    scene_.matches = nullptr;
    updateMatches(true);
    layout_.setShown(onlyMatches_ && scene_.matches != nullptr ? &matches_ : nullptr);
    if (run_ != nullptr) layout_.update(*run_);
    updateGeometryOfRows();
    viewport()->update();
    Q_EMIT filterChanged();
}

/// New spans at once; all of them now and then, since states and times go on.
void GanttView::updateMatches(bool all) {
    if (filter_.empty() || run_ == nullptr) return;
    const auto& spans = run_->spans();
    if (matches_.size() > spans.size()) all = true;  // another run
    if (all || matchPace_.due()) {
        const Pace::Turn turn(matchPace_);
        std::vector<bool> fresh(spans.size());
        for (const auto& [id, task] : run_->tasks()) {
            if (task.spans.empty() || !filter_.passes(*run_, task)) continue;
            for (const std::size_t span : task.spans) fresh[span] = true;
        }
        const bool same = matches_.size() <= fresh.size() &&
                          std::equal(matches_.begin(), matches_.end(), fresh.begin());
        matches_ = std::move(fresh);
        if (!same && onlyMatches_) layout_.setShown(&matches_);
    } else {
        for (std::size_t i = matches_.size(); i < spans.size(); ++i) {
            const auto task = run_->tasks().find(spans[i].span.task);
            matches_.push_back(task != run_->tasks().end() && filter_.passes(*run_, task->second));
        }
    }
    scene_.matches = &matches_;
}

std::size_t GanttView::matchNumber() const {
    if (scene_.matches == nullptr || !current_ || *current_ >= matches_.size()) return 0;
    if (!matches_[*current_]) return 0;
    return static_cast<std::size_t>(std::count(
        matches_.begin(), matches_.begin() + static_cast<std::ptrdiff_t>(*current_) + 1, true));
}

void GanttView::findNext() { stepMatch(true); }
void GanttView::findPrevious() { stepMatch(false); }

void GanttView::stepMatch(bool forward) {
    const std::size_t count = matches_.size();
    if (scene_.matches == nullptr || count == 0) return;
    std::size_t at = current_.value_or(forward ? count - 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
        at = forward ? (at + 1) % count : (at + count - 1) % count;
        if (!matches_[at]) continue;
        chooseSpan(at);
        revealSpan(at);
        return;
    }
}

}  // namespace gantry::ui
