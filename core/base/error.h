// SPDX-License-Identifier: PostgreSQL
// The one error type of the core: what failed, on which object, why, and what to do next.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gantry {

enum class ErrorKind {
    Usage,       ///< options that contradict each other or cannot be parsed
    Preflight,   ///< refused before anything was touched
    Connection,  ///< no connection, or it broke
    Server,      ///< the server answered with an error
    Format,      ///< an archive, a frame or a file that is not what it should be
    Io,          ///< the local system refused: disk full, permission, …
    Cancelled,   ///< the user asked to stop
    Internal,    ///< a promise of ours is broken
};

std::string_view toString(ErrorKind kind);

/// Everything about a failure that a person or a program needs. Plain data; copy it freely.
struct ErrorInfo {
    ErrorKind kind = ErrorKind::Internal;
    std::string message;                 ///< cause, in one sentence without a final full stop
    std::string object;                  ///< relation, file or option concerned; empty if none
    std::string hint;                    ///< the next step, a full sentence; empty if none
    std::string sqlState;                ///< five characters if a server said so, else empty
    std::string statement;               ///< the SQL that failed; empty if none
    std::optional<uint64_t> byteOffset;  ///< where in the file, for Format and Io
    bool connectionUsable = true;        ///< false once the connection is gone

    /// "object: message (SQLSTATE xxxxx) at byte N. hint", as one line for logs and terminals.
    std::string describe() const;
};

/// Thrown anywhere in the core, caught once at the task boundary and kept as its ErrorInfo.
class Error : public std::runtime_error {
public:
    explicit Error(ErrorInfo info);
    Error(ErrorKind kind, std::string message, std::string object = {}, std::string hint = {});

    const ErrorInfo& info() const { return info_; }
    ErrorKind kind() const { return info_.kind; }

    /// True if the same work may succeed on a new connection: the backend went away,
    /// while the server as a whole and our snapshot may still be there.
    bool retryable() const;

private:
    ErrorInfo info_;
};

/// An Io error for the current errno: "cannot <action>: <strerror>", with a hint for a full disk.
Error systemError(std::string_view action, std::string object, int errorNumber);

}  // namespace gantry
