// SPDX-License-Identifier: PostgreSQL
// What contradicts what: every problem of an option struct at once, without touching anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/tune_options.h"
#include "core/options/vacuum_options.h"

namespace gantry::options {

enum class ProblemSeverity {
    Error,    ///< the run is refused
    Warning,  ///< the run goes on, an option has no effect
};

struct Problem {
    ProblemSeverity severity = ProblemSeverity::Error;
    std::vector<std::string> options;  ///< long names concerned, without dashes; a form marks them
    std::string message;               ///< the reason, one sentence without a final full stop
    std::string wayOut;                ///< what to do, a full sentence

    /// "--clean and --data-only: …. …"
    std::string describe() const;
};

/// Why rows of foreign tables are not dumped over several connections; also for those that only a
/// filter file names.
Problem foreignDataNeedsOneJob();

/// All problems, errors before warnings. What pg_dump refuses is refused, what it lets pass passes.
std::vector<Problem> validate(const DumpOptions& options);
/// The same by pg_restore's rules.
std::vector<Problem> validate(const RestoreOptions& options);
/// The same by vacuumdb's rules.
std::vector<Problem> validate(const VacuumOptions& options);
std::vector<Problem> validate(const TuneOptions& options);

/// What a plain SQL script cannot be restored with.
std::vector<Problem> validateForScript(const RestoreOptions& options);

bool hasErrors(const std::vector<Problem>& problems);

}  // namespace gantry::options
