// SPDX-License-Identifier: PostgreSQL
// How long a dump will take over each number of connections, and which settings to take.
//
// Pure: facts in, figures and sentences out. The curve comes from the scheduler itself in virtual
// time, held against what processors, network and disk can do at most; as long as nothing was
// measured on this server, rates are assumed, and the ranges say how much that leaves open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/curve.h"
#include "core/advise/surroundings.h"
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

/// Bytes are those of heap and TOAST in the database.
struct DumpRates {
    double readPerSecond = 150e6;      ///< over one connection, which keeps one server core busy
    double compressPerSecond = 250e6;  ///< of one local core
    double ratio = 0.3;                ///< of the archive's bytes to the database's
    bool ratioAssumed = false;         ///< usual, or another database's, even if rates are measured
    bool measured = false;
    uint32_t runs = 0;                  ///< past dumps that they were measured by
    std::optional<double> readTotal{};  ///< over all connections, where more brought no more
    std::string sampledAt{};  ///< of the calibration that they come from, ISO 8601; may be empty
};
/// -Z auto, or none given: what a dump takes then.
io::Compression chosenCompression(archive::Format format,
                                  const std::optional<io::Compression>& compression,
                                  int serverMajor);
/// What is usual for text in tables, until somebody measures.
DumpRates usualRates(archive::Format format, const std::optional<io::Compression>& compression,
                     int serverMajor);

/// A codec as it was measured on rows of this server.
struct CodecRate {
    io::Compression compression;
    double compressPerSecond = 0;  ///< of one local core, in bytes of the database
    double ratio = 1;              ///< of the archive's bytes to the database's
    bool ratioAssumed = false;     ///< nothing tells how it compresses this database
};

struct DumpQuestion {
    DumpWorkload workload;
    Surroundings surroundings;
    DumpRates rates;
    bool chunks = true;
    std::optional<uint32_t> compressJobs;      ///< empty: as many as local cores
    std::optional<Destination> destination{};  ///< empty: not known yet
    /// To choose among; empty: the compression is settled, and `rates` are those with it.
    std::vector<CodecRate> codecs{};
};

/// Recommends "jobs", "compress-jobs", "compress", "format" and "chunks".
Advice adviseDump(const DumpQuestion& question);
/// One point of the curve, also beyond its end.
CurvePoint predictDump(const DumpQuestion& question, uint32_t jobs);

}  // namespace gantry::advise
