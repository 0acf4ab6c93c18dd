// SPDX-License-Identifier: PostgreSQL
#include "core/tune/dead_rows.h"

#include <fmt/format.h>

#include "core/tune/scratch_database.h"

namespace gantry::tune {
namespace {

constexpr int kShare = 10;  // one page of so many
constexpr int kOwnPartitionKeys = 11;
constexpr int kGeneratedColumns = 12;
constexpr std::string_view kNotOurs = " NOT IN ('pg_catalog', 'information_schema', 'pg_toast')";

/// Executes what the query says, row by row.
void executeEach(pg::Connection& connection, const std::string& query) {
    const pg::Result statements = connection.query(query);
    for (int i = 0; i < statements.rows(); ++i) connection.execute(statements.string(i, 0));
}

}  // namespace

DeadRows::DeadRows(const options::ConnectionOptions& database, const std::stop_token& stop)
    : database_(database) {
    pg::Connection connection = pg::Connection::open(database_, kApplication, stop);
    executeEach(
        connection,
        fmt::format("SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass,"
                    " conname) FROM pg_catalog.pg_constraint WHERE contype = 'f'{}",
                    connection.serverMajor() >= kOwnPartitionKeys ? " AND conparentid = 0" : ""));
    executeEach(connection,
                "SELECT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass)"
                " FROM pg_catalog.pg_trigger WHERE NOT tgisinternal GROUP BY tgrelid");
    const std::string tables = fmt::format(
        " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind = 'r' AND n.nspname{}",
        kNotOurs);
    executeEach(connection,
                "SELECT format('ALTER TABLE %s SET (autovacuum_enabled = false)',"
                " c.oid::regclass)" +
                    tables);
    const pg::Result made = connection.query(fmt::format(
        "SELECT format('WITH gone AS (DELETE FROM ONLY %1$s WHERE"
        " (ctid::text::point)[0]::int8 %% {} = {{}} RETURNING %2$s)"
        " INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM gone',"
        " c.oid::regclass, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY"
        " attnum) FROM pg_catalog.pg_attribute a WHERE attrelid = c.oid AND attnum > 0"
        " AND NOT attisdropped{})){} AND EXISTS (SELECT FROM pg_catalog.pg_attribute a"
        " WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped{})",
        kShare, connection.serverMajor() >= kGeneratedColumns ? " AND attgenerated = ''" : "",
        tables, connection.serverMajor() >= kGeneratedColumns ? " AND attgenerated = ''" : ""));
    for (int i = 0; i < made.rows(); ++i) statements_.push_back(made.string(i, 0));
}

void DeadRows::make(const std::stop_token& stop) {
    pg::Connection connection = pg::Connection::open(database_, kApplication, stop);
    const std::string page = std::to_string(round_);
    round_ = (round_ + 1) % kShare;
    for (const std::string& statement : statements_) {
        std::string text = statement;
        const std::size_t at = text.find("= {}");
        text.replace(at + 2, 2, page);
        connection.execute(text);
    }
    try {
        connection.execute("CHECKPOINT");  // or the server would write them during the vacuum
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Server) throw;  // not everybody may
    }
}

}  // namespace gantry::tune
