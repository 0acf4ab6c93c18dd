// SPDX-License-Identifier: PostgreSQL
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/options/problem_collector.h"
#include "core/options/restore_table.h"
#include "core/options/validate.h"

namespace gantry::options {
namespace {

/// What holds for a script too; every other option of a restore needs a table of contents.
constexpr std::array<std::string_view, 9> kForScripts{
    "role", "exit-on-error", "single-transaction", "dry-run",           "check",
    "jobs", "refresh",       "drop-old",           "terminate-sessions"};

std::string_view reasonOf(const Option& option) {
    switch (option.group) {
        case OptionGroup::Objects:
        case OptionGroup::Parts:
            return "a script has no table of contents to choose from";
        case OptionGroup::Target:
            return "the script's own statements say how objects are made";
        case OptionGroup::Speed:
            return "a script's statements run one after the other";
        default:
            return "it needs an archive with a table of contents";
    }
}

}  // namespace

std::vector<Problem> validateForScript(const RestoreOptions& options) {
    Collector found;
    RestoreOptions copy = options;
    for (const Option& option : restoreTable(copy)) {
        const bool fits =
            option.group == OptionGroup::Connection ||
            std::find(kForScripts.begin(), kForScripts.end(), option.name) != kForScripts.end();
        if (fits || option.get().empty()) continue;
        found.error({std::string(option.name)}, std::string(reasonOf(option)),
                    "Leave it out, or dump in another format.");
    }
    if (options.jobs.value_or(1) > 1) {
        found.error({"jobs"}, "a script runs over one connection",
                    "Leave it out, or dump in another format.");
    }
    return found.take();
}

}  // namespace gantry::options
