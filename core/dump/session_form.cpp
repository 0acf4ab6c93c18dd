// SPDX-License-Identifier: PostgreSQL
#include "core/dump/session_form.h"

#include <algorithm>

#include "core/pg/environment.h"
#include "core/rows/encoding.h"

namespace gantry::dump {
namespace {

/// What is smaller is read as soon either way.
constexpr uint64_t kWorthBinary = uint64_t{1} << 20;

/// Before, all digits that tell two numbers apart were written.
constexpr int kShortestFloats = 12;

}  // namespace

SessionForm::SessionForm(pg::Connection& connection) {
    if (!rows::keepsAsciiApart(connection.clientEncoding())) return;
    const pg::Result settings = connection.query(
        "SELECT pg_catalog.current_setting('DateStyle'), "
        "pg_catalog.current_setting('bytea_output'),"
        " pg_catalog.current_setting('TimeZone'),"
        " pg_catalog.current_setting('extra_float_digits')::pg_catalog.int4 > 0");
    binary_ = true;
    // There both forms take as long as they are.
    overNetwork_ = !pg::sharesMachine(connection);
    isoDates_ = settings.text(0, 0).starts_with("ISO,");
    hexBytea_ = settings.text(0, 1) == "hex";
    shortestFloats_ = connection.serverMajor() >= kShortestFloats && settings.boolean(0, 3);
    zone_ = rows::TimeZone::named(std::string(settings.text(0, 2)));
}

bool SessionForm::takes(rows::ColumnType type) const {
    switch (type) {
        case rows::ColumnType::Bytea:
            return hexBytea_;
        case rows::ColumnType::Date:
        case rows::ColumnType::Timestamp:
            return isoDates_;
        case rows::ColumnType::TimestampTz:
            return isoDates_ && zone_;
        case rows::ColumnType::Float4:
        case rows::ColumnType::Float8:
            return shortestFloats_;
        default:
            return true;
    }
}

std::optional<rows::TextRows> SessionForm::textRowsOf(const TableFacts& table) const {
    if (!binary_ || table.relkind != 'r' || table.bytes() < kWorthBinary || table.types.empty()) {
        return std::nullopt;
    }
    std::vector<rows::ColumnType> types;
    for (const std::optional<rows::ColumnType>& type : table.types) {
        if (!type || !takes(*type)) return std::nullopt;
        types.push_back(*type);
    }
    if (std::none_of(types.begin(), types.end(), rows::isCostlyAsText)) return std::nullopt;
    if (overNetwork_ && !rows::isShorterInBinary(types)) return std::nullopt;
    return rows::TextRows(std::move(types), zone_.value_or(rows::TimeZone()));
}

}  // namespace gantry::dump
