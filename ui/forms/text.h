// SPDX-License-Identifier: PostgreSQL
// What the core says, counts and measures, in the words of the window.
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>

#include "core/base/clock.h"

namespace gantry::ui {

QString text(std::string_view utf8);
/// Lines of the server's or the system's as sentences.
QString inOneLine(const QString& lines);
/// A tooltip that says what it is given, whatever that holds: one that looked like HTML would be
/// shown as such.
QString toolTipText(const QString& words);
QString durationText(Duration duration);
/// Of an ISO 8601 time: "14:02" today, "Thu" this week, "20 Nov" before.
QString whenText(std::string_view iso);
/// Of an ISO 8601 time, here: "2026-11-20 14:02".
QString momentText(std::string_view iso);
QString bytesText(uint64_t bytes);
QString rateText(double bytesPerSecond);
QString countText(uint64_t count);
/// "3.2 M", "341 k"; in full below 100,000.
QString shortCountText(uint64_t count);
/// Of what goes on: 100 only at its end.
QString percentText(double share);
/// Rounded.
QString shareText(double share);

}  // namespace gantry::ui
