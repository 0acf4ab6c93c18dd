// SPDX-License-Identifier: PostgreSQL
// Cuts the INSERT commands of an archive made with --inserts apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::restore {

/// Knows what pg_dump writes there: statements that end with a semicolon, literals in '…' (with
/// backslashes as escapes only in E'…'), names in "…". Not thread-safe.
class StatementSplitter {
public:
    void add(std::string_view text);
    /// The next whole statement, its semicolon included; empty until more is added.
    std::optional<std::string> next();
    /// True if nothing but blanks is left.
    bool isAtEnd() const;

private:
    std::string text_;
    std::size_t begin_ = 0;    ///< of the statement that comes next
    std::size_t scanned_ = 0;  ///< what has been looked at of text_
    char quote_ = 0;           ///< inside '…' or "…"
    bool escapes_ = false;     ///< inside E'…'
};

}  // namespace gantry::restore
