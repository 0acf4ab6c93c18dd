// SPDX-License-Identifier: PostgreSQL
#include "core/options/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/options/problem_collector.h"

namespace gantry::options {
namespace {

constexpr uint32_t kMaxCompressJobs = 256;
constexpr int kMinFloatDigits = -15;
constexpr int kMaxFloatDigits = 3;

void checkEmptiness(const Content& c, Collector& found) {
    if (c.noSchema && c.noData && !c.statistics) {
        found.warning({"no-schema", "no-data"}, "the dump will be empty",
                      "Add --statistics, or leave one of them out.");
    }
}

void checkScript(const DumpOptions& o, Collector& found) {
    const Content& c = o.content;
    found.exclusive(c.clean && c.dataOnly, "clean", "data-only",
                    "objects that are dropped first have to be created again, which data alone "
                    "cannot do");
    if (c.ifExists && !c.clean) {
        found.error({"if-exists", "clean"}, "--if-exists changes the DROP commands of --clean",
                    "Add --clean, or leave --if-exists out.");
    }
    if (!o.restrictKey.empty()) {
        if (o.format != archive::Format::Plain) {
            found.error({"restrict-key", "format"}, "only a plain script has a \\restrict command",
                        "Add --format=plain, or leave --restrict-key out.");
        }
        if (!std::all_of(o.restrictKey.begin(), o.restrictKey.end(),
                         [](unsigned char ch) { return std::isalnum(ch) != 0 && ch < 0x80; })) {
            found.error({"restrict-key"}, "the key may hold only letters and digits",
                        "Choose another key, or leave --restrict-key out for a random one.");
        }
    }
    if (c.disableTriggers && !c.dataOnly && !c.noSchema) {
        found.warning({"disable-triggers"},
                      "it matters only for data alone: a script that creates the tables creates "
                      "their triggers after the rows",
                      "Add --data-only, or leave it out.");
    }
}

void checkOutput(const DumpOptions& o, Collector& found) {
    if ((o.output.empty() || o.output == "-") && !o.dryRun) {
        found.error({"file"},
                    "where to write is missing; a dump gets its name only when it is "
                    "whole, so that it cannot go to standard output",
                    "Add --file=PATH.");
    }
    if (o.format == archive::Format::Tar && o.compression &&
        o.compression->algorithm != io::Algorithm::None) {
        found.error({"compress", "format"},
                    "pg_restore reads no compressed members in tar archives",
                    "Choose --format=custom or --format=directory, or leave --compress out.");
    }
}

void checkNumbers(const DumpOptions& o, Collector& found) {
    checkJobs(o.jobs, found);
    if (o.compressJobs && (*o.compressJobs < 1 || *o.compressJobs > kMaxCompressJobs)) {
        found.error({"compress-jobs"}, fmt::format("{} is out of range", *o.compressJobs),
                    fmt::format("Choose 1 to {}, or auto.", kMaxCompressJobs));
    }
    if (o.extraFloatDigits &&
        (*o.extraFloatDigits < kMinFloatDigits || *o.extraFloatDigits > kMaxFloatDigits)) {
        found.error({"extra-float-digits"}, fmt::format("{} is out of range", *o.extraFloatDigits),
                    fmt::format("Choose {} to {}.", kMinFloatDigits, kMaxFloatDigits));
    }
}

void checkObjects(const DumpOptions& o, Collector& found) {
    const Content& c = o.content;
    const Selection& s = o.selection;
    if (!s.includeForeignData.empty()) {
        if (c.schemaOnly) {
            found.error({"schema-only", "include-foreign-data"},
                        "definitions alone have no rows of foreign tables",
                        "Leave one of them out.");
        }
        if (o.jobs && *o.jobs > 1) {
            const Problem problem = foreignDataNeedsOneJob();
            found.error(problem.options, problem.message, problem.wayOut);
        }
    }
    const bool noRows = c.schemaOnly || c.noData || c.statisticsOnly;
    if (noRows && (!s.excludeTableData.empty() || !s.excludeTableDataAndChildren.empty())) {
        found.warning({"exclude-table-data"}, "no rows are dumped anyway", "Leave it out.");
    }
    if (noRows && c.noUnloggedTableData) {
        found.warning({"no-unlogged-table-data"}, "no rows are dumped anyway", "Leave it out.");
    }
    found.exclusive(o.connection.neverPrompt && o.connection.forcePrompt, "no-password", "password",
                    "they contradict each other");
}

}  // namespace

Problem foreignDataNeedsOneJob() {
    return {.severity = ProblemSeverity::Error,
            .options = {"include-foreign-data", "jobs"},
            .message =
                "the foreign servers share no snapshot between connections, so that their "
                "rows can only be read over one",
            .wayOut = "Choose --jobs=1, or dump the foreign tables in a run of their own."};
}

std::string Problem::describe() const {
    std::string text;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (i > 0) text += " and ";
        text += "--" + options[i];
    }
    return fmt::format("{}: {}. {}", text, message, wayOut);
}

std::vector<Problem> validate(const DumpOptions& options) {
    Collector found;
    checkOutput(options, found);
    checkNumbers(options, found);
    checkParts(options.content, found);
    checkEmptiness(options.content, found);
    checkScript(options, found);
    checkObjects(options, found);
    return found.take();
}

bool hasErrors(const std::vector<Problem>& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.severity == ProblemSeverity::Error;
    });
}

}  // namespace gantry::options
