// SPDX-License-Identifier: PostgreSQL
#include "core/rows/column_type.h"

#include <functional>
#include <numeric>

namespace gantry::rows {
namespace {

/// Bytes that a field of a common value saves in binary form, which has a length of four bytes
/// before it, where text has a separator of one behind it; negative: it is longer.
int savedByBinary(ColumnType type) {
    switch (type) {
        case ColumnType::Bool:
        case ColumnType::Text:
            return -3;
        case ColumnType::Int2:
            return -2;
        case ColumnType::Int4:  // of six digits
            return -1;
        case ColumnType::Int8:  // of eight
        case ColumnType::Jsonb:
            return -4;
        case ColumnType::Numeric:  // of seven and a point: three words behind a header of eight
            return -9;
        case ColumnType::Time:
            return 0;
        case ColumnType::Float4:
            return 1;
        case ColumnType::Float8:
            return 5;
        case ColumnType::Date:
            return 3;
        case ColumnType::Timestamp:
            return 12;
        case ColumnType::TimestampTz:
            return 15;
        case ColumnType::Uuid:
            return 17;
        case ColumnType::Bytea:  // of 32 bytes: two digits each
            return 32;
    }
    return 0;
}

}  // namespace

// The numbers are those of pg_type.dat; they never change.
std::optional<ColumnType> columnTypeOf(Oid type, bool isEnum) {
    if (isEnum) return ColumnType::Text;
    switch (type.value) {
        case 16:
            return ColumnType::Bool;
        case 17:
            return ColumnType::Bytea;
        case 20:
            return ColumnType::Int8;
        case 21:
            return ColumnType::Int2;
        case 23:
            return ColumnType::Int4;
        case 25:    // text
        case 114:   // json
        case 1042:  // bpchar
        case 1043:  // varchar
            return ColumnType::Text;
        case 700:
            return ColumnType::Float4;
        case 701:
            return ColumnType::Float8;
        case 1082:
            return ColumnType::Date;
        case 1083:
            return ColumnType::Time;
        case 1114:
            return ColumnType::Timestamp;
        case 1184:
            return ColumnType::TimestampTz;
        case 1700:
            return ColumnType::Numeric;
        case 2950:
            return ColumnType::Uuid;
        case 3802:
            return ColumnType::Jsonb;
        default:
            return std::nullopt;
    }
}

bool isCostlyAsText(ColumnType type) {
    switch (type) {
        case ColumnType::Bool:
        case ColumnType::Int2:
        case ColumnType::Int4:
        case ColumnType::Int8:
        case ColumnType::Text:
        case ColumnType::Jsonb:
            return false;
        default:
            return true;
    }
}

bool isShorterInBinary(std::span<const ColumnType> columns) {
    return std::transform_reduce(columns.begin(), columns.end(), 0, std::plus{}, savedByBinary) > 0;
}

}  // namespace gantry::rows
