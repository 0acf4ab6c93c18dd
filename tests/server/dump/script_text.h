// SPDX-License-Identifier: PostgreSQL
// SQL scripts made comparable: what two of them do, not how they are laid out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::test {

/// The script's lines without comments, empty lines and \restrict; the rows of each COPY as their
/// number and a hash that does not depend on their order, large objects as their size and hash in
/// the order of their OIDs (tools write them in parts of different sizes). What owns a view or a
/// sequence is altered as a table, as versions before 16 do it.
std::vector<std::string> comparableScript(std::string_view script);

/// Empty if both are the same; else the first lines that differ, with what stands around them.
std::string scriptDifference(const std::vector<std::string>& left,
                             const std::vector<std::string>& right);

}  // namespace gantry::test
