// SPDX-License-Identifier: PostgreSQL
#include "core/restore/ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/format.h"

namespace gantry::restore {
namespace {

/// Kinds of work as people count them.
enum Group : std::size_t {
    kDefinitions,
    kRows,
    kObjects,
    kIndexes,
    kForeignKeys,
    kOthers,
    kGroups
};
constexpr std::array<std::string_view, kGroups> kNames{
    "definitions",  "tables' rows",      "groups of large objects", "indexes and constraints",
    "foreign keys", "further statements"};

Group groupOf(const archive::TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (desc == "TABLE DATA") return kRows;
    if (desc == "BLOBS") return kObjects;
    if (desc == "INDEX" || desc == "CONSTRAINT") return kIndexes;
    if (desc == "FK CONSTRAINT") return kForeignKeys;
    return entry.section == archive::Section::PreData ? kDefinitions : kOthers;
}

bool dependsOnOne(const archive::TocEntry& rows, const std::set<DumpId>& tables) {
    return std::any_of(rows.dependencies.begin(), rows.dependencies.end(),
                       [&](DumpId id) { return tables.contains(id); });
}

}  // namespace

void Ledger::expect(const std::vector<Step>& steps) {
    const MutexLock lock(mutex_);
    std::set<DumpId> seen;
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::Analyze) continue;
        for (const Entry* entry : step.entries) {
            if (seen.insert(entry->dumpId).second) expected_.push_back(entry);
        }
    }
}

void Ledger::done(const Entry& entry) {
    const MutexLock lock(mutex_);
    done_.insert(entry.dumpId);
    committing_.erase(entry.dumpId);
}

void Ledger::failed(const Entry& entry) {
    const MutexLock lock(mutex_);
    failed_.insert(entry.dumpId);
}

void Ledger::created(const Entry& entry) {
    if (entry.description() != "TABLE") return;
    const MutexLock lock(mutex_);
    if (!filled_.contains(entry.dumpId)) created_.insert(entry.dumpId);
}

void Ledger::filled(const Entry& rows) {
    const MutexLock lock(mutex_);
    filled_.insert(rows.dependencies.begin(), rows.dependencies.end());
    for (const DumpId id : rows.dependencies) created_.erase(id);
}

void Ledger::committing(const Entry& entry) {
    const MutexLock lock(mutex_);
    committing_.insert(entry.dumpId);
}

void Ledger::notCommitted(const Entry& entry) {
    const MutexLock lock(mutex_);
    committing_.erase(entry.dumpId);
}

bool Ledger::isDone(const Entry& entry) const {
    const MutexLock lock(mutex_);
    return done_.contains(entry.dumpId);
}

bool Ledger::hasFailed(const Entry& entry) const {
    const MutexLock lock(mutex_);
    return failed_.contains(entry.dumpId);
}

bool Ledger::isInDoubt(const Entry& entry) const {
    const MutexLock lock(mutex_);
    return committing_.contains(entry.dumpId);
}

bool Ledger::createdTableOf(const Entry& rows) const {
    const MutexLock lock(mutex_);
    return dependsOnOne(rows, created_);
}

bool Ledger::failedTableOf(const Entry& rows) const {
    const MutexLock lock(mutex_);
    return dependsOnOne(rows, failed_);
}

std::set<DumpId> Ledger::failures() const {
    const MutexLock lock(mutex_);
    return failed_;
}

bool Ledger::anyStands() const {
    const MutexLock lock(mutex_);
    const auto stands = [this](const Entry* entry) REQUIRES(mutex_) {
        // A definition may be a remark: "-- *not* creating schema".
        const bool makesNothing =
            entry->description() == "TABLE DATA" || entry->defn.value_or("").starts_with("--");
        return !makesNothing && done_.contains(entry->dumpId) && !failed_.contains(entry->dumpId);
    };
    return std::any_of(expected_.begin(), expected_.end(), stands);
}

void Ledger::half(const Entry& entry, std::string undo) {
    const MutexLock lock(mutex_);
    halves_[entry.dumpId] = {displayName(entry), std::move(undo)};
}

void Ledger::finished(const Entry& entry) {
    const MutexLock lock(mutex_);
    halves_.erase(entry.dumpId);
}

std::vector<Ledger::Half> Ledger::halves() const {
    const MutexLock lock(mutex_);
    std::vector<Half> all;
    for (const auto& [id, half] : halves_) all.push_back(half);
    return all;
}

std::string Ledger::describe() const {
    const MutexLock lock(mutex_);
    std::array<std::size_t, kGroups> there{};
    std::array<std::size_t, kGroups> all{};
    std::vector<std::string> missing;
    std::vector<std::string> inDoubt;
    for (const Entry* entry : expected_) {
        const Group group = groupOf(*entry);
        ++all[group];
        if (done_.contains(entry->dumpId) && !failed_.contains(entry->dumpId)) {
            ++there[group];
            continue;
        }
        (committing_.contains(entry->dumpId) ? inDoubt : missing)
            .push_back(group == kRows ? "the rows of " + displayName(*entry) : displayName(*entry));
    }
    std::vector<std::string> parts;
    for (std::size_t group = 0; group < kGroups; ++group) {
        if (all[group] == 0) continue;
        parts.push_back(fmt::format("{} of {} {}", formatCount(there[group]),
                                    formatCount(all[group]), kNames[group]));
    }
    std::string text = fmt::format("There: {}.", fmt::join(parts, ", "));
    if (!missing.empty()) text += fmt::format(" Not there: {}.", firstFew(missing));
    if (!inDoubt.empty()) {
        text += fmt::format(" There or not, for no answer came to their commit: {}.",
                            firstFew(inDoubt));
    }
    return text;
}

}  // namespace gantry::restore
