// SPDX-License-Identifier: PostgreSQL
// Rows in COPY's text form made into its binary form, which a server takes in for half the work.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/buffer.h"
#include "core/rows/column_type.h"

namespace gantry::rows {

/// The form is that of COPY's documentation, "Binary Format"; the values' are those that the types'
/// receive functions take. What is not spelled exactly as the server's output functions spell it is
/// left to the server, so that it is refused, or understood, as it always was.
class BinaryRows {
public:
    explicit BinaryRows(std::vector<ColumnType> columns);

    /// What stands before the first row and behind the last one.
    static std::string_view header();
    static std::string_view trailer();

    /// Appends whole rows of `text` to `out` until that holds `enough` bytes, and returns how many
    /// bytes of `text` they were: 0 if its first row has a value that is not known here. `text`
    /// ends with a row's newline and must not be empty.
    std::size_t append(std::string_view text, std::size_t enough, Buffer& out) const;

private:
    std::size_t appendRow(std::string_view text, Buffer& out) const;

    std::vector<ColumnType> columns_;
};

}  // namespace gantry::rows
