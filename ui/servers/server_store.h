// SPDX-License-Identifier: PostgreSQL
// The servers that the user knows: kept in a file, told to whoever shows them.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "ui/servers/server_profile.h"

namespace gantry::ui {

/// Profiles in the order of the list, scratch servers last. GUI thread. The file is JSON, written
/// whole or not at all, and holds no password.
class ServerStore : public QObject {
    Q_OBJECT
public:
    /// Reads `path`, which need not exist. An empty one keeps nothing beyond the session.
    explicit ServerStore(QString path, QObject* parent = nullptr);

    const std::vector<ServerProfile>& servers() const { return servers_; }
    /// nullptr if there is none; valid until the next change.
    const ServerProfile* find(const QString& id) const;

    /// Adds it or, by its id, replaces it; an empty id is given one. Returns the id.
    QString save(ServerProfile server);
    void remove(const QString& id);
    /// The version that was seen last.
    void noteVersion(const QString& id, const QString& version);
    /// Replaces all scratch servers; those that were there before keep their defaults.
    void setScratchServers(const std::vector<ServerProfile>& servers);

    /// Why the file could not be read or written; empty if it could.
    QString problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    void load();
    void store();

    QString path_;
    QString problem_;
    std::vector<ServerProfile> servers_;
};

}  // namespace gantry::ui
