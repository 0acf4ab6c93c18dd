// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_import.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <sstream>

namespace gantry::ui {
namespace {

std::optional<ServerProfile> fromVariables(const std::map<std::string, const char*>& variables) {
    return fromEnvironment([&](const char* name) {
        const auto at = variables.find(name);
        return at == variables.end() ? nullptr : at->second;
    });
}

TEST_CASE("server import: each section of a service file is a server that refers to it") {
    std::istringstream file(
        "# ours\n"
        "[shop]\n"
        "host=db.example.org\n"
        "port=5433\n"
        "dbname=shop\n"
        "user=backup_ro\n"
        "password=secret\n"
        "\n"
        "[crm]\n"
        "dbname=crm\n");
    const std::vector<FoundServer> found = readServiceFile(file, QStringLiteral("/x/services"));
    REQUIRE(found.size() == 2);
    CHECK(found[0].profile.service == QStringLiteral("shop"));
    CHECK(found[0].profile.name == QStringLiteral("shop"));
    CHECK(found[0].profile.host.isEmpty());  // the file says it, and may say something else later
    CHECK(found[0].leadsTo == QStringLiteral("backup_ro@db.example.org:5433/shop"));
    CHECK(found[0].from == QStringLiteral("/x/services"));
    CHECK(found[1].leadsTo == QStringLiteral("localhost/crm"));
    CHECK(connectionTo(found[0].profile).database == "service='shop'");
}

TEST_CASE("server import: the environment is one server, or none") {
    CHECK_FALSE(fromVariables({}));
    CHECK_FALSE(fromVariables({{"PGHOST", ""}}));
    const auto server = fromVariables({{"PGHOST", "db"}, {"PGUSER", "me"}, {"PGPORT", "5444"}});
    REQUIRE(server);
    CHECK(server->name == QStringLiteral("db"));
    CHECK(server->host == QStringLiteral("db"));
    CHECK(server->port == QStringLiteral("5444"));
    CHECK(server->user == QStringLiteral("me"));
    CHECK(fromVariables({{"PGHOST", "/var/run/postgresql"}})->name == QStringLiteral("localhost"));
    const auto service = fromVariables({{"PGSERVICE", "shop"}});
    REQUIRE(service);
    CHECK(service->name == QStringLiteral("shop"));
}

}  // namespace
}  // namespace gantry::ui
