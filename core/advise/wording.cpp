// SPDX-License-Identifier: PostgreSQL
#include "core/advise/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/format.h"

namespace gantry::advise {
namespace {

constexpr uint32_t kFewConnections = 10;
constexpr double kLongLag = 10;

std::string serverText(const Surroundings& where) {
    std::string version = where.serverVersion.substr(0, where.serverVersion.find(' '));
    if (version.empty()) version = std::to_string(where.serverMajor);
    std::string text = fmt::format("The server is PostgreSQL {}", version);
    text += where.sameMachine ? ", on this machine" : ", on another machine";
    if (!where.serverCores) {
        text += ", how many cores it has is not to be seen";
    } else if (where.serverCoresDoubt.empty()) {
        text += fmt::format(", with {}", coresText(*where.serverCores));
    } else {
        text += fmt::format(", with perhaps {} ({})", coresText(*where.serverCores),
                            where.serverCoresDoubt);
    }
    if (where.serverMemory && !where.sameMachine) {
        text += fmt::format(" and {} of memory", formatBytes(where.serverMemory->total));
    }
    return text + ".";
}

std::string settingsText(const Surroundings& where) {
    std::string text = fmt::format(
        "Its shared_buffers are {}, its maintenance_work_mem is {}; beside sessions it runs up to "
        "{} processes (max_worker_processes), of which {} may help with one table",
        formatSetting(where.sharedBuffers), formatSetting(where.maintenanceWorkMem),
        where.maxWorkerProcesses, where.mostHelpers);
    text += fmt::format(". Its wal_level is {}, pages have {}", where.walLevel,
                        where.checksums ? "checksums" : "no checksums");
    return text + ".";
}

std::string replicationText(const Surroundings& where) {
    if (!where.replicationLag) return where.standby ? "It is a standby." : "";
    return where.standby ? fmt::format("It is a standby, {} behind its primary.",
                                       secondsText(*where.replicationLag))
                         : fmt::format("The last of its standbys is {} behind.",
                                       secondsText(*where.replicationLag));
}

std::string distanceText(double roundTrip) {
    const double ms = roundTrip * 1000;
    return fmt::format("An answer of the server takes {:.{}f} ms.", ms,
                       ms < 1    ? 2
                       : ms < 10 ? 1
                                 : 0);
}

std::string loadText(const Surroundings& where) {
    std::string text = fmt::format("It has room for {} more connection{}", where.freeConnections,
                                   where.freeConnections == 1 ? "" : "s");
    if (where.maxConnections > 0) text += fmt::format(" of {}", where.maxConnections);
    if (!where.busySessions) return text + "; whether others are at work is hidden from us.";
    if (*where.busySessions == 0) return text + "; nobody else is at work.";
    return text + fmt::format("; {} other session{} at work.", *where.busySessions,
                              *where.busySessions == 1 ? " is" : "s are");
}

}  // namespace

std::string rateText(double bytesPerSecond) {
    return formatBytes(static_cast<uint64_t>(std::max(bytesPerSecond, 0.0))) + "/s";
}

std::string secondsText(double seconds) {
    return formatDuration(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

std::string coresText(uint32_t count) {
    return count == 1 ? std::string("one core") : fmt::format("{} cores", count);
}

std::string localCoresText(const Surroundings& where) {
    if (where.processors.logical > where.localCores) {
        return fmt::format("{} of this machine's {} cores", where.localCores,
                           where.processors.logical);
    }
    return fmt::format("this machine's {}", coresText(where.localCores));
}

std::string serverCoresText(const Surroundings& where) {
    if (!where.serverCores) {
        return fmt::format(
            "how many cores the server has is not to be seen, and {:.0f} is what a small one has",
            where.serverCoresLeft());
    }
    std::string text = fmt::format("the server's {}", coresText(*where.serverCores));
    if (!where.serverCoresDoubt.empty()) text += fmt::format(" ({})", where.serverCoresDoubt);
    return text;
}

std::vector<std::string> factsOf(const Surroundings& where) {
    std::vector<std::string> facts{serverText(where)};
    if (where.sharedBuffers > 0) facts.push_back(settingsText(where));
    facts.push_back(loadText(where));
    if (std::string text = replicationText(where); !text.empty()) facts.push_back(std::move(text));
    std::string local = fmt::format("This machine lets us use {}", coresText(where.localCores));
    if (where.processors.logical > where.localCores) {
        local += fmt::format(" of {}", where.processors.logical);
    }
    if (where.processors.quota) {
        local += fmt::format(" (a control group allows {:g})", *where.processors.quota);
    } else if (where.processors.physical < where.processors.logical) {
        local += fmt::format(" ({} physical)", where.processors.physical);
    }
    if (where.memory) {
        local += fmt::format(", {} of memory are free", formatBytes(where.memory->available));
    }
    facts.push_back(local + ".");
    if (where.roundTrip > 0) facts.push_back(distanceText(where.roundTrip));
    return facts;
}

std::string sizesText(std::size_t tables, uint64_t rows, uint64_t toast,
                      std::optional<uint64_t> indexes) {
    std::string text = fmt::format("{} table{} of {}", formatCount(tables), tables == 1 ? "" : "s",
                                   formatBytes(rows + toast));
    if (toast > 0) text += fmt::format(", {} of it TOAST", formatBytes(toast));
    if (indexes) text += fmt::format(", with {} of indexes", formatBytes(*indexes));
    return text;
}

std::vector<std::string> cautionsOf(const Surroundings& where) {
    std::vector<std::string> found;
    if (where.busySessions && *where.busySessions > 0 &&
        2 * *where.busySessions >= where.serverCores.value_or(UINT32_MAX / 2)) {
        found.push_back(fmt::format(
            "{} session{} at work on the server's {}: at a quieter time this is faster, and "
            "nobody is slowed down.",
            *where.busySessions, *where.busySessions == 1 ? " is" : "s are",
            coresText(*where.serverCores)));
    }
    if (where.freeConnections < kFewConnections) {
        found.push_back(fmt::format(
            "The server has only {} free connection{}: what a run takes is missing to others.",
            where.freeConnections, where.freeConnections == 1 ? "" : "s"));
    }
    if (!where.standby && where.replicationLag.value_or(0) > kLongLag) {
        found.push_back(
            fmt::format("A standby is {} behind already.", secondsText(*where.replicationLag)));
    }
    return found;
}

uint32_t politeJobs(uint32_t free, uint32_t beside) {
    constexpr uint32_t kForOthers = 1;
    return free > beside + kForOthers ? free - beside - kForOthers : 1;
}

std::string rangeText(uint32_t low, uint32_t high) {
    return low >= high ? std::string() : fmt::format("{} to {}", low, high);
}

}  // namespace gantry::advise
