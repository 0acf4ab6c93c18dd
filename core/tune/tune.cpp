// SPDX-License-Identifier: PostgreSQL
#include "core/tune/tune.h"

#include <fmt/format.h>

#include <chrono>

#include "core/advise/calibrate.h"
#include "core/advise/past_rates.h"
#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/processor_load.h"
#include "core/history/history.h"
#include "core/options/command.h"
#include "core/options/vacuum_options.h"
#include "core/options/validate.h"
#include "core/pg/one_server.h"
#include "core/tune/bench.h"
#include "core/tune/measured_run.h"

namespace gantry::tune {
namespace {

constexpr int kUsualRounds = 3;
constexpr double kCalibration = 10;        // seconds at most
constexpr double kCalibrationShare = 0.1;  // of the budget

double toSeconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

std::vector<Point> pointsFor(const options::TuneOptions& options) {
    const std::vector<uint32_t> jobs =
        options.jobs.empty() ? options::usualJobs(usableProcessors()) : options.jobs;
    std::vector<Point> points;
    const auto add = [&](const Setting& variant) {
        for (const uint32_t count : jobs) {
            Point point{.setting = variant};
            point.setting.jobs = count;
            points.push_back(std::move(point));
        }
    };
    std::vector<std::optional<archive::Format>> formats(options.formats.begin(),
                                                        options.formats.end());
    std::vector<std::optional<io::Compression>> codecs(options.compressions.begin(),
                                                       options.compressions.end());
    if (formats.empty()) formats.emplace_back();
    if (codecs.empty()) codecs.emplace_back();
    for (const auto& format : formats) {
        for (const auto& codec : codecs) add({.jobs = 1, .format = format, .compression = codec});
    }
    return points;
}

std::unique_ptr<Bench> makeBench(const options::TuneOptions& options, Voice voice) {
    switch (*options.operation) {
        case options::TuneOperation::Dump:
            return makeDumpBench(options, std::move(voice));
        case options::TuneOperation::Restore:
            return makeRestoreBench(options, std::move(voice));
        case options::TuneOperation::Vacuum:
            return makeVacuumBench(options, std::move(voice));
    }
    throw Error(ErrorKind::Internal, "unknown operation");
}

options::TuneOptions withoutSecrets(options::TuneOptions options) {
    options.connection.password.reset();
    options.connection.database = options::withoutPassword(options.connection.database);
    return options;
}

class Tuning {
public:
    Tuning(const options::TuneOptions& options, std::filesystem::path history, Observer& observer,
           std::stop_token stop)
        : options_(options),
          history_(std::move(history)),
          observer_(observer),
          stop_(std::move(stop)),
          bench_(makeBench(options_,
                           {.step = [this](const std::string& what) { observer_.step(what); },
                            .tell = [this](const std::string& text) { observer_.tell(text); }})) {}

    Report outlook() {
        lookFirst();
        return std::move(report_);
    }
    Report run();

private:
    double elapsed() const { return toSeconds(clock_.now() - begin_); }
    /// What is known of the server, also if these runs are not to be kept.
    std::filesystem::path knownRuns() const {
        return history_.empty() ? history::usualFolder() : history_;
    }
    void lookFirst();
    void foresee();
    void calibrate();
    Rules rules() const;
    void measureAll(Sweep& sweep);
    void measureOne(Sweep& sweep, const Sweep::Measurement& measurement);
    void take(const Sweep& sweep);

