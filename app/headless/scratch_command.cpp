// SPDX-License-Identifier: PostgreSQL
// gantryctl scratch: throwaway servers to try things on.
#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/stop_signals.h"
#include "core/options/command.h"
#include "core/scratch/scratch_server.h"

namespace gantry::headless {
namespace {

using options::OptionGroup;
using options::quoteForShell;

std::string describeServer(const scratch::ScratchServer& server) {
    const scratch::ScratchInfo& info = server.info();
    std::string text = fmt::format(
        "Scratch server \"{}\" {} (PostgreSQL {}).\n", info.name,
        server.startedAgain() ? "had been left behind; it was started again with all that is in it"
                              : "is running",
        info.version);
    text += fmt::format("  Connect:  {}\n", quoteForShell({"psql", info.conninfo()}));
    text += fmt::format("  Fill it:  {}\n",
                        quoteForShell({"gantryctl", "demo", "-d", info.conninfo()}));
    text += info.accompanied ? "  Stop it:  Ctrl-C\n"
                             : fmt::format("  Stop it:  gantryctl scratch stop {}\n", info.name);
    text += fmt::format("Its files are in {}; {}.\n", info.folder.string(),
                        server.startedAgain() && info.accompanied
                            ? "they stay, as they were there before"
                            : "all of them go when it is stopped");
    return text;
}

void waitForStop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait(lock, stop, [] { return false; });
}

int start(const Words& words) {
    scratch::ScratchOptions options;
    CommandSyntax syntax;
    syntax.name = "scratch start";
    syntax.purpose =
        "Starts a throwaway PostgreSQL server of the newest version on this machine, reachable "
        "only through a private socket; or again the one of that name that was left behind.";
    syntax.table.push_back(options::textOption(
        OptionGroup::Run, {"name", 0, "NAME", "what to call it (otherwise: scratch-N)"},
        options.name));
    syntax.table.push_back(options::flagOption(
        OptionGroup::Run, {"foreground", 0, "", "stay with it; it ends with Ctrl-C"},
        options.accompany));
    syntax.table.push_back(options::pathOption(
        OptionGroup::Run, {"pg-bindir", 0, "DIR", "the folder with the server programs to use"},
        options.binFolder));
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const StopSignals signals;
    options.onStep = [](std::string_view step) { printErr(fmt::format("{} …\n", step)); };
    scratch::ScratchServer server = scratch::ScratchServer::start(options, signals.token());
    printOut(describeServer(server));
    if (options.accompany) {
        waitForStop(signals.token());
        printErr("stopping it\n");
    } else {
        server.release();
    }
    return kClean;
}

int stop(const Words& words) {
    bool all = false;
    CommandSyntax syntax;
    syntax.name = "scratch stop";
    syntax.purpose = "Stops scratch servers and removes all that belongs to them.";
    syntax.operands = "[NAME]...";
    constexpr std::size_t kMostNames = 1000;
    syntax.mostOperands = kMostNames;
    syntax.table.push_back(options::flagOption(
        OptionGroup::Run, {"all", 0, "", "every one, also what crashed ones left behind"}, all));
    ParsedLine line = parseCommandLine(syntax, words);
    if (!line.help && all == !line.operands.empty()) {
        line.problems.emplace_back("Give the names of the servers to stop, or --all.");
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    if (all) {
        for (const scratch::ScratchInfo& info : scratch::listServers()) {
            line.operands.push_back(info.name);
        }
        if (line.operands.empty()) printOut("There are no scratch servers.\n");
    }
    int code = kClean;
    for (const std::string& name : line.operands) {
        try {
            scratch::stopServer(name);
            printOut(fmt::format("Scratch server \"{}\" is gone.\n", name));
        } catch (const Error& error) {
            printError(error.info());
            code = error.kind() == ErrorKind::Preflight ? kRefused : kFailed;
        }
    }
    return code;
}

int listServers(const Words& words) {
    CommandSyntax syntax;
    syntax.name = "scratch list";
    syntax.purpose = "Lists the scratch servers of this user.";
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const std::vector<scratch::ScratchInfo> servers = scratch::listServers();
    if (servers.empty()) {
        printOut("There are no scratch servers; \"gantryctl scratch start\" starts one.\n");
    }
    for (const scratch::ScratchInfo& info : servers) {
        printOut(fmt::format(
            "{:<20} {:<12} {:<8} {}\n", info.name, toString(info.state), info.version,
            info.state == scratch::ScratchState::Running ? quoteForShell({"psql", info.conninfo()})
                                                         : info.folder.string()));
    }
    return kClean;
}

constexpr std::string_view kScratchUsage =
    "Throwaway PostgreSQL servers on this machine, to try things on.\n\n"
    "Usage: gantryctl scratch start|stop|list [OPTION]...\n\n"
    "  start   start one, or again one that was left behind; print how to reach it\n"
    "  stop    stop it and remove all that belongs to it\n"
    "  list    show which there are\n\n"
    "\"gantryctl scratch start --help\" and so on tell more.\n";

}  // namespace

int scratchCommand(const Words& words) {
    const std::string what = words.empty() ? "" : words.front();
    const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (what == "start") return start(rest);
    if (what == "stop") return stop(rest);
    if (what == "list") return listServers(rest);
    if (what == "--help" || what == "-?") {
        printOut(kScratchUsage);
        return kClean;
    }
    if (!what.empty()) printErr(fmt::format("gantryctl scratch: there is no \"{}\".\n\n", what));
    printErr(kScratchUsage);
    return kRefused;
}

}  // namespace gantry::headless
