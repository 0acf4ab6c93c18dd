// SPDX-License-Identifier: PostgreSQL
#include "core/advise/advisor.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "core/advise/past_rates.h"
#include "core/advise/wording.h"
#include "core/advise/workload.h"
#include "core/archive/archive_reader.h"
#include "core/archive/nowhere_writer.h"
#include "core/base/format.h"
#include "core/dump/large_object_list.h"
#include "core/restore/server_gates.h"
#include "core/restore/sql_script.h"
#include "core/vacuum/survey.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::advise {
namespace {

constexpr std::string_view kApplication = "gantry advise";
constexpr double kUsualRowsPerByte = 0.8;  // no page headers, no dead rows, no free space
constexpr uint32_t kCoresAssumed = 4;      // of a server that tells nothing

std::string now() { return formatIsoTime(std::chrono::system_clock::now()); }

/// Takes what was measured on this server into account of what it does not tell.
std::optional<Calibration> calibrationOf(history::History& history, Surroundings& where) {
    std::optional<Calibration> found = findCalibration(history, serverKey(where));
    if (found && where.serverUnknown() && found->scaledTo() > kCoresAssumed) {
        where.serverCores = found->scaledTo();
        where.serverCoresDoubt =
            fmt::format("reading still became faster at {} connections", found->scaledTo());
    }
    return found;
}

/// Rates are the calibration's. What the codecs make of this database is as dumps of it came to,
/// and to each other they are as they were measured here, or else as usual.
std::vector<CodecRate> codecsFor(const DumpQuestion& question, const Calibration& calibration) {
    const Surroundings& where = question.surroundings;
    const bool here = calibration.database == where.database;
    const auto ratioOf = [&](const io::Compression& compression) {
        const auto sampled = here ? ratesOf(calibration, compression) : std::nullopt;
        return sampled
                   ? sampled->ratio
                   : usualRates(archive::Format::Directory, compression, where.serverMajor).ratio;
    };
    const io::Compression dumped =
        chosenCompression(archive::Format::Directory, std::nullopt, where.serverMajor);
    std::vector<CodecRate> codecs = codecsOf(calibration, where.serverMajor);
    for (CodecRate& codec : codecs) {
        const double relation = ratioOf(codec.compression) / ratioOf(dumped);
        const bool alike = codec.compression.algorithm == dumped.algorithm && relation == 1;
        codec.ratio = question.rates.ratio * relation;
        codec.ratioAssumed = question.rates.ratioAssumed || !(here || alike);
    }
    return codecs;
}

/// What was measured, and why that may no longer hold.
void tellCalibration(const Calibration& calibration, const Surroundings& where, Advice& advice) {
    for (std::string& sentence : describe(calibration)) {
        advice.facts.push_back(std::move(sentence));
    }
    const std::string stale = staleness(calibration, where, now());
    if (stale.empty()) return;
    advice.warnings.push_back(
        fmt::format("What was measured on this server may no longer hold: {}. "
                    "gantryctl advise --calibrate measures it anew, and so does a sweep.",
                    stale));
}

Surroundings look(const options::ConnectionOptions& options, const std::stop_token& stop) {
    pg::Connection connection = pg::Connection::open(options, kApplication, stop);
    return collectSurroundings(connection);
}

}  // namespace

void recall(DumpQuestion& question, const options::DumpOptions& options,
            history::History& history) {
    Surroundings& where = question.surroundings;
    const std::optional<Calibration> calibration = calibrationOf(history, where);
    question.rates =
        dumpRates(history, where, options.format, options.compression, options.output.string());
    if (calibration && question.rates.runs == 0 && !staleness(*calibration, where, now()).empty()) {
        question.rates.measured = false;
    }
    if (!options.compression && calibration && options.format != archive::Format::Tar &&
        options.format != archive::Format::Plain) {
        question.codecs = codecsFor(question, *calibration);
    }
    question.chunks = !options.noChunks;
    question.compressJobs = options.compressJobs;
    if (!options.output.empty() && !archive::isNowhere(options.output)) {
        question.destination = lookAtDestination(options.output);
        if (calibration && calibration->writing &&
            calibration->writing->folder == question.destination->folder) {
            question.destination->writePerSecond = calibration->writing->bytesPerSecond;
        }
    }
}

