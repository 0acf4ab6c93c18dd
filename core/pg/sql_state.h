// SPDX-License-Identifier: PostgreSQL
// The SQLSTATEs that somebody here acts upon. (PostgreSQL's documentation, appendix A)
#pragma once

#include <string_view>

namespace gantry::pg::sql_state {

inline constexpr std::string_view kBadCopyFileFormat = "22P04";
inline constexpr std::string_view kUntranslatableCharacter = "22P05";
inline constexpr std::string_view kInvalidPassword = "28P01";
inline constexpr std::string_view kUndefinedSchema = "3F000";
inline constexpr std::string_view kSerializationFailure = "40001";
inline constexpr std::string_view kDeadlock = "40P01";
inline constexpr std::string_view kInsufficientPrivilege = "42501";
inline constexpr std::string_view kUndefinedObject = "42704";
inline constexpr std::string_view kUndefinedTable = "42P01";
inline constexpr std::string_view kDiskFull = "53100";
inline constexpr std::string_view kOutOfMemory = "53200";
inline constexpr std::string_view kTooManyConnections = "53300";
inline constexpr std::string_view kObjectInUse = "55006";
inline constexpr std::string_view kLockNotAvailable = "55P03";
inline constexpr std::string_view kQueryCanceled = "57014";

}  // namespace gantry::pg::sql_state
