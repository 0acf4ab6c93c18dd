// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/pg/reading.h"

namespace gantry::vacuum {
namespace {

constexpr int kRadixTree = 17;  // dead rows are kept by block, and take as much as they need
constexpr int kRing = 16;
constexpr uint32_t kJobsOfUnknownServer = 4;
constexpr uint64_t kBytesPerDeadRow = 6;
constexpr uint64_t kBytesPerDeadBlock = 48;
constexpr uint64_t kMostMemoryOfOldServers = uint64_t{1} << 30;
constexpr uint64_t kMostMemory = uint64_t{16} << 30;
constexpr uint64_t kMegabyte = uint64_t{1} << 20;
constexpr uint64_t kSmallestRing = 2 * kMegabyte;  // the server's own since 17
constexpr uint32_t kConnectionsBeside = 2;         // what watches, and what asked first

uint64_t memoryNeeded(const TableFacts& table, int major) {
    const auto needed = [&](uint64_t dead, uint64_t blocks) {
        if (major < kRadixTree) return dead * kBytesPerDeadRow;
        return std::min(dead * kBytesPerDeadRow, std::min(dead, blocks) * kBytesPerDeadBlock);
    };
    // Statistics lag behind.
    constexpr double kMargin = 1.25;
    const uint64_t most = std::max(needed(table.deadRows, table.blocks),
                                   needed(table.toastDead, table.toastBytes / 8192));
    return static_cast<uint64_t>(static_cast<double>(most) * kMargin);
}

void proposeJobs(const Survey& survey, const options::VacuumOptions& options, Proposals& found) {
    if (options.jobs) {
        found.jobs = *options.jobs;
        return;
    }
    const ServerFacts& server = survey.server;
    const auto tables = static_cast<uint32_t>(std::max<std::size_t>(survey.tables.size(), 1));
    const uint32_t room = server.freeConnections > kConnectionsBeside
                              ? server.freeConnections - kConnectionsBeside
                              : 1;
    found.jobs = server.cores.value_or(kJobsOfUnknownServer);
    found.jobsWhy = server.cores ? fmt::format("the server has {} processors", *server.cores)
                                 : "how many processors the server has is not known";
    if (tables < found.jobs) {
        found.jobs = tables;
        found.jobsWhy = "there are no more tables";
    }
    if (room < found.jobs) {
        found.jobs = room;
        found.jobsWhy = "the server has no more free connections";
    }
}

/// How many may be at work, however many are asked for: each table, and its TOAST table.
uint64_t atOnce(const Survey& survey, const Proposals& found) {
    return std::min<uint64_t>(found.jobs, 2 * std::max<std::size_t>(survey.tables.size(), 1));
}

uint64_t wholeMegabytes(uint64_t bytes) { return (bytes + kMegabyte - 1) / kMegabyte * kMegabyte; }

void proposeRing(const Survey& survey, const options::VacuumOptions& options, Proposals& found) {
    if (survey.server.major() < kRing) return;
    if (!options.bufferUsageLimit.empty()) {
        found.ring = options::parseMemory(options.bufferUsageLimit);
        found.ringWhy = "as told";
        return;
    }
    if (options.work.full || options.work.reindexConcurrently) return;
    // The server takes no more than an eighth for one ring; half of the cache stays to others.
    const uint64_t buffers = survey.server.sharedBuffers;
    const uint64_t share = std::min(buffers / 8, buffers / (2 * atOnce(survey, found)));
    found.ring = std::max(share / kMegabyte * kMegabyte, kSmallestRing);
    found.ringWhy = fmt::format(
        "of shared_buffers ({}), so that pages are written once, and at "
        "least half stays to others",
        formatSetting(buffers));
}

uint64_t largestIndex(const TableFacts& table) {
    uint64_t bytes = 0;
    for (const IndexFacts& index : table.indexes) bytes = std::max(bytes, index.bytes);
    return bytes;
}

void proposeMemory(const Survey& survey, const options::VacuumOptions& options, Proposals& found) {
    if (!options.maintenanceWorkMem.empty()) {
        found.memory = options::parseMemory(options.maintenanceWorkMem);
        found.memoryWhy = "as told";
        return;
    }
    const ServerFacts& server = survey.server;
    if (options.work.analyzesAlone()) return;
    uint64_t needed = 0;
    std::string largest;
    // Indexes that are written anew are sorted in this memory, one after the other.
    const bool builds = options.work.full || options.work.reindexConcurrently;
    for (const TableFacts& table : survey.tables) {
        const uint64_t one = builds ? largestIndex(table) : memoryNeeded(table, server.major());
        if (one <= needed) continue;
        needed = one;
        largest = table.shownName();
    }
    const uint64_t most =
        std::min(server.sharedBuffers / (2 * atOnce(survey, found)),
                 server.major() < kRadixTree ? kMostMemoryOfOldServers : kMostMemory);
    const uint64_t chosen = wholeMegabytes(std::min(needed, most));
    if (chosen <= server.maintenanceWorkMem) return;
    found.memory = chosen;
    found.memoryWhy = needed > most
                          ? fmt::format("{} could use {}, but shared_buffers allow no more",
                                        largest, formatSetting(wholeMegabytes(needed)))
                      : builds ? fmt::format("in which the largest index of {} is sorted", largest)
                               : fmt::format("so that {} needs one pass over its indexes", largest);
}

}  // namespace

Proposals propose(const Survey& survey, const options::VacuumOptions& options) {
    Proposals found;
    proposeJobs(survey, options, found);
    proposeRing(survey, options, found);
    proposeMemory(survey, options, found);
    return found;
}

bool sessionsShouldRead(const Survey& survey, uint32_t atWork) {
    const ServerFacts& server = survey.server;
    if (!server.cores) return false;
    uint64_t bytes = 0;
    for (const TableFacts& table : survey.tables) bytes += table.bytes();
    return pg::sessionsShouldRead({.serverMajor = server.major(),
                                   .bytes = bytes,
                                   .cacheSize = server.cacheSize,
                                   .threads = atWork,
                                   .processors = *server.cores});
}

uint32_t indexPasses(const TableFacts& table, uint64_t memory, int serverMajor) {
    if (table.deadRows == 0 && table.toastDead == 0) return 0;
    const uint64_t usable =
        serverMajor < kRadixTree ? std::min(memory, kMostMemoryOfOldServers) : memory;
    const uint64_t needed = std::max<uint64_t>(memoryNeeded(table, serverMajor), 1);
    return static_cast<uint32_t>((needed + usable - 1) / std::max<uint64_t>(usable, 1));
}

uint32_t sharedIndexes(const TableFacts& table, const ServerFacts& server) {
    return static_cast<uint32_t>(
        std::count_if(table.indexes.begin(), table.indexes.end(), [&](const IndexFacts& index) {
            // BRIN takes part only in the clean-up, which reads nothing that was read before.
            return index.valid && index.accessMethod != "brin" && index.bytes > 0 &&
                   index.bytes >= server.leastParallelIndex;
        }));
}

uint32_t proposeHelpers(const TableFacts& table, const ServerFacts& server, double seconds,
                        double allSeconds, uint32_t jobs) {
    const uint32_t shared = sharedIndexes(table, server);
    // After a crash or an upgrade the server has no count of anything.
    const bool counted = table.liveRows + table.deadRows > 0;
    const bool clean = counted && table.deadRows == 0 && table.insertedRows == 0;
    if (shared < 2 || clean || seconds <= 0) return 0;
    // Workers that would be idle on average while it goes on, and processors that have no worker:
    // those beside it may have their share.
    const double beside = std::clamp((allSeconds - seconds) / seconds, 0.0, jobs - 1.0);
    const double idle = jobs - 1 - beside;
    const double beyond = server.cores ? std::max(0.0, static_cast<double>(*server.cores) - jobs)
                                       : server.mostHelpers;
    const auto free = static_cast<uint32_t>(std::lround((idle + beyond) / (1 + beside)));
    // With enough else to do nobody is idle: then the processors beyond the workers are all.
    return std::min({free, shared - 1, server.mostHelpers});
}

}  // namespace gantry::vacuum
