// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <utility>

#include "core/pg/environment.h"
#include "core/vacuum/read_facts.h"
#include "core/vacuum/statement.h"

namespace gantry::vacuum {
namespace {

/// Sessions that are opened before it is known whether there is work for them.
constexpr uint32_t kMostAhead = 8;
constexpr std::string_view kApplication = "gantry vacuum: survey";

pg::Connection connectFirst(const options::VacuumOptions& options, const std::stop_token& stop) {
    if (!options.allDatabases) return openSession(options.connection, kApplication, stop);
    options::ConnectionOptions first = options.connection;
    if (!options.maintenanceDatabase.empty()) first.database = options.maintenanceDatabase;
    if (!first.database.empty()) return openSession(first, kApplication, stop);
    first.database = "postgres";
    try {
        return openSession(first, kApplication, stop);
    } catch (const Error& error) {
        if (error.info().message.find("does not exist") == std::string::npos) throw;
        first.database = "template1";
        return openSession(first, kApplication, stop);
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

/// While the tables are read, over the session of the second worker.
std::future<std::optional<TableIndexes>> beginIndexes(const options::ConnectionOptions& options,
                                                      Sessions& sessions,
                                                      const std::stop_token& stop) {
    return std::async(std::launch::async, [&]() -> std::optional<TableIndexes> {
        try {
            pg::Connection connection = openSession(options, workerName(2), stop);
            TableIndexes indexes = readIndexes(connection);
            sessions.give(0, std::move(connection));
            return indexes;
        } catch (const Error&) {
            return std::nullopt;  // who needs it will be told why there is none
        }
    });
}

void add(Surveyed& found, pg::Connection& connection, const options::VacuumOptions& options,
         bool widths, std::vector<TableFacts> tables, TableIndexes indexes) {
    attachIndexes(connection, tables, std::move(indexes));
    if (widths) {
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
                bool widths, const std::stop_token& stop) {
    found.endpoint = "all databases";
    found.closed = listClosedDatabases(first);
    for (const std::string& name : listDatabases(first)) {
        const options::ConnectionOptions there = elsewhere(first, options.connection, name);
        try {
            pg::Connection connection = openSession(there, kApplication, stop);
            std::vector<TableFacts> tables = readTables(connection, options);
            add(found, connection, options, widths, std::move(tables), readIndexes(connection));
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

Surveyed surveyAll(const options::VacuumOptions& options, bool widths, const std::stop_token& stop,
                   Sessions* sessions) {
    Surveyed found;
    checkTableNames(options.selection.tables);
    pg::Connection first = connectFirst(options, stop);
    refuseOldServer(options, first.serverMajor());
    found.serverVersion = first.serverVersionText();
    const bool room = sessions == nullptr || !options.jobs;  // else nobody asks for it
    const auto readServer = [&] {
        found.survey.server = readServerFacts(first, room);
        refuseStandby(found.survey.server);
        if (sessions != nullptr) found.environment = pg::describeEnvironment(first);
    };
    if (options.allDatabases) {
        readServer();
        surveyEach(found, first, options, widths, stop);
        return found;
    }
    found.endpoint = first.databaseName();
    found.connections.push_back(options.connection);
    std::future<std::optional<TableIndexes>> indexesRead;
    if (sessions != nullptr && options.jobs.value_or(1) > 1) {
        indexesRead = beginIndexes(options.connection, *sessions, stop);
        sessions->openAhead(options.connection, 0, std::min(*options.jobs, kMostAhead), stop);
    }
    std::vector<TableFacts> tables = readTables(first, options);
    readServer();
    std::optional<TableIndexes> indexes = indexesRead.valid() ? indexesRead.get() : std::nullopt;
    add(found, first, options, widths, std::move(tables),
        indexes ? std::move(*indexes) : readIndexes(first));
    if (sessions != nullptr) {
        sessions->enough();
        sessions->give(0, std::move(first));
    }
    return found;
}

}  // namespace gantry::vacuum
