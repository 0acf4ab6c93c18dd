// SPDX-License-Identifier: PostgreSQL
// The few commands of psql that a script may hold.
#pragma once

#include <optional>
#include <string>

#include "core/restore/sql_script.h"

namespace gantry::restore {

/// Where \connect leads, on the same server.
struct ConnectCommand {
    std::string database;  ///< empty: the same
    std::string user;      ///< empty: the same
};

/// \connect, \restrict and \unrestrict as psql reads them, and the \encoding SQL_ASCII that pg_dump
/// writes in front of a \connect. All else is refused, as is another server, and between \restrict
/// and \unrestrict whatever is not \unrestrict with the same key.
class ScriptCommands {
public:
    /// Empty for a command that asks for nothing. Throws Error{Format} whose object is `place`.
    std::optional<ConnectCommand> read(const SqlPiece& piece, const std::string& place);

private:
    std::optional<std::string> restrictedBy_;
};

}  // namespace gantry::restore
