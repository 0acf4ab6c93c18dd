// SPDX-License-Identifier: PostgreSQL
// Which process works on which index, from what the server tells.
//
// It tells when a pass begins, with how many helpers, and each index that is done, by a helper or
// by the session itself; never which one is begun. But all of them take the next index of one list:
// what is next begins where one was done. So the lanes follow from the ends. Pure, in given time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace gantry::vacuum {

class IndexPasses {
public:
    struct Index {
        std::string name;
        bool shared = false;  ///< helpers may take it
    };
    /// A stretch of one process on one index; told when it begins, when another process turns out
    /// to be at it, and when it ends.
    struct Stretch {
        uint32_t number = 0;
        std::string index;
        uint32_t helper = 0;  ///< 0: the session itself
        Duration begin{};
        bool isNew = false;  ///< not told before
        bool over = false;
    };

    /// `indexes` in the server's order.
    explicit IndexPasses(std::vector<Index> indexes);

    /// All dead entries are to be removed from all indexes.
    std::vector<Stretch> begin(uint32_t helpers, Duration now);
    /// One is done; `took` is the server's measure, if it says. A pass whose beginning went unseen
    /// began with `earliest`.
    std::vector<Stretch> done(const std::string& index, bool byHelper, std::optional<Duration> took,
                              Duration earliest, Duration now);
    bool underWay() const { return !running_.empty(); }
    std::size_t indexes() const { return indexes_.size(); }
    /// In the pass under way.
    std::size_t indexesDone() const {
        return underWay() ? indexes_.size() - waiting_.size() - running_.size() : 0;
    }
    uint32_t passes() const { return passes_; }

private:
    std::optional<Index> nextFor(uint32_t helper);
    void start(uint32_t helper, Duration now, std::vector<Stretch>& told);

    const std::vector<Index> indexes_;
    std::vector<Index> waiting_;
    std::map<uint32_t, Stretch> running_;  ///< by helper
    uint32_t next_ = 0;
    uint32_t passes_ = 0;
};

}  // namespace gantry::vacuum
