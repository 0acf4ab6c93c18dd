// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_probe.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "core/pg/connection.h"
#include "core/pg/connection_room.h"

namespace gantry::ui {
namespace {

/// The best of a few: the first one has to wake both sides up.
std::chrono::microseconds measureRoundTrip(pg::Connection& connection) {
    constexpr int kTries = 3;
    auto best = std::chrono::microseconds::max();
    for (int i = 0; i < kTries; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        connection.execute("SELECT 1");
        best = std::min(best, std::chrono::duration_cast<std::chrono::microseconds>(
                                  std::chrono::steady_clock::now() - begin));
    }
    return best;
}

std::vector<DatabaseFacts> listDatabases(pg::Connection& connection) {
    const pg::Result rows = connection.query(
        "SELECT datname, pg_catalog.pg_get_userbyid(datdba), may, "
        "CASE WHEN may OR reads THEN pg_catalog.pg_database_size(oid) END "
        "FROM (SELECT oid, datname, datdba, "
        "datallowconn AND pg_catalog.has_database_privilege(oid, 'CONNECT') AS may, "
        "pg_catalog.pg_has_role('pg_read_all_stats', 'MEMBER') AS reads "
        "FROM pg_catalog.pg_database WHERE NOT datistemplate) AS d "
        "ORDER BY 4 DESC NULLS LAST, 1");
    std::vector<DatabaseFacts> databases;
    for (int row = 0; row < rows.rows(); ++row) {
        DatabaseFacts facts;
        facts.name = rows.string(row, 0);
        facts.owner = rows.string(row, 1);
        facts.connectable = rows.boolean(row, 2);
        if (!rows.isNull(row, 3)) facts.bytes = rows.number(row, 3);
        databases.push_back(std::move(facts));
    }
    return databases;
}

}  // namespace

ServerFacts probeServer(const options::ConnectionOptions& options, std::stop_token stop) {
    pg::Connection connection = pg::Connection::open(options, "gantry", std::move(stop));
    ServerFacts facts;
    // "17.11 (Debian 17.11-1.pgdg12+1)"
    const std::string text = connection.serverVersionText();
    facts.version = text.substr(0, text.find(' '));
    facts.roundTrip = measureRoundTrip(connection);
    const pg::Result self = connection.query(
        "SELECT current_user, pg_catalog.current_setting('is_superuser') = 'on', "
        "pg_catalog.pg_is_in_recovery(), pg_catalog.inet_server_addr() IS NULL, "
        "(SELECT version FROM pg_catalog.pg_stat_ssl WHERE pid = pg_catalog.pg_backend_pid()), "
        "(SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datid IS NOT NULL"
        " AND coalesce(backend_type, 'client backend') = 'client backend')");
    facts.user = self.string(0, 0);
    facts.superuser = self.boolean(0, 1);
    facts.standby = self.boolean(0, 2);
    facts.local = self.boolean(0, 3);
    facts.encryption = self.string(0, 4);
    facts.connections = static_cast<uint32_t>(self.number(0, 5));
    facts.freeConnections = pg::connectionsLeft(connection);
    facts.databases = listDatabases(connection);
    return facts;
}

QString describeRoundTrip(std::chrono::microseconds time) {
    constexpr int kMicrosPerMilli = 1000;
    const double ms = static_cast<double>(time.count()) / kMicrosPerMilli;
    return QCoreApplication::translate("gantry::ui", "round trip %1 ms")
        .arg(ms, 0, 'f', ms < 1 ? 2 : 1);
}

bool wantsPassword(const ErrorInfo& error) {
    // The words are those of a server that speaks English; the code is libpq's own judgement.
    return error.sqlState == "28P01" ||
           error.message.find("password authentication failed") != std::string::npos;
}

std::string connectionAdvice(const ErrorInfo& error) {
    if (error.kind != ErrorKind::Connection) return error.hint;
    const std::pair<const char*, const char*> advice[] = {
        {"password authentication failed", "Check the user name, and enter the password again."},
        {"no password supplied", "Enter the password."},
        {"no pg_hba.conf entry",
         "Ask for a line in the server's pg_hba.conf for this user, database and address, or try "
         "another SSL mode."},
        {"server does not support SSL", "Choose the SSL mode \"prefer\" or \"disable\"."},
        {"root certificate file",
         "Put the authority's certificate at the place named, or choose the SSL mode \"require\"."},
        {"certificate verify failed",
         "Use the certificate of the authority that signed the server's, or the right host name."},
        {"server certificate for", "Use the host name that the certificate is made out to."},
        {"remaining connection slots", "Wait until others disconnect, or raise max_connections."},
        {"too many clients", "Wait until others disconnect, or raise max_connections."},
        {"could not translate host name",
         "Check the spelling of the host, and that this machine is in the right network."},
        {"Connection refused",
         "Check that the server runs, listens on this address, and that the port is right."},
        {"No such file or directory",
         "Check that a server runs on this machine, or fill in its host."},
        {"Permission denied", "Ask for access to the server's socket, or connect over its host."},
        {"no answer from the server",
         "Check host and port; a firewall in between may drop what is sent."},
        {"timeout expired", "Check host and port; a firewall in between may drop what is sent."},
        {"the database system is starting up", "Try again in a moment."},
        {"the database system is shutting down", "Start the server, then try again."},
        {"definition of service", "Check the name of the service, and the file pg_service.conf."},
    };
    for (const auto& [words, step] : advice) {
        if (error.message.find(words) != std::string::npos) return step;
    }
    const auto says = [&error](const char* words) {
        return error.message.find(words) != std::string::npos;
    };
    if (says("does not exist") && says("role")) return "Check the user name.";
    if (says("does not exist") && says("database")) {
        return "Check the name of the database; \"postgres\" exists on nearly every server.";
    }
    return error.hint;
}

}  // namespace gantry::ui
