// SPDX-License-Identifier: PostgreSQL
// What a restore will meet, known before anything is touched.
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event.h"
#include "core/options/restore_options.h"
#include "core/restore/archive_needs.h"
#include "core/restore/server_gates.h"
#include "core/restore/target_facts.h"

namespace gantry::restore {

enum class FindingSeverity {
    Blocker,  ///< the restore cannot succeed: it is refused
    Warning,  ///< something will fail, or may
    Note,     ///< good to know
};
std::string_view toString(FindingSeverity severity);

struct Finding {
    FindingSeverity severity = FindingSeverity::Note;
    std::string what;  ///< what will fail, as a sentence that names the objects
    /// The option or statement that mends it, as a sentence; may be empty. It names options as a
    /// command line does ("--no-owner"), by which a window finds its own control.
    std::string remedy;

    friend bool operator==(const Finding&, const Finding&) = default;
};

/// What is found, with what else a run goes by.
struct Preflight {
    std::vector<Finding> findings;
    ServerGates gates;                        ///< `choice` points into it: keep it
    std::set<std::string> relations;          ///< "schema.name" of what the database holds
    std::vector<std::string> missingSchemas;  ///< that objects of the choice stand in
    std::vector<std::string> missingRoles;    ///< that could be made
    bool superuser = false;                   ///< is who restores
};
/// Connects, looks, changes nothing. Throws Error if it cannot look at all (no server). Blockers
/// come first. Takes out of `choice` what the server does not know.
Preflight lookFirst(const archive::Toc& toc, Choice& choice, const DataSizes& sizes,
                    const options::RestoreOptions& options, const std::stop_token& stop);

/// The same for a script, whose `needs` were read, over the connection that it will run on.
std::vector<Finding> lookFirst(const ArchiveNeeds& needs, pg::Connection& connection,
                               const options::RestoreOptions& options);

/// What it means for a restore that `error` kept us from the database; throws it again if it means
/// nothing more. `name` is what the user called the database.
Finding missingDatabase(const Error& error, const ArchiveNeeds& needs, const std::string& name);

/// A blocker: the role may not make the database that --refresh needs.
Finding mayNotRefresh(const std::string& role);

/// Throws Error{Preflight} for the first blocker.
void refuseIfBlocked(const std::vector<Finding>& findings);
/// A notice for each.
void tell(const std::vector<Finding>& findings, events::EventSink& events);

/// What follows from both sides. Pure.
std::vector<Finding> judge(const ArchiveNeeds& needs, const TargetFacts& facts,
                           const options::RestoreOptions& options, uint32_t jobs);

/// The schemas that are needed and that neither the archive nor the database has; a new database
/// has "public". In the order of their names. Pure.
std::vector<std::string> missingSchemas(const ArchiveNeeds& needs, const TargetFacts& facts);

/// The roles that are to own or be granted something, that the server lacks, and that CREATE ROLE
/// can make; in the order of their names. Pure.
std::vector<std::string> missingRoles(const ArchiveNeeds& needs, const TargetFacts& facts);

/// Connections for `options`: as told, else as many as there are processors, 8 at most; one where
/// transactions span entries.
uint32_t jobsFor(const options::RestoreOptions& options);

}  // namespace gantry::restore