DumpQuestion questionFor(const options::DumpOptions& options, history::History& history,
                         const std::stop_token& stop) {
    DumpQuestion question;
    {
        pg::Connection connection = pg::Connection::open(options.connection, kApplication, stop);
        question.surroundings = collectSurroundings(connection);
        question.workload = collectWorkload(connection, options);
    }
    recall(question, options, history);
    return question;
}

RestoreQuestion questionFor(const options::RestoreOptions& options, history::History& history,
                            const std::stop_token& stop) {
    RestoreQuestion question;
    question.options = options;
    question.options.jobs.reset();
    if (!options.archive.empty()) {
        if (restore::isScript(options.archive)) {
            throw Error(ErrorKind::Preflight,
                        "a plain script runs over one connection, whatever is advised",
                        options.archive.string(),
                        "An archive of another format can be restored over several.");
        }
        const auto reader = archive::openArchive(options.archive);
        question.toc = std::make_shared<const archive::Toc>(reader->toc());
        question.sizes = restore::measureData(*reader);
        question.surroundings = look(options.connection, stop);
    } else {
        pg::Connection connection = pg::Connection::open(options.connection, kApplication, stop);
        question.surroundings = collectSurroundings(connection);
        const auto calibration = findCalibration(history, serverKey(question.surroundings));
        question.toc = contentsOf(collectStandingTables(connection),
                                  calibration ? calibration->copyRatio : kUsualRowsPerByte,
                                  dump::largeObjectBytes(connection), question.sizes);
    }
    question.choice = restore::choose(*question.toc, question.options);
    question.gates = std::make_shared<const restore::ServerGates>(
        restore::gateFor(question.surroundings.serverMajor, question.choice));
    if (question.surroundings.standby) {
        throw Error(ErrorKind::Preflight, "the server is a standby, which takes nothing",
                    question.surroundings.server, "Connect to its primary.");
    }
    const auto calibration = calibrationOf(history, question.surroundings);
    if (calibration && !question.surroundings.sameMachine &&
        staleness(*calibration, question.surroundings, now()).empty()) {
        question.networkPerSecond = calibration->readTotal();
    }
    question.factors = costFactors(history, question.surroundings, "restore");
    return question;
}

VacuumQuestion questionFor(const options::VacuumOptions& options, history::History& history,
                           const std::stop_token& stop) {
    VacuumQuestion question;
    question.options = options;
    question.options.jobs.reset();
    vacuum::Surveyed surveyed =
        vacuum::surveyAll(options, options.plansItself() || options.work.reindexConcurrently, stop);
    question.survey = std::move(surveyed.survey);
    question.surroundings = look(
        surveyed.connections.empty() ? options.connection : surveyed.connections.front(), stop);
    (void)calibrationOf(history, question.surroundings);
    question.factors =
        costFactors(history, question.surroundings, "vacuum", vacuum::toldOptions(options));
    return question;
}

Advice adviseOn(const DumpQuestion& question, history::History& history) {
    Advice advice = adviseDump(question);
    if (const auto calibration = findCalibration(history, serverKey(question.surroundings))) {
        tellCalibration(*calibration, question.surroundings, advice);
    }
    return advice;
}

Advice adviseOn(const options::DumpOptions& options, history::History& history,
                const std::stop_token& stop) {
    return adviseOn(questionFor(options, history, stop), history);
}

Advice adviseOn(const options::RestoreOptions& options, history::History& history,
                const std::stop_token& stop) {
    const RestoreQuestion question = questionFor(options, history, stop);
    Advice advice = adviseRestore(question);
    // On one machine nothing of it has a part in a restore.
    const auto calibration = findCalibration(history, serverKey(question.surroundings));
    if (calibration && !question.surroundings.sameMachine) {
        tellCalibration(*calibration, question.surroundings, advice);
    }
    return advice;
}

Advice adviseOn(const options::VacuumOptions& options, history::History& history,
                const std::stop_token& stop) {
    return adviseVacuum(questionFor(options, history, stop));
}

}  // namespace gantry::advise
