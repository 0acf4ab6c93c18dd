// SPDX-License-Identifier: PostgreSQL
#include "ui/models/archive_tree.h"

#include <QHash>
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualRatio = 4;  // of rows to what compression leaves of them
constexpr std::size_t kNamesTold = 4;

bool isSetting(const archive::TocEntry& entry) {
    const std::string_view desc = entry.description();
    return desc == "ENCODING" || desc == "STDSTRINGS" || desc == "SEARCHPATH";
}

std::optional<uint64_t> sizeOf(const archive::ListedEntry& listed, bool compressed) {
    if (listed.rawSize) return listed.rawSize;
    if (!listed.compressedSize) return std::nullopt;
    const double factor = compressed ? kUsualRatio : 1;
    return static_cast<uint64_t>(static_cast<double>(*listed.compressedSize) * factor);
}

}  // namespace

ArchiveContents readArchiveContents(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw Error(ErrorKind::Preflight, "there is no such file or folder", path.string());
    }
    ArchiveContents contents;
    contents.reader = archive::openArchive(path);
    contents.entries = archive::listEntries(*contents.reader);
    const bool compressed = contents.reader->toc().compression.algorithm != io::Algorithm::None;
    for (const archive::ListedEntry& listed : contents.entries) {
        contents.rawBytes += sizeOf(listed, compressed).value_or(0);
    }
    return contents;
}

void ArchiveTree::clear() {
    beginResetModel();
    clearNodes();
    entryOf_.assign(1, DumpId{});
    choice_.reset();
    contents_.reset();
    finishReset();
}

void ArchiveTree::setContents(ArchiveContents contents) {
    beginResetModel();
    clearNodes();
    entryOf_.assign(1, DumpId{});
    choice_.reset();
    contents_ = std::move(contents);
    choice_ = std::make_unique<restore::EntryChoice>(contents_->reader->toc());
    addEntries();
    finishReset();
    Q_EMIT choiceChanged();
}

int ArchiveTree::group(int parent, const QString& name) {
    entryOf_.push_back(DumpId{});
    return addNode(parent, name, {});
}

void ArchiveTree::addEntries() {
    const bool compressed = reader().toc().compression.algorithm != io::Algorithm::None;
    QHash<QString, int> schemas;
    std::map<DumpId, int> nodes;
    int wide = 0;
    int large = 0;
    std::vector<const archive::ListedEntry*> attached;
    const auto addEntry = [&](const archive::ListedEntry& listed, int parent) {
        const archive::TocEntry& entry = *listed.entry;
        entryOf_.push_back(entry.dumpId);
        const int id = addNode(parent, text(entry.name()), sizeOf(listed, compressed));
        node(id).remark = text(entry.description()).toLower();
        nodes.emplace(entry.dumpId, id);
    };
    const auto topFor = [&](const archive::TocEntry& entry) {
        const std::string_view desc = entry.description();
        if (desc.starts_with("BLOB")) {
            if (large == 0) large = group(kRoot, tr("Large objects"));
            return large;
        }
        const std::string schema =
            desc == "SCHEMA" ? std::string(entry.name()) : entry.namespaceName.value_or("");
        if (schema.empty()) {
            if (wide == 0) wide = group(kRoot, tr("Database-wide objects"));
            return wide;
        }
        auto found = schemas.find(text(schema));
        if (found == schemas.end()) {
            found = schemas.insert(text(schema), group(kRoot, text(schema)));
        }
        return *found;
    };
    for (const archive::ListedEntry& listed : contents_->entries) {
        if (isSetting(*listed.entry)) continue;
        if (restore::isAttachment(*listed.entry)) {
            attached.push_back(&listed);
        } else {
            addEntry(listed, topFor(*listed.entry));
        }
    }
    for (const archive::ListedEntry* listed : attached) {
        const auto owner = nodes.find(choice_->ownerOf(listed->entry->dumpId));
        addEntry(*listed, owner == nodes.end() ? topFor(*listed->entry) : owner->second);
    }
    // Children come after their parents, so that sums go from the end to the beginning.
    for (int id = nodeCount() - 1; id > 0; --id) {
        if (!node(id).bytes) continue;
        auto& above = node(node(id).parent).bytes;
        above = above.value_or(0) + *node(id).bytes;
    }
}

