// SPDX-License-Identifier: PostgreSQL
// A database's objects to choose from, as a tree with check boxes.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/advise/dump_advice.h"
#include "core/dump/inventory.h"
#include "core/dump/object_choice.h"
#include "ui/models/flat_tree.h"

namespace gantry::ui {

/// Schemas with their relations, partitions under their tables; large objects, extensions, and what
/// belongs to the database as a whole. Schemas come first, their relations when they have been
/// read.
class ObjectTree : public FlatTree {
    Q_OBJECT
public:
    using FlatTree::FlatTree;

    void setInventory(const dump::Inventory& inventory);
    void setRelations(Oid schema, const std::vector<dump::InventoryRelation>& relations);
    void clear();

    /// What is checked, to be said as options.
    dump::ObjectChoice choice() const;
    /// Checks what was chosen before; what is not named there is left out of it.
    void setChoice(const dump::ObjectChoice& choice);
    /// The tables whose rows are checked, and what else costs time.
    advise::DumpWorkload workload() const;
    uint64_t chosenBytes() const;
    uint64_t allBytes() const;
    uint64_t relationCount() const { return relationCount_; }
    /// Every schema's relations have been read.
    bool complete() const { return waiting_.empty(); }
    /// Relations that this role may not read, as far as they are checked.
    QStringList unreadable() const;
    /// Unchecks them.
    void leaveOutUnreadable();

    /// Nothing but this node and what is below it.
    void chooseOnly(const QModelIndex& index);
    /// Toggles between a table with its rows and its definition alone; false for what has no rows.
    bool toggleRows(const QModelIndex& index);
    bool hasRows(const QModelIndex& index) const;
    bool isDefinitionOnly(const QModelIndex& index) const;
    void chooseAll();

    QVariant data(const QModelIndex& index, int role) const override;

protected:
    void choose(int id, bool taken) override;

private:
    enum class Kind { Schema, Relation, LargeObjects, Extensions, Extension, DatabaseWide };
    struct Extra {
        Kind kind = Kind::Schema;
        int schema = 0;  ///< its node
        Oid oid = {};
        std::string name = {};
        char relkind = 0;
        bool definitionOnly = false;
        bool divisible = false;
        bool readable = true;
        uint64_t heapBytes = 0;
    };

    int add(int parent, Extra extra, QString name, std::optional<uint64_t> bytes);
    Extra& extra(int id) { return extras_[static_cast<std::size_t>(id)]; }
    const Extra& extra(int id) const { return extras_[static_cast<std::size_t>(id)]; }
    bool holdsRows(int id) const;
    void sumUp(int schema);
    void describe(int id);
    dump::SchemaChoice schemaChoice(int schema) const;
    template <class Use>
    void forEachRelation(int schema, Use use) const;
    /// Calls `use(schema, relation)` for what is checked with its rows and may not be read.
    template <class Use>
    void forEachUnreadable(Use use) const;

    std::vector<Extra> extras_{Extra{}};  ///< by node
    std::vector<int> schemas_;
    std::vector<int> extensions_;
    std::map<Oid, int> bySchema_;
    std::set<Oid> waiting_;
    int largeObjects_ = 0;
    int extensionGroup_ = 0;
    int databaseWide_ = 0;
    uint64_t largeObjectCount_ = 0;
    uint64_t relationCount_ = 0;
};

}  // namespace gantry::ui
