// SPDX-License-Identifier: PostgreSQL
#include "core/restore/definition_needs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

/// What may begin before all definitions are made.
constexpr std::string_view kMayBeginEarly[] = {"TABLE DATA", "SEQUENCE SET", "INDEX", "CONSTRAINT",
                                               "FK CONSTRAINT"};
/// What brings no code of its own along.
constexpr std::string_view kPlain[] = {"SCHEMA",     "TABLE",      "SEQUENCE", "SEQUENCE OWNED BY",
                                       "DEFAULT",    "TYPE",       "DOMAIN",   "TABLE ATTACH",
                                       "TABLE DATA", "CONSTRAINT", "INDEX"};
constexpr std::string_view kHaveTypes[] = {"TABLE", "TYPE", "DOMAIN"};
constexpr std::string_view kCompletesTables[] = {"DEFAULT", "SEQUENCE OWNED BY"};
constexpr std::string_view kTypesOfNames[] = {"regclass",      "regcollation", "regconfig",
                                              "regdictionary", "regnamespace", "regoper",
                                              "regproc",       "regrole",      "regtype"};

/// Or read values that are names of objects, which have to be there then.
bool mayRunCode(const TocEntry& entry) {
    if (!isOneOf(entry.description(), kPlain)) return true;
    if (!isOneOf(entry.description(), kHaveTypes)) return false;
    const std::string text = entry.defn.value_or("");
    return std::any_of(std::begin(kTypesOfNames), std::end(kTypesOfNames),
                       [&](std::string_view type) { return text.find(type) != text.npos; });
}

}  // namespace

DefinitionNeeds::DefinitionNeeds(const std::vector<const TocEntry*>& order,
                                 const std::vector<std::size_t>& definitions) {
    findCode(order);
    arrange(order, definitions);
    for (std::size_t count = 1; count <= sequence_.size(); ++count) {
        const TocEntry& entry = *order[sequence_[count - 1]];
        lastTouch_[entry.dumpId] = count;
        // It may lock whatever it names.
        for (const DumpId id : entry.dependencies) lastTouch_[id] = count;
    }
}

/// What may run code, and all that depends on it. A default belongs to its table.
void DefinitionNeeds::findCode(const std::vector<const TocEntry*>& order) {
    std::unordered_map<DumpId, std::vector<DumpId>> dependents;
    std::vector<DumpId> open;
    for (const TocEntry* entry : order) {
        if (mayRunCode(*entry)) open.push_back(entry->dumpId);
        for (const DumpId id : entry->dependencies) {
            dependents[id].push_back(entry->dumpId);
            if (entry->description() == "DEFAULT") dependents[entry->dumpId].push_back(id);
        }
    }
    while (!open.empty()) {
        const DumpId id = open.back();
        open.pop_back();
        if (!withCode_.insert(id).second) continue;
        const std::vector<DumpId>& more = dependents[id];
        open.insert(open.end(), more.begin(), more.end());
    }
}

/// In the archive's order, but for what completes tables: behind the last that it depends on.
void DefinitionNeeds::arrange(const std::vector<const TocEntry*>& order,
                              const std::vector<std::size_t>& definitions) {
    std::unordered_map<DumpId, std::size_t> places;
    for (const std::size_t i : definitions) places.emplace(order[i]->dumpId, i);
    std::unordered_map<std::size_t, std::vector<std::size_t>> behind;
    std::vector<bool> moved(order.size());
    for (const std::size_t i : definitions) {
        if (!isOneOf(order[i]->description(), kCompletesTables) ||
            withCode_.contains(order[i]->dumpId)) {
            continue;
        }
        std::size_t last = 0;
        for (const DumpId id : order[i]->dependencies) {
            const auto place = places.find(id);
            if (place != places.end()) last = std::max(last, place->second);
        }
        if (last == 0 || last >= i || moved[last]) continue;
        behind[last].push_back(i);
        moved[i] = true;
    }
    for (const std::size_t i : definitions) {
        if (moved[i]) continue;
        sequence_.push_back(i);
        const auto more = behind.find(i);
        if (more != behind.end()) {
            sequence_.insert(sequence_.end(), more->second.begin(), more->second.end());
        }
    }
}

std::size_t DefinitionNeeds::before(const TocEntry& entry) const {
    if (!isOneOf(entry.description(), kMayBeginEarly)) return sequence_.size();
    // Of what an extension makes no definition tells.
    std::optional<std::size_t> count;
    for (const DumpId id : entry.dependencies) {
        if (withCode_.contains(id)) return sequence_.size();
        const auto touched = lastTouch_.find(id);
        if (touched != lastTouch_.end()) count = std::max(count.value_or(0), touched->second);
    }
    return count.value_or(sequence_.size());
}

}  // namespace gantry::restore
