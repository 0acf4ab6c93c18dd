// SPDX-License-Identifier: PostgreSQL
#include "core/tune/scratch_database.h"

#include <fmt/format.h>

#include <random>

namespace gantry::tune {
namespace {

constexpr std::string_view kComment = "scratch database of a gantry sweep; gone when that is over";
constexpr std::string_view kInUse = "55006";
constexpr int kDropAttempts = 3;

std::string newName() {
    return fmt::format("gantry_tune_{:08x}", static_cast<uint32_t>(std::random_device()()));
}

}  // namespace

ScratchDatabase::ScratchDatabase(const options::ConnectionOptions& server,
                                 const std::string& encoding, Tell tell,
                                 const std::stop_token& stop)
    : tell_(std::move(tell)), name_(newName()), beside_(server) {
    pg::Connection connection = pg::Connection::open(server, kApplication, stop);
    inside_ = server;
    inside_.password = connection.password();
    inside_.database =
        connection.conninfoWithoutSecrets() + " dbname=" + pg::quoteConninfoValue(name_);
    beside_.password = inside_.password;
    const std::string name = pg::quoteIdentifier(name_);
    try {
        connection.execute(
            fmt::format("CREATE DATABASE {} TEMPLATE template0{}", name,
                        encoding.empty() ? "" : " ENCODING " + pg::quoteLiteral(encoding)));
        connection.execute(
            fmt::format("COMMENT ON DATABASE {} IS {}", name, pg::quoteLiteral(kComment)));
    } catch (...) {
        drop();  // a stop may have come when it was just made
        throw;
    }
}

ScratchDatabase::~ScratchDatabase() { drop(); }

void ScratchDatabase::drop() const {
    try {
        pg::Connection connection = pg::Connection::open(beside_, kApplication, {});
        for (int attempt = 1;; ++attempt) {
            connection.query(
                "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
                " WHERE datname = $1",
                {name_});
            try {
                connection.execute("DROP DATABASE IF EXISTS " + pg::quoteIdentifier(name_));
                return;
            } catch (const Error& error) {
                if (error.info().sqlState != kInUse || attempt == kDropAttempts) throw;
            }
        }
    } catch (const std::exception& error) {
        if (!tell_) return;
        tell_(
            fmt::format("The scratch database could not be dropped ({}). Do it yourself: DROP "
                        "DATABASE {};",
                        error.what(), pg::quoteIdentifier(name_)));
    }
}

void tellLeftovers(pg::Connection& connection, const Tell& tell) {
    // A sweep that was killed right after making it had no time for the comment.
    const pg::Result left = connection.query(
        "SELECT datname FROM pg_catalog.pg_database WHERE"
        " (pg_catalog.shobj_description(oid, 'pg_database') = $1"
        " OR datname ~ '^gantry_tune_[0-9a-f]{8}$') AND NOT EXISTS (SELECT FROM"
        " pg_catalog.pg_stat_activity a WHERE a.datid = pg_database.oid) ORDER BY 1",
        {std::string(kComment)});
    for (int i = 0; i < left.rows(); ++i) {
        tell(fmt::format("An earlier sweep left a database behind: DROP DATABASE {};",
                         pg::quoteIdentifier(left.text(i, 0))));
    }
}

}  // namespace gantry::tune
