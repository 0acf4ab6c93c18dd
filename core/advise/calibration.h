// SPDX-License-Identifier: PostgreSQL
// What one server, this machine and the way between them do in a second, as it was measured: rows
// read over one and over several connections, codecs on such rows, a place to write to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/dump_advice.h"
#include "core/advise/surroundings.h"

namespace gantry::advise {

/// More connections that read less than this factor faster do not read faster.
inline constexpr double kGrows = 1.1;

struct Calibration {
    struct Reading {
        uint32_t connections = 1;
        double bytesPerSecond = 0;  ///< of heap and TOAST, all connections together
    };
    struct Codec {
        std::string compression;    ///< as -Z takes it
        double bytesPerSecond = 0;  ///< of rows as COPY sends them, one thread
        double ratio = 1;           ///< compressed bytes to those
    };
    struct Writing {
        std::string folder;
        double bytesPerSecond = 0;
    };

    std::string takenAt;        ///< ISO 8601, UTC
    std::string database;       ///< whose tables were sampled
    std::string serverVersion;  ///< as the server says it
    uint64_t sharedBuffers = 0;
    uint32_t localCores = 1;
    double roundTrip = 0;          ///< seconds
    double copyRatio = 1;          ///< bytes that COPY sends to those of heap and TOAST
    uint64_t sampledBytes = 0;     ///< of heap and TOAST
    std::vector<Reading> reading;  ///< by connections; empty: there was nothing to read
    std::vector<Codec> codecs;
    std::optional<Writing> writing;
    std::vector<std::string> notes;  ///< what was left out and why, sentences

    /// Bytes a second over all connections, if more of them brought no more; empty otherwise.
    std::optional<double> readTotal() const;
    /// The most connections with which reading still became faster.
    uint32_t scaledTo() const;
};

/// Why it no longer holds, as a clause: too old, another version, other settings, another machine
/// on this side. Empty if it does. `now` in ISO 8601.
std::string staleness(const Calibration& calibration, const Surroundings& surroundings,
                      const std::string& now);

/// Rates of a dump with this compression; levels that were not measured are derived from the
/// nearest one. Empty if nothing was read.
std::optional<DumpRates> ratesOf(const Calibration& calibration,
                                 const io::Compression& compression);
/// The codecs that a dump of a server of this version may choose among.
std::vector<CodecRate> codecsOf(const Calibration& calibration, int serverMajor);

/// By what a server is known in the history: its system identifier, else host and port.
std::string serverKey(const Surroundings& surroundings);
/// Outside a transaction. Throws Error{Connection}.
std::string serverKey(pg::Connection& connection);

/// What was measured, in sentences.
std::vector<std::string> describe(const Calibration& calibration);

/// For the history.
std::string toJson(const Calibration& calibration);
/// Throws Error{Format}.
Calibration calibrationFrom(const std::string& json);

}  // namespace gantry::advise
