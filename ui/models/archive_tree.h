// SPDX-License-Identifier: PostgreSQL
// What an archive holds, as a tree with check boxes: objects by schema, with what belongs to them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/archive_reader.h"
#include "core/archive/list.h"
#include "core/restore/entry_choice.h"
#include "ui/models/flat_tree.h"

namespace gantry::ui {

/// An archive's contents, read.
struct ArchiveContents {
    std::unique_ptr<archive::ArchiveReader> reader;
    std::vector<archive::ListedEntry> entries;  ///< of `reader`
    uint64_t rawBytes = 0;                      ///< estimated from the compressed size if need be
};
/// Blocks: for the pool. Throws Error{Preflight, Io, Format}.
ArchiveContents readArchiveContents(const std::filesystem::path& path);

/// Checking an object brings what it needs and what belongs to it; what came or went along is told.
class ArchiveTree : public FlatTree {
    Q_OBJECT
public:
    using FlatTree::FlatTree;

    void setContents(ArchiveContents contents);
    void clear();
    bool empty() const { return !contents_; }
    const archive::ArchiveReader& reader() const { return *contents_->reader; }

    bool everything() const { return !choice_ || choice_->everything(); }
    std::size_t chosenEntries() const { return choice_ ? choice_->count() : 0; }
    uint64_t chosenBytes() const;
    uint64_t allBytes() const { return contents_ ? contents_->rawBytes : 0; }
    /// The list of what is chosen, as pg_restore -L takes it.
    std::string list() const;
    /// Only what this list names is chosen.
    void chooseEntries(const std::vector<DumpId>& ids);
    void chooseAll();
    void chooseNone();
    void chooseOnly(const QModelIndex& index);

Q_SIGNALS:
    /// For people: "3 more came along: …"; empty if none did.
    void consequences(const QString& text);

protected:
    void choose(int id, bool taken) override;

private:
    int group(int parent, const QString& name);
    void addEntries();
    std::vector<DumpId> entriesBelow(int id) const;
    void refreshStates();
    void tell(const std::vector<DumpId>& others, bool came);
    std::string nameOf(DumpId id) const;

    std::optional<ArchiveContents> contents_;
    std::unique_ptr<restore::EntryChoice> choice_;
    std::vector<DumpId> entryOf_{DumpId{}};  ///< by node; 0 for groups
};

}  // namespace gantry::ui