    const options::TuneOptions options_;
    const std::filesystem::path history_;
    Observer& observer_;
    const std::stop_token stop_;
    const SteadyClock clock_;
    const Duration begin_ = clock_.now();
    std::unique_ptr<Bench> bench_;
    Report report_;
};

Rules Tuning::rules() const {
    Rules rules;
    rules.rounds = static_cast<uint32_t>(options_.rounds.value_or(kUsualRounds));
    if (!options_.budget.empty())
        rules.budget = toSeconds(*options::parseDuration(options_.budget));
    rules.everything = options_.everything;
    rules.warmUp = bench_->needsWarmUp();
    return rules;
}

void Tuning::lookFirst() {
    report_.options = withoutSecrets(options_);
    report_.cores = usableProcessors();
    report_.points = pointsFor(options_);
    observer_.step("looking at the server");
    bench_->look(stop_);
    report_.where = bench_->place();
    foresee();
    observer_.step({});
}

void Tuning::foresee() {
    try {
        history::History history(knownRuns());
        report_.foreseen = bench_->predict(report_.points, history, stop_);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        observer_.tell("No prediction was made: " + error.info().describe());
    }
}

/// What is predicted should rest on this server, not on a usual one.
void Tuning::calibrate() {
    if (history_.empty() || options_.scratch) return;  // it would be of no use later
    try {
        history::History history(history_);
        std::string server;
        {
            pg::Connection connection = pg::Connection::open(bench_->target(), kApplication, stop_);
            const advise::Surroundings where = advise::collectSurroundings(connection);
            server = advise::serverKey(where);
            const auto known = advise::findCalibration(history, server);
            const std::string now = formatIsoTime(std::chrono::system_clock::now());
            // How rows are read and compressed depends on whose they are.
            const bool others = *options_.operation == options::TuneOperation::Dump && known &&
                                known->database != connection.databaseName();
            if (known && !others && advise::staleness(*known, where, now).empty()) return;
        }
        const double most =
            options_.budget.empty()
                ? kCalibration
                : toSeconds(*options::parseDuration(options_.budget)) * kCalibrationShare;
        const advise::Calibration measured = advise::calibrate(
            {.connection = bench_->target(), .seconds = std::min(kCalibration, most)}, stop_,
            [this](std::string_view step) { observer_.step(std::string(step)); });
        if (measured.reading.empty()) return;
        history.keepCalibration(server, measured.takenAt, advise::toJson(measured));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        observer_.tell("The server was not calibrated: " + error.info().describe());
    }
}

void Tuning::take(const Sweep& sweep) {
    report_.points = sweep.points();
    report_.seconds = elapsed();
    report_.remarks = bench_->remarks();
    observer_.changed(report_);
}

void Tuning::measureOne(Sweep& sweep, const Sweep::Measurement& measurement) {
    const Setting setting = sweep.points()[measurement.point].setting;
    observer_.begins(report_, measurement, sweep.left());
    const double before = elapsed();
    Measured measured;
    try {
        bench_->makeReady(setting, stop_);
        observer_.step({});
        measured = measure(
            {.history = history_,
             .sweep = report_.sweep,
             .onProgress = [this](const events::RunState& run) { observer_.progress(run); }},
            [&](events::EventSink& events) { bench_->run(setting, events, stop_); });
    } catch (...) {
        bench_->tidyUp();
        throw;
    }
    bench_->tidyUp();
    if (measured.workers < setting.jobs) {
        sweep.noRoom(setting.jobs);
    } else {
        sweep.done(measurement, std::move(measured.sample), elapsed() - before);
    }
}

void Tuning::measureAll(Sweep& sweep) {
    while (const auto next = sweep.next(elapsed())) {
        if (stop_.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        measureOne(sweep, *next);
        take(sweep);
    }
}

Report Tuning::run() {
    lookFirst();
    report_.sweep = formatIsoTime(std::chrono::system_clock::now());
    observer_.changed(report_);
    std::optional<Sweep> sweep;
    try {
        bench_->setUp(stop_);
        report_.where = bench_->place();
        calibrate();
        foresee();
        observer_.step({});
        sweep.emplace(report_.points, rules());
        take(*sweep);
        measureAll(*sweep);
    } catch (const Error& error) {
        if (!sweep) sweep.emplace(report_.points, Rules{});
        sweep->stop();
        report_.stopped = error.kind() == ErrorKind::Cancelled;
        if (!report_.stopped && !report_.anyMeasured()) throw;
        if (!report_.stopped) report_.error = error.info();
    }
    report_.over = true;
    take(*sweep);
    return std::move(report_);
}

class Nobody final : public Observer {
public:
    void step(const std::string&) override {}
    void tell(const std::string&) override {}
    void changed(const Report&) override {}
    void begins(const Report&, const Sweep::Measurement&, std::size_t) override {}
    void progress(const events::RunState&) override {}
};

void refuseProblems(const options::TuneOptions& options) {
    for (const options::Problem& problem : options::validate(options)) {
        if (problem.severity != options::ProblemSeverity::Error) continue;
        throw Error(ErrorKind::Usage, problem.message, {}, problem.wayOut);
    }
}

}  // namespace

Report outlook(const options::TuneOptions& options, const std::filesystem::path& history,
               std::stop_token stop) {
    refuseProblems(options);
    Nobody nobody;
    return Tuning(pg::onOneServer(options), history, nobody, std::move(stop)).outlook();
}

Report tune(const options::TuneOptions& options, const std::filesystem::path& history,
            Observer& observer, std::stop_token stop) {
    refuseProblems(options);
    return Tuning(pg::onOneServer(options), history, observer, std::move(stop)).run();
}

}  // namespace gantry::tune
