// SPDX-License-Identifier: PostgreSQL
#include "core/dump/dump_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/pg/reading.h"

namespace gantry::dump {
namespace {

/// Few enough not to fill the server's lock table, enough to make a new transaction cheap.
constexpr uint32_t kRelationsPerTransaction = 200;
constexpr std::string_view kLockPatience = "100ms";

constexpr std::string_view kPoolerHint =
    "Connect to the server itself, not to a pooler or balancer in front of it (check host and "
    "port).";

}  // namespace

bool includesForeignData(const options::DumpOptions& options) {
    if (!options.selection.includeForeignData.empty()) return true;
    const auto& filters = options.selection.filterFiles;
    return std::any_of(filters.begin(), filters.end(), [](const std::filesystem::path& filter) {
        std::ifstream lines(filter);  // what is wrong with it is pg_dump's to say
        for (std::string line; std::getline(lines, line);) {
            // pg_dump does not tell capitals from small letters here.
            std::istringstream words(lowered(line));
            std::string action;
            std::string kind;
            words >> action >> kind;
            if (action == "include" && kind == "foreign_data") return true;
        }
        return false;
    });
}

pg::DumpSessionSettings sessionSettings(const options::DumpOptions& options) {
    return {.encoding = options.encoding,
            .role = options.role,
            .extraFloatDigits = options.extraFloatDigits,
            .quoteAllIdentifiers = options.content.quoteAllIdentifiers,
            .rowSecurity = options.content.enableRowSecurity,
            .foreignData = includesForeignData(options)};
}

void refusePooler(pg::Connection& connection) {
    const pg::Result result = connection.query("SELECT pg_catalog.pg_backend_pid()");
    if (static_cast<int32_t>(result.number(0, 0)) == connection.backendPid()) return;
    throw Error(ErrorKind::Preflight,
                "a connection pooler stands between us and the server: a snapshot cannot be shared "
                "through it",
                connection.endpoint(), std::string(kPoolerHint));
}

DumpSession::DumpSession(const options::DumpOptions& options, const SharedSnapshot& snapshot,
                         bool readsForItself, std::string_view application,
                         const std::stop_token& stop)
    : snapshot_(snapshot),
      connection_(pg::Connection::open(options.connection, application, stop)) {
    pg::setUpDumpSession(connection_, sessionSettings(options));
    connection_.execute(fmt::format("SET lock_timeout = '{}'", kLockPatience));
    if (connection_.clientEncoding() != snapshot_.encoding) {
        throw Error(ErrorKind::Internal,
                    fmt::format("client_encoding is {} here and {} on the coordinator",
                                connection_.clientEncoding(), snapshot_.encoding));
    }
    if (connection_.isLocal()) connection_.enlargeReceiveBuffer();
    if (readsForItself) pg::readForItself(connection_);  // in no transaction that may roll it back
    importSnapshot();
}

void DumpSession::importSnapshot() {
    try {
        connection_.execute(
            fmt::format("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                        "SET TRANSACTION SNAPSHOT {}",
                        pg::quoteLiteral(snapshot_.id)));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server) throw;
        throw Error(ErrorKind::Preflight,
                    fmt::format("the snapshot cannot be shared: {}", error.info().message),
                    connection_.endpoint(), std::string(kPoolerHint));
    }
    if (const std::string here = pg::currentSnapshot(connection_); here != snapshot_.contents) {
        throw Error(ErrorKind::Preflight,
                    fmt::format("this connection sees another snapshot ({}) than the coordinator "
                                "({})",
                                here, snapshot_.contents),
                    connection_.endpoint(), std::string(kPoolerHint));
    }
    relationsInTransaction_ = 0;
}

void DumpSession::beginRelation() {
    if (++relationsInTransaction_ > kRelationsPerTransaction) restart();
}

void DumpSession::restart() {
    connection_.execute("ROLLBACK");
    importSnapshot();
    ++relationsInTransaction_;
}

}  // namespace gantry::dump
