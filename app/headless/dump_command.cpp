// SPDX-License-Identifier: PostgreSQL
// gantryctl dump: options in, a run shown, an exit code out.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <system_error>

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

/// What can be read once only. Ends with a stop.
std::size_t readSome(int descriptor, const fs::path& name, std::span<std::byte> into,
                     const std::stop_token& stop) {
    constexpr int kStopLatencyMs = 100;
    for (;;) {
        if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
        pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
        if (::poll(&entry, 1, kStopLatencyMs) <= 0) continue;
        const ssize_t count = ::read(descriptor, into.data(), into.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN) throw systemError("read", name.string(), errno);
    }
}

/// Filters are read several times, and by pg_dump, which has neither our standard input nor our
/// pipes: what is no regular file goes through one.
class FilterCopies {
public:
    FilterCopies() = default;
    ~FilterCopies() {
        std::error_code ignored;
        for (const fs::path& path : copies_) fs::remove(path, ignored);
    }
    FilterCopies(const FilterCopies&) = delete;
    FilterCopies& operator=(const FilterCopies&) = delete;

    void replace(std::vector<fs::path>& filters, const std::stop_token& stop) {
        fs::path standardInput;
        for (fs::path& filter : filters) {
            std::error_code unreadable;  // what is wrong with it is pg_dump's to say
            if (filter == "-") {
                if (standardInput.empty()) {
                    standardInput = copy(STDIN_FILENO, "standard input", stop);
                }
                filter = standardInput;
            } else if (fs::is_other(filter, unreadable)) {
                // Else open() would wait for somebody to write to a FIFO, whatever is asked for.
                const int fd = ::open(filter.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
                if (fd < 0) throw systemError("open", filter.string(), errno);
                const File source(fd, filter);
                filter = copy(fd, filter, stop);
            }
        }
    }

private:
    fs::path copy(int source, const fs::path& name, const std::stop_token& stop) {
        std::string pattern = (fs::temp_directory_path() / "gantry-filter-XXXXXX").string();
        const int fd = ::mkstemp(pattern.data());
        if (fd < 0) throw systemError("create the file", pattern, errno);
        File file(fd, copies_.emplace_back(pattern));
        std::array<std::byte, 4096> block{};
        uint64_t offset = 0;
        while (const std::size_t count = readSome(source, name, block, stop)) {
            file.writeAt(offset, std::span(block).first(count));
            offset += count;
        }
        file.close();
        return copies_.back();
    }

    std::vector<fs::path> copies_;
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
    FilterCopies copies;
    copies.replace(options.selection.filterFiles, signals.token());
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
