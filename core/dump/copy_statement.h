// SPDX-License-Identifier: PostgreSQL
// The COPY statements that read a table, and the one in an archive that will load it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::dump {

/// Heap blocks [begin, end); `last` has no upper limit, since the relation may have grown.
struct BlockRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool last = true;
};

/// Behind any of the following: its rows in binary form.
inline constexpr std::string_view kAsBinary = " (FORMAT binary)";

/// COPY of a whole relation. `qualifiedName` is quoted. A foreign table or one with a `condition`
/// (an extension's "WHERE …") is read through a query.
std::string copyWhole(std::string_view qualifiedName, const std::vector<std::string>& columns,
                      bool throughQuery, std::string_view condition);

/// COPY of the rows whose ctid lies in the range, and of no child table's.
std::string copyRange(std::string_view qualifiedName, const std::vector<std::string>& columns,
                      const BlockRange& range);

/// The column names in "COPY name (a, "B c") FROM stdin;", unquoted. Empty if it names none.
/// Throws Error{Format} if the text is no such statement.
std::vector<std::string> columnsOfCopyStatement(std::string_view statement);

}  // namespace gantry::dump
