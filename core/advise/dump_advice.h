// SPDX-License-Identifier: PostgreSQL
// How long a dump will take over each number of connections, and which number to take.
//
// Pure: facts in, figures and sentences out. The curve comes from the scheduler itself in virtual
// time, held against what the processors can do at most; as long as nothing was measured on this
// server, rates are assumed, and the ranges say how much that leaves open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/toc.h"
#include "core/io/compression.h"
#include "core/plan/dump_plan.h"

namespace gantry::advise {

/// What a dump has to read.
struct DumpWorkload {
    std::vector<plan::TableSize> tables;
    uint64_t relations = 0;  ///< whose definitions pg_dump gathers
    uint64_t largeObjects = 0;
    uint64_t largeObjectBytes = 0;

    uint64_t bytes() const;
};

/// What reads it, and from where.
struct DumpSurroundings {
    int serverMajor = 0;
    uint32_t localCores = 1;
    bool sameMachine = false;             ///< server and Gantry share their cores
    std::optional<uint32_t> serverCores;  ///< empty: it does not tell
    uint32_t freeConnections = 0;         ///< besides the coordinator's
    std::string server{};                 ///< "host:port"
    std::string cluster{};                ///< as pg::systemIdentifier() says it; may be empty
};

/// Bytes are those of heap and TOAST in the database.
struct DumpRates {
    double readPerSecond = 150e6;      ///< over one connection, which keeps one server core busy
    double compressPerSecond = 250e6;  ///< of one local core
    double ratio = 0.3;                ///< of the archive's bytes to the database's
    bool measured = false;
    uint32_t runs = 0;  ///< past dumps that they were measured by
};
/// -Z auto, or none given: what a dump takes then.
io::Compression chosenCompression(archive::Format format,
                                  const std::optional<io::Compression>& compression,
                                  int serverMajor);
/// What is usual for text in tables, until somebody measures.
DumpRates usualRates(archive::Format format, const std::optional<io::Compression>& compression,
                     int serverMajor);

struct DumpQuestion {
    DumpWorkload workload;
    DumpSurroundings surroundings;
    DumpRates rates;
    bool chunks = true;
    std::optional<uint32_t> compressJobs;  ///< empty: as many as local cores
};

/// What keeps a run over so many connections from being faster.
enum class DumpLimit { Connections, Table, Definitions, LocalCores, ServerCores, SharedCores };
std::string_view toString(DumpLimit limit);

struct DumpPoint {
    uint32_t jobs = 1;
    double seconds = 0;
    double lowerBound = 0;  ///< seconds that no order of the tasks can beat
    DumpLimit limit = DumpLimit::Connections;
};

struct Range {
    double low = 0;
    double high = 0;
};

struct DumpAdvice {
    std::vector<DumpPoint> curve;  ///< for 1 to twice the cores that are known, by jobs
    uint32_t mostJobs = 1;         ///< that the server has room for; at least 1
    uint32_t jobs = 1;             ///< the fewest that are about as fast as the best
    std::string reason;            ///< one sentence, with the figure that decided
    Range archiveBytes;
    bool measured = false;

    /// Of so many jobs; beyond the curve its last point.
    const DumpPoint& at(uint32_t jobCount) const;
    /// In seconds; wide while nothing was measured.
    Range timeRange(uint32_t jobCount) const;
};

DumpAdvice adviseDump(const DumpQuestion& question);
/// One point of the curve, also beyond its end.
DumpPoint predictDump(const DumpQuestion& question, uint32_t jobs);

}  // namespace gantry::advise
