// SPDX-License-Identifier: PostgreSQL
// The column types whose two forms, text and binary, are known here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/ids.h"

namespace gantry::rows {

/// Named as in pg_type. Both forms are what the type's output and send functions of servers 10 to
/// 18 make (src/backend/utils/adt of PostgreSQL), under DateStyle ISO and bytea_output hex.
enum class ColumnType : uint8_t {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,  ///< also varchar, bpchar, json and enums: the same characters in both forms
    Jsonb,
    Bytea,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Uuid,
};

/// `type` is what pg_attribute.atttypid says; empty for a type that is not known here.
std::optional<ColumnType> columnTypeOf(Oid type, bool isEnum);

/// To read or write its text takes the server far longer than its binary form does. Of integers and
/// characters both take as long.
bool isCostlyAsText(ColumnType type);

/// Whether common values of these columns make a shorter row in COPY's binary form than in its text
/// form.
bool isShorterInBinary(std::span<const ColumnType> columns);

}  // namespace gantry::rows
