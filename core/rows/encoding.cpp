// SPDX-License-Identifier: PostgreSQL
#include "core/rows/encoding.h"

#include <algorithm>
#include <array>

namespace gantry::rows {
namespace {

constexpr std::array<std::string_view, 2> kEncodings = {"UTF8", "SQL_ASCII"};
constexpr std::array<std::string_view, 4> kEncodingFamilies = {"LATIN", "ISO_8859_", "WIN", "EUC_"};

}  // namespace

bool keepsAsciiApart(std::string_view encoding) {
    return std::find(kEncodings.begin(), kEncodings.end(), encoding) != kEncodings.end() ||
           std::any_of(kEncodingFamilies.begin(), kEncodingFamilies.end(),
                       [&](std::string_view family) { return encoding.starts_with(family); });
}

}  // namespace gantry::rows
