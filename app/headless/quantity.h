// SPDX-License-Identifier: PostgreSQL
// Numbers as people read them, and names that cannot play tricks on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/printable.h"

namespace gantry::headless {

/// "0 B", "999 B", "1.00 kB", "34.5 MB", "1.31 GB": three digits, powers of 1000.
std::string humanBytes(uint64_t bytes);
/// "20 ms", "0.4 s", "12 s", "2 min 5 s", "1 h 3 min".
std::string humanDuration(Duration duration);
/// For what is only guessed: "less than 1 s", "8 s", "1 min 20 s", "12 min", "3 h 10 min".
std::string roughDuration(Duration duration);
/// "4,512,331".
std::string humanCount(uint64_t count);
/// "1 table", "2 tables".
std::string counted(uint64_t count, std::string_view singular);

/// Columns that UTF-8 text takes, one for each character.
std::size_t columnsOf(std::string_view text);
/// Exactly `columns` wide: padded, or cut in the middle with "…" ("..." without Unicode).
std::string fitted(std::string_view text, std::size_t columns, bool unicode);
/// A message of several lines as one, in sentences, fit to be printed.
std::string oneLine(std::string_view text);

}  // namespace gantry::headless
