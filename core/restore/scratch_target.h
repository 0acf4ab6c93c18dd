// SPDX-License-Identifier: PostgreSQL
// A throwaway server made ready for an archive, so that one can look inside it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/options/restore_options.h"
#include "core/scratch/scratch_server.h"

namespace gantry::restore {

struct ScratchTarget {
    scratch::ScratchServer server;    ///< gone with this object, unless it is released
    options::RestoreOptions options;  ///< those given, leading there
    std::string database;             ///< that the archive's objects will be in
};

/// Starts the server and makes the roles that the archive or the script names (none may log in)
/// and, unless the archive is to make it itself, the database. Tablespaces are left out. Throws as
/// ScratchServer::start() does, and for an archive that cannot be read.
ScratchTarget makeScratchTarget(const options::RestoreOptions& options,
                                std::function<void(std::string_view)> onStep,
                                const std::stop_token& stop);

}  // namespace gantry::restore
