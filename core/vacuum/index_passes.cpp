// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/index_passes.h"

#include <algorithm>

namespace gantry::vacuum {

IndexPasses::IndexPasses(std::vector<Index> indexes) : indexes_(std::move(indexes)) {}

std::vector<IndexPasses::Stretch> IndexPasses::begin(uint32_t helpers, Duration now) {
    std::vector<Stretch> told;
    if (underWay()) return told;
    waiting_ = indexes_;
    ++passes_;
    // Helpers begin with the first that are theirs; the session first does what is its alone.
    const bool ownWork = std::any_of(waiting_.begin(), waiting_.end(),
                                     [](const Index& index) { return !index.shared; });
    if (helpers == 0 || ownWork) start(0, now, told);
    for (uint32_t helper = 1; helper <= helpers; ++helper) start(helper, now, told);
    if (helpers > 0 && !ownWork) start(0, now, told);
    return told;
}

std::optional<IndexPasses::Index> IndexPasses::nextFor(uint32_t helper) {
    auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Index& index) {
        return helper > 0 ? index.shared : !index.shared;
    });
    if (found == waiting_.end() && helper == 0) found = waiting_.begin();
    if (found == waiting_.end()) return std::nullopt;
    Index index = *found;
    waiting_.erase(found);
    return index;
}

void IndexPasses::start(uint32_t helper, Duration now, std::vector<Stretch>& told) {
    const auto index = nextFor(helper);
    if (!index) return;
    Stretch stretch{.number = next_++,
                    .index = index->name,
                    .helper = helper,
                    .begin = now,
                    .isNew = true,
                    .over = false};
    told.push_back(stretch);
    stretch.isNew = false;
    running_[helper] = std::move(stretch);
}

std::vector<IndexPasses::Stretch> IndexPasses::done(const std::string& index, bool byHelper,
                                                    std::optional<Duration> took, Duration earliest,
                                                    Duration now) {
    std::vector<Stretch> told;
    if (!underWay()) told = begin(0, earliest);
    auto found = std::find_if(running_.begin(), running_.end(),
                              [&](const auto& entry) { return entry.second.index == index; });
    if (found == running_.end()) {
        // Begun in another order than we thought: it was in somebody's hands all the same.
        const auto left = std::find_if(waiting_.begin(), waiting_.end(),
                                       [&](const Index& known) { return known.name == index; });
        if (left != waiting_.end()) waiting_.erase(left);
        told.push_back({.number = next_++,
                        .index = index,
                        .helper = byHelper ? 1U : 0U,
                        .begin = took ? now - *took : earliest,
                        .isNew = true,
                        .over = true});
        return told;
    }
    Stretch stretch = found->second;
    std::optional<Stretch> moved;
    if (byHelper != (stretch.helper > 0)) {
        // Two processes are the other way round than we thought.
        const auto other = std::find_if(running_.begin(), running_.end(), [&](const auto& entry) {
            return byHelper == (entry.first > 0);
        });
        const uint32_t helper = other != running_.end() ? other->first : (byHelper ? 1U : 0U);
        if (other != running_.end()) {
            other->second.helper = stretch.helper;
            std::swap(other->second, found->second);
            moved = found->second;
            found = other;
        } else {
            auto node = running_.extract(found);
            node.key() = helper;
            found = running_.insert(std::move(node)).position;
        }
        stretch.helper = helper;
    }
    if (took) stretch.begin = now - *took;
    stretch.over = true;
    const uint32_t helper = stretch.helper;
    running_.erase(found);
    told.push_back(std::move(stretch));
    if (moved) told.push_back(std::move(*moved));
    start(helper, now, told);
    return told;
}

}  // namespace gantry::vacuum
