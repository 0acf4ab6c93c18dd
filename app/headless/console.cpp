// SPDX-License-Identifier: PostgreSQL
#include "app/headless/console.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "app/headless/commands.h"
#include "app/headless/quantity.h"
#include "app/headless/terminal.h"

namespace gantry::headless {

void printOut(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void printData(std::string_view text) {
    printOut(text);
    if (std::ferror(stdout) != 0) throw systemError("write", "standard output", errno);
}

void printErr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::optional<int> answerCommandLine(const CommandSyntax& syntax, const ParsedLine& line) {
    if (line.help) {
        printOut(renderCommandHelp(syntax, helpWidth()));
        return kClean;
    }
    if (line.problems.empty()) return std::nullopt;
    for (const std::string& problem : line.problems) {
        printErr(fmt::format("gantryctl {}: {}\n", syntax.name, oneLine(problem)));
    }
    printErr(fmt::format("\"gantryctl {} --help\" shows what there is.\n", syntax.name));
    return kRefused;
}

void printError(const ErrorInfo& error) {
    ErrorInfo cause = error;
    cause.hint.clear();
    std::string text = fmt::format("gantryctl: {}\n", oneLine(cause.describe()));
    if (!error.hint.empty()) text += fmt::format("  {}\n", oneLine(error.hint));
    printErr(text);
}

int refusalCode(const Error& error) {
    return error.kind() == ErrorKind::Cancelled ? kCancelled : kRefused;
}

}  // namespace gantry::headless
