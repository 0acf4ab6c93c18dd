// SPDX-License-Identifier: PostgreSQL
// gantryctl advise: which settings, and why; measures the server if asked to.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/headless/advice_text.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/password.h"
#include "app/headless/quantity.h"
#include "app/headless/stop_signals.h"
#include "app/headless/terminal.h"
#include "core/advise/advisor.h"
#include "core/advise/calibrate.h"
#include "core/advise/past_rates.h"

namespace gantry::headless {
namespace {

using options::OptionGroup;

struct AdviseOptions {
    options::ConnectionOptions connection;
    std::string operation;
    std::filesystem::path archive;      ///< to be restored
    std::filesystem::path destination;  ///< of a dump
    bool calibrate = false;
    bool json = false;
};

CommandSyntax adviseSyntax(AdviseOptions& o) {
    CommandSyntax syntax;
    syntax.name = "advise";
    syntax.purpose =
        "Tells which settings suit a dump, a restore or a vacuum here, and why, and how long it "
        "will take with how many jobs.";
    syntax.operands = "[ARCHIVE]";
    syntax.mostOperands = 1;
    syntax.table = options::connectionTable(o.connection);
    syntax.table.push_back(options::textOption(
        OptionGroup::Work, {"for", 0, "WHAT", "dump, restore or vacuum"}, o.operation));
    syntax.table.push_back(options::flagOption(
        OptionGroup::Work,
        {"calibrate", 0, "",
         "measure first, for 10 s at most: reads samples of tables over 1, 2, 4, … connections, "
         "compresses them, writes to the disk of --file; changes nothing"},
        o.calibrate));
    syntax.table.push_back(options::pathOption(
        OptionGroup::Work, {"file", 'f', "PATH", "where the dump is to go"}, o.destination));
    syntax.table.push_back(
        options::flagOption(OptionGroup::Run, {"json", 0, "", "as JSON"}, o.json));
    syntax.notes =
        "ARCHIVE is what is to be restored; without one, --for restore tells of the database "
        "itself as if it had been dumped. What --calibrate measures is kept for this server, and "
        "taken into account by -j auto too. JSON: operation, database, measured, jobs, most_jobs, "
        "recommendations (setting, value, range, reason, warning), curve (jobs, seconds, "
        "seconds_low, seconds_high, lower_bound_seconds, speed_up, efficiency, limit), "
        "archive_bytes, warnings, facts, calibration. Exit code: 0 advised, 2 refused, 3 failed, "
        "130 cancelled.";
    return syntax;
}

void findProblems(const AdviseOptions& o, ParsedLine& line) {
    if (line.help) return;
    if (o.operation.empty()) {
        line.problems.emplace_back("Say for what: --for dump, --for restore or --for vacuum.");
    } else if (o.operation != "dump" && o.operation != "restore" && o.operation != "vacuum") {
        line.problems.push_back(fmt::format(
            "--for: \"{}\" is none. Choose dump, restore or vacuum.", printable(o.operation)));
    }
    if (!o.archive.empty() && o.operation != "restore") {
        line.problems.push_back(
            fmt::format("\"{}\" is one word too many: an archive is for --for restore.",
                        printable(o.archive.string())));
    }
    if (!o.destination.empty() && o.operation != "dump") {
        line.problems.emplace_back("--file is where a dump is to go: it needs --for dump.");
    }
}

void calibrate(const AdviseOptions& o, history::History& history, const std::stop_token& stop) {
    advise::CalibrationRequest request;
    request.connection = o.connection;
    request.destination = o.destination;
    const advise::Calibration measured = advise::calibrate(
        request, stop, [](std::string_view step) { printErr(fmt::format("{} …\n", step)); });
    for (const std::string& note : measured.notes) printErr(note + "\n");
    if (measured.reading.empty()) return;
    pg::Connection connection = pg::Connection::open(o.connection, "gantry advise", stop);
    history.keepCalibration(advise::serverKey(connection), measured.takenAt,
                            advise::toJson(measured));
}

AdviceReport ask(const AdviseOptions& o, history::History& history, const std::stop_token& stop) {
    AdviceReport report;
    report.operation = o.operation;
    {
        pg::Connection connection = pg::Connection::open(o.connection, "gantry advise", stop);
        report.database = connection.databaseName();
        report.calibration = advise::findCalibration(history, advise::serverKey(connection));
    }
    if (o.operation == "dump") {
        options::DumpOptions dump;
        dump.connection = o.connection;
        dump.output = o.destination;
        report.advice = advise::adviseOn(dump, history, stop);
    } else if (o.operation == "restore") {
        options::RestoreOptions restore;
        restore.connection = o.connection;
        restore.archive = o.archive;
        report.advice = advise::adviseOn(restore, history, stop);
    } else {
        options::VacuumOptions vacuum;
        vacuum.connection = o.connection;
        report.advice = advise::adviseOn(vacuum, history, stop);
    }
    return report;
}

AdviceReport carryOut(AdviseOptions& o, const std::stop_token& stop) {
    history::History history(history::usualFolder(), [](const std::string& text) {
        printErr(fmt::format("gantryctl advise: {}\n", text));
    });
    for (bool asked = false;; asked = true) {
        try {
            if (o.calibrate) calibrate(o, history, stop);
            return ask(o, history, stop);
        } catch (const Error& error) {
            if (asked || !wantsPassword(error.info(), o.connection) ||
                !askPassword(o.connection, stop)) {
                throw;
            }
        }
    }
}

}  // namespace

int adviseCommand(const Words& words) {
    AdviseOptions o;
    const CommandSyntax syntax = adviseSyntax(o);
    ParsedLine line = parseCommandLine(syntax, words);
    if (!line.operands.empty()) o.archive = line.operands.front();
    findProblems(o, line);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const StopSignals signals;
    try {
        askPasswordIfForced(o.connection, signals.token());
        const AdviceReport report = carryOut(o, signals.token());
        printData(o.json ? adviceJson(report) : renderAdvice(report, helpWidth()));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Connection) throw;
        printError(error.info());
        return refusalCode(error);
    }
    return kClean;
}

}  // namespace gantry::headless
