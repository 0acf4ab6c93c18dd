// SPDX-License-Identifier: PostgreSQL
#include "core/restore/error_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/archive/identifier.h"
#include "core/base/text.h"
#include "core/pg/sql_state.h"

namespace gantry::restore {
namespace {

constexpr std::string_view kMissingSchema = "3F000";
constexpr std::string_view kIntegrityClass = "23";
constexpr std::string_view kResourcesClass = "53";

/// The message without what is the object's own: its names, the key that was there twice.
std::string withoutObject(const ErrorInfo& error) {
    const std::string_view state = error.sqlState;
    std::string_view message = error.message;
    if (state == kMissingSchema) return error.message;  // its name is the cause
    if (state.starts_with(kIntegrityClass)) message = message.substr(0, message.find(" (Key ("));
    std::string text;
    for (std::size_t open; (open = message.find('"')) != std::string_view::npos;) {
        const std::size_t close = message.find('"', open + 1);
        if (close == std::string_view::npos) break;
        const std::string_view name = message.substr(open + 1, close - open - 1);
        const bool own = name.starts_with("RI_ConstraintTrigger_") ||
                         (!name.empty() && (state.starts_with(kResourcesClass) ||
                                            error.object.find(name) != std::string::npos));
        text += message.substr(0, open + 1);
        text += own ? "…" : name;
        text += '"';
        message.remove_prefix(close + 1);
    }
    return text.append(message);
}

struct NextStep {
    std::string_view sqlState;
    std::string_view text;
};
constexpr std::string_view kThere =
    "Drop what is there first (--clean --if-exists), or restore into an empty database.";
constexpr std::string_view kThereWithRows =
    "Rows that are not restored with it would go with what is there: drop it only if nobody needs "
    "them (--clean --if-exists), or restore into an empty database.";
constexpr std::string_view kKept =
    "--clean could not drop what is there, since something that is not restored depends on it (the "
    "errors before name it): restore or drop that as well, or restore into an empty database.";
constexpr std::string_view kAppeared =
    "--clean does not drop what is there: drop it yourself, or restore into an empty database.";
constexpr std::string_view kMissing =
    "It needs something that is missing: look at the errors before.";
constexpr std::string_view kMissingFromStart =
    "It needs something that is missing: create that first, or restore it too.";
constexpr std::string_view kAgain = "Try it again: --use-list with the list of what failed.";
constexpr NextStep kSteps[] = {
    {"42501",
     "Restore as a superuser or as the owner (-U, --role), or leave owners and privileges "
     "out (--no-owner, --no-privileges)."},
    {"23505",
     "Restore into an empty table, or drop the key, find the rows that are there twice and "
     "add it again."},
    {"23503",
     "Restore the rows that it refers to as well, then try it again: --use-list with the "
     "list of what failed."},
    {pg::sql_state::kDiskFull, "Make room on the server, then restore once more."},
    {pg::sql_state::kDeadlock, kAgain},
    {"55P03", kAgain},
    {"57014", kAgain},
};

std::string_view stepForThere(const RunSoFar& run) {
    if (!run.clean) return run.withoutRows ? kThereWithRows : kThere;
    return run.others ? kKept : kAppeared;
}

/// Of `schema "crm" does not exist`; a server that speaks another language quotes otherwise.
std::string stepForMissingSchema(const ErrorInfo& error) {
    const std::string_view message = error.message;
    const std::size_t open = message.find('"');
    const std::size_t close = message.rfind('"');
    if (open == close) {
        return "A schema is missing: create it first, or restore its own entry too "
               "(--create-schemas).";
    }
    const std::string name(message.substr(open + 1, close - open - 1));
    return fmt::format(
        "The schema {} is missing: CREATE SCHEMA {}; first, or restore its own entry too "
        "(--create-schemas makes it).",
        name, archive::formatIdentifier(name));
}

}  // namespace

std::vector<Cause> groupByCause(const std::vector<ErrorInfo>& errors) {
    std::vector<Cause> causes;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const ErrorInfo& error = errors[i];
        std::string common = withoutObject(error);
        const auto [found, added] = known.emplace(std::pair(error.sqlState, common), causes.size());
        if (added) {
            causes.push_back({error.message, error.hint, {}, {}});
        } else {
            causes[found->second].message = std::move(common);
        }
        causes[found->second].objects.push_back(
            error.byteOffset ? fmt::format("{}, at byte {}", error.object, *error.byteOffset)
                             : error.object);
        causes[found->second].errors.push_back(i);
    }
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
        return a.objects.size() > b.objects.size();
    });
    return causes;
}

std::string nextStep(const ErrorInfo& error, const RunSoFar& run) {
    if (!error.hint.empty()) return error.hint;
    if (error.sqlState == "42704" && error.message.starts_with("role ")) {
        return error.object.starts_with("POLICY ")
                   ? "Create the role (--create-roles), or leave policies out (--no-policies)."
                   : "Create the role (--create-roles), or leave owners and privileges out "
                     "(--no-owner, --no-privileges).";
    }
    if (error.sqlState == "42704" && error.message.starts_with("tablespace ")) {
        return "Create the tablespace, or leave tablespaces out (--no-tablespaces).";
    }
    if (isOneOf(error.sqlState, {"42P07", "42710", "42723", "42P06"})) {
        return std::string(stepForThere(run));
    }
    if (error.sqlState == kMissingSchema) return stepForMissingSchema(error);
    if (isOneOf(error.sqlState, {"42P01", "42883"})) {
        return std::string(run.others ? kMissing : kMissingFromStart);
    }
    for (const NextStep& step : kSteps) {
        if (error.sqlState == step.sqlState) return std::string(step.text);
    }
    return {};
}

bool isDiskFull(const ErrorInfo& error) { return error.sqlState == pg::sql_state::kDiskFull; }

bool isDeadlock(const ErrorInfo& error) { return error.sqlState == pg::sql_state::kDeadlock; }

}  // namespace gantry::restore
