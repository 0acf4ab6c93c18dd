// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_import.h"

#include <QDir>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace gantry::ui {
namespace {

/// "backup_ro@db.example.org:5433/shop", as far as it is said.
QString leadsTo(const ServerProfile& p) {
    QString text = p.host.isEmpty() ? QStringLiteral("localhost") : p.host;
    if (!p.user.isEmpty()) text = p.user + u'@' + text;
    if (!p.port.isEmpty()) text += u':' + p.port;
    if (!p.database.isEmpty()) text += u'/' + p.database;
    return text;
}

void takeSetting(ServerProfile& profile, const QString& key, const QString& value) {
    const std::pair<const char*, QString ServerProfile::*> members[] = {
        {"host", &ServerProfile::host},
        {"port", &ServerProfile::port},
        {"dbname", &ServerProfile::database},
        {"user", &ServerProfile::user},
    };
    for (const auto& [name, member] : members) {
        if (key == QLatin1String(name)) profile.*member = value;
    }
}

QStringList serviceFiles() {
    QString own = qEnvironmentVariable("PGSERVICEFILE");
    if (own.isEmpty()) own = QDir::homePath() + QStringLiteral("/.pg_service.conf");
    QString folder = qEnvironmentVariable("PGSYSCONFDIR");
    if (folder.isEmpty()) folder = QStringLiteral("/etc/postgresql-common");
    return {own, folder + QStringLiteral("/pg_service.conf")};
}

}  // namespace

std::vector<FoundServer> readServiceFile(std::istream& lines, const QString& path) {
    std::vector<FoundServer> found;
    std::vector<ServerProfile> said;
    std::string raw;
    while (std::getline(lines, raw)) {
        const QString line = QString::fromStdString(raw).trimmed();
        if (line.isEmpty() || line.startsWith(u'#')) continue;
        if (line.startsWith(u'[') && line.endsWith(u']')) {
            FoundServer server;
            server.profile.service = line.mid(1, line.size() - 2);
            server.profile.name = server.profile.service;
            server.from = path;
            found.push_back(std::move(server));
            said.emplace_back();
        } else if (const auto equals = line.indexOf(u'='); equals > 0 && !said.empty()) {
            takeSetting(said.back(), line.left(equals), line.mid(equals + 1));
            found.back().leadsTo = leadsTo(said.back());
        }
    }
    return found;
}

std::optional<ServerProfile> fromEnvironment(
    const std::function<const char*(const char*)>& variable) {
    const std::pair<const char*, QString ServerProfile::*> members[] = {
        {"PGHOST", &ServerProfile::host},         {"PGPORT", &ServerProfile::port},
        {"PGDATABASE", &ServerProfile::database}, {"PGUSER", &ServerProfile::user},
        {"PGSSLMODE", &ServerProfile::sslMode},   {"PGSERVICE", &ServerProfile::service},
    };
    ServerProfile profile;
    bool any = false;
    for (const auto& [name, member] : members) {
        const char* value = variable(name);
        if (!value || *value == '\0') continue;
        profile.*member = QString::fromLocal8Bit(value);
        any = true;
    }
    if (!any) return std::nullopt;
    const bool local = profile.host.isEmpty() || profile.host.startsWith(u'/');
    profile.name = !profile.service.isEmpty() ? profile.service
                   : !local                   ? profile.host
                                              : QStringLiteral("localhost");
    return profile;
}

std::vector<FoundServer> findServers() {
    std::vector<FoundServer> found;
    for (const QString& path : serviceFiles()) {
        std::ifstream file(path.toStdString());
        for (FoundServer& server : readServiceFile(file, path)) found.push_back(std::move(server));
    }
    if (auto profile = fromEnvironment([](const char* name) { return std::getenv(name); })) {
        const QString where = leadsTo(*profile);
        found.push_back({std::move(*profile), QStringLiteral("PGHOST, PGPORT, …"), where});
    }
    return found;
}

}  // namespace gantry::ui
