// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/pg/environment.h"
#include "core/pg/session.h"
#include "core/vacuum/read_facts.h"
#include "core/vacuum/statement.h"

namespace gantry::vacuum {
namespace {

/// Sessions that are opened before it is known whether there is work for them.
constexpr uint32_t kMostAhead = 8;
constexpr std::string_view kApplication = "gantry vacuum: survey";

/// Not set up yet.
pg::Connection connectFirst(const options::VacuumOptions& options, const std::stop_token& stop) {
    const auto open = [&stop](const options::ConnectionOptions& database) {
        return pg::Connection::open(database, kApplication, stop);
    };
    if (!options.allDatabases) return open(options.connection);
    options::ConnectionOptions first = options.connection;
    if (!options.maintenanceDatabase.empty()) first.database = options.maintenanceDatabase;
    if (!first.database.empty()) return open(first);
    first.database = "postgres";
    try {
        return open(first);
    } catch (const Error& error) {
        if (error.info().message.find("does not exist") == std::string::npos) throw;
        first.database = "template1";
        return open(first);
    }
}

void refuseStandby(const ServerFacts& server) {
    if (!server.standby) return;
    throw Error(ErrorKind::Preflight,
                "the server is a standby: it takes over what is vacuumed on "
                "its primary",
                "", "Connect to the primary.");
}

void refuseOldServer(const options::VacuumOptions& options, int major) {
    const std::vector<options::Problem> problems = serverGates(options, major);
    if (problems.empty()) return;
    std::string all;
    for (const options::Problem& problem : problems) {
        if (!all.empty()) all += "; ";
        all += fmt::format("--{}: {}", problem.options.front(), problem.message);
    }
    throw Error(ErrorKind::Preflight, std::move(all), "",
                problems.size() == 1 ? problems.front().wayOut : "Leave them out.");
}

/// The same server, another database.
options::ConnectionOptions elsewhere(const pg::Connection& there,
                                     const options::ConnectionOptions& options,
                                     const std::string& database) {
    options::ConnectionOptions changed = options;
    changed.password = there.password();
    changed.database =
        there.conninfoWithoutSecrets() + " dbname=" + pg::quoteConninfoValue(database);
    return changed;
}

struct ServerSide {
    ServerFacts facts;
    std::map<std::string, std::string> environment;  ///< of a run
};

ServerSide readServerSide(pg::Connection& connection, bool room, bool environment) {
    ServerSide read;
    read.facts = readServerFacts(connection, room);
    if (environment) read.environment = pg::describeEnvironment(connection);
    return read;
}

/// Over the session of the second worker, while the first reads the tables; empty if it could not:
/// whoever needs it will be told why.
std::future<std::optional<TableIndexes>> readIndexesBeside(
    const options::ConnectionOptions& options, Sessions& sessions, const std::stop_token& stop) {
    return std::async(std::launch::async,
                      [&options, &sessions, &stop]() -> std::optional<TableIndexes> {
                          try {
                              pg::Connection connection = openSession(options, workerName(2), stop);
                              TableIndexes indexes = readIndexes(connection);
                              sessions.give(0, std::move(connection));
                              return indexes;
                          } catch (const Error&) {
                              return std::nullopt;
                          }
                      });
}

/// Tables with their indexes.
void add(Surveyed& found, pg::Connection& connection, const options::VacuumOptions& options,
         bool thorough, std::vector<TableFacts> tables) {
    if (thorough) {
        readWidths(connection, tables);
        const auto holder = whoHoldsBack(connection, false);
        if (holder && (!found.heldBack || found.heldBack->xids < holder->xids)) {
            found.heldBack = holder;
        }
    }
    const auto database = static_cast<uint32_t>(found.survey.databases.size());
    for (TableFacts& table : tables) {
        table.database = database;
        if (options.allDatabases) table.where = " (" + connection.databaseName() + ")";
    }
    found.survey.tables.insert(found.survey.tables.end(), std::make_move_iterator(tables.begin()),
                               std::make_move_iterator(tables.end()));
    found.survey.databases.push_back(connection.databaseName());
}

void surveyEach(Surveyed& found, pg::Connection& first, const options::VacuumOptions& options,
                bool thorough, const std::stop_token& stop) {
    found.endpoint = "all databases";
    found.closed = listClosedDatabases(first);
    for (const std::string& name : listDatabases(first)) {
        const options::ConnectionOptions there = elsewhere(first, options.connection, name);
        try {
            pg::Connection connection = openSession(there, kApplication, stop);
            std::vector<TableFacts> tables = readTables(connection, options, thorough);
            attachIndexes(connection, tables, readIndexes(connection));
            add(found, connection, options, thorough, std::move(tables));
            found.connections.push_back(there);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            ErrorInfo info = error.info();
            info.object = "database " + name;
            info.statement.clear();
            if (info.hint.empty()) {
                info.hint =
                    "The others go on without it; -d NAME vacuums it alone once this is "
                    "mended.";
            }
            found.refused.push_back({.database = name, .error = std::move(info)});
        }
    }
}

}  // namespace

Surveyed surveyAll(const options::VacuumOptions& options, bool thorough,
                   const std::stop_token& stop, Sessions* sessions) {
    Surveyed found;
    checkTableNames(options.selection.tables);
    const bool room = sessions == nullptr || !options.jobs;  // else nobody asks for it
    pg::Connection first = connectFirst(options, stop);
    refuseOldServer(options, first.serverMajor());
    found.serverVersion = first.serverVersionText();
    const auto takeServer = [&](ServerSide read) {
        refuseStandby(read.facts);
        found.survey.server = read.facts;
        found.environment = std::move(read.environment);
    };
    const bool environment = sessions != nullptr;
    if (options.allDatabases) {
        pg::setUpMaintenance(first);
        takeServer(readServerSide(first, room, environment));
        surveyEach(found, first, options, thorough, stop);
        return found;
    }
    found.endpoint = first.databaseName();
    found.connections.push_back(options.connection);
    // Not before the first is in: it must not lose its place to the second, nor a wrong password be
    // sent twice.
    std::future<std::optional<TableIndexes>> beside;
    if (sessions != nullptr && options.jobs.value_or(1) > 1) {
        beside = readIndexesBeside(options.connection, *sessions, stop);
        sessions->openAhead(options.connection, 0, std::min(*options.jobs, kMostAhead), stop);
    }
    pg::setUpMaintenance(first);
    std::vector<TableFacts> tables = readTables(first, options, thorough);
    takeServer(readServerSide(first, room, environment));
    std::optional<TableIndexes> indexes = beside.valid() ? beside.get() : std::nullopt;
    attachIndexes(first, tables, indexes ? std::move(*indexes) : readIndexes(first));
    add(found, first, options, thorough, std::move(tables));
    if (sessions != nullptr) {
        sessions->enough();
        sessions->give(0, std::move(first));
    }
    return found;
}

}  // namespace gantry::vacuum
