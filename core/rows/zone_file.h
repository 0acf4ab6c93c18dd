// SPDX-License-Identifier: PostgreSQL
// A compiled zone of the IANA database, as RFC 8536 describes it ("TZif").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::rows {

/// From this second on, counted from 1970-01-01 00:00 UTC, a zone is so many seconds east of
/// Greenwich.
struct OffsetChange {
    int64_t from;
    int32_t offset;
};

struct ZoneOffsets {
    /// In order; the first holds since ever.
    std::vector<OffsetChange> changes;
    /// The last 400 years of them, the calendar's cycle, come again and again.
    bool recur = false;
};

/// Of a file's content. Empty for what is no such file or of its first version, for a zone with
/// leap seconds, which no server takes, and for a rule by days of the year, which no zone has.
std::optional<ZoneOffsets> parseZoneFile(std::string_view bytes);

}  // namespace gantry::rows
