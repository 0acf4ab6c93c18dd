// SPDX-License-Identifier: PostgreSQL
// What a plain SQL script takes for granted on the server. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/restore/archive_needs.h"

namespace gantry::restore {

/// Goes by statements that read like those of pg_dump and pg_dumpall; of any other it knows
/// nothing.
class ScriptNeeds {
public:
    /// The script's next statement.
    void add(std::string_view statement);
    /// \connect: what is created from here on is not in the database that the script began in.
    void leaveDatabase() { elsewhere_ = true; }
    /// What the statements so far neither bring along nor take away first.
    ArchiveNeeds needs() const;

private:
    void addCreated(std::string_view statement);
    void addRoles(std::string_view statement);
    void addSetting(std::string_view statement);

    ArchiveNeeds found_;
    std::set<std::string> roles_;  ///< that it creates
    std::set<std::string> tablespaces_;
    std::set<std::string> dropped_;  ///< relations, as the statements spell them
    bool elsewhere_ = false;
};

}  // namespace gantry::restore
