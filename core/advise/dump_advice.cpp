// SPDX-License-Identifier: PostgreSQL
#include "core/advise/dump_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/advise/prediction.h"
#include "core/advise/wording.h"
#include "core/base/format.h"
#include "core/pg/server_versions.h"

namespace gantry::advise {
namespace {

constexpr double kSecondsPerTable = 0.00012;
constexpr double kSecondsPerObject = 0.00001;
constexpr double kObjectsAgainstRows = 3;  // as fast: nothing of them is made text
constexpr double kSchemaSeconds = 0.1;     // what pg_dump takes to begin, and for each relation
constexpr double kSchemaSecondsPerRelation = 0.00012;
constexpr double kSecondsPerDumpConnection = 0.005;
// Answers that are waited for: by pg_dump, by a worker that begins, for each table.
constexpr double kSchemaRoundTrips = 100;
constexpr double kDumpBeginningRoundTrips = 12;
constexpr double kTableRoundTrips = 3;
constexpr double kBytesUnderWay = 1e6;  // that a connection has on its way at a time, as is usual
constexpr uint32_t kSchemaDump = 1;     // pg_dump's own connection
constexpr std::size_t kTablesSimulated = 200;
constexpr uint64_t kWorthDividing = uint64_t{32} << 20;
constexpr uint64_t kFrameMemory = uint64_t{24} << 20;  // of a connection, and of a compressor
constexpr uint32_t kMostUnmeasured = 8;
constexpr double kAsFast = 1.1;  // so much longer is not worth a larger archive
constexpr double kMostOfCores = 0.7;
constexpr double kAssumedHeadroom = 2;
constexpr double kHeadroom = 1.3;  // compressors beyond what just keeps up
constexpr Range kAssumedSizes{0.5, 1.6};
constexpr Range kMeasuredSizes{0.9, 1.1};
constexpr Range kAssumedRates{0.6, 1.6};

double toDouble(uint64_t number) { return static_cast<double>(number); }

/// Over one connection: rates that were not measured know nothing of the distance.
double readRate(const DumpQuestion& question) {
    const DumpRates& rates = question.rates;
    const double roundTrip = question.surroundings.roundTrip;
    if (rates.measured || roundTrip <= 0) return rates.readPerSecond;
    return std::min(rates.readPerSecond, kBytesUnderWay / roundTrip);
}

double schemaSeconds(const DumpQuestion& question) {
    return kSchemaSeconds + kSchemaRoundTrips * question.surroundings.roundTrip +
           kSchemaSecondsPerRelation * toDouble(question.workload.relations);
}

double tableSeconds(const DumpQuestion& question) {
    return kSecondsPerTable + kTableRoundTrips * question.surroundings.roundTrip;
}

/// The largest tables as the run will plan them; the many small ones, which never decide anything
/// alone, as one task that divides.
plan::TaskGraph makePlan(const DumpQuestion& question) {
    const DumpWorkload& work = question.workload;
    const plan::DumpPlanSettings settings{
        .chunks = question.chunks,
        .tidRangeScans = question.surroundings.serverMajor >= pg::kTidRangeScans};
    std::vector<std::size_t> order(work.tables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(order.size(), kTablesSimulated);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](std::size_t a, std::size_t b) { return work.tables[a].bytes > work.tables[b].bytes; });
    const double rate = readRate(question);
    const double perTable = tableSeconds(question);
    plan::TaskGraph graph;
    plan::Task schema;
    schema.kind = plan::TaskKind::Schema;
    schema.cost = schemaSeconds(question);
    schema.pinnedTo = WorkerId{0};
    graph.add(std::move(schema));
    for (std::size_t i = 0; i < shown; ++i) {
        plan::Task task = plan::planTable(work.tables[order[i]], settings);
        task.cost = perTable + toDouble(task.bytes) / rate;
        graph.add(std::move(task));
    }
    if (shown < order.size()) {
        plan::Task rest;
        rest.division = plan::Division{.units = order.size() - shown};
        for (std::size_t i = shown; i < order.size(); ++i)
            rest.bytes += work.tables[order[i]].bytes;
        rest.cost = perTable * toDouble(order.size() - shown) + toDouble(rest.bytes) / rate;
        graph.add(std::move(rest));
    }
    if (work.largeObjects > 0) {
        plan::Task objects =
            plan::planLargeObjects("large objects", work.largeObjects, work.largeObjectBytes);
        objects.cost = kSecondsPerObject * toDouble(work.largeObjects) +
                       toDouble(work.largeObjectBytes) / (rate * kObjectsAgainstRows);
        graph.add(std::move(objects));
    }
    return graph;
}

uint32_t compressThreads(const DumpQuestion& question) {
    const uint32_t local = question.surroundings.localCores;
    return std::max(std::min(question.compressJobs.value_or(local), local), 1U);
}

/// Of one core, for all that is read.
double readingSeconds(const DumpQuestion& question) {
    const double objects = toDouble(question.workload.largeObjectBytes);
    const double bytes =
        toDouble(question.workload.bytes()) - objects + objects / kObjectsAgainstRows;
    const DumpRates& rates = question.rates;
    if (!question.surroundings.sameMachine || !rates.readTotal) return bytes / rates.readPerSecond;
    // What all cores read at most tells what a byte costs them, our own part in it counted.
    return bytes * question.surroundings.localCores / *rates.readTotal;
}

/// Of a machine that reads and compresses, and describes every relation.
double sharedSeconds(const DumpQuestion& question) {
    const DumpWorkload& work = question.workload;
    const double compressing = toDouble(work.bytes()) / question.rates.compressPerSecond;
    const double describing =
        schemaSeconds(question) + tableSeconds(question) * toDouble(work.tables.size());
    return (readingSeconds(question) + compressing + describing) /
           question.surroundings.sharedCoresLeft();
}

/// What processors, network and disk need at least, however the work is shared out.
std::vector<Demand> demandsOf(const DumpQuestion& question) {
    const double bytes = toDouble(question.workload.bytes());
    const Surroundings& where = question.surroundings;
    const double reading = readingSeconds(question);
    const double compressing = bytes / question.rates.compressPerSecond;
    std::vector<Demand> demands{{compressing / compressThreads(question), Limit::LocalCpu}};
    const double server = where.serverCoresLeft();
    if (where.sameMachine) {
        demands.push_back({sharedSeconds(question), Limit::SharedCpu});
    } else if (where.serverCores || !question.rates.readTotal) {
        demands.push_back({reading / server, Limit::ServerCpu});
    }
    if (question.rates.readTotal && !where.sameMachine) {
        const double atOnce = *question.rates.readTotal / question.rates.readPerSecond;
        const Limit limit = atOnce < server * kMostOfCores ? Limit::Network : Limit::ServerCpu;
        demands.push_back({bytes / *question.rates.readTotal, limit});
    }
    if (question.destination && question.destination->writePerSecond) {
        demands.push_back(
            {bytes * question.rates.ratio / *question.destination->writePerSecond, Limit::Disk});
    }
    return demands;
}

Prediction predictionOf(const DumpQuestion& question) {
    const auto plan = std::make_shared<const plan::TaskGraph>(makePlan(question));
    return {.plan = [plan](uint32_t /*jobs*/) { return *plan; },
            .demands = demandsOf(question),
            .beginning = kDumpBeginningRoundTrips * question.surroundings.roundTrip,
            .perConnection = kSecondsPerDumpConnection};
}

uint32_t mostPoints(const Surroundings& where) {
    const uint32_t known =
        std::max<uint32_t>(where.localCores, static_cast<uint32_t>(where.serverCoresLeft()));
    // A distance is bridged by connections that have no core of their own.
    constexpr double kFar = 0.005;
    constexpr uint32_t kPointsFarAway = 16;
    const uint32_t least = where.roundTrip >= kFar ? kPointsFarAway : kFewestPoints;
    return std::clamp(2 * known, least, kMostPoints);
}

Curve curveOf(const DumpQuestion& question, bool coarse = false) {
    Prediction prediction = predictionOf(question);
    prediction.coarse = coarse;
    const uint32_t free = question.surroundings.freeConnections;
    const uint32_t points = mostPoints(question.surroundings);
    const uint32_t room = std::clamp(free, 1 + kSchemaDump, points + kSchemaDump) - kSchemaDump;
    Curve curve = predictCurve(prediction, points, room, politeJobs(free, kSchemaDump));
    curve.measured = question.rates.measured;
    curve.outdated = !question.rates.measured && !question.rates.sampledAt.empty();
    return curve;
}

/// The table that takes longest over as many connections as may share it.
const plan::TableSize& longestTable(const DumpQuestion& question) {
    return *std::max_element(
        question.workload.tables.begin(), question.workload.tables.end(),
        [](const plan::TableSize& a, const plan::TableSize& b) { return a.bytes < b.bytes; });
}

std::string whyOneConnection(const DumpQuestion& question, const plan::TableSize& table) {
    if (!question.chunks) return "tables are not to be divided";
    if (question.surroundings.serverMajor < pg::kTidRangeScans) {
        return fmt::format("server {} cannot read a table in ranges",
                           question.surroundings.serverMajor);
    }
    return table.divisible ? "it is too small to be divided" : "it cannot be divided";
}

std::string whyNoMoreConnections(const DumpQuestion& question) {
    const uint32_t free = question.surroundings.freeConnections;
    if (free <= 1 + kSchemaDump) {
        return fmt::format("the server has room for {} more connection{}, and pg_dump needs one",
                           free, free == 1 ? "" : "s");
    }
    return fmt::format(
        "the server has room for {} more connections, of which pg_dump needs one and one is left "
        "to others",
        free);
}

std::string byWhat(const DumpRates& rates) {
    if (rates.runs == 1) return ", by what the last dump of this server came to";
    if (rates.runs > 1) {
        return fmt::format(", by what the last {} dumps of this server came to", rates.runs);
    }
    if (!rates.sampledAt.empty()) {
        return fmt::format(", as measured on {}", rates.sampledAt.substr(0, 10));
    }
    return {};
}

/// Why no more than the advised number.
std::string whyNoMoreJobs(const DumpQuestion& question, const Curve& curve) {
    const Surroundings& where = question.surroundings;
    const DumpRates& rates = question.rates;
    if (curve.at(1).seconds < kMoment) {  // as predictCurve() has it
        return fmt::format("{} are read in a moment, so that more connections gain nothing",
                           formatBytes(question.workload.bytes()));
    }
    const bool wouldGain = curve.knee < curve.points.back().jobs &&
                           beyondKnee(curve).seconds < curve.at(curve.knee).seconds * kGain;
    if (wouldGain && curve.knee >= politeJobs(where.freeConnections, kSchemaDump)) {
        return whyNoMoreConnections(question);
    }
    switch (beyondKnee(curve).limit) {
        case Limit::SharedCpu:
            return fmt::format(
                "the server and the compression share {} here, which manage about {} between them",
                coresText(where.localCores),
                rateText(toDouble(question.workload.bytes()) / sharedSeconds(question)));
        case Limit::LocalCpu:
            return fmt::format("{} compress about {}, which so many connections fill",
                               localCoresText(where),
                               rateText(rates.compressPerSecond * compressThreads(question)));
        case Limit::ServerCpu:
            if (where.busySessions.value_or(0) > 0) {
                return fmt::format("{} are busy then, {} of them with other sessions, at about {}",
                                   serverCoresText(where),
                                   std::min(*where.busySessions, where.serverCores.value_or(1)),
                                   rateText(rates.readPerSecond * where.serverCoresLeft()));
            }
            return where.serverCores
                       ? fmt::format("{} are busy then, at about {}", serverCoresText(where),
                                     rateText(rates.readPerSecond * where.serverCoresLeft()))
                       : serverCoresText(where);
        case Limit::Network:
            return fmt::format("the way from the server carries about {}, which they fill",
                               rateText(rates.readTotal.value_or(rates.readPerSecond)));
        case Limit::Disk:
            return fmt::format("{} takes about {}, which so many connections fill",
                               question.destination->folder.string(),
                               rateText(question.destination->writePerSecond.value_or(0)));
        case Limit::Definitions:
            return fmt::format(
                "pg_dump takes about {} to gather the definitions of {} relations, however many "
                "connections read",
                secondsText(schemaSeconds(question)), formatCount(question.workload.relations));
        case Limit::LongestTable: {
            if (question.workload.tables.empty()) break;
            const plan::TableSize& table = longestTable(question);
            return fmt::format("{} is read over one connection, since {}: its {} take about {}",
                               table.object, whyOneConnection(question, table),
                               formatBytes(table.bytes),
                               secondsText(toDouble(table.bytes) / readRate(question)));
        }
        case Limit::Connections:
        case Limit::LongestChain:
        case Limit::Locks:
            break;
    }
    if (readRate(question) < rates.readPerSecond) {
        return fmt::format(
            "over {:.0f} ms each connection carries about {}, and up to {} they add up",
            where.roundTrip * 1000, rateText(readRate(question)), curve.knee);
    }
    return fmt::format("each connection reads about {}, and up to {} they add up",
                       rateText(rates.readPerSecond), curve.knee);
}

/// Usual rates cannot tell that fewer connections than cores will do where one machine reads and
/// compresses: as long as nothing was measured there, each core gets one. True if that is more
/// than the curve asks for.
bool takeEveryCore(const DumpQuestion& question, Curve& curve) {
    const Surroundings& where = question.surroundings;
    if (question.rates.measured || !where.sameMachine) return false;
    if (beyondKnee(curve).limit == Limit::LongestTable) return false;
    const auto cores = std::min(static_cast<uint32_t>(where.sharedCoresLeft()), kMostUnmeasured);
    if (cores <= curve.knee || cores > politeJobs(where.freeConnections, kSchemaDump)) return false;
    curve.knee = cores;
    return true;
}

/// The knees where rates, and cores in doubt, are less or more than assumed.
std::string jobsRange(const DumpQuestion& question, uint32_t jobs) {
    if (question.rates.measured && question.surroundings.serverCoresDoubt.empty()) return {};
    uint32_t low = jobs;
    uint32_t high = jobs;
    for (const bool more : {false, true}) {
        DumpQuestion other = question;
        if (!other.rates.measured) {
            other.rates.readPerSecond *= more ? kAssumedRates.low : kAssumedRates.high;
        }
        Surroundings& where = other.surroundings;
        if (!where.sameMachine && (where.serverUnknown() || !where.serverCoresDoubt.empty())) {
            const auto cores = static_cast<uint32_t>(where.serverCoresLeft());
            where.serverCores = more ? 2 * cores : std::max(cores / 2, 1U);
        }
        const uint32_t knee = curveOf(other, true).knee;
        low = std::min(low, knee);
        high = std::max(high, knee);
    }
    return rangeText(low, high);
}

std::string jobsWarning(const DumpQuestion& question, const Curve& curve) {
    const Surroundings& where = question.surroundings;
    if (where.freeConnections < 1 + kSchemaDump) {
        return "A dump needs two connections beside the first: it will be refused.";
    }
    if (curve.mostJobs > curve.knee && curve.mostJobs < curve.points.back().jobs) {
        return fmt::format("{} would leave no connection to anybody else.", curve.mostJobs);
    }
    const uint64_t memory = kFrameMemory * (curve.knee + compressThreads(question));
    if (where.memory && memory > where.memory->available / 2) {
        return fmt::format("They and the compressors keep about {} in memory, of {} that are free.",
                           formatBytes(memory), formatBytes(where.memory->available));
    }
    return {};
}

Recommendation compressorsFor(const DumpQuestion& question, const Curve& curve) {
    const double bytes = toDouble(question.workload.bytes());
    const double seconds = std::max(curve.at(curve.knee).seconds, 1e-3);
    const double busy = bytes / seconds / question.rates.compressPerSecond;
    const uint32_t local = std::max(question.surroundings.localCores, 1U);
    const auto threads = std::min(
        static_cast<uint32_t>(std::max(
            std::ceil(busy * (question.rates.measured ? kHeadroom : kAssumedHeadroom)), 1.0)),
        local);
    return {.setting = "compress-jobs",
            .value = std::to_string(threads),
            .reason =
                fmt::format("rows come at about {}, of which one core compresses {}",
                            rateText(bytes / seconds), rateText(question.rates.compressPerSecond))};
}

/// The smallest archive that takes hardly longer than the fastest one.
const CodecRate& chooseCodec(const DumpQuestion& question,
                             std::vector<std::pair<double, const CodecRate*>>& timed) {
    const uint32_t jobs = std::min(mostPoints(question.surroundings),
                                   politeJobs(question.surroundings.freeConnections, kSchemaDump));
    for (const CodecRate& codec : question.codecs) {
        DumpQuestion with = question;
        with.rates.compressPerSecond = codec.compressPerSecond;
        with.rates.ratio = codec.ratio;
        timed.emplace_back(predictDump(with, jobs).seconds, &codec);
    }
    const double fastest = std::min_element(timed.begin(), timed.end())->first;
    const CodecRate* chosen = nullptr;
    for (const auto& [seconds, codec] : timed) {
        if (seconds > fastest * kAsFast) continue;
        if (chosen == nullptr || codec->ratio < chosen->ratio) chosen = codec;
    }
    return *chosen;
}

Recommendation settleCodec(DumpQuestion& question) {
    std::vector<std::pair<double, const CodecRate*>> timed;
    const CodecRate& chosen = chooseCodec(question, timed);
    question.rates.compressPerSecond = chosen.compressPerSecond;
    question.rates.ratio = chosen.ratio;
    question.rates.ratioAssumed = chosen.ratioAssumed;
    const std::string name = io::toString(chosen.compression);
    std::string reason =
        fmt::format("{} {:.0f}% of the tables' size, and a core compresses {}",
                    chosen.ratioAssumed ? "an archive usually has" : "the archive has",
                    chosen.ratio * 100, rateText(chosen.compressPerSecond));
    // What the next smaller one would have cost.
    const std::pair<double, const CodecRate*>* smaller = nullptr;
    double own = 0;
    for (const auto& one : timed) {
        if (one.second == &chosen) own = one.first;
        if (one.second->ratio >= chosen.ratio) continue;
        if (smaller == nullptr || one.second->ratio > smaller->second->ratio) smaller = &one;
    }
    if (smaller != nullptr && own > 0) {
        reason += fmt::format("; {} would make it {:.0f}%, and take {:.1f} times as long",
                              io::toString(smaller->second->compression),
                              smaller->second->ratio * 100, smaller->first / own);
    }
    if (question.surroundings.serverMajor < pg::kZstdEverywhere) {
        reason += fmt::format("; zstd is left out, which pg_restore {} cannot read",
                              question.surroundings.serverMajor);
    }
    return {.setting = "compress", .value = name, .reason = std::move(reason)};
}

Recommendation unmeasuredCodec(const DumpQuestion& question) {
    const bool zstd = question.surroundings.serverMajor >= pg::kZstdEverywhere;
    return {.setting = "compress",
            .value = "auto",
            .range = zstd ? "zstd:1 to zstd:6" : "gzip:1 to gzip:6",
            .reason = zstd ? "its level follows what the processors manage, and pg_restore from 16 "
                             "on reads zstd; how this database compresses was not measured"
                           : "its level follows what the processors manage, and pg_restore of the "
                             "server's version reads gzip only; how this database compresses was "
                             "not measured"};
}

Recommendation chunksFor(const DumpQuestion& question) {
    Recommendation chunks{.setting = "chunks", .value = "off", .reason = {}};
    if (question.surroundings.serverMajor < pg::kTidRangeScans) {
        chunks.reason = fmt::format("server {} would read a whole table for each range of it",
                                    question.surroundings.serverMajor);
        return chunks;
    }
    const plan::TableSize* largest = nullptr;
    for (const plan::TableSize& table : question.workload.tables) {
        if (table.divisible && (largest == nullptr || table.bytes > largest->bytes)) {
            largest = &table;
        }
    }
    if (largest == nullptr || largest->bytes < kWorthDividing) {
        chunks.reason = "no table is large enough to be divided, so that it makes no difference";
        return chunks;
    }
    const double share = toDouble(largest->bytes) / toDouble(question.workload.bytes());
    chunks.value = "on";
    chunks.reason = fmt::format(
        "{} is {:.0f}% of the rows and takes one connection {}: it is divided if the others would "
        "idle meanwhile",
        largest->object, share * 100, secondsText(toDouble(largest->bytes) / readRate(question)));
    return chunks;
}

std::string workText(const DumpWorkload& work) {
    constexpr uint64_t kBlock = 8192;
    uint64_t heap = 0;
    uint64_t all = 0;
    for (const plan::TableSize& table : work.tables) {
        heap += std::min(table.heapBlocks * kBlock, table.bytes);
        all += table.bytes;
    }
    std::string text =
        "To be read: " + sizesText(work.tables.size(), heap, all - heap, std::nullopt);
    if (work.largeObjects > 0) {
        text += fmt::format(", {} large objects of {}", formatCount(work.largeObjects),
                            formatBytes(work.largeObjectBytes));
    }
    return text + ".";
}

std::string destinationText(const Destination& place) {
    std::string text =
        fmt::format("{} has {} free", place.folder.string(), formatBytes(place.freeBytes));
    if (!place.fileSystem.empty()) text += fmt::format(" ({})", place.fileSystem);
    return text + ".";
}

std::vector<std::string> warningsOf(const DumpQuestion& question, const Advice& advice) {
    const Surroundings& where = question.surroundings;
    std::vector<std::string> warnings = cautionsOf(where);
    const double longest = advice.curve.timeRange(advice.curve.knee).high;
    if (where.standby && !where.standbyFeedback && where.standbyPatience &&
        longest > *where.standbyPatience) {
        warnings.push_back(fmt::format(
            "On this standby a dump may be cancelled once it has kept replay waiting for {} "
            "(max_standby_streaming_delay), and hot_standby_feedback is off.",
            secondsText(*where.standbyPatience)));
    }
    if (where.standby && where.replicationLag.value_or(0) > 0) {
        warnings.push_back(fmt::format("The standby is {} behind its primary, and so is the dump.",
                                       secondsText(*where.replicationLag)));
    }
    if (question.destination && advice.archiveBytes &&
        advice.archiveBytes->high > toDouble(question.destination->freeBytes)) {
        warnings.push_back(fmt::format(
            "The archive may take {}, and {} has {} free.",
            formatBytes(static_cast<uint64_t>(advice.archiveBytes->high)),
            question.destination->folder.string(), formatBytes(question.destination->freeBytes)));
    }
    return warnings;
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
    chosen.algorithm =
        serverMajor >= pg::kZstdEverywhere ? io::Algorithm::Zstd : io::Algorithm::Gzip;
    chosen.automatic = true;
    return chosen;
}

DumpRates usualRates(archive::Format format, const std::optional<io::Compression>& compression,
                     int serverMajor) {
    const io::Compression chosen = chosenCompression(format, compression, serverMajor);
    DumpRates rates;
    // An automatic level is the lowest as long as processors are what a dump waits for.
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
            const int level = chosen.level.value_or(chosen.automatic ? 1 : 6);
            rates.compressPerSecond = level <= 3 ? 80e6 : level <= 6 ? 40e6 : 20e6;
            // What is not one stream is made by libdeflate.
            if (format != archive::Format::Custom) rates.compressPerSecond *= 2;
            rates.ratio = level <= 3 ? 0.32 : 0.28;
            break;
        }
        case io::Algorithm::Zstd: {
            const int level = chosen.level.value_or(chosen.automatic ? 1 : 3);
            rates.compressPerSecond = level <= 1    ? 400e6
                                      : level <= 3  ? 250e6
                                      : level <= 6  ? 100e6
                                      : level <= 12 ? 35e6
                                                    : 5e6;
            rates.ratio = level <= 3 ? 0.28 : level <= 12 ? 0.24 : 0.2;
            break;
        }
    }
    return rates;
}

