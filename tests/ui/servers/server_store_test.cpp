// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_store.h"

#include <QFile>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/temporary_folder.h"

namespace gantry::ui {
namespace {

QString fileIn(const test::TemporaryFolder& folder) {
    return QString::fromStdString((folder / "config" / "servers.json").string());
}

ServerProfile shop() {
    ServerProfile server;
    server.name = QStringLiteral("prod-eu-1");
    server.host = QStringLiteral("db.example.org");
    server.port = QStringLiteral("5433");
    server.database = QStringLiteral("shop");
    server.user = QStringLiteral("backup_ro");
    server.sslMode = QStringLiteral("verify-full");
    server.service = QStringLiteral("shop");
    server.color = QColor(0xcc2211);
    server.production = true;
    server.version = QStringLiteral("17.11");
    server.defaults = {.dumpJobs = 4,
                       .dumpFormat = QStringLiteral("c"),
                       .dumpCompression = QStringLiteral("zstd:1"),
                       .restoreJobs = 8,
                       .vacuumJobs = 2};
    return server;
}

TEST_CASE("server store: what is saved is there the next time") {
    const test::TemporaryFolder folder;
    QString id;
    {
        ServerStore store(fileIn(folder));
        id = store.save(shop());
        CHECK_FALSE(id.isEmpty());
        CHECK(store.problem().isEmpty());
    }
    const ServerStore again(fileIn(folder));
    REQUIRE(again.servers().size() == 1);
    ServerProfile expected = shop();
    expected.id = id;
    CHECK(again.servers().front() == expected);
    CHECK(again.find(id) != nullptr);
    CHECK(again.find(QStringLiteral("other")) == nullptr);
}

TEST_CASE("server store: scratch servers stand last and are not kept") {
    const test::TemporaryFolder folder;
    ServerProfile scratch;
    scratch.id = QStringLiteral("scratch:demo");
    scratch.scratch = true;
    {
        ServerStore store(fileIn(folder));
        store.setScratchServers({scratch});
        store.save(shop());
        REQUIRE(store.servers().size() == 2);
        CHECK(store.servers().back().scratch);
    }
    CHECK(ServerStore(fileIn(folder)).servers().size() == 1);
}

TEST_CASE("server store: a broken file is told and left alone") {
    const test::TemporaryFolder folder;
    const QString path = QString::fromStdString((folder / "servers.json").string());
    const QByteArray broken("{\"servers\": [");
    {
        QFile file(path);
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(broken);
    }
    ServerStore store(path);
    CHECK(store.problem().contains(QStringLiteral("is not a list of servers")));
    store.save(shop());
    QFile file(path);
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll() == broken);
}

TEST_CASE("server profile: plain members stay plain, the rest becomes a connection string") {
    ServerProfile server;
    server.host = QStringLiteral("db");
    server.user = QStringLiteral("me");
    CHECK(connectionTo(server, QStringLiteral("shop")).database == "shop");
    CHECK(connectionTo(server, QStringLiteral("shop")).host == "db");
    CHECK(connectionTo(server, QStringLiteral("a=b")).database == "dbname='a=b'");
    CHECK(connectionTo(server).database == "postgres");  // not what is called like the user
    CHECK(connectionTo(shop()).database == "service='shop' dbname='shop' sslmode='verify-full'");
}

}  // namespace
}  // namespace gantry::ui
