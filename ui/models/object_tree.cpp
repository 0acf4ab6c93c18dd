// SPDX-License-Identifier: PostgreSQL
#include "ui/models/object_tree.h"

#include <QStringList>
#include <algorithm>
#include <unordered_map>

#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

constexpr uint64_t kBlockSize = 8192;

}  // namespace

int ObjectTree::add(int parent, Extra added, QString name, std::optional<uint64_t> bytes) {
    const int id = addNode(parent, std::move(name), bytes);
    extras_.push_back(std::move(added));
    return id;
}

void ObjectTree::clear() { setInventory({}); }

void ObjectTree::setInventory(const dump::Inventory& inventory) {
    beginResetModel();
    clearNodes();
    extras_.assign(1, Extra{});
    schemas_.clear();
    extensions_.clear();
    bySchema_.clear();
    waiting_.clear();
    relationCount_ = 0;
    largeObjects_ = extensionGroup_ = databaseWide_ = 0;
    largeObjectCount_ = inventory.largeObjects;
    for (const dump::InventorySchema& schema : inventory.schemas) {
        const int id = add(kRoot, {.kind = Kind::Schema, .oid = schema.oid, .name = schema.name},
                           text(schema.name), schema.estimatedBytes);
        schemas_.push_back(id);
        bySchema_.emplace(schema.oid, id);
        relationCount_ += schema.relations;
        if (schema.relations > 0) {
            waiting_.insert(schema.oid);
            node(id).remark = tr("reading…");
        }
    }
    if (!inventory.schemas.empty()) {
        if (inventory.largeObjects > 0) {
            largeObjects_ = add(kRoot, {.kind = Kind::LargeObjects},
                                tr("Large objects (%L1)").arg(inventory.largeObjects),
                                inventory.largeObjectBytes);
        }
        if (!inventory.extensions.empty()) {
            extensionGroup_ = add(kRoot, {.kind = Kind::Extensions},
                                  tr("Extensions (%L1)").arg(inventory.extensions.size()), {});
            for (const std::string& name : inventory.extensions) {
                extensions_.push_back(
                    add(extensionGroup_, {.kind = Kind::Extension, .name = name}, text(name), {}));
            }
        }
        databaseWide_ = add(kRoot, {.kind = Kind::DatabaseWide}, tr("Database-wide objects"), {});
    }
    for (const int id : {largeObjects_, extensionGroup_, databaseWide_}) {
        if (id != kRoot) node(id).last = true;
    }
    sumUp(kRoot);
    finishReset();
}

void ObjectTree::setRelations(Oid schema, const std::vector<dump::InventoryRelation>& relations) {
    const auto found = bySchema_.find(schema);
    if (found == bySchema_.end() || waiting_.erase(schema) == 0) return;
    const int top = found->second;
    std::unordered_map<uint32_t, std::size_t> position;
    for (std::size_t i = 0; i < relations.size(); ++i) position.emplace(relations[i].oid.value, i);
    std::vector<int> ids(relations.size(), 0);
    // A partition comes after its parent, which may itself be one, and later in the list.
    for (std::size_t i = 0; i < relations.size(); ++i) {
        std::vector<std::size_t> chain{i};
        while (ids[chain.back()] == 0 && chain.size() <= relations.size()) {
            const auto parent = position.find(relations[chain.back()].parent.value);
            if (parent == position.end() || ids[parent->second] != 0) break;
            chain.push_back(parent->second);
        }
        for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
            const dump::InventoryRelation& relation = relations[*step];
            if (ids[*step] != 0) continue;
            const auto parent = position.find(relation.parent.value);
            const int above = parent == position.end() ? top : ids[parent->second];
            ids[*step] =
                add(above,
                    {.kind = Kind::Relation,
                     .schema = top,
                     .oid = relation.oid,
                     .name = relation.name,
                     .relkind = relation.relkind,
                     .divisible = relation.relkind == 'r' && relation.heapAccessMethod,
                     .readable = relation.readable,
                     .heapBytes = relation.heapBytes},
                    text(relation.name),
                    relation.relkind == 'r' ? std::optional(relation.bytes()) : std::nullopt);
        }
    }
    node(top).remark.clear();
    const Qt::CheckState state = node(top).state;
    for (const int id : ids) {
        describe(id);
        node(id).state = state;
    }
    sumUp(top);
    sumUp(kRoot);
    showChildren(top);
    repaint();
    Q_EMIT choiceChanged();
}

