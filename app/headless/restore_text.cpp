// SPDX-License-Identifier: PostgreSQL
#include "app/headless/restore_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/headless/quantity.h"
#include "core/options/command.h"
#include "core/restore/error_causes.h"

namespace gantry::headless {
namespace {

using events::Outcome;

constexpr std::size_t kMostObjects = 8;  // of one cause, named one by one

/// Something else ended the run; what was passed over until then may be the reason.
std::string listBefore(const events::RunState& state) {
    const std::size_t count = state.ignoredErrors().size();
    if (count == 0) return {};
    return fmt::format("{} had been ignored before:\n{}", counted(count, "error"),
                       renderIgnored(state));
}

/// A refresh leaves what there was until it succeeds.
std::string summarizeRefresh(const events::RunState& state, const events::RunFinished& end,
                             const std::string& database) {
    const std::string took = humanDuration(state.now());
    switch (end.outcome) {
        case Outcome::Clean:
        case Outcome::CompletedWithErrors:
            return fmt::format("The refresh of \"{}\" is complete.\n", database);
        case Outcome::Cancelled:
            return fmt::format("Cancelled after {}. \"{}\" is as it was.\n{}", took, database,
                               listBefore(state));
        case Outcome::Failed:
            break;
    }
    return fmt::format("The refresh of \"{}\" failed after {}: {}\n{}", database, took,
                       end.error ? oneLine(end.error->describe()) : "", renderIgnored(state));
}

std::string sumUp(const events::RunFinished& end, Duration took) {
    std::string text = fmt::format("  Loaded:   {}, {} in {}", counted(end.relations, "table"),
                                   counted(end.rows, "row"), humanDuration(took));
    if (end.largeObjects > 0) text += ", " + counted(end.largeObjects, "large object");
    const double seconds = std::max(static_cast<double>(took.count()) / 1e6, 0.001);
    return text +
           fmt::format(" ({}, {}/s)\n", humanBytes(end.bytes),
                       humanBytes(static_cast<uint64_t>(static_cast<double>(end.bytes) / seconds)));
}

/// Of a run that did not come to its end.
std::string whatIsLeft(const events::RunState& state, const Aftermath& aftermath) {
    if (!aftermath.databaseStays) return {};
    const std::string database = state.started() ? printable(state.started()->database) : "";
    if (state.finished()->commitInDoubt) {
        return fmt::format(
            "Whether what was restored last is in the database \"{}\" is not known: no answer came "
            "to its commit. Look before you restore it again.",
            database);
    }
    if (state.started() && state.started()->options.contains("single-transaction")) {
        return fmt::format("The database \"{}\" is as it was: all was one transaction.", database);
    }
    if (state.finished()->nothingRestored) {
        return fmt::format("Nothing of the archive was restored into \"{}\".", database);
    }
    const auto told = [&state](const char* option) {
        return state.started() && state.started()->options.contains(option);
    };
    const bool isScript = state.started() && !state.started()->versions.contains("archive");
    std::string next = "Drop it, or restore once more with --clean.";
    if (isScript) {
        next = "Run the script once more in a new database.";
    } else if (told("data-only") || told("no-schema")) {
        next = "Rows of the other tables are not there: restore those alone (--table, --use-list).";
    } else if (!aftermath.record.empty() &&
               !(told("transaction-size") && state.started()->workers == 1)) {
        next = fmt::format(
            "Give the same command with {} to restore only what is missing; or drop it, or restore "
            "once more with --clean.",
            options::quoteForShell({"--resume=" + aftermath.record}));
    }
    return fmt::format(
        "The database \"{}\" holds a part of the archive: {} had been loaded whole. {}", database,
        counted(state.finished()->relations, "table"), next);
}

}  // namespace

std::string renderRestoreSummary(const events::RunState& state, const Aftermath& aftermath) {
    if (!state.finished()) return {};
    const events::RunFinished& end = *state.finished();
    const std::string database = state.started() ? printable(state.started()->database) : "";
    const std::string took = humanDuration(state.now());
    std::string text;
    if (state.started() && state.started()->options.contains("refresh")) {
        text = summarizeRefresh(state, end, database);
        return end.outcome == Outcome::Clean ? text + sumUp(end, state.now()) : text;
    }
    switch (end.outcome) {
        case Outcome::Clean:
            text = fmt::format("The restore into \"{}\" is complete.\n", database);
            break;
        case Outcome::CompletedWithErrors:
            if (end.nothingRestored) {
                return fmt::format("Nothing was restored into \"{}\": {}.\n{}", database,
                                   counted(end.ignoredErrors, "error"), renderIgnored(state));
            }
            text = fmt::format("The restore into \"{}\" finished, with {} ignored:\n{}", database,
                               counted(end.ignoredErrors, "error"), renderIgnored(state));
            break;
        case Outcome::Cancelled:
            text = fmt::format("Cancelled after {}.", took);
            if (const std::string left = whatIsLeft(state, aftermath); !left.empty()) {
                text += " " + left;
            }
            return text + "\n" + listBefore(state);
        case Outcome::Failed:
            text = fmt::format("The restore into \"{}\" failed after {}: {}\n", database, took,
                               end.error ? oneLine(end.error->describe()) : "");
            if (const std::string left = whatIsLeft(state, aftermath); !left.empty()) {
                text += left + "\n";
            }
            return text + listBefore(state);
    }
    return text + sumUp(end, state.now());
}

std::string renderIgnored(const events::RunState& state) {
    std::string text;
    for (const restore::Cause& cause : restore::groupByCause(state.ignoredErrors())) {
        text += fmt::format("  {}\n", oneLine(cause.message));
        const std::size_t shown = std::min(cause.objects.size(), kMostObjects);
        for (std::size_t i = 0; i < shown; ++i) {
            text += fmt::format("      {}\n", printable(cause.objects[i]));
        }
        if (cause.objects.size() > shown) {
            text += fmt::format("      and {} more\n", cause.objects.size() - shown);
        }
        if (!cause.hint.empty()) text += fmt::format("    {}\n", oneLine(cause.hint));
    }
    return text;
}

std::string renderFindings(const std::vector<restore::Finding>& findings) {
    if (findings.empty()) return "Nothing stands in the way.\n";
    std::string text;
    for (const restore::Finding& finding : findings) {
        text += fmt::format("{}: {}\n", toString(finding.severity), oneLine(finding.what));
        if (!finding.remedy.empty()) text += fmt::format("    {}\n", oneLine(finding.remedy));
    }
    return text;
}

}  // namespace gantry::headless
