// SPDX-License-Identifier: PostgreSQL
#include "core/advise/measured_rates.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gantry::advise {
namespace {

constexpr double kShortest = 0.5;    // seconds: below, connecting and locking are all there is
constexpr double kMostFactor = 100;  // from the rates assumed
constexpr int kSteps = 24;

double predicted(const DumpRates& assumed, const Surroundings& surroundings,
                 const MeasuredDump& dump, double factor) {
    DumpQuestion question;
    question.workload = dump.workload;
    question.surroundings = surroundings;
    question.rates = assumed;
    question.rates.measured = true;  // whatever the distance, it is in what the dump took
    question.rates.readPerSecond *= factor;
    question.rates.compressPerSecond *= factor;
    question.chunks = dump.chunks;
    question.compressJobs = dump.compressJobs;
    return predictDump(question, dump.jobs).seconds;
}

/// The faster the rates, the shorter the time: halving finds the place.
double factorOf(const DumpRates& assumed, const Surroundings& surroundings,
                const MeasuredDump& dump) {
    double low = -std::log(kMostFactor);
    double high = std::log(kMostFactor);
    for (int step = 0; step < kSteps; ++step) {
        const double middle = (low + high) / 2;
        const bool tooSlow =
            predicted(assumed, surroundings, dump, std::exp(middle)) > dump.seconds;
        (tooSlow ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

}  // namespace

DumpRates measuredRates(const DumpRates& assumed, const Surroundings& surroundings,
                        std::span<const MeasuredDump> dumps) {
    std::vector<double> factors;
    uint64_t bytes = 0;
    uint64_t archiveBytes = 0;
    for (const MeasuredDump& dump : dumps) {
        if (dump.seconds < kShortest || dump.workload.bytes() == 0) continue;
        factors.push_back(factorOf(assumed, surroundings, dump));
        bytes += dump.workload.bytes();
        archiveBytes += dump.archiveBytes;
    }
    if (factors.empty()) return assumed;
    const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
    std::nth_element(factors.begin(), middle, factors.end());
    DumpRates rates = assumed;
    rates.readPerSecond *= *middle;
    rates.compressPerSecond *= *middle;
    if (archiveBytes > 0) {
        rates.ratio = static_cast<double>(archiveBytes) / static_cast<double>(bytes);
        rates.ratioAssumed = false;
    }
    rates.measured = true;
    rates.runs = static_cast<uint32_t>(factors.size());
    return rates;
}

}  // namespace gantry::advise
