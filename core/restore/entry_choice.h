// SPDX-License-Identifier: PostgreSQL
// Entries of an archive chosen one by one, so that what is chosen can be restored: an entry brings
// what it needs and what belongs to it; one that is left out takes along what cannot be without it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/archive/toc.h"

namespace gantry::restore {

/// True for what only adds to another object: an index, a default, privileges, a table's rows.
bool isAttachment(const archive::TocEntry& entry);

class EntryChoice {
public:
    /// All entries are taken. `toc` must outlive it.
    explicit EntryChoice(const archive::Toc& toc);

    bool taken(DumpId id) const;
    bool everything() const { return count_ == taken_.size(); }
    std::size_t count() const { return count_; }

    /// Takes these, what they need (a table its schema, types and functions), and what belongs to
    /// any of them and has all that it needs: rows, sequence, default, index, constraint. Returns
    /// what came along, in the archive's order.
    std::vector<DumpId> take(const std::vector<DumpId>& ids);
    /// Leaves these out, with all that needs one of them. Returns what went along.
    std::vector<DumpId> leave(const std::vector<DumpId>& ids);
    /// What leave() would take along.
    std::vector<DumpId> dependents(const std::vector<DumpId>& ids) const;
    /// These and nothing else, whatever they need.
    void takeExactly(const std::vector<DumpId>& ids);
    void takeAll();
    void leaveAll();

    /// The object that an attachment is shown under, best a table; 0 if there is none.
    DumpId ownerOf(DumpId id) const;

private:
    std::size_t indexOf(DumpId id) const;
    bool set(std::size_t index, bool taken);
    void bringNeeds(std::size_t index, std::vector<std::size_t>& changed);
    bool bringsItsNeeds(std::size_t index) const;
    std::vector<DumpId> besides(std::vector<std::size_t> changed,
                                const std::vector<DumpId>& ids) const;

    const archive::Toc& toc_;
    std::map<DumpId, std::size_t> index_;
    std::vector<std::vector<std::size_t>> needs_;   ///< by index; only entries that exist
    std::vector<std::vector<std::size_t>> needed_;  ///< the other way round
    std::vector<bool> taken_;
    std::size_t count_ = 0;
};

}  // namespace gantry::restore
