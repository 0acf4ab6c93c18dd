// SPDX-License-Identifier: PostgreSQL
// Errors as people want to read them: grouped by cause, each with what to do next. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace gantry::restore {

/// Errors of one cause. Where it has several objects, names of theirs in the message read "…".
struct Cause {
    std::string message;
    std::string hint;
    std::vector<std::string> objects;
    std::vector<std::size_t> errors;  ///< of these, by their numbers in what was given
};

/// The most frequent cause first, objects in the order in which they failed.
std::vector<Cause> groupByCause(const std::vector<ErrorInfo>& errors);

/// What a run has been through when an error comes.
struct RunSoFar {
    bool others = false;       ///< errors before this one
    bool clean = false;        ///< --clean
    bool withoutRows = false;  ///< tables may be restored whose rows are not
};

/// What the user may do about an error of a statement; empty if nobody knows. The server's own hint
/// comes first.
std::string nextStep(const ErrorInfo& error, const RunSoFar& run);

/// The server has no room left: whatever comes next would fail as well.
bool isDiskFull(const ErrorInfo& error);

/// Two sessions waited for each other and the server ended this one's transaction: the same may
/// well succeed if it is tried again.
bool isDeadlock(const ErrorInfo& error);

}  // namespace gantry::restore
