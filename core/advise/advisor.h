// SPDX-License-Identifier: PostgreSQL
// Advice on a run that somebody has in mind: asks the server, the archive, this machine and the
// history for what the models need, and has them answer.
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/advise/curve.h"
#include "core/advise/dump_advice.h"
#include "core/advise/restore_advice.h"
#include "core/advise/vacuum_advice.h"
#include "core/history/history.h"
#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/vacuum_options.h"

namespace gantry::advise {

/// `jobs` of the options is left out of account. All block, and throw Error as their questions do.
/// Where compression is not given, the codec is advised too.
Advice adviseOn(const options::DumpOptions& options, history::History& history,
                const std::stop_token& stop);
/// Without an archive: as if the connection's own database were dumped and restored there. Throws
/// Error{Preflight} for a standby and for a plain script.
Advice adviseOn(const options::RestoreOptions& options, history::History& history,
                const std::stop_token& stop);
Advice adviseOn(const options::VacuumOptions& options, history::History& history,
                const std::stop_token& stop);

/// For whoever has looked at the server already: what the history knows of it, and what `options`
/// say of the archive, goes into the question. Throws Error{Io}.
void recall(DumpQuestion& question, const options::DumpOptions& options, history::History& history);
/// With what was measured on purpose, and whether that still holds.
Advice adviseOn(const DumpQuestion& question, history::History& history);

/// The questions behind these, for whoever wants more than one answer. Throw Error{Connection,
/// Server, Format, Io, Preflight, Cancelled}.
DumpQuestion questionFor(const options::DumpOptions& options, history::History& history,
                         const std::stop_token& stop);
RestoreQuestion questionFor(const options::RestoreOptions& options, history::History& history,
                            const std::stop_token& stop);
VacuumQuestion questionFor(const options::VacuumOptions& options, history::History& history,
                           const std::stop_token& stop);

}  // namespace gantry::advise