/// Sizes of what has no rows of its own, from what is below it.
void ObjectTree::sumUp(int id) {
    uint64_t sum = 0;
    bool any = false;
    for (const int child : node(id).children) {
        const bool group = id != kRoot && !node(child).children.empty();
        if (group) sumUp(child);
        any = any || node(child).bytes.has_value();
        sum += node(child).bytes.value_or(0);
    }
    if (any) node(id).bytes = sum;
}

void ObjectTree::describe(int id) {
    Node& n = node(id);
    const Extra& e = extra(id);
    n.name = text(e.name);
    switch (e.relkind) {
        case 'p':
            n.name += tr(" (partitioned, %L1)").arg(n.children.size());
            break;
        case 'm':
            n.name += tr(" (materialized view)");
            break;
        case 'v':
            n.name += tr(" (view)");
            break;
        case 'f':
            n.name += tr(" (foreign table)");
            break;
        default:
            break;
    }
    n.remark = e.definitionOnly ? tr("definition only") : QString();
}

bool ObjectTree::holdsRows(int id) const {
    return extra(id).kind == Kind::Relation &&
           (extra(id).relkind == 'r' || extra(id).relkind == 'p');
}

bool ObjectTree::hasRows(const QModelIndex& index) const { return holdsRows(idOf(index)); }

bool ObjectTree::isDefinitionOnly(const QModelIndex& index) const {
    return extra(idOf(index)).definitionOnly;
}

void ObjectTree::choose(int id, bool taken) {
    setStates(id, taken ? Qt::Checked : Qt::Unchecked);
    if (!taken && extra(id).kind == Kind::Relation && extra(id).definitionOnly) {
        extra(id).definitionOnly = false;
        describe(id);
    }
    refreshAbove(id);
}

bool ObjectTree::toggleRows(const QModelIndex& index) {
    const int id = idOf(index);
    if (!holdsRows(id)) return false;
    const bool only = !extra(id).definitionOnly;
    std::vector<int> open{id};
    while (!open.empty()) {
        const int next = open.back();
        open.pop_back();
        extra(next).definitionOnly = only;
        describe(next);
        open.insert(open.end(), node(next).children.begin(), node(next).children.end());
    }
    setStates(id, Qt::Checked);
    refreshAbove(id);
    repaint();
    Q_EMIT choiceChanged();
    return true;
}

void ObjectTree::chooseOnly(const QModelIndex& index) {
    for (const int id : node(kRoot).children) setStates(id, Qt::Unchecked);
    choose(idOf(index), true);
    repaint();
    Q_EMIT choiceChanged();
}

void ObjectTree::chooseAll() {
    for (const int id : node(kRoot).children) setStates(id, Qt::Checked);
    for (int id = 1; id < nodeCount(); ++id) {
        if (!extra(id).definitionOnly) continue;
        extra(id).definitionOnly = false;
        describe(id);
    }
    repaint();
    Q_EMIT choiceChanged();
}

template <class Use>
void ObjectTree::forEachRelation(int schema, Use use) const {
    std::vector<int> open(node(schema).children.rbegin(), node(schema).children.rend());
    while (!open.empty()) {
        const int id = open.back();
        open.pop_back();
        use(id);
        open.insert(open.end(), node(id).children.rbegin(), node(id).children.rend());
    }
}

dump::SchemaChoice ObjectTree::schemaChoice(int schema) const {
    dump::SchemaChoice choice{.name = extra(schema).name};
    choice.whole = node(schema).state == Qt::Checked;
    choice.nothing = node(schema).state == Qt::Unchecked;
    if (choice.nothing) return choice;
    forEachRelation(schema, [&](int id) {
        // A partition cannot be without its table, which comes along for any of them.
        const bool taken = node(id).state != Qt::Unchecked;
        (taken ? choice.taken : choice.left).push_back(extra(id).name);
        if (taken && extra(id).definitionOnly && extra(id).relkind == 'r') {
            choice.definitionOnly.push_back(extra(id).name);
        }
    });
    return choice;
}

dump::ObjectChoice ObjectTree::choice() const {
    dump::ObjectChoice choice;
    for (const int schema : schemas_) choice.schemas.push_back(schemaChoice(schema));
    for (const int id : extensions_) {
        (node(id).state == Qt::Checked ? choice.extensionsTaken : choice.extensionsLeft)
            .push_back(extra(id).name);
    }
    choice.hasLargeObjects = largeObjects_ != 0;
    choice.largeObjects = largeObjects_ == 0 || node(largeObjects_).state == Qt::Checked;
    choice.databaseWide = databaseWide_ == 0 || node(databaseWide_).state == Qt::Checked;
    return choice;
}

