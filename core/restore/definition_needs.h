// SPDX-License-Identifier: PostgreSQL
// Which definitions have to stand before what comes behind them may begin.
//
// Definitions are made one after the other. Rows need not wait for the last of them: a table's may
// come once its own definition, and each that names the table, is made. That holds only where
// nothing of the archive's own code can run: a function may use whatever comes later. So that rows
// wait for little, what completes a table (a default, a sequence's owner) is made right behind it.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/archive/toc.h"

namespace gantry::restore {

/// Pure. The entries must outlive it.
class DefinitionNeeds {
public:
    /// `order`: all entries of the archive; `definitions`: places in it.
    DefinitionNeeds(const std::vector<const archive::TocEntry*>& order,
                    const std::vector<std::size_t>& definitions);

    /// The definitions in the order in which they are to be made.
    const std::vector<std::size_t>& sequence() const { return sequence_; }
    /// How many of the definitions must be made before this entry, which is none of them.
    std::size_t before(const archive::TocEntry& entry) const;

private:
    void arrange(const std::vector<const archive::TocEntry*>& order,
                 const std::vector<std::size_t>& definitions);
    void findCode(const std::vector<const archive::TocEntry*>& order);

    std::vector<std::size_t> sequence_;
    std::unordered_map<DumpId, std::size_t> lastTouch_;  ///< count of definitions up to that one
    std::unordered_set<DumpId> withCode_;
};

}  // namespace gantry::restore
