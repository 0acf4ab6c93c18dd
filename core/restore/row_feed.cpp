// SPDX-License-Identifier: PostgreSQL
#include "core/restore/row_feed.h"

#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/pg/sql_state.h"
#include "core/restore/definition_words.h"
#include "core/rows/encoding.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kFromStdin = "FROM stdin;";
/// Bytes that are sent at once.
constexpr std::size_t kSentAtOnce = std::size_t{256} << 10;
constexpr std::string_view kNoEncoding = "SQL_ASCII";
/// Before, the input of float4 rounded twice.
constexpr int kExactFloat4 = 12;

std::string identifierName(std::string_view identifier) {
    if (!identifier.starts_with('"')) return std::string(identifier);
    std::string name;
    for (std::size_t i = 1; i + 1 < identifier.size(); ++i) {
        name += identifier[i];
        if (identifier[i] == '"') ++i;  // doubled
    }
    return name;
}

/// The target of a COPY and its columns, as the statement spells them.
struct CopyWords {
    std::string_view table;
    std::string_view columns;  ///< with parentheses; empty if it names none
    bool fromStdin = false;    ///< and nothing follows
};

CopyWords readCopy(std::string_view statement) {
    CopyWords copy;
    Words words(statement);
    if (!words.take("COPY ")) return copy;
    copy.table = words.name();
    copy.columns = words.parentheses();
    copy.fromStdin = words.take(kFromStdin) && words.rest().empty();
    return copy;
}

/// What can be sent as binary rows into the table as it is on the server; else nothing.
std::optional<rows::BinaryRows> binaryRowsFor(pg::Connection& connection,
                                              const std::string& statement) {
    const std::vector<std::string> columns = copiedColumns(statement);
    const std::string encoding = connection.clientEncoding();
    if (columns.empty() || !rows::keepsAsciiApart(encoding)) return std::nullopt;
    // Bytes of no encoding are checked in binary rows alone.
    if (encoding == kNoEncoding && connection.serverEncoding() != kNoEncoding) return std::nullopt;
    const pg::Result found = connection.query(
        "SELECT a.attname, a.atttypid, t.typtype = 'e' FROM pg_catalog.pg_attribute a"
        " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"
        " JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
        " WHERE c.oid = pg_catalog.to_regclass($1) AND c.relkind = 'r' AND a.attnum > 0"
        " AND NOT a.attisdropped AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger g"
        " WHERE g.tgrelid = c.oid AND g.tgenabled <> 'D')",
        {std::string(readCopy(statement).table)});
    std::map<std::string, std::optional<rows::ColumnType>> types;
    for (int row = 0; row < found.rows(); ++row) {
        types.emplace(found.string(row, 0),
                      rows::columnTypeOf(found.oid(row, 1), found.boolean(row, 2)));
    }
    std::vector<rows::ColumnType> known;
    for (const std::string& column : columns) {
        const auto type = types.find(column);
        if (type == types.end() || !type->second) return std::nullopt;
        if (type->second == rows::ColumnType::Float4 && connection.serverMajor() < kExactFloat4) {
            return std::nullopt;
        }
        known.push_back(*type->second);
    }
    if (std::none_of(known.begin(), known.end(), rows::isCostlyAsText)) return std::nullopt;
    return rows::BinaryRows(std::move(known));
}

}  // namespace

std::string copyStatement(const std::string& statement, bool binary, bool freeze) {
    if ((!binary && !freeze) || !readCopy(statement).fromStdin) return statement;
    std::string options = binary ? "FORMAT binary" : "";
    if (freeze) options += binary ? ", FREEZE" : "FREEZE";
    return statement.substr(0, statement.rfind(';')) + " WITH (" + options + ");";
}

std::vector<std::string> copiedColumns(const std::string& statement) {
    const CopyWords copy = readCopy(statement);
    if (!copy.fromStdin || copy.columns.size() < 2) return {};
    std::vector<std::string> columns;
    for (Words items(copy.columns.substr(1, copy.columns.size() - 2)); !items.rest().empty();) {
        columns.push_back(identifierName(items.item()));
    }
    return columns;
}

RowFeed::RowFeed(pg::Connection& connection, std::string statement, Form form,
                 OnStatement onStatement)
    : connection_(connection),
      statement_(std::move(statement)),
      freeze_(form.freeze),
      onStatement_(std::move(onStatement)) {
    if (form.binary) binary_ = binaryRowsFor(connection, statement_);
    begin();
}

void RowFeed::begin() {
    atFirstLine_ = true;
    const std::string sent = copyStatement(statement_, binary_.has_value(), freeze_);
    onStatement_(sent);
    connection_.beginCopyIn(sent);
    if (binary_) connection_.putCopyData(bytesOf(rows::BinaryRows::header()));
}

void RowFeed::goOnAsText() {
    connection_.putCopyData(bytesOf(rows::BinaryRows::trailer()));
    rows_ += connection_.endCopyIn();
    binary_.reset();
    begin();
}

void RowFeed::send(std::span<const std::byte> rows, LineEnd lineEnd) {
    while (binary_ && !rows.empty()) {
        converted_.clear();
        const std::size_t taken = binary_->append(textOf(rows), kSentAtOnce, converted_);
        if (taken == 0) {
            goOnAsText();
            break;
        }
        connection_.putCopyData(converted_.span());
        converted_.shrinkTo(4 * kSentAtOnce);
        rows = rows.subspan(taken);
    }
    if (rows.empty()) return;
    if (std::exchange(atFirstLine_, false) && firstLineEnd(textOf(rows)) != lineEnd) {
        ErrorInfo info;
        info.kind = ErrorKind::Server;
        info.sqlState = pg::sql_state::kBadCopyFileFormat;
        info.message = "a line of its rows does not end as the first one does";
        connection_.abandonCopyIn();
        throw Error(std::move(info));
    }
    connection_.putCopyData(rows);
}

uint64_t RowFeed::end() {
    if (binary_) connection_.putCopyData(bytesOf(rows::BinaryRows::trailer()));
    return rows_ + connection_.endCopyIn();
}

}  // namespace gantry::restore
