// SPDX-License-Identifier: PostgreSQL
// Which command it is; what escapes from one is told here, once.
#include <fmt/format.h>

#include <clocale>
#include <map>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/quantity.h"

#ifndef GANTRY_VERSION
#error "GANTRY_VERSION comes from the build"
#endif

namespace gantry::headless {
namespace {

struct Command {
    int (*run)(const Words&);
    std::string_view purpose;
};

const std::vector<std::pair<std::string_view, Command>>& commands() {
    static const std::vector<std::pair<std::string_view, Command>> all{
        {"dump", {dumpCommand, "dump a database, in parallel, into an archive pg_restore reads"}},
        {"restore", {restoreCommand, "restore an archive, in parallel"}},
        {"vacuum", {vacuumCommand, "vacuum, analyze or reindex a database, in parallel"}},
        {"tune", {tuneCommand, "measure which number of jobs is best here, and say why"}},
        {"advise", {adviseCommand, "tell which settings suit, and why; measure the server"}},
        {"list", {listCommand, "print what an archive holds"}},
        {"verify", {verifyCommand, "read every byte of an archive: is all of it there?"}},
        {"runs", {runsCommand, "list, show, compare and export past runs"}},
        {"scratch", {scratchCommand, "start, stop and list throwaway local servers"}},
        {"demo", {demoCommand, "fill a database with demo data"}},
    };
    return all;
}

std::string usage() {
    std::string text =
        "Dump, inspect, restore and vacuum PostgreSQL databases with many workers at once.\n\n"
        "Usage: gantryctl COMMAND [OPTION]...\n\n";
    for (const auto& [name, command] : commands()) {
        text += fmt::format("  {:<9} {}\n", name, command.purpose);
    }
    text += fmt::format("  {:<9} {}\n  {:<9} {}\n", "version", "print the version", "help",
                        "print this, or with COMMAND all about it");
    text +=
        "\nFor example: gantryctl dump -d mydb -f /backup/mydb -j 4\n"
        "\"gantryctl COMMAND --help\" tells all about a command.\n";
    return text;
}

std::string suggestion(std::string_view name) {
    constexpr std::size_t kFarthest = 2;
    for (const auto& [known, command] : commands()) {
        if (editDistance(name, known) <= kFarthest) {
            return fmt::format(" Did you mean \"{}\"?", known);
        }
    }
    return {};
}

int dispatch(const std::string& name, const Words& words) {
    const auto asksVersion = [](const std::string& word) {
        return word == "--version" || word == "-V";
    };
    // As with pg_dump, only as the first word.
    if (name == "version" || asksVersion(name) || (!words.empty() && asksVersion(words.front()))) {
        printOut("gantryctl " GANTRY_VERSION "\n");
        return kClean;
    }
    for (const auto& [known, command] : commands()) {
        if (known == name) return command.run(words);
    }
    if (name == "help" && !words.empty()) return dispatch(words.front(), {"--help"});
    if (name == "help" || name == "--help" || name == "-?" || name == "-h") {
        printOut(usage());
        return kClean;
    }
    if (name.empty()) {
        printErr(usage());
    } else {
        printErr(fmt::format(
            "gantryctl: there is no command \"{}\".{}\n\"gantryctl --help\" lists all of them.\n",
            printable(name), suggestion(name)));
    }
    return kRefused;
}

}  // namespace

int runGantryctl(int argc, char** argv) {
    // For the encoding of the terminal's text only: numbers stay as they are.
    std::setlocale(LC_CTYPE, "");
    const Words words(argv + (argc > 1 ? 2 : 1), argv + argc);
    try {
        return dispatch(argc > 1 ? argv[1] : "", words);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) {
            printErr("gantryctl: cancelled\n");
            return kCancelled;
        }
        printError(error.info());
        return error.kind() == ErrorKind::Preflight || error.kind() == ErrorKind::Usage ? kRefused
                                                                                        : kFailed;
    } catch (const std::exception& error) {
        printErr(fmt::format("gantryctl: internal error: {}\n", error.what()));
        return kFailed;
    }
}

}  // namespace gantry::headless
