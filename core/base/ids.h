// SPDX-License-Identifier: PostgreSQL
// Numbers that must not be mistaken for each other.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace gantry {

/// An integer of its own type: no arithmetic, no implicit conversion, ordered and hashable.
template <class Tag, class Rep>
struct StrongId {
    using Value = Rep;
    Rep value{};

    friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

using Oid = StrongId<struct OidTag, uint32_t>;            ///< a server object's identifier
using DumpId = StrongId<struct DumpIdTag, int32_t>;       ///< an archive entry's number, from 1
using TaskId = StrongId<struct TaskIdTag, uint32_t>;      ///< a task's index in its run's plan
using WorkerId = StrongId<struct WorkerIdTag, uint32_t>;  ///< a lane: 0 coordinates, 1… work

}  // namespace gantry

template <class Tag, class Rep>
struct std::hash<gantry::StrongId<Tag, Rep>> {
    std::size_t operator()(gantry::StrongId<Tag, Rep> id) const noexcept {
        return std::hash<Rep>{}(id.value);
    }
};
