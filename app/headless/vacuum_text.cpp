// SPDX-License-Identifier: PostgreSQL
#include "app/headless/vacuum_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "app/headless/quantity.h"

namespace gantry::headless {
namespace {

using events::Outcome;

constexpr std::size_t kMostTables = 8;  // of one cause, named one by one

Duration ofMilliseconds(double ms) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}

std::string listVacuumErrors(const events::RunState& state) {
    std::map<std::string, std::vector<std::string>> byCause;
    for (const ErrorInfo& error : state.ignoredErrors()) {
        ErrorInfo cause = error;
        cause.object.clear();
        cause.statement.clear();
        byCause[oneLine(cause.describe())].push_back(printable(error.object));
    }
    std::string text;
    for (const auto& [cause, objects] : byCause) {
        text += fmt::format("  {}\n", cause);
        const std::size_t shown = std::min(objects.size(), kMostTables);
        for (std::size_t i = 0; i < shown; ++i) text += fmt::format("      {}\n", objects[i]);
        if (objects.size() > shown) {
            text += fmt::format("      and {} more\n", objects.size() - shown);
        }
    }
    return text;
}

/// "12.6 MB freed", "nothing freed"; a table may have grown meanwhile.
std::string spaceOf(const events::RunState& state) {
    uint64_t before = 0;
    uint64_t after = 0;
    for (const events::VacuumOutcome& table : state.vacuumed()) {
        if (table.index) continue;
        before += table.bytesBefore;
        after += table.bytesAfter;
    }
    if (after < before) {
        return fmt::format("{} of {} given back to the system", humanBytes(before - after),
                           humanBytes(before));
    }
    return fmt::format("{}, no less than before: what was dead is free for new rows",
                       humanBytes(after));
}

std::string agesOf(const events::RunState& state) {
    uint64_t before = 0;
    uint64_t after = 0;
    for (const events::VacuumOutcome& table : state.vacuumed()) {
        if (table.index) continue;
        before = std::max(before, table.xidAgeBefore);
        after = std::max(after, table.xidAgeAfter);
    }
    return fmt::format("{} transactions before, {} after, of these tables", humanCount(before),
                       humanCount(after));
}

std::string slowestIndex(const events::RunState& state) {
    const events::PartState* slowest = nullptr;
    const events::SpanState* of = nullptr;
    for (const events::SpanState& span : state.spans()) {
        for (const events::PartState& part : span.parts) {
            if (part.kind != events::PartKind::Index || !part.end) continue;
            if (slowest == nullptr || *part.end - part.begin > *slowest->end - slowest->begin) {
                slowest = &part;
                of = &span;
            }
        }
    }
    if (slowest == nullptr) return {};
    return fmt::format("{} of {}, {}", printable(slowest->object), printable(of->object),
                       humanDuration(*slowest->end - slowest->begin));
}

/// "  Indexes:  3 built anew, 120 MB before and 20 MB now", or nothing.
std::string indexesOf(const events::RunState& state) {
    std::size_t rebuilt = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    std::size_t dropped = 0;
    for (const events::VacuumOutcome& index : state.vacuumed()) {
        if (!index.index) continue;
        ++(index.bytesAfter > 0 ? rebuilt : dropped);
        before += index.bytesBefore;
        after += index.bytesAfter;
    }
    if (rebuilt + dropped == 0) return {};
    std::vector<std::string> deeds;
    if (rebuilt > 0) deeds.push_back(fmt::format("{} built anew", rebuilt));
    if (dropped > 0) deeds.push_back(fmt::format("{} left over and dropped", dropped));
    return fmt::format("  Indexes:  {}; {} before, {} now\n", fmt::join(deeds, ", "),
                       humanBytes(before), humanBytes(after));
}

/// What was planned and not begun: there was not the time, or somebody gave it up.
std::size_t leftOf(const events::RunState& state) {
    std::size_t left = 0;
    for (const auto& [id, task] : state.tasks()) {
        if (task.status == events::TaskStatus::Withdrawn) ++left;
    }
    return left;
}

std::string figures(const events::RunState& state) {
    std::string text = indexesOf(state);
    const std::vector<events::VacuumOutcome>& all = state.vacuumed();
    if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.index; })) return text;
    uint64_t removed = 0;
    uint64_t kept = 0;
    for (const events::VacuumOutcome& table : state.vacuumed()) {
        if (table.index) continue;
        removed += table.rowsRemoved;
        kept += table.rowsKept;
    }
    text += fmt::format("  Removed:  {}\n", counted(removed, "dead row"));
    if (kept > 0) {
        text += fmt::format("  Kept:     {}, which an older transaction may still see\n",
                            counted(kept, "dead row"));
    }
    text += fmt::format("  Space:    {}\n", spaceOf(state));
    text += fmt::format("  Oldest:   {}\n", agesOf(state));
    if (const std::string index = slowestIndex(state); !index.empty()) {
        text += fmt::format("  Slowest:  index {}\n", index);
    }
    return text;
}

}  // namespace

