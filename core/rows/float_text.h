// SPDX-License-Identifier: PostgreSQL
// Floating-point numbers as PostgreSQL writes them.
#pragma once

#include <cstddef>

namespace gantry::rows {

/// No number is longer.
constexpr std::size_t kRoomOfFloat = 32;

/// What float8out and float4out of servers from 12 on write with extra_float_digits above 0: the
/// shortest decimal that reads back as the number and does not lie just between two, fixed from
/// 1e-4 to below 1e15 or 1e6 (src/common/d2s.c, f2s.c and ryu_common.h of PostgreSQL). Returns the
/// end of what it wrote, at most kRoomOfFloat characters.
char* writeFloat(char* at, double value);
char* writeFloat(char* at, float value);

}  // namespace gantry::rows