void ObjectTree::setChoice(const dump::ObjectChoice& choice) {
    const auto set = [this](int id, bool taken) {
        if (id != 0) setStates(id, taken ? Qt::Checked : Qt::Unchecked);
    };
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const int schema : schemas_) {
        const auto found = std::find_if(
            choice.schemas.begin(), choice.schemas.end(),
            [&](const dump::SchemaChoice& other) { return other.name == extra(schema).name; });
        const bool known = found != choice.schemas.end();
        set(schema, known && !found->nothing);
        if (!known || found->nothing) continue;
        forEachRelation(schema, [&](int id) {
            extra(id).definitionOnly = has(found->definitionOnly, extra(id).name);
            const bool taken = found->whole || has(found->taken, extra(id).name) ||
                               (found->taken.empty() && !has(found->left, extra(id).name));
            node(id).state = taken ? Qt::Checked : Qt::Unchecked;
            describe(id);
        });
        // From the leaves up: what was added last lies deepest.
        for (int id = nodeCount() - 1; id > 0; --id) {
            const bool group = !node(id).children.empty();
            if (group && (id == schema || extra(id).schema == schema)) {
                node(id).state = stateOfChildren(id);
            }
        }
    }
    for (const int id : extensions_) set(id, has(choice.extensionsTaken, extra(id).name));
    if (extensionGroup_ != 0) node(extensionGroup_).state = stateOfChildren(extensionGroup_);
    set(largeObjects_, choice.largeObjects);
    set(databaseWide_, choice.databaseWide);
    repaint();
    Q_EMIT choiceChanged();
}

advise::DumpWorkload ObjectTree::workload() const {
    advise::DumpWorkload work;
    for (const int schema : schemas_) {
        if (node(schema).state == Qt::Unchecked) continue;
        if (waiting_.contains(extra(schema).oid)) {  // until its tables are known, as one
            const uint64_t bytes = node(schema).bytes.value_or(0);
            work.tables.push_back({.object = extra(schema).name,
                                   .heapBlocks = bytes / kBlockSize,
                                   .bytes = bytes,
                                   .divisible = true});
        }
        forEachRelation(schema, [&](int id) {
            if (node(id).state == Qt::Unchecked) return;
            ++work.relations;
            const Extra& e = extra(id);
            if (e.relkind != 'r' || e.definitionOnly) return;
            work.tables.push_back({.object = extra(schema).name + "." + e.name,
                                   .heapBlocks = e.heapBytes / kBlockSize,
                                   .bytes = node(id).bytes.value_or(0),
                                   .divisible = e.divisible});
        });
    }
    if (largeObjects_ != 0 && node(largeObjects_).state == Qt::Checked) {
        work.largeObjects = largeObjectCount_;
        work.largeObjectBytes = node(largeObjects_).bytes.value_or(0);
    }
    return work;
}

uint64_t ObjectTree::chosenBytes() const { return workload().bytes(); }

uint64_t ObjectTree::allBytes() const { return node(kRoot).bytes.value_or(0); }

template <class Use>
void ObjectTree::forEachUnreadable(Use use) const {
    for (const int schema : schemas_) {
        forEachRelation(schema, [&](int id) {
            const bool wanted = node(id).state != Qt::Unchecked && !extra(id).definitionOnly;
            if (wanted && holdsRows(id) && !extra(id).readable) use(schema, id);
        });
    }
}

QStringList ObjectTree::unreadable() const {
    QStringList names;
    forEachUnreadable(
        [&](int schema, int id) { names << text(extra(schema).name + "." + extra(id).name); });
    return names;
}

void ObjectTree::leaveOutUnreadable() {
    std::vector<int> hidden;
    forEachUnreadable([&](int, int id) { hidden.push_back(id); });
    for (const int id : hidden) choose(id, false);
    repaint();
    Q_EMIT choiceChanged();
}

QVariant ObjectTree::data(const QModelIndex& index, int role) const {
    if (role == Qt::ToolTipRole && index.isValid() &&
        extra(idOf(index)).kind == Kind::DatabaseWide) {
        return tr("Publications, subscriptions, event triggers, casts, languages, foreign servers");
    }
    return FlatTree::data(index, role);
}

}  // namespace gantry::ui
