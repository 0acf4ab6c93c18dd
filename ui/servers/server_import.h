// SPDX-License-Identifier: PostgreSQL
// Servers that libpq on this machine knows already: services and environment variables.
#pragma once

#include <QString>
#include <functional>
#include <istream>
#include <optional>
#include <vector>

#include "ui/servers/server_profile.h"

namespace gantry::ui {

struct FoundServer {
    ServerProfile profile;
    QString from;     ///< the file, or the variables
    QString leadsTo;  ///< "backup_ro@db.example.org:5433/shop"
};

/// A profile for each section, which refers to the service by its name so that what the file says
/// later holds. Passwords in the file stay there: libpq reads them itself.
std::vector<FoundServer> readServiceFile(std::istream& lines, const QString& path);

/// What PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE and PGSERVICE say; empty if none of them says
/// anything.
std::optional<ServerProfile> fromEnvironment(
    const std::function<const char*(const char*)>& variable);

/// Everything that is there: PGSERVICEFILE or ~/.pg_service.conf, the system's file, the
/// environment. Reads files.
std::vector<FoundServer> findServers();

}  // namespace gantry::ui
