// SPDX-License-Identifier: PostgreSQL
#include "core/options/pg_dump_arguments.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/options/dump_table.h"

namespace gantry::options {
namespace {

/// pg_dump has parts that can be left out one by one from this version on, statistics too.
constexpr int kSeparateParts = 18;

/// Says with the means of versions before 18 what these can say: they know no statistics, so that
/// "no data" is "schema only" there.
DumpOptions sayWithoutSeparateParts(DumpOptions options) {
    Content& c = options.content;
    c.noStatistics = false;
    if (!c.statistics && !c.statisticsOnly && !(c.noData && c.noSchema)) {
        if (std::exchange(c.noData, false)) c.schemaOnly = true;
        if (std::exchange(c.noSchema, false)) c.dataOnly = true;
    }
    if (!c.schemaOnly) c.sequenceData = false;  // the values come with the rows
    return options;
}

}  // namespace

std::vector<std::string> pgDumpArguments(const DumpOptions& options, int pgDumpMajor) {
    DumpOptions said = pgDumpMajor >= kSeparateParts ? options : sayWithoutSeparateParts(options);
    std::vector<std::string> arguments;
    for (const Option& option : dumpTable(said)) {
        if (!option.pgDump.handed || option.get().empty()) continue;
        if (option.pgDump.since > pgDumpMajor) {
            throw Error(ErrorKind::Preflight,
                        fmt::format("pg_dump {} does not have this option, which came with "
                                    "version {}",
                                    pgDumpMajor, option.pgDump.since),
                        option.dashed(),
                        fmt::format("Install client tools of version {} or newer (--pg-bindir "
                                    "names their folder if they are there already), or leave the "
                                    "option out.",
                                    option.pgDump.since));
        }
        appendArguments(option, arguments);
    }
    return arguments;
}

pg::OptionNeed neededPgDump(const DumpOptions& options) {
    pg::OptionNeed need;
    DumpOptions said = sayWithoutSeparateParts(options);
    for (const Option& option : dumpTable(said)) {
        if (!option.pgDump.handed || option.pgDump.since <= need.major || option.get().empty()) {
            continue;
        }
        need.major = option.pgDump.since;
        need.option = option.dashed();
    }
    return need;
}

}  // namespace gantry::options
