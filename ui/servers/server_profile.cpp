// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_profile.h"

#include "core/pg/connection.h"

namespace gantry::ui {
namespace {

/// libpq would take it for a connection string.
bool looksLikeConninfo(const std::string& database) {
    return database.find('=') != std::string::npos || database.rfind("postgres://", 0) == 0 ||
           database.rfind("postgresql://", 0) == 0;
}

}  // namespace

options::ConnectionOptions connectionTo(const ServerProfile& server, const QString& database) {
    options::ConnectionOptions options;
    options.host = server.host.toStdString();
    options.port = server.port.toStdString();
    options.user = server.user.toStdString();
    QString wanted = database.isEmpty() ? server.database : database;
    // Left to libpq it would be one that is called like the user: of people there is seldom one.
    if (wanted.isEmpty() && server.service.isEmpty()) wanted = QStringLiteral("postgres");
    const std::string name = wanted.toStdString();
    if (server.service.isEmpty() && server.sslMode.isEmpty() && !looksLikeConninfo(name)) {
        options.database = name;
        return options;
    }
    std::string& conninfo = options.database;
    const auto add = [&conninfo](const char* key, const std::string& value) {
        if (value.empty()) return;
        if (!conninfo.empty()) conninfo += ' ';
        conninfo += key;
        conninfo += '=';
        conninfo += pg::quoteConninfoValue(value);
    };
    add("service", server.service.toStdString());
    add("dbname", name);
    add("sslmode", server.sslMode.toStdString());
    return options;
}

}  // namespace gantry::ui
