// SPDX-License-Identifier: PostgreSQL
#include "core/advise/past_rates.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "core/advise/measured_rates.h"
#include "core/base/error.h"
#include "core/history/forecast.h"

namespace gantry::advise {
namespace {

using history::Experience;

constexpr uint64_t kBlockBytes = 8192;
/// A short run tells more of a server than what is usual elsewhere.
constexpr Duration kShortRun = std::chrono::milliseconds(100);

std::string optionOf(const history::PastRun& run, const std::string& name) {
    const auto found = run.options.find(name);
    return found == run.options.end() ? std::string() : found->second;
}

MeasuredDump measuredDump(const Experience& past) {
    MeasuredDump dump;
    for (const history::PastTask& task : past.tasks) {
        if (task.kind == plan::toString(plan::TaskKind::TableData)) {
            dump.workload.tables.push_back({.object = task.object,
                                            .heapBlocks = task.estimatedBytes / kBlockBytes,
                                            .bytes = task.estimatedBytes,
                                            .divisible = task.divisible});
        } else if (task.kind == plan::toString(plan::TaskKind::LargeObjects)) {
            dump.workload.largeObjectBytes += task.estimatedBytes;
        }
    }
    dump.workload.relations = past.run.relations;
    dump.workload.largeObjects = past.run.largeObjects;
    dump.chunks = !past.run.options.contains("no-chunks");
    dump.jobs = past.run.workers;
    const std::string threads = optionOf(past.run, "compress-jobs");
    uint32_t count = 0;
    std::from_chars(threads.data(), threads.data() + threads.size(), count);
    if (count > 0) dump.compressJobs = count;
    dump.seconds = secondsOf(past.run.worked());
    dump.archiveBytes = past.run.compressedBytes;
    return dump;
}

events::RunStarted runOn(const Surroundings& surroundings, std::string_view operation) {
    events::RunStarted wanted;
    wanted.operation = operation;
    wanted.database = surroundings.database;
    wanted.environment = {{"cluster", surroundings.cluster}, {"server", surroundings.server}};
    return wanted;
}

}  // namespace

std::optional<Calibration> findCalibration(history::History& history, const std::string& server) {
    if (!history.exists()) return std::nullopt;
    try {
        const auto text = history.calibration(server);
        if (text) return calibrationFrom(*text);
    } catch (const Error&) {  // then advice goes without
    }
    return std::nullopt;
}

DumpRates dumpRates(history::History& history, const Surroundings& surroundings,
                    archive::Format format, const std::optional<io::Compression>& compression,
                    const std::string& output) {
    const io::Compression chosen = chosenCompression(format, compression, surroundings.serverMajor);
    DumpRates rates = usualRates(format, compression, surroundings.serverMajor);
    rates.ratioAssumed = true;
    if (const auto calibration = findCalibration(history, serverKey(surroundings))) {
        if (const auto sampled = ratesOf(*calibration, chosen)) {
            const double usualRatio = rates.ratio;
            rates = *sampled;
            // The server is as fast for all its databases, but their rows are not alike.
            rates.ratioAssumed = calibration->database != surroundings.database;
            if (rates.ratioAssumed) rates.ratio = usualRatio;
        }
    }
    if (!history.exists()) return rates;
    events::RunStarted wanted = runOn(surroundings, "dump");
    wanted.options = {{"format", std::string(archive::toString(format))},
                      {"compress", io::toString(chosen)},
                      {"file", output}};
    try {
        std::vector<MeasuredDump> dumps;
        bool ofThisDatabase = false;
        for (const Experience& past : history::experienceFor(history, wanted)) {
            if (past.run.wasDisturbed()) continue;
            dumps.push_back(measuredDump(past));
            ofThisDatabase = past.run.database == surroundings.database;
        }
        DumpRates measured = measuredRates(rates, surroundings, dumps);
        if (!ofThisDatabase) {
            if (!rates.ratioAssumed) measured.ratio = rates.ratio;
            measured.ratioAssumed = rates.ratioAssumed;
        }
        return measured;
    } catch (const Error&) {
        return rates;
    }
}

CostFactors costFactors(history::History& history, const Surroundings& surroundings,
                        std::string_view operation,
                        const std::map<std::string, std::string>& options) {
    CostFactors factors;
    if (!history.exists()) return factors;
    try {
        events::RunStarted wanted = runOn(surroundings, operation);
        wanted.options = options;
        std::vector<Experience> experience = history::experienceFor(history, wanted);
        if (experience.empty()) {
            experience = history::experienceFor(history, wanted, kShortRun);
        }
        for (Experience& past : experience) {
            // More workers than cores take turns.
            const double turns =
                std::min(1.0, surroundings.serverCores.value_or(past.run.workers) /
                                  static_cast<double>(std::max(past.run.workers, 1U)));
            for (history::PastTask& task : past.tasks) {
                task.busy = Duration(
                    static_cast<Duration::rep>(static_cast<double>(task.busy.count()) * turns));
            }
        }
        const history::CostRatios ratios = history::costRatios(experience);
        for (const auto& [kind, ratio] : ratios.byKind) {
            if (ratio > 0) factors.byKind.emplace(kind, ratio);
        }
        if (factors.byKind.empty()) return factors;
        // By their weight: a moment's work that took two moments says little of the machine.
        factors.ofOthers = ratios.all;
        factors.runs = static_cast<uint32_t>(experience.size());
    } catch (const Error&) {
        return {};
    }
    return factors;
}

}  // namespace gantry::advise
