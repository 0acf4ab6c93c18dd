// SPDX-License-Identifier: PostgreSQL
#include "core/restore/entry_choice.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/text.h"

namespace gantry::restore {
namespace {

using archive::TocEntry;

/// Connects two objects that stand by themselves: comes only if both do.
bool isLink(const TocEntry& entry) {
    return isOneOf(entry.description(), {"FK CONSTRAINT", "TABLE ATTACH", "INDEX ATTACH",
                                         "PUBLICATION TABLE", "PUBLICATION TABLES IN SCHEMA"});
}

/// How likely an attachment of this tag belongs to the entry: a table goes before the sequence,
/// function or type that is needed too, and of two tables the one that the tag begins with.
int ownerRank(const TocEntry& entry, std::string_view tag) {
    const bool named = tag.starts_with(entry.name()) &&
                       (tag.size() == entry.name().size() || tag[entry.name().size()] == ' ');
    if (isOneOf(entry.description(), {"TABLE", "FOREIGN TABLE", "VIEW", "MATERIALIZED VIEW"})) {
        return named ? 4 : 3;
    }
    return entry.description() == "SCHEMA" ? 1 : 2;
}

constexpr int kDeepestAttachment = 4;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

bool isAttachment(const TocEntry& entry) {
    // An identity column's sequence is made by altering its table.
    const bool identity =
        entry.description() == "SEQUENCE" && entry.defn && entry.defn->starts_with("ALTER TABLE");
    return identity || isLink(entry) ||
           isOneOf(entry.description(),
                   {"TABLE DATA", "SEQUENCE SET", "SEQUENCE OWNED BY", "DEFAULT", "INDEX",
                    "CONSTRAINT", "CHECK CONSTRAINT", "TRIGGER", "RULE", "POLICY", "ROW SECURITY",
                    "STATISTICS", "STATISTICS DATA", "MATERIALIZED VIEW DATA", "ACL", "COMMENT",
                    "SECURITY LABEL", "BLOBS"});
}

EntryChoice::EntryChoice(const archive::Toc& toc)
    : toc_(toc),
      needs_(toc.entries.size()),
      needed_(toc.entries.size()),
      taken_(toc.entries.size(), true),
      count_(toc.entries.size()) {
    for (std::size_t i = 0; i < toc.entries.size(); ++i) index_.emplace(toc.entries[i].dumpId, i);
    for (std::size_t i = 0; i < toc.entries.size(); ++i) {
        for (const DumpId id : toc.entries[i].dependencies) {
            const std::size_t needed = indexOf(id);
            if (needed == kNone || needed == i) continue;
            needs_[i].push_back(needed);
            needed_[needed].push_back(i);
        }
    }
}

std::size_t EntryChoice::indexOf(DumpId id) const {
    const auto found = index_.find(id);
    return found == index_.end() ? kNone : found->second;
}

bool EntryChoice::taken(DumpId id) const {
    const std::size_t index = indexOf(id);
    return index != kNone && taken_[index];
}

bool EntryChoice::set(std::size_t index, bool taken) {
    if (taken_[index] == taken) return false;
    taken_[index] = taken;
    count_ = taken ? count_ + 1 : count_ - 1;
    return true;
}

/// A serial column's default brings its sequence; a comment on a link does not bring the link.
bool EntryChoice::bringsItsNeeds(std::size_t index) const {
    return isAttachment(toc_.entries[index]) && !isLink(toc_.entries[index]) &&
           std::none_of(needs_[index].begin(), needs_[index].end(), [this](std::size_t needed) {
               return isLink(toc_.entries[needed]) && !taken_[needed];
           });
}

void EntryChoice::bringNeeds(std::size_t index, std::vector<std::size_t>& changed) {
    std::vector<std::size_t> open{index};
    while (!open.empty()) {
        const std::size_t entry = open.back();
        open.pop_back();
        if (!set(entry, true)) continue;
        changed.push_back(entry);
        open.insert(open.end(), needs_[entry].begin(), needs_[entry].end());
    }
}

std::vector<DumpId> EntryChoice::take(const std::vector<DumpId>& ids) {
    std::vector<std::size_t> changed;
    for (const DumpId id : ids) {
        if (const std::size_t index = indexOf(id); index != kNone) bringNeeds(index, changed);
    }
    // What comes along may have attachments of its own: `changed` grows while it is gone through.
    for (std::size_t i = 0; i < changed.size(); ++i) {
        for (const std::size_t dependent : needed_[changed[i]]) {
            if (taken_[dependent] || !isAttachment(toc_.entries[dependent])) continue;
            const bool complete =
                std::all_of(needs_[dependent].begin(), needs_[dependent].end(),
                            [this](std::size_t needed) { return taken_[needed]; });
            const DumpId owner = ownerOf(toc_.entries[dependent].dumpId);
            const bool own = owner == toc_.entries[changed[i]].dumpId;
            if (complete || (own && bringsItsNeeds(dependent))) bringNeeds(dependent, changed);
        }
    }
    return besides(std::move(changed), ids);
}

std::vector<DumpId> EntryChoice::leave(const std::vector<DumpId>& ids) {
    std::vector<DumpId> along = dependents(ids);
    const auto drop = [this](DumpId id) {
        if (const std::size_t index = indexOf(id); index != kNone) set(index, false);
    };
    std::for_each(ids.begin(), ids.end(), drop);
    std::for_each(along.begin(), along.end(), drop);
    return along;
}

std::vector<DumpId> EntryChoice::dependents(const std::vector<DumpId>& ids) const {
    std::vector<bool> seen(taken_.size());
    std::vector<std::size_t> open;
    std::vector<std::size_t> found;
    for (const DumpId id : ids) {
        if (const std::size_t index = indexOf(id); index != kNone) open.push_back(index);
    }
    while (!open.empty()) {
        const std::size_t entry = open.back();
        open.pop_back();
        if (seen[entry]) continue;
        seen[entry] = true;
        if (taken_[entry]) found.push_back(entry);
        for (const std::size_t dependent : needed_[entry]) {
            if (taken_[dependent]) open.push_back(dependent);
        }
    }
    return besides(std::move(found), ids);
}

void EntryChoice::takeExactly(const std::vector<DumpId>& ids) {
    leaveAll();
    for (const DumpId id : ids) {
        if (const std::size_t index = indexOf(id); index != kNone) set(index, true);
    }
}

void EntryChoice::takeAll() {
    taken_.assign(taken_.size(), true);
    count_ = taken_.size();
}

void EntryChoice::leaveAll() {
    taken_.assign(taken_.size(), false);
    count_ = 0;
}

DumpId EntryChoice::ownerOf(DumpId id) const {
    const std::size_t start = indexOf(id);
    if (start == kNone) return DumpId{};
    const std::string_view tag = toc_.entries[start].name();
    // Attachments of attachments (a comment on an index) belong to the same object; what a file
    // says may run in a circle.
    std::size_t index = start;
    for (int step = 0; step < kDeepestAttachment; ++step) {
        std::size_t best = kNone;
        int bestRank = 0;
        std::size_t further = kNone;
        for (const std::size_t needed : needs_[index]) {
            const TocEntry& entry = toc_.entries[needed];
            if (isAttachment(entry)) {
                further = needed;
                continue;
            }
            const int rank = ownerRank(entry, tag);
            if (rank > bestRank) {
                best = needed;
                bestRank = rank;
            }
        }
        if (best != kNone) return toc_.entries[best].dumpId;
        if (further == kNone) break;
        index = further;
    }
    return DumpId{};
}

std::vector<DumpId> EntryChoice::besides(std::vector<std::size_t> changed,
                                         const std::vector<DumpId>& ids) const {
    std::sort(changed.begin(), changed.end());
    const std::set<DumpId> asked(ids.begin(), ids.end());
    std::vector<DumpId> result;
    for (const std::size_t index : changed) {
        const DumpId id = toc_.entries[index].dumpId;
        if (!asked.contains(id)) result.push_back(id);
    }
    return result;
}

}  // namespace gantry::restore
