// SPDX-License-Identifier: PostgreSQL
// The terminal at hand: what it can show, and secrets typed on it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "app/headless/run_text.h"

namespace gantry::headless {

/// Whether `descriptor` is a terminal that understands cursor movement.
bool isCapableTerminal(int descriptor);

/// Size as it is now, colour unless NO_COLOR is set, Unicode if the locale's text is UTF-8.
TextStyle terminalStyle(int descriptor);

/// The width to wrap help at: the terminal's, within reason.
std::size_t helpWidth();

/// Asks on the terminal itself, whatever the standard streams are, without echo. Empty if there is
/// no terminal. Throws Error{Cancelled} on stop; the terminal's settings are put back in any case.
std::optional<std::string> askSecret(const std::string& prompt, const std::stop_token& stop);

}  // namespace gantry::headless
