// SPDX-License-Identifier: PostgreSQL
#include "tests/support/tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "core/base/child_process.h"
#include "tests/support/temporary_folder.h"

extern char** environ;

namespace gantry::test {
namespace {

std::string readOutput(const std::filesystem::path& path) {
    std::string text(std::filesystem::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(text.data(), std::ssize(text));
    return text;
}

std::vector<std::string> libpqVariables() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with("PG")) names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
}

}  // namespace

std::string ToolResult::describe() const {
    return fmt::format("exit code {}\nstandard error:\n{}\nstandard output:\n{}", exitCode, errors,
                       output);
}

ToolResult runTool(const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& environment,
                   std::chrono::seconds timeout) {
    // Through files: pipes would have to be emptied while it runs.
    const TemporaryFolder folder;
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", "out=$1; err=$2; shift 2; exec \"$@\" >\"$out\" 2>\"$err\"", "sh",
                         (folder / "output").string(), (folder / "errors").string()};
    options.arguments.insert(options.arguments.end(), argv.begin(), argv.end());
    options.removeFromEnvironment = libpqVariables();
    options.environment = environment;
    options.environment.try_emplace("LC_ALL", "C");
    options.parentDeathSignal = SIGKILL;
    ChildProcess child = ChildProcess::start(options);
    const std::optional<ExitStatus> status = child.waitFor(timeout);
    if (!status) {
        throw std::runtime_error(
            fmt::format("not ended within {} s: {}", timeout.count(), fmt::join(argv, " ")));
    }
    constexpr int kSignalBase = 128;
    return {status->signal != 0 ? kSignalBase + status->signal : status->code,
            readOutput(folder / "output"), readOutput(folder / "errors")};
}

std::string runToolOk(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment) {
    ToolResult result = runTool(argv, environment);
    if (result.exitCode != 0) {
        throw std::runtime_error(fmt::format("{}: {}", fmt::join(argv, " "), result.describe()));
    }
    return std::move(result.output);
}

}  // namespace gantry::test
