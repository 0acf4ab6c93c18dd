// SPDX-License-Identifier: PostgreSQL
// Who reads tables, a session itself or processes of the server for it, and what that waits for.
#pragma once

#include <cstdint>

#include "core/pg/connection.h"

namespace gantry::pg {

/// What a run is about to read from a server on this machine, and what that has.
struct Reading {
    int serverMajor = 0;
    uint64_t bytes = 0;      ///< 0: not known
    uint64_t cacheSize = 0;  ///< bytes, as cacheSizeHere()
    uint32_t threads = 0;    ///< sessions, and what keeps a processor busy beside them
    uint32_t processors = 0;
};

/// All of it may be in memory, and each processor of the machine has work: they are what the run
/// waits for in the end, no disk.
bool processorsAreScarce(const Reading& reading);

/// From 18 on processes of the server read ahead for its sessions (io_method). That helps where a
/// disk is waited for; where processors are scarce it takes a twentieth of their time.
bool sessionsShouldRead(const Reading& reading);

/// Nobody reads ahead for this session's queries any more. From 18 on; throws Error{Server}.
void readForItself(Connection& connection);

/// effective_cache_size of a server on this machine, but no more than the machine has. Throws
/// Error{Server}.
uint64_t cacheSizeHere(Connection& connection);

}  // namespace gantry::pg
