// SPDX-License-Identifier: PostgreSQL
#include "app/headless/password.h"

#include "app/headless/terminal.h"
#include "core/pg/sql_state.h"

namespace gantry::headless {

bool wantsPassword(const ErrorInfo& error, const options::ConnectionOptions& connection) {
    return error.sqlState == pg::sql_state::kInvalidPassword && !connection.password &&
           !connection.neverPrompt;
}

bool askPassword(options::ConnectionOptions& connection, const std::stop_token& stop) {
    connection.password = askSecret("Password: ", stop);
    return connection.password.has_value();
}

void askPasswordIfForced(options::ConnectionOptions& connection, const std::stop_token& stop) {
    if (!connection.forcePrompt || askPassword(connection, stop)) return;
    throw Error(ErrorKind::Preflight, "there is no terminal to ask for the password on",
                "--password", "Supply it by the pass file or PGPASSWORD.");
}

}  // namespace gantry::headless
