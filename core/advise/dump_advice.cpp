// SPDX-License-Identifier: PostgreSQL
#include "core/advise/dump_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/format.h"
#include "core/plan/lower_bound.h"
#include "core/plan/simulator.h"

namespace gantry::advise {
namespace {

constexpr int kTidRangeScans = 14;
constexpr int kZstdEverywhere = 16;
constexpr double kSecondsPerTable = 0.0005;
constexpr double kSecondsPerObject = 0.00005;
constexpr double kSchemaSeconds = 0.1;  // what pg_dump takes to begin, and for each relation
constexpr double kSchemaSecondsPerRelation = 0.0004;
constexpr double kSecondsPerConnection = 0.005;
constexpr double kMoment = 1;  // seconds
constexpr double kAsFastAsTheBest = 1.05;
constexpr std::size_t kTablesSimulated = 200;
constexpr Range kAssumedTimes{0.5, 2.0};
constexpr Range kMeasuredTimes{0.85, 1.2};
constexpr Range kAssumedSizes{0.5, 1.6};
constexpr Range kMeasuredSizes{0.9, 1.1};

struct Bound {
    double seconds = 0;
    DumpLimit limit = DumpLimit::Connections;
};

double toDouble(uint64_t number) { return static_cast<double>(number); }

/// The largest tables as the run will plan them; the many small ones, which never decide anything
/// alone, as one task that divides.
plan::TaskGraph makePlan(const DumpQuestion& question, uint32_t jobs) {
    const DumpWorkload& work = question.workload;
    const plan::DumpPlanSettings settings{
        .jobs = jobs,
        .chunks = question.chunks,
        .tidRangeScans = question.surroundings.serverMajor >= kTidRangeScans};
    std::vector<std::size_t> order(work.tables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(order.size(), kTablesSimulated);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](std::size_t a, std::size_t b) { return work.tables[a].bytes > work.tables[b].bytes; });
    const double rate = question.rates.readPerSecond;
    plan::TaskGraph graph;
    plan::Task schema;
    schema.kind = plan::TaskKind::Schema;
    schema.cost = kSchemaSeconds + kSchemaSecondsPerRelation * toDouble(work.relations);
    schema.pinnedTo = WorkerId{0};
    graph.add(std::move(schema));
    for (std::size_t i = 0; i < shown; ++i) {
        plan::Task task = plan::planTable(work.tables[order[i]], settings);
        task.cost = kSecondsPerTable + toDouble(task.bytes) / rate;
        graph.add(std::move(task));
    }
    if (shown < order.size()) {
        plan::Task rest;
        rest.division = plan::Division{.units = order.size() - shown};
        for (std::size_t i = shown; i < order.size(); ++i)
            rest.bytes += work.tables[order[i]].bytes;
        rest.cost = kSecondsPerTable * toDouble(order.size() - shown) + toDouble(rest.bytes) / rate;
        graph.add(std::move(rest));
    }
    if (work.largeObjects > 0) {
        plan::Task objects =
            plan::planLargeObjects("large objects", work.largeObjects, work.largeObjectBytes);
        objects.cost = kSecondsPerObject * toDouble(work.largeObjects) +
                       toDouble(work.largeObjectBytes) / rate;
        graph.add(std::move(objects));
    }
    return graph;
}

/// What the processors need at least, however the work is shared out.
Bound processorBound(const DumpQuestion& question) {
    const double bytes = toDouble(question.workload.bytes());
    const DumpSurroundings& where = question.surroundings;
    const double reading = bytes / question.rates.readPerSecond;
    const double compressing = bytes / question.rates.compressPerSecond;
    const double local = where.localCores;
    const double threads =
        std::min<double>(question.compressJobs.value_or(where.localCores), local);
    Bound bound{compressing / threads, DumpLimit::LocalCores};
    const auto raise = [&bound](double seconds, DumpLimit limit) {
        if (seconds > bound.seconds) bound = {seconds, limit};
    };
    if (where.sameMachine) {
        raise((reading + compressing) / local, DumpLimit::SharedCores);
    } else if (where.serverCores) {
        raise(reading / *where.serverCores, DumpLimit::ServerCores);
    }
    return bound;
}

DumpPoint predict(const DumpQuestion& question, const plan::TaskGraph& graph, uint32_t jobs) {
    const Bound processors = processorBound(question);
    const plan::LowerBound order = plan::lowerBound(graph, jobs);
    const double simulated = plan::simulate(graph, {.workers = jobs, .duration = {}}).makespan;
    DumpPoint point;
    point.jobs = jobs;
    point.lowerBound = std::max(order.seconds, processors.seconds);
    point.seconds =
        std::max(simulated, processors.seconds) + kSecondsPerConnection * static_cast<double>(jobs);
    if (processors.seconds >= simulated) {
        point.limit = processors.limit;
    } else if (order.cause == plan::LowerBound::Cause::Work) {
        point.limit = DumpLimit::Connections;
    } else {
        point.limit =
            graph.tasks.front().cost >= order.seconds ? DumpLimit::Definitions : DumpLimit::Table;
    }
    return point;
}

std::string rate(double bytesPerSecond) {
    return formatBytes(static_cast<uint64_t>(bytesPerSecond)) + "/s";
}

std::string approximately(double seconds) {
    return formatDuration(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

std::string cores(uint32_t count) {
    return count == 1 ? std::string("one core") : fmt::format("{} cores", count);
}

/// The table that takes longest over as many connections as may share it.
const plan::TableSize& longestTable(const DumpQuestion& question) {
    return *std::max_element(
        question.workload.tables.begin(), question.workload.tables.end(),
        [](const plan::TableSize& a, const plan::TableSize& b) { return a.bytes < b.bytes; });
}

std::string whyOneConnection(const DumpQuestion& question, const plan::TableSize& table) {
    if (!question.chunks) return "tables are not to be divided";
    if (question.surroundings.serverMajor < kTidRangeScans) {
        return fmt::format("server {} cannot read a table in ranges",
                           question.surroundings.serverMajor);
    }
    return table.divisible ? "it is too small to be divided" : "it cannot be divided";
}

/// Why no more than the advised number.
std::string reasonFor(const DumpQuestion& question, const DumpAdvice& advice) {
    const DumpSurroundings& where = question.surroundings;
    const DumpRates& rates = question.rates;
    if (advice.at(1).seconds < kMoment) {
        return fmt::format("{} are read in a moment, so that more connections gain nothing",
                           formatBytes(question.workload.bytes()));
    }
    if (advice.jobs == advice.mostJobs && advice.mostJobs < advice.curve.back().jobs) {
        return fmt::format(
            "the server has room for {} more connections, one of which pg_dump needs",
            where.freeConnections);
    }
    const DumpPoint& beyond = advice.at(advice.jobs + 1);
    switch (beyond.limit) {
        case DumpLimit::SharedCores:
            return fmt::format(
                "the server and the compression share {} here, which manage about {} between them",
                cores(where.localCores),
                rate(where.localCores / (1 / rates.readPerSecond + 1 / rates.compressPerSecond)));
        case DumpLimit::LocalCores:
            return fmt::format(
                "this machine's {} compress about {}, which so many connections fill",
                cores(where.localCores), rate(rates.compressPerSecond * where.localCores));
        case DumpLimit::ServerCores:
            return fmt::format("the server's {} are busy then, at about {}",
                               cores(where.serverCores.value_or(1)),
                               rate(rates.readPerSecond * where.serverCores.value_or(1)));
        case DumpLimit::Definitions:
            return fmt::format(
                "pg_dump takes about {} to gather the definitions of {} relations, however many "
                "connections read",
                approximately(kSchemaSeconds +
                              kSchemaSecondsPerRelation * toDouble(question.workload.relations)),
                formatCount(question.workload.relations));
        case DumpLimit::Table: {
            const plan::TableSize& table = longestTable(question);
            return fmt::format("{} is read over one connection, since {}: its {} take about {}",
                               table.object, whyOneConnection(question, table),
                               formatBytes(table.bytes),
                               approximately(toDouble(table.bytes) / rates.readPerSecond));
        }
        case DumpLimit::Connections:
            break;
    }
    return fmt::format("each connection reads about {}, and up to {} they add up",
                       rate(rates.readPerSecond), advice.jobs);
}

}  // namespace

uint64_t DumpWorkload::bytes() const {
    uint64_t sum = largeObjectBytes;
    for (const plan::TableSize& table : tables) sum += table.bytes;
    return sum;
}

io::Compression chosenCompression(archive::Format format,
                                  const std::optional<io::Compression>& compression,
                                  int serverMajor) {
    if (format == archive::Format::Tar) return {};
    if (compression && !compression->automatic) return *compression;
    if (!compression && format == archive::Format::Plain) return {};
    io::Compression chosen;
    chosen.algorithm = serverMajor >= kZstdEverywhere ? io::Algorithm::Zstd : io::Algorithm::Gzip;
    chosen.automatic = true;
    return chosen;
}

DumpRates usualRates(archive::Format format, const std::optional<io::Compression>& compression,
                     int serverMajor) {
    const io::Compression chosen = chosenCompression(format, compression, serverMajor);
    DumpRates rates;
    switch (chosen.algorithm) {
        case io::Algorithm::None:
            rates.compressPerSecond = 2e9;
            rates.ratio = 0.8;  // no page headers, no dead rows, no free space
            break;
        case io::Algorithm::Lz4:
            rates.compressPerSecond = chosen.level.value_or(0) > 2 ? 60e6 : 450e6;
            rates.ratio = chosen.level.value_or(0) > 2 ? 0.33 : 0.4;
            break;
        case io::Algorithm::Gzip: {
            const int level = chosen.level.value_or(6);
            rates.compressPerSecond = level <= 3 ? 80e6 : level <= 6 ? 40e6 : 20e6;
            rates.ratio = level <= 3 ? 0.32 : 0.28;
            break;
        }
        case io::Algorithm::Zstd: {
            const int level = chosen.level.value_or(3);
            rates.compressPerSecond = level <= 3    ? 250e6
                                      : level <= 6  ? 100e6
                                      : level <= 12 ? 35e6
                                                    : 5e6;
            rates.ratio = level <= 3 ? 0.28 : level <= 12 ? 0.24 : 0.2;
            break;
        }
    }
    return rates;
}

std::string_view toString(DumpLimit limit) {
    switch (limit) {
        case DumpLimit::Connections:
            return "connections";
        case DumpLimit::Table:
            return "longest table";
        case DumpLimit::Definitions:
            return "definitions";
        case DumpLimit::LocalCores:
            return "local cores";
        case DumpLimit::ServerCores:
            return "server cores";
        case DumpLimit::SharedCores:
            return "shared cores";
    }
    return "";
}

const DumpPoint& DumpAdvice::at(uint32_t jobCount) const {
    return curve[std::clamp<std::size_t>(jobCount, 1, curve.size()) - 1];
}

Range DumpAdvice::timeRange(uint32_t jobCount) const {
    const Range factor = measured ? kMeasuredTimes : kAssumedTimes;
    return {at(jobCount).seconds * factor.low, at(jobCount).seconds * factor.high};
}

DumpPoint predictDump(const DumpQuestion& question, uint32_t jobs) {
    return predict(question, makePlan(question, jobs), jobs);
}

DumpAdvice adviseDump(const DumpQuestion& question) {
    const DumpSurroundings& where = question.surroundings;
    const uint32_t known = std::max({where.localCores, where.serverCores.value_or(1), 1U});
    DumpAdvice advice;
    advice.measured = question.rates.measured;
    advice.curve.push_back(predict(question, makePlan(question, 1), 1));
    const plan::TaskGraph divided = makePlan(question, 2);  // the same for more
    for (uint32_t jobs = 2; jobs <= 2 * known; ++jobs) {
        advice.curve.push_back(predict(question, divided, jobs));
    }
    constexpr uint32_t kSchemaDump = 1;  // pg_dump's own connection
    advice.mostJobs =
        std::clamp(where.freeConnections, 1 + kSchemaDump, 2 * known + kSchemaDump) - kSchemaDump;
    double best = std::numeric_limits<double>::infinity();
    for (uint32_t jobs = 1; jobs <= advice.mostJobs; ++jobs) {
        best = std::min(best, advice.at(jobs).seconds);
    }
    while (advice.at(advice.jobs).seconds > best * kAsFastAsTheBest) ++advice.jobs;
    advice.reason = reasonFor(question, advice);
    if (question.rates.runs > 0) {
        advice.reason += question.rates.runs == 1
                             ? ", by what the last dump of this server came to"
                             : fmt::format(", by what the last {} dumps of this server came to",
                                           question.rates.runs);
    }

    const double archive = toDouble(question.workload.bytes()) * question.rates.ratio;
    const Range factor = question.rates.measured ? kMeasuredSizes : kAssumedSizes;
    advice.archiveBytes = {archive * factor.low, archive * factor.high};
    return advice;
}

}  // namespace gantry::advise