std::string renderVacuumPlan(const events::RunState& state, std::size_t most) {
    std::vector<const events::TaskState*> tasks;
    for (const auto& [id, task] : state.tasks()) tasks.push_back(&task);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const events::TaskState* a, const events::TaskState* b) {
                         return a->weight > b->weight;
                     });
    std::string text = fmt::format(
        "The plan of the vacuum of \"{}\": {} for {}\n",
        state.started() ? printable(state.started()->database) : "", counted(tasks.size(), "task"),
        counted(state.started() ? state.started()->workers : 0, "worker"));
    for (std::size_t i = 0; i < std::min(tasks.size(), most); ++i) {
        const events::TaskState& task = *tasks[i];
        text += fmt::format("  {:>9}  {:>11}  {}\n", humanBytes(task.estimatedBytes),
                            roughDuration(ofMilliseconds(task.weight)), printable(task.object));
        if (!task.note.empty()) text += fmt::format("{:26}{}\n", "", printable(task.note));
    }
    if (tasks.size() > most) {
        text += fmt::format("  and {} (--verbose lists all)\n",
                            counted(tasks.size() - most, "shorter task"));
    }
    if (state.lowerBoundMs() > 0) {
        text += fmt::format("By these estimates it takes {} at least.\n",
                            humanDuration(ofMilliseconds(state.lowerBoundMs())));
    }
    return text + "Nothing was done: this was a dry run.\n";
}

std::string renderVacuumSummary(const events::RunState& state) {
    if (!state.finished()) return {};
    const events::RunFinished& end = *state.finished();
    const std::string database = state.started() ? printable(state.started()->database) : "";
    const std::string took = humanDuration(state.now());
    const std::size_t left = leftOf(state);
    std::string text;
    switch (end.outcome) {
        case Outcome::Clean:
            text = fmt::format("The vacuum of \"{}\" {}.\n", database,
                               left == 0 ? "is complete" : "is over, and not all of it was done");
            break;
        case Outcome::CompletedWithErrors:
            text =
                fmt::format("The vacuum of \"{}\" finished, but with {} on the way:\n{}", database,
                            counted(end.ignoredErrors, "error"), listVacuumErrors(state));
            break;
        case Outcome::Cancelled:
            return fmt::format(
                "Cancelled after {}. What was done until then stays: {}; a table that was under "
                "way begins anew with the next run.\n",
                took, counted(end.relations, "relation"));
        case Outcome::Failed:
            return fmt::format("The vacuum of \"{}\" failed after {}: {}\n{}", database, took,
                               end.error ? oneLine(end.error->describe()) : "",
                               listVacuumErrors(state));
    }
    text += fmt::format("  Done:     {} in {}\n", counted(end.relations, "relation"), took);
    if (left > 0) text += fmt::format("  Left:     {}\n", counted(left, "task"));
    return text + figures(state);
}

}  // namespace gantry::headless
