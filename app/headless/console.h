// SPDX-License-Identifier: PostgreSQL
// What every command says in the same way: help, problems, errors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/headless/command_line.h"
#include "core/base/error.h"

namespace gantry::headless {

void printOut(std::string_view text);
/// For what a script may go on with: throws Error{Io} if it could not be written.
void printData(std::string_view text);
void printErr(std::string_view text);

/// Prints help or problems; the exit code if there is nothing more to do.
std::optional<int> answerCommandLine(const CommandSyntax& syntax, const ParsedLine& line);

/// "gantryctl: object: cause", then the next step on a line of its own.
void printError(const ErrorInfo& error);

/// The exit code of an error that came before anything was begun.
int refusalCode(const Error& error);

}  // namespace gantry::headless
