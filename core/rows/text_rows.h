// SPDX-License-Identifier: PostgreSQL
// Rows in COPY's binary form made into its text form, which takes that work from the server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/buffer.h"
#include "core/rows/column_type.h"
#include "core/rows/time_zone.h"

namespace gantry::rows {

/// The day that was written last: times that follow each other are mostly of the same.
struct DayText {
    int32_t days = 0;  ///< since 2000-01-01
    std::array<char, 16> text{"2000-01-01"};
    std::size_t length = 10;
    bool beforeChrist = false;
};

/// The offset that was written last.
struct OffsetText {
    TimeZone::Span span{0, 0, 0};  ///< at first of no time
    std::array<char, 16> text{};
    std::size_t length = 0;
};

/// What times are written with.
struct TimeTexts {
    TimeZone zone;
    DayText day;
    OffsetText offset;
};

/// Reads one COPY TO STDOUT (FORMAT binary) message by message; what it writes is to the byte what
/// the same COPY would send as text ("Binary Format" and "Text Format" of COPY's documentation), in
/// a session whose DateStyle is ISO, whose bytea_output is hex and whose TimeZone is `zone` (with
/// the same release of the IANA database; another may give the same instant another offset),
/// floats from version 12 on with extra_float_digits above 0. One thread at a time.
class TextRows {
public:
    explicit TextRows(std::vector<ColumnType> columns, TimeZone zone = {});

    /// Appends the row that one CopyData message holds, with its newline, to `out`; false if it
    /// holds none, as the last one. Throws Error{Internal} for what no server sends, and leaves
    /// `out` as it was.
    bool append(std::string_view message, Buffer& out);
    /// What `append` may add to a buffer at the most, for a message of this size.
    std::size_t room(std::size_t messageSize) const;
    /// The last message has come.
    bool atEnd() const { return ended_; }

private:
    char* writeRow(std::string_view row, char* at);

    std::vector<ColumnType> columns_;
    std::size_t fixedRoom_ = 0;
    TimeTexts times_;
    bool begun_ = false;
    bool ended_ = false;
};

}  // namespace gantry::rows
