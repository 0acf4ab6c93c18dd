// SPDX-License-Identifier: PostgreSQL
// gantryctl demo: a database worth dumping, on a scratch server or where the user says.
#include <fmt/format.h>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/password.h"
#include "app/headless/quantity.h"
#include "app/headless/stop_signals.h"
#include "core/demo/demo_database.h"
#include "core/options/command.h"

namespace gantry::headless {
namespace {

using options::ConnectionOptions;
using options::OptionGroup;
using options::quoteForShell;

void tell(const demo::Step& step) {
    printErr(fmt::format("  {:>2} of {}  {:<24} {}\n", step.done, step.all, step.name,
                         humanDuration(step.took)));
}

/// What has been filled, in the server's own words.
std::string describeDatabase(const ConnectionOptions& connection, const std::stop_token& stop) {
    const demo::Size size = demo::measure(connection, stop);
    return fmt::format("Database \"{}\" holds {} in {}.\n", size.database, humanBytes(size.bytes),
                       counted(size.tables, "table"));
}

int fillGiven(ConnectionOptions connection, uint32_t jobs, const std::stop_token& stop) {
    try {
        askPasswordIfForced(connection, stop);
        try {
            demo::requireFit(connection, stop);
        } catch (const Error& error) {
            if (!wantsPassword(error.info(), connection) || !askPassword(connection, stop)) throw;
            demo::requireFit(connection, stop);
        }
    } catch (const Error& error) {
        printError(error.info());
        return refusalCode(error);
    }
    demo::fill(connection, jobs, tell, stop);
    printOut(describeDatabase(connection, stop));
    return kClean;
}

int fillScratch(scratch::ScratchOptions server, uint32_t jobs, const std::stop_token& stop) {
    server.onStep = [](std::string_view step) { printErr(fmt::format("{} …\n", step)); };
    scratch::ScratchServer running = demo::startFilled(server, jobs, tell, stop);
    ConnectionOptions connection;
    connection.database = running.info().conninfo(std::string(demo::kDatabase));
    const std::string& target = connection.database;
    std::string text = describeDatabase(connection, stop);
    text += fmt::format("It is on scratch server \"{}\" (PostgreSQL {}){}.\n", running.info().name,
                        running.info().version,
                        running.startedAgain()
                            ? ", which had been left behind and was started again with all that is "
                              "in it"
                            : "");
    text += fmt::format("  Look:  {}\n", quoteForShell({"psql", target}));
    text += fmt::format("  Dump:  {}\n", quoteForShell({"gantryctl", "dump", "-d", target, "-f",
                                                        "demo.dump", "-j", "2"}));
    text += fmt::format("  Stop:  gantryctl scratch stop {}\n", running.info().name);
    running.release();
    printOut(text);
    return kClean;
}

}  // namespace

int demoCommand(const Words& words) {
    ConnectionOptions connection;
    scratch::ScratchOptions server;
    server.name = demo::kServerName;
    std::optional<uint32_t> jobs;
    CommandSyntax syntax;
    syntax.name = "demo";
    syntax.purpose =
        "Fills a database with demo data: on a scratch server that it starts, or, with --dbname, "
        "in an empty database of yours.";
    syntax.table = options::connectionTable(connection);
    syntax.table.push_back(options::countOption(
        OptionGroup::Speed, {"jobs", 'j', "N|auto", "fill it over N connections"}, jobs));
    syntax.table.push_back(options::textOption(
        OptionGroup::Run, {"name", 0, "NAME", "what to call the scratch server (otherwise: demo)"},
        server.name));
    syntax.table.push_back(options::pathOption(
        OptionGroup::Run, {"pg-bindir", 0, "DIR", "the folder with the server programs to use"},
        server.binFolder));
    ParsedLine line = parseCommandLine(syntax, words);
    constexpr uint32_t kMostJobs = 64;
    if (jobs && (*jobs < 1 || *jobs > kMostJobs)) {
        line.problems.push_back(
            fmt::format("--jobs: {} is out of range. Choose 1 to {}, or auto.", *jobs, kMostJobs));
    }
    const bool given = !connection.database.empty();
    if (!given &&
        (!connection.host.empty() || !connection.port.empty() || !connection.user.empty())) {
        line.problems.emplace_back(
            "--host, --port and --username need --dbname, which names an empty database.");
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const StopSignals signals;
    const uint32_t threads = jobs.value_or(demo::usualJobs());
    if (!given) return fillScratch(std::move(server), threads, signals.token());
    return fillGiven(std::move(connection), threads, signals.token());
}

}  // namespace gantry::headless
