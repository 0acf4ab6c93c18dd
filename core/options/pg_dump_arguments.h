// SPDX-License-Identifier: PostgreSQL
// What pg_dump must be told so that its table of contents agrees with the rows that we copy.
#pragma once

#include <string>
#include <vector>

#include "core/options/dump_options.h"
#include "core/pg/client_tools.h"

namespace gantry::options {

/// The selection and content options in the spelling of this pg_dump version. Neither connection,
/// output, snapshot nor any password is among them: the caller adds those. An option that this
/// version lacks and that cannot be said otherwise throws Error{Preflight} that names the version
/// which has it.
std::vector<std::string> pgDumpArguments(const DumpOptions& options, int pgDumpMajor);

/// The oldest pg_dump that understands all of `options`, and the option that asks for it.
pg::OptionNeed neededPgDump(const DumpOptions& options);

}  // namespace gantry::options