std::vector<DumpId> ArchiveTree::entriesBelow(int id) const {
    std::vector<DumpId> entries;
    std::vector<int> open{id};
    while (!open.empty()) {
        const int next = open.back();
        open.pop_back();
        const DumpId entry = entryOf_[static_cast<std::size_t>(next)];
        if (entry.value != 0) entries.push_back(entry);
        open.insert(open.end(), node(next).children.begin(), node(next).children.end());
    }
    return entries;
}

void ArchiveTree::choose(int id, bool taken) {
    const std::vector<DumpId> entries = entriesBelow(id);
    const std::vector<DumpId> others = taken ? choice_->take(entries) : choice_->leave(entries);
    refreshStates();
    tell(others, taken);
}

void ArchiveTree::chooseOnly(const QModelIndex& index) {
    choice_->leaveAll();
    choose(idOf(index), true);
    repaint();
    Q_EMIT choiceChanged();
}

void ArchiveTree::chooseEntries(const std::vector<DumpId>& ids) {
    choice_->takeExactly(ids);
    refreshStates();
    repaint();
    Q_EMIT choiceChanged();
}

void ArchiveTree::chooseAll() {
    choice_->takeAll();
    refreshStates();
    repaint();
    Q_EMIT choiceChanged();
    Q_EMIT consequences({});
}

void ArchiveTree::chooseNone() {
    choice_->leaveAll();
    refreshStates();
    repaint();
    Q_EMIT choiceChanged();
    Q_EMIT consequences({});
}

void ArchiveTree::refreshStates() {
    for (int id = nodeCount() - 1; id > 0; --id) {
        const DumpId entry = entryOf_[static_cast<std::size_t>(id)];
        const bool leaf = node(id).children.empty();
        const Qt::CheckState below = stateOfChildren(id);
        if (entry.value == 0) {
            node(id).state = below;
        } else if (!choice_->taken(entry)) {
            node(id).state = leaf || below == Qt::Unchecked ? Qt::Unchecked : Qt::PartiallyChecked;
        } else {
            node(id).state = leaf || below == Qt::Checked ? Qt::Checked : Qt::PartiallyChecked;
        }
    }
}

std::string ArchiveTree::nameOf(DumpId id) const {
    const archive::TocEntry* entry = reader().toc().find(id);
    return entry ? entry->qualifiedName() : std::string();
}

void ArchiveTree::tell(const std::vector<DumpId>& others, bool came) {
    if (others.empty()) {
        Q_EMIT consequences({});
        return;
    }
    QStringList names;
    for (std::size_t i = 0; i < std::min(others.size(), kNamesTold); ++i) {
        const archive::TocEntry* entry = reader().toc().find(others[i]);
        names << text(entry->description()).toLower() + QStringLiteral(" ") +
                     text(nameOf(others[i]));
    }
    if (others.size() > kNamesTold) names << tr("…");
    const int count = static_cast<int>(others.size());
    Q_EMIT consequences(came ? tr("Needs or brings %n more: %1.", nullptr, count)
                                   .arg(names.join(QStringLiteral(", ")))
                             : tr("Leaves out %n that depend on it: %1.", nullptr, count)
                                   .arg(names.join(QStringLiteral(", "))));
}

uint64_t ArchiveTree::chosenBytes() const {
    if (!contents_) return 0;
    const bool compressed = reader().toc().compression.algorithm != io::Algorithm::None;
    uint64_t sum = 0;
    for (const archive::ListedEntry& listed : contents_->entries) {
        if (choice_->taken(listed.entry->dumpId)) sum += sizeOf(listed, compressed).value_or(0);
    }
    return sum;
}

std::string ArchiveTree::list() const {
    std::vector<archive::ListedEntry> chosen;
    for (const archive::ListedEntry& listed : contents_->entries) {
        if (choice_->taken(listed.entry->dumpId)) chosen.push_back(listed);
    }
    return archive::renderList(reader(), chosen);
}

}  // namespace gantry::ui
