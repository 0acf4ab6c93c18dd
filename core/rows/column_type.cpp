// SPDX-License-Identifier: PostgreSQL
#include "core/rows/column_type.h"

namespace gantry::rows {

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

}  // namespace gantry::rows
