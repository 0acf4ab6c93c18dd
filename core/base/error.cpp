// SPDX-License-Identifier: PostgreSQL
#include "core/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace gantry {

std::string_view toString(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Usage:
            return "usage";
        case ErrorKind::Preflight:
            return "preflight";
        case ErrorKind::Connection:
            return "connection";
        case ErrorKind::Server:
            return "server";
        case ErrorKind::Format:
            return "format";
        case ErrorKind::Io:
            return "io";
        case ErrorKind::Cancelled:
            return "cancelled";
        case ErrorKind::Internal:
            return "internal";
    }
    return "internal";
}

std::string ErrorInfo::describe() const {
    std::string text;
    if (!object.empty()) text += object + ": ";
    text += message;
    if (!sqlState.empty()) text += fmt::format(" (SQLSTATE {})", sqlState);
    if (byteOffset) text += fmt::format(" at byte {}", *byteOffset);
    if (!hint.empty()) {
        const bool ended =
            !text.empty() && std::string_view(".?!").find(text.back()) != std::string_view::npos;
        text += (ended ? " " : ". ") + hint;
    }
    return text;
}

Error::Error(ErrorInfo info) : std::runtime_error(info.describe()), info_(std::move(info)) {}

Error::Error(ErrorKind kind, std::string message, std::string object, std::string hint)
    : Error(ErrorInfo{.kind = kind,
                      .message = std::move(message),
                      .object = std::move(object),
                      .hint = std::move(hint),
                      .sqlState = {},
                      .statement = {},
                      .byteOffset = std::nullopt,
                      .connectionUsable = kind != ErrorKind::Connection}) {}

bool Error::retryable() const {
    return info_.kind == ErrorKind::Connection && !info_.connectionUsable;
}

Error systemError(std::string_view action, std::string object, int errorNumber) {
    std::string hint;
    if (errorNumber == ENOSPC || errorNumber == EDQUOT) {
        hint = "Free some space there or choose another destination, then run it again.";
    } else if (errorNumber == EFBIG) {
        hint =
            "No file may be larger there: look at the limits of the file system and of this user "
            "(ulimit -f).";
    } else if (errorNumber == EACCES || errorNumber == EPERM) {
        hint = "Check the permissions of the file and of the folders above it.";
    }
    return Error(ErrorKind::Io,
                 fmt::format("cannot {}: {}", action, std::generic_category().message(errorNumber)),
                 std::move(object), std::move(hint));
}

}  // namespace gantry
