// SPDX-License-Identifier: PostgreSQL
// Which server, and which machine on this side: what a run's record says of where it took place.
#pragma once

#include <map>
#include <string>

#include "core/pg/connection.h"

namespace gantry::pg {

/// The cluster's own number, the same wherever it is reached from; empty if the server does not
/// tell it to this user. Outside a transaction, since it may be refused. Throws Error{Connection}.
std::string systemIdentifier(Connection& connection);

/// "server": host and port (or socket), "cluster": systemIdentifier(), "user": the role, "machine":
/// this host's name, "processors": those that this process may use. Outside a transaction.
std::map<std::string, std::string> describeEnvironment(Connection& connection);

/// True if the server is on this machine: the backend is among its processes. A loopback address
/// may be a tunnel's; where the system does not show processes as files, a Unix socket counts.
bool runsHere(Connection& connection);
/// True if no network lies between: a Unix socket counts, whoever is at its other end.
bool sharesMachine(Connection& connection);

}  // namespace gantry::pg
