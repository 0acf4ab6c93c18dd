// SPDX-License-Identifier: PostgreSQL
// Databases of different shape, as each kind of advice sees them.
#pragma once

#include <array>
#include <string_view>

#include "core/advise/dump_advice.h"
#include "core/advise/restore_advice.h"
#include "core/advise/vacuum_advice.h"

namespace gantry::test {

enum class Shape { Even, Skewed, ManySmall, ToastHeavy, IndexHeavy, LargeObjects };
inline constexpr std::array kShapes{Shape::Even,       Shape::Skewed,     Shape::ManySmall,
                                    Shape::ToastHeavy, Shape::IndexHeavy, Shape::LargeObjects};
std::string_view nameOf(Shape shape);

/// Some 30 GB (of many small tables 3), on a server 17 of its own: 16 cores there and 8 here, 90
/// connections free.
advise::Surroundings roomyServer();
advise::DumpQuestion dumpOf(Shape shape);
advise::RestoreQuestion restoreOf(Shape shape);
advise::VacuumQuestion vacuumOf(Shape shape);

}  // namespace gantry::test
