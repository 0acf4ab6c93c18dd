// SPDX-License-Identifier: PostgreSQL
#include "core/pg/reading.h"

#include <algorithm>

#include "core/base/machine.h"

namespace gantry::pg {
namespace {

constexpr int kReadsAhead = 18;

}  // namespace

bool processorsAreScarce(const Reading& reading) {
    return reading.threads >= reading.processors && reading.bytes > 0 &&
           reading.bytes <= reading.cacheSize;
}

bool sessionsShouldRead(const Reading& reading) {
    return reading.serverMajor >= kReadsAhead && processorsAreScarce(reading);
}

void readForItself(Connection& connection) {
    connection.execute("SET effective_io_concurrency = 0");
}

uint64_t cacheSizeHere(Connection& connection) {
    const uint64_t told = connection
                              .query(
                                  "SELECT pg_catalog.pg_size_bytes("
                                  "pg_catalog.current_setting('effective_cache_size'))")
                              .number(0, 0);
    const auto memory = readMemory(filesBelow());
    return memory ? std::min(told, memory->total) : told;
}

}  // namespace gantry::pg
