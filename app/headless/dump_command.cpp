// SPDX-License-Identifier: PostgreSQL
// gantryctl dump: options in, a run shown, an exit code out.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "app/headless/advised_jobs.h"
#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/quantity.h"
#include "app/headless/run_command.h"
#include "app/headless/run_text.h"
#include "app/headless/stop_signals.h"
#include "core/archive/nowhere_writer.h"
#include "core/base/file.h"
#include "core/dump/dump.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/validate.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;

CommandSyntax dumpSyntax(options::DumpOptions& options, Presentation& presentation) {
    CommandSyntax syntax;
    syntax.name = "dump";
    syntax.purpose =
        "Dumps a database over several connections at once, into an archive that pg_restore reads.";
    syntax.operands = "[DBNAME]";
    syntax.mostOperands = 1;
    syntax.table = options::dumpTable(options);
    addPresentation(syntax.table, presentation);
    syntax.unsupported = options::unsupportedDumpOptions();
    syntax.notes =
        "What is not said about the connection comes from libpq's environment variables (PGHOST, "
        "PGDATABASE, …), its service and its password file, as with pg_dump. Exit code: 0 clean, 1 "
        "finished with errors that were ignored, 2 refused before it began, 3 failed, 130 "
        "cancelled.";
    return syntax;
}

/// pg_dump cannot read our standard input: a filter from there goes through a file.
class StandardInputFilter {
public:
    explicit StandardInputFilter(std::vector<fs::path>& filters) {
        for (fs::path& filter : filters) {
            if (filter != "-") continue;
            if (path_.empty()) store();
            filter = path_;
        }
    }
    ~StandardInputFilter() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove(path_, ignored);
    }
    StandardInputFilter(const StandardInputFilter&) = delete;
    StandardInputFilter& operator=(const StandardInputFilter&) = delete;

private:
    void store() {
        std::string pattern = (fs::temp_directory_path() / "gantry-filter-XXXXXX").string();
        const int fd = ::mkstemp(pattern.data());
        if (fd < 0) throw systemError("create the file", pattern, errno);
        path_ = pattern;
        File file(fd, path_);
        std::array<std::byte, 4096> block{};
        uint64_t offset = 0;
        ssize_t count = 0;
        while ((count = ::read(STDIN_FILENO, block.data(), block.size())) > 0) {
            const auto length = static_cast<std::size_t>(count);
            file.writeAt(offset, std::span(block).first(length));
            offset += length;
        }
        if (count < 0) throw systemError("read", "standard input", errno);
        file.close();
    }

    fs::path path_;
};

std::string lineToRestore(const options::DumpOptions& options) {
    const std::string path = options.output.string();
    if (options.format == archive::Format::Plain) {
        return options::quoteForShell({"psql", "-X", "-d", "NEWDB", "-f", path});
    }
    if (options.format == archive::Format::Tar) {
        return options::quoteForShell({"pg_restore", "-d", "NEWDB", path});
    }
    return options::quoteForShell({"pg_restore", "-d", "NEWDB", "-j", "4", path});
}

}  // namespace

int dumpCommand(const Words& words) {
    options::DumpOptions options;
    Presentation presentation;
    const CommandSyntax syntax = dumpSyntax(options, presentation);
    ParsedLine line = parseCommandLine(syntax, words);
    if (!line.operands.empty()) {
        if (options.connection.database.empty()) {
            options.connection.database = line.operands.front();
        } else {
            line.problems.push_back(
                fmt::format("\"{}\" is one word too many: --dbname names the database already.",
                            line.operands.front()));
        }
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    if (!reportProblems("dump", options::validate(options))) return kRefused;

    const StopSignals signals(
        fmt::format("gantryctl: ended at once; what was written so far may be left as {}.partial\n",
                    printable(options.output.string())));
    const StandardInputFilter filter(options.selection.filterFiles);
    return carryOut(
        {.connection = options.connection,
         .presentation = presentation,
         .planOnly = options.dryRun,
         .run =
             [&](events::EventSink& events, std::stop_token stop) {
                 runWithAdvice(options, events, stop,
                               [&](const auto& with, events::EventSink& sink) {
                                   dump::dump(with, sink, stop);
                               });
             },
         .summary =
             [&](const events::RunState& run) {
                 if (archive::isNowhere(options.output)) return renderSummary(run, {.kept = false});
                 return renderSummary(run, {options.output.string(), lineToRestore(options)});
             }},
        signals);
}

}  // namespace gantry::headless
