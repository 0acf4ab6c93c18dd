// SPDX-License-Identifier: PostgreSQL
// Passwords that libpq did not find by itself, asked for on the terminal as pg_dump does.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/options/connection_options.h"

namespace gantry::headless {

/// Whether `error` says that libpq wanted a password, had none, and may be helped out.
bool wantsPassword(const ErrorInfo& error, const options::ConnectionOptions& connection);

/// Asks, and puts the answer into `connection`; false if there is no terminal to ask on. Throws
/// Error{Cancelled} on stop.
bool askPassword(options::ConnectionOptions& connection, const std::stop_token& stop);

/// What --password demands: asks before anything else if it was given. Throws Error{Preflight} if
/// there is no terminal, Error{Cancelled} on stop.
void askPasswordIfForced(options::ConnectionOptions& connection, const std::stop_token& stop);

}  // namespace gantry::headless
