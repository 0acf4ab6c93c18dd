// SPDX-License-Identifier: PostgreSQL
// What the tests of pages have in common: patience, and a server that a page is aimed at.
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <functional>

#include "tests/support/cluster.h"
#include "ui/servers/server_store.h"

namespace gantry::test {

inline constexpr int kPatienceMs = 60'000;

/// False if the condition does not come true in time.
inline bool waitFor(const std::function<bool()>& condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > kPatienceMs) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

/// Saves a profile of the cluster and returns its identifier.
inline QString saveServer(ui::ServerStore& servers, const Cluster& cluster) {
    ui::ServerProfile server;
    server.name = QStringLiteral("box");
    server.host = QString::fromStdString(cluster.socketFolder().string());
    server.port = QString::number(cluster.port());
    server.user = QStringLiteral("postgres");
    return servers.save(server);
}

}  // namespace gantry::test
