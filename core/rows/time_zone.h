// SPDX-License-Identifier: PostgreSQL
// The offsets from UTC that a time zone has had and will have.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/rows/zone_file.h"

namespace gantry::rows {

/// As this machine's copy of the IANA database has them; a server may have another release of it.
/// Times are seconds since 1970-01-01 00:00 UTC. Immutable: any thread, copies share their content.
class TimeZone {
public:
    /// While one offset holds.
    struct Span {
        int64_t from;
        int64_t until;   ///< no longer of it
        int32_t offset;  ///< seconds east of Greenwich

        bool holds(int64_t time) const { return time >= from && time < until; }
    };

    /// UTC.
    TimeZone();
    /// By the name that a server shows as TimeZone. Empty for what the database does not have, as a
    /// POSIX zone's rule, and for names that are another zone on each machine. Reads a file below
    /// $TZDIR or /usr/share/zoneinfo.
    static std::optional<TimeZone> named(const std::string& name);

    Span spanAt(int64_t time) const;

private:
    explicit TimeZone(ZoneOffsets offsets);
    Span listedSpanAt(int64_t time) const;

    std::shared_ptr<const ZoneOffsets> offsets_;
};

}  // namespace gantry::rows
