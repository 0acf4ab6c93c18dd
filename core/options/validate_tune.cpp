// SPDX-License-Identifier: PostgreSQL
#include <fmt/format.h>

#include "core/options/problem_collector.h"
#include "core/options/validate.h"

namespace gantry::options {
namespace {

constexpr uint32_t kMaxJobs = 512;
constexpr int kMostRounds = 20;

void checkDump(const TuneOptions& o, Collector& found) {
    bool tar = false;
    for (const archive::Format format : o.formats) tar = tar || format == archive::Format::Tar;
    for (const io::Compression& compression : o.compressions) {
        if (!tar || compression.algorithm == io::Algorithm::None) continue;
        found.error({"format", "compress"},
                    "pg_restore reads no compressed members in tar archives",
                    "Leave tar out, or compare it with --compress=none.");
        break;
    }
    if (o.formats.size() > 1 && o.target == TuneTarget::Nowhere) {
        found.error({"format", "to"}, "what is let go has the same cost in every format",
                    "Choose --to=disk, or one format.");
    }
    if (!o.archive.empty()) {
        found.error(
            {"for"},
            fmt::format("a dump makes an archive and reads none: \"{}\"", o.archive.string()),
            "Leave it out, or choose --for=restore.");
    }
}

void checkRestore(const TuneOptions& o, Collector& found) {
    if (o.archive.empty()) {
        found.error({"for"}, "which archive to restore is missing", "Name it behind the options.");
    }
    found.exclusive(o.scratch && !o.connection.database.empty(), "scratch", "dbname",
                    "each says which server to restore into");
    if (!o.scratch && o.connection.database.empty()) {
        found.error({"dbname", "scratch"}, "which server to restore into is missing",
                    "Add --dbname=CONN for a database of its own there, or --scratch.");
    }
}

void checkVacuum(const TuneOptions& o, Collector& found) {
    found.exclusive(o.copy && o.inPlace, "copy", "in-place", "each says which tables to vacuum");
    if (!o.copy && !o.inPlace) {
        found.error({"copy", "in-place"},
                    "a sweep vacuums the tables for real, many times, and each time leaves less to "
                    "do",
                    "Choose --copy to measure it on a copy that is made dirty again each time, or "
                    "--in-place.");
    }
    if (!o.archive.empty()) {
        found.error({"for"}, fmt::format("a vacuum reads no archive: \"{}\"", o.archive.string()),
                    "Leave it out, or choose --for=restore.");
    }
    found.exclusive(o.scratch && o.inPlace, "scratch", "in-place", "the tables are where they are");
}

/// What concerns one operation only.
void checkForeign(const TuneOptions& o, Collector& found) {
    const auto refuse = [&](bool given, const char* name, TuneOperation of) {
        if (!given || o.operation == of) return;
        found.error({name}, fmt::format("it concerns a {} only", toString(of)), "Leave it out.");
    };
    refuse(!o.formats.empty(), "format", TuneOperation::Dump);
    refuse(!o.compressions.empty(), "compress", TuneOperation::Dump);
    refuse(o.target.has_value(), "to", TuneOperation::Dump);
    refuse(o.copy, "copy", TuneOperation::Vacuum);
    refuse(o.inPlace, "in-place", TuneOperation::Vacuum);
    if (o.scratch && o.operation == TuneOperation::Dump) {
        found.error({"scratch"}, "a dump is of a database that is there", "Leave it out.");
    }
}

}  // namespace

std::vector<Problem> validate(const TuneOptions& options) {
    Collector found;
    if (!options.operation) {
        found.error({"for"}, "what to measure is missing",
                    "Add --for=dump, --for=restore or --for=vacuum.");
        return found.take();
    }
    for (const uint32_t jobs : options.jobs) {
        if (jobs >= 1 && jobs <= kMaxJobs) continue;
        found.error({"jobs"}, fmt::format("{} is out of range", jobs),
                    fmt::format("Choose 1 to {}.", kMaxJobs));
    }
    if (options.rounds && (*options.rounds < 1 || *options.rounds > kMostRounds)) {
        found.error({"rounds"}, fmt::format("{} is out of range", *options.rounds),
                    fmt::format("Choose 1 to {}.", kMostRounds));
    }
    if (!options.budget.empty() && !parseDuration(options.budget)) {
        found.error({"budget"}, fmt::format("\"{}\" is no time", options.budget),
                    "Give one, as in 2m, 90s or 1h.");
    }
    checkForeign(options, found);
    switch (*options.operation) {
        case TuneOperation::Dump:
            checkDump(options, found);
            break;
        case TuneOperation::Restore:
            checkRestore(options, found);
            break;
        case TuneOperation::Vacuum:
            checkVacuum(options, found);
            break;
    }
    found.exclusive(options.connection.neverPrompt && options.connection.forcePrompt, "no-password",
                    "password", "they contradict each other");
    return found.take();
}

}  // namespace gantry::options
