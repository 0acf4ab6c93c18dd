// SPDX-License-Identifier: PostgreSQL
// gantryctl list and verify: what an archive holds, and whether all of it is there.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/headless/commands.h"
#include "app/headless/console.h"
#include "app/headless/quantity.h"
#include "app/headless/stop_signals.h"
#include "app/headless/terminal.h"
#include "core/archive/list.h"
#include "core/archive/verify.h"

namespace gantry::headless {
namespace {

namespace fs = std::filesystem;

void requireArchive(const std::string& path) {
    const fs::file_status status = fs::status(path);
    if (!fs::exists(status)) {
        throw Error(ErrorKind::Preflight, "there is no such file or folder", path);
    }
    if (fs::is_other(status)) {
        throw Error(ErrorKind::Preflight,
                    "it is neither a file nor a folder, and an archive is not read in one go", path,
                    "Write what comes from there into a file first.");
    }
}

int failureCode(const Error& error) {
    if (error.kind() == ErrorKind::Preflight || error.kind() == ErrorKind::Usage) return kRefused;
    return error.kind() == ErrorKind::Cancelled ? kCancelled : kFailed;
}

/// A line that is drawn over, on terminals only.
class VerifyProgress {
public:
    explicit VerifyProgress(bool wanted) : shown_(wanted && isCapableTerminal(STDERR_FILENO)) {}
    ~VerifyProgress() {
        if (drawn_) printErr("\r\x1b[K");
    }
    VerifyProgress(const VerifyProgress&) = delete;
    VerifyProgress& operator=(const VerifyProgress&) = delete;

    void update(uint64_t done, uint64_t all) {
        const auto now = std::chrono::steady_clock::now();
        if (!shown_ || now < next_ || all == 0) return;
        next_ = now + std::chrono::milliseconds(100);
        drawn_ = true;
        printErr(fmt::format("\r{:3}% {} of {}\x1b[K", done * 100 / all, humanBytes(done),
                             humanBytes(all)));
    }

private:
    bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_;
};

int report(const archive::VerifyReport& result, const std::string& path) {
    for (const archive::Finding& finding : result.findings) {
        const std::string where =
            finding.offset ? fmt::format(" at byte {}", *finding.offset) : std::string();
        printOut(fmt::format("{}: {}{}\n", printable(finding.member), printable(finding.problem),
                             where));
    }
    if (!result.findings.empty()) {
        printOut(fmt::format("{} is damaged: {}. Do not rely on it.\n", printable(path),
                             counted(result.findings.size(), "problem")));
        return kFailed;
    }
    std::string text = fmt::format("{} is whole: {}, {}", printable(path),
                                   counted(result.members, "member"), counted(result.rows, "row"));
    if (result.largeObjects > 0) text += ", " + counted(result.largeObjects, "large object");
    text += fmt::format(", {} in {}.\n", humanBytes(result.rawBytes),
                        humanBytes(result.compressedBytes));
    text += result.usedManifest
                ? "Every byte and every row count agrees with the manifest.\n"
                : "It has no manifest to compare with: every member decodes to its end. Without "
                  "checksums (gzip alone has some) a changed byte may go unseen.\n";
    printOut(text);
    return kClean;
}

}  // namespace

int listCommand(const Words& words) {
    CommandSyntax syntax;
    syntax.name = "list";
    syntax.purpose =
        "Prints what an archive holds, with sizes, in the form that pg_restore -L takes.";
    syntax.operands = "PATH";
    syntax.fewestOperands = syntax.mostOperands = 1;
    const ParsedLine line = parseCommandLine(syntax, words);
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    try {
        requireArchive(line.operands.front());
        const auto reader = archive::openArchive(line.operands.front());
        printData(archive::renderList(*reader, archive::listEntries(*reader)));
    } catch (const Error& error) {
        printError(error.info());
        return failureCode(error);
    }
    return kClean;
}

int verifyCommand(const Words& words) {
    std::optional<uint32_t> jobs;
    bool noProgress = false;
    CommandSyntax syntax;
    syntax.name = "verify";
    syntax.purpose =
        "Reads every byte of an archive and says whether all of it is there: against the manifest "
        "beside it, or, for archives of pg_dump, that every member decodes to its end.";
    syntax.operands = "PATH";
    syntax.fewestOperands = syntax.mostOperands = 1;
    syntax.table.push_back(options::countOption(
        options::OptionGroup::Speed, {"jobs", 'j', "N|auto", "read with N threads"}, jobs));
    syntax.table.push_back(options::flagOption(
        options::OptionGroup::Run, {"no-progress", 0, "", "tell only the outcome"}, noProgress));
    syntax.notes = "Exit code: 0 whole, 2 there is no such archive, 3 damaged, 130 cancelled.";
    ParsedLine line = parseCommandLine(syntax, words);
    constexpr uint32_t kMostThreads = 256;
    if (jobs && (*jobs < 1 || *jobs > kMostThreads)) {
        line.problems.push_back(fmt::format("--jobs: {} is out of range. Choose 1 to {}, or auto.",
                                            *jobs, kMostThreads));
    }
    if (const auto answered = answerCommandLine(syntax, line)) return *answered;
    const StopSignals signals;
    try {
        const std::string& path = line.operands.front();
        requireArchive(path);
        archive::VerifyReport result;
        {
            VerifyProgress progress(!noProgress);
            archive::VerifyOptions options;
            options.threads = jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
            options.progress = [&progress](uint64_t done, uint64_t all) {
                progress.update(done, all);
            };
            result = archive::verifyPath(path, options, signals.token());
        }
        return report(result, path);
    } catch (const Error& error) {
        printError(error.info());
        return failureCode(error);
    }
}

}  // namespace gantry::headless
