// SPDX-License-Identifier: PostgreSQL
// What the advice on any kind of run consists of: the time over each number of jobs with what
// limits it, and the settings to take, each with its reason. Plain data; dump, restore and vacuum
// share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::advise {

/// What keeps a run over so many connections from being faster.
enum class Limit {
    Connections,   ///< each of them is busy; more would help
    LongestTable,  ///< one that cannot be shared out further
    LongestChain,  ///< steps that wait for each other: rows, then an index, then a foreign key
    Locks,         ///< steps that exclude each other
    Definitions,   ///< gathering or making them, which one connection does
    LocalCpu,      ///< of the machine that Gantry runs on
    ServerCpu,
    SharedCpu,  ///< of the one machine that both run on
    Network,
    Disk
};
std::string_view toString(Limit limit);

struct Range {
    double low = 0;
    double high = 0;
};

struct CurvePoint {
    uint32_t jobs = 1;
    double seconds = 0;
    double lowerBound = 0;  ///< seconds that no order of the tasks can beat
    Limit limit = Limit::Connections;
};

/// Wall time over the number of jobs, predicted or measured.
struct Curve {
    std::vector<CurvePoint> points;  ///< ascending by jobs; a prediction begins with 1
    uint32_t knee = 1;               ///< the fewest jobs that are about as fast as the best
    uint32_t mostJobs = 1;           ///< that the server has room for; at least 1
    bool measured = false;           ///< on this server, rather than with usual rates
    bool outdated = false;           ///< it was, but that may no longer hold

    /// Of so many jobs or, where there is none, the next fewer; the first point for 0. Needs
    /// points.
    const CurvePoint& at(uint32_t jobs) const;
    /// In seconds; wide while nothing was measured.
    Range timeRange(uint32_t jobs) const;
    /// Against the first point, and that for each job.
    double speedUp(uint32_t jobs) const;
    double efficiency(uint32_t jobs) const;
    /// Marks the knee among the points up to mostJobs, or to `advisable` if that is less.
    void findKnee(uint32_t advisable = UINT32_MAX);
};

/// One setting to take.
struct Recommendation {
    std::string setting;  ///< an option's long name ("jobs"), or a setting of the server's sessions
    std::string value;    ///< as that takes it
    std::string range{};  ///< values that may do as well, where little is known; empty otherwise
    std::string reason;   ///< a clause with the figure that decided, without a full stop
    std::string warning{};  ///< what harm to mind; a sentence, empty for none
};

struct Advice {
    std::vector<Recommendation> recommendations;
    Curve curve;
    std::optional<Range> archiveBytes{};  ///< of a dump
    std::vector<std::string> warnings{};  ///< what to mind whatever is set; sentences
    std::vector<std::string> facts{};     ///< what the advice goes by; sentences

    uint32_t jobs() const { return curve.knee; }
    /// Null if there is none for this setting.
    const Recommendation* find(std::string_view setting) const;
    /// Its reason; empty if there is none.
    std::string reason(std::string_view setting) const;
};

}  // namespace gantry::advise
