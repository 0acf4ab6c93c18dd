// SPDX-License-Identifier: PostgreSQL
// Where the work is done: this machine, the server, the way between them, the place for an archive.
//
// Plain data, so that advice can be had for machines that are not at hand; collected here from
// those that are. Nothing that is asked needs special rights: what is refused stays unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/machine.h"
#include "core/pg/connection.h"

namespace gantry::advise {

struct Surroundings {
    int serverMajor = 0;
    uint32_t localCores = 1;              ///< that we may use
    bool sameMachine = false;             ///< server and Gantry share it
    std::optional<uint32_t> serverCores;  ///< that the server may use; empty: nobody tells
    uint32_t freeConnections = 0;         ///< beside the one that asked
    std::string server{};                 ///< "host:port"
    std::string database{};               ///< that the connection leads to
    std::string cluster{};                ///< as pg::systemIdentifier() says it; may be empty

    /// What the server's cores are concluded from, as a clause; empty if they are known.
    std::string serverCoresDoubt{};
    std::string serverVersion{};
    Processors processors{};                 ///< of this machine
    std::optional<Memory> memory{};          ///< of this machine
    std::optional<Memory> serverMemory{};    ///< of the server's
    std::optional<uint32_t> busySessions{};  ///< of others, at work now; empty: hidden from us
    double roundTrip = 0;                    ///< seconds until the server answers
    uint32_t maxConnections = 0;             ///< of the server, reserved ones counted
    uint32_t maxWorkerProcesses = 0;
    uint32_t mostHelpers = 0;    ///< max_parallel_maintenance_workers
    uint64_t sharedBuffers = 0;  ///< bytes; 0: unknown, as below
    uint64_t maintenanceWorkMem = 0;
    std::string walLevel{};
    bool checksums = false;
    bool standby = false;
    bool standbyFeedback = false;             ///< hot_standby_feedback
    std::optional<double> standbyPatience{};  ///< seconds until it cancels queries; empty: never
    std::optional<double> replicationLag{};   ///< seconds: its own, or that of its last standby

    /// Cores that the server has left beside its busy sessions, at least one. Of a server that
    /// tells nothing, as many as even a small one has.
    double serverCoresLeft() const;
    /// The same for a machine that server and Gantry share.
    double sharedCoresLeft() const;
    /// True if the server's cores are neither known nor concluded.
    bool serverUnknown() const { return !serverCores; }
};

/// Throws Error{Connection, Cancelled}. Outside a transaction.
Surroundings collectSurroundings(pg::Connection& connection);

/// Where an archive is to go.
struct Destination {
    std::filesystem::path folder;  ///< that exists
    uint64_t freeBytes = 0;
    std::string fileSystem{};                ///< "ext4", "nfs4"; empty: unknown
    std::optional<double> writePerSecond{};  ///< bytes; empty: not measured
};

/// Of the archive's path, or of the folder nearest above it that exists. Throws Error{Io}.
Destination lookAtDestination(const std::filesystem::path& path);

/// Writes a nameless file there for about `seconds`, until it is on the disk: bytes per second.
/// What is written cannot be compressed, and is gone afterwards whatever happens. Throws Error{Io}.
double measureWriteRate(const std::filesystem::path& folder, double seconds,
                        const std::stop_token& stop);

}  // namespace gantry::advise