CurvePoint predictDump(const DumpQuestion& question, uint32_t jobs) {
    return predict(predictionOf(question), jobs);
}

Advice adviseDump(const DumpQuestion& asked) {
    DumpQuestion question = asked;
    const Recommendation codec =
        question.codecs.empty() ? unmeasuredCodec(question) : settleCodec(question);
    Advice advice;
    advice.curve = curveOf(question);
    const Curve& curve = advice.curve;
    std::string why = whyNoMoreJobs(question, curve);
    if (takeEveryCore(question, advice.curve)) {
        why = fmt::format(
            "one for each of {} here; nothing measured on this server says that fewer will do",
            coresText(curve.knee));
    }
    advice.recommendations.push_back({.setting = "jobs",
                                      .value = std::to_string(curve.knee),
                                      .range = jobsRange(question, curve.knee),
                                      .reason = std::move(why) + byWhat(question.rates),
                                      .warning = jobsWarning(question, curve)});
    advice.recommendations.push_back(compressorsFor(question, curve));
    advice.recommendations.push_back(codec);
    advice.recommendations.push_back(
        {.setting = "format",
         .value = "directory",
         .reason = fmt::format(
             "each of {} tables is a file of its own, which connections write side by side and any "
             "number of workers restores; other formats bring them into one order",
             formatCount(question.workload.tables.size()))});
    advice.recommendations.push_back(chunksFor(question));

    const double archive = toDouble(question.workload.bytes()) * question.rates.ratio;
    const bool known = question.rates.measured && !question.rates.ratioAssumed;
    const Range factor = known ? kMeasuredSizes : kAssumedSizes;
    advice.archiveBytes = {archive * factor.low, archive * factor.high};
    advice.warnings = warningsOf(question, advice);
    advice.facts = factsOf(question.surroundings);
    advice.facts.push_back(workText(question.workload));
    if (question.destination) advice.facts.push_back(destinationText(*question.destination));
    return advice;
}

}  // namespace gantry::advise
