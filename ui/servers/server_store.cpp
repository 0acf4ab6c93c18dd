// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>
#include <algorithm>

namespace gantry::ui {
namespace {

using Member = QString ServerProfile::*;
constexpr std::pair<const char*, Member> kTexts[] = {
    {"id", &ServerProfile::id},
    {"name", &ServerProfile::name},
    {"host", &ServerProfile::host},
    {"port", &ServerProfile::port},
    {"database", &ServerProfile::database},
    {"user", &ServerProfile::user},
    {"sslmode", &ServerProfile::sslMode},
    {"service", &ServerProfile::service},
    {"version", &ServerProfile::version},
};

constexpr std::pair<const char*, int ServerDefaults::*> kDefaultJobs[] = {
    {"dump-jobs", &ServerDefaults::dumpJobs},
    {"restore-jobs", &ServerDefaults::restoreJobs},
    {"vacuum-jobs", &ServerDefaults::vacuumJobs},
};
constexpr std::pair<const char*, QString ServerDefaults::*> kDefaultTexts[] = {
    {"dump-format", &ServerDefaults::dumpFormat},
    {"dump-compress", &ServerDefaults::dumpCompression},
};

QJsonObject toJson(const ServerDefaults& defaults) {
    QJsonObject object;
    for (const auto& [key, member] : kDefaultJobs) {
        if (defaults.*member > 0) object.insert(QLatin1String(key), defaults.*member);
    }
    for (const auto& [key, member] : kDefaultTexts) {
        if (!(defaults.*member).isEmpty()) object.insert(QLatin1String(key), defaults.*member);
    }
    return object;
}

ServerDefaults defaultsFromJson(const QJsonObject& object) {
    ServerDefaults defaults;
    for (const auto& [key, member] : kDefaultJobs) {
        defaults.*member = std::max(0, object.value(QLatin1String(key)).toInt());
    }
    for (const auto& [key, member] : kDefaultTexts) {
        defaults.*member = object.value(QLatin1String(key)).toString();
    }
    return defaults;
}

QJsonObject toJson(const ServerProfile& server) {
    QJsonObject object;
    for (const auto& [key, member] : kTexts) {
        if (!(server.*member).isEmpty()) object.insert(QLatin1String(key), server.*member);
    }
    if (server.color.isValid()) object.insert(QLatin1String("color"), server.color.name());
    if (server.production) object.insert(QLatin1String("production"), true);
    if (server.defaults != ServerDefaults()) {
        object.insert(QLatin1String("defaults"), toJson(server.defaults));
    }
    return object;
}

ServerProfile fromJson(const QJsonObject& object) {
    ServerProfile server;
    for (const auto& [key, member] : kTexts) {
        server.*member = object.value(QLatin1String(key)).toString();
    }
    server.color = QColor(object.value(QLatin1String("color")).toString());
    server.production = object.value(QLatin1String("production")).toBool();
    server.defaults = defaultsFromJson(object.value(QLatin1String("defaults")).toObject());
    return server;
}

}  // namespace

ServerStore::ServerStore(QString path, QObject* parent) : QObject(parent), path_(std::move(path)) {
    if (!path_.isEmpty()) load();
}

const ServerProfile* ServerStore::find(const QString& id) const {
    const auto at = std::find_if(servers_.begin(), servers_.end(),
                                 [&id](const ServerProfile& server) { return server.id == id; });
    return at == servers_.end() ? nullptr : &*at;
}

QString ServerStore::save(ServerProfile server) {
    if (server.id.isEmpty()) server.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    const QString id = server.id;
    const auto same = std::find_if(servers_.begin(), servers_.end(),
                                   [&id](const ServerProfile& other) { return other.id == id; });
    if (same != servers_.end()) {
        *same = std::move(server);
    } else {
        const auto scratch = std::find_if(servers_.begin(), servers_.end(),
                                          [](const ServerProfile& other) { return other.scratch; });
        servers_.insert(scratch, std::move(server));
    }
    store();
    Q_EMIT changed();
    return id;
}

void ServerStore::remove(const QString& id) {
    const auto removed =
        std::erase_if(servers_, [&id](const ServerProfile& server) { return server.id == id; });
    if (removed == 0) return;
    store();
    Q_EMIT changed();
}

void ServerStore::noteVersion(const QString& id, const QString& version) {
    const ServerProfile* server = find(id);
    if (!server || server->version == version) return;
    ServerProfile seen = *server;
    seen.version = version;
    save(std::move(seen));
}

void ServerStore::setScratchServers(const std::vector<ServerProfile>& servers) {
    std::vector<ServerProfile> next;
    std::copy_if(servers_.begin(), servers_.end(), std::back_inserter(next),
                 [](const ServerProfile& server) { return !server.scratch; });
    for (ServerProfile server : servers) {
        // What was found out about it in this session stays.
        if (const ServerProfile* known = find(server.id)) server.defaults = known->defaults;
        next.push_back(std::move(server));
    }
    if (next == servers_) return;
    servers_ = std::move(next);
    Q_EMIT changed();
}

void ServerStore::load() {
    QFile file(path_);
    if (!file.exists()) return;
    if (!file.open(QIODevice::ReadOnly)) {
        problem_ = tr("Cannot read %1: %2.").arg(path_, file.errorString());
        return;
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
    if (!document.isObject()) {
        problem_ = tr("%1 is not a list of servers: %2. It was kept as it is; repair or remove it.")
                       .arg(path_, error.errorString());
        return;
    }
    for (const QJsonValue& value : document.object().value(QLatin1String("servers")).toArray()) {
        ServerProfile server = fromJson(value.toObject());
        if (!server.id.isEmpty()) servers_.push_back(std::move(server));
    }
}

void ServerStore::store() {
    // A file that could not be read is not to be replaced by what little is known.
    if (path_.isEmpty() || !problem_.isEmpty()) return;
    QJsonArray list;
    for (const ServerProfile& server : servers_) {
        if (!server.scratch) list.append(toJson(server));
    }
    QDir().mkpath(QFileInfo(path_).absolutePath());
    QSaveFile file(path_);
    const QByteArray bytes = QJsonDocument(QJsonObject{{QLatin1String("servers"), list}}).toJson();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        problem_ = tr("Cannot write %1: %2.").arg(path_, file.errorString());
    }
}

}  // namespace gantry::ui
