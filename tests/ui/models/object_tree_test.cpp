// SPDX-License-Identifier: PostgreSQL
// Check boxes, order and search of a database's objects, from a few to fifty thousand.
#include "ui/models/object_tree.h"

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <catch2/catch_test_macros.hpp>
#include <ctime>

#include "ui/forms/size_delegate.h"

using namespace gantry;
using namespace gantry::ui;

namespace {

constexpr Oid kPublic{2200};
constexpr Oid kSales{20000};

dump::InventoryRelation relation(uint32_t oid, std::string name, uint64_t bytes, char relkind = 'r',
                                 uint32_t parent = 0) {
    return {.oid = Oid{oid},
            .parent = Oid{parent},
            .name = std::move(name),
            .relkind = relkind,
            .heapBytes = bytes};
}

struct Shop {
    ObjectTree tree;
    QAbstractItemModelTester tester{&tree, QAbstractItemModelTester::FailureReportingMode::Warning};

    Shop() {
        dump::Inventory inventory;
        inventory.schemas = {{kPublic, "public", 5, 700}, {kSales, "sales", 1, 100}};
        inventory.extensions = {"pg_trgm"};
        inventory.largeObjects = 3;
        inventory.largeObjectBytes = 50;
        tree.setInventory(inventory);
    }

    void readAll() {
        tree.setRelations(kPublic,
                          {relation(1, "events_1", 10, 'r', 3), relation(2, "events_2", 20, 'r', 3),
                           relation(3, "events", 0, 'p'), relation(4, "audit", 500),
                           relation(5, "totals", 0, 'm')});
        tree.setRelations(kSales, {relation(6, "orders", 300)});
    }

    QModelIndex find(const QString& start, const QModelIndex& below = {}) const {
        for (int row = 0; row < tree.rowCount(below); ++row) {
            const QModelIndex index = tree.index(row, 0, below);
            if (index.data().toString().startsWith(start)) return index;
            if (const QModelIndex deeper = find(start, index); deeper.isValid()) return deeper;
        }
        return {};
    }
    Qt::CheckState state(const QString& name) const {
        return find(name).data(Qt::CheckStateRole).value<Qt::CheckState>();
    }
    void set(const QString& name, bool checked) {
        tree.setData(find(name), checked ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
    }
};

}  // namespace

TEST_CASE("object tree: what may not be read is told as long as it is checked") {
    Shop shop;
    dump::InventoryRelation hidden = relation(7, "salaries", 40);
    hidden.readable = false;
    shop.tree.setRelations(kSales, {relation(6, "orders", 300), hidden});
    CHECK(shop.tree.unreadable() == QStringList{QStringLiteral("sales.salaries")});
    shop.tree.toggleRows(shop.find(QStringLiteral("salaries")));
    CHECK(shop.tree.unreadable().isEmpty());  // its definition may be had with less
    shop.tree.toggleRows(shop.find(QStringLiteral("salaries")));
    shop.tree.leaveOutUnreadable();
    CHECK(shop.tree.unreadable().isEmpty());
    CHECK(shop.state(QStringLiteral("salaries")) == Qt::Unchecked);
    CHECK(shop.state(QStringLiteral("orders")) == Qt::Checked);
}

TEST_CASE("object tree: schemas come first, their relations when they have been read") {
    Shop shop;
    CHECK_FALSE(shop.tree.complete());
    CHECK(shop.tree.rowCount() == 5);
    CHECK(shop.tree.index(0, 0).data().toString() == QStringLiteral("public · reading…"));
    CHECK(dump::toOptions(shop.tree.choice()).form == dump::ChoiceForm::Everything);
    shop.readAll();
    CHECK(shop.tree.complete());
    CHECK(shop.find(QStringLiteral("events")).data().toString() ==
          QStringLiteral("events (partitioned, 2)"));
    CHECK(shop.find(QStringLiteral("events_2")).parent() == shop.find(QStringLiteral("events (")));
    CHECK(shop.tree.allBytes() == 880);
    CHECK(shop.tree.chosenBytes() == 880);
    // By size, the largest first.
    const QModelIndex all = shop.find(QStringLiteral("public"));
    CHECK(shop.tree.index(0, 0, all).data().toString() == QStringLiteral("audit"));
    shop.tree.setOrder(FlatTree::Order::ByName);
    CHECK(shop.tree.index(1, 0, shop.find(QStringLiteral("public"))).data().toString() ==
          QStringLiteral("events (partitioned, 2)"));
}

TEST_CASE("object tree: what is unchecked is left out, above it half-checked") {
    Shop shop;
    shop.readAll();
    shop.set(QStringLiteral("events_1"), false);
    CHECK(shop.state(QStringLiteral("events (")) == Qt::PartiallyChecked);
    CHECK(shop.state(QStringLiteral("public")) == Qt::PartiallyChecked);
    auto chosen = dump::toOptions(shop.tree.choice());
    CHECK(chosen.selection.excludeTables == std::vector<std::string>{"public.events_1"});
    // The last partition takes its table along.
    shop.set(QStringLiteral("events_2"), false);
    CHECK(shop.state(QStringLiteral("events (")) == Qt::Unchecked);
    chosen = dump::toOptions(shop.tree.choice());
    CHECK(chosen.selection.excludeTables.size() == 3);
    shop.set(QStringLiteral("public"), false);
    CHECK(dump::toOptions(shop.tree.choice()).selection.excludeSchemas ==
          std::vector<std::string>{"public"});
    CHECK(shop.tree.chosenBytes() == 350);
    shop.tree.chooseAll();
    CHECK(dump::toOptions(shop.tree.choice()).form == dump::ChoiceForm::Everything);
}

TEST_CASE("object tree: only one thing, and definitions without rows") {
    Shop shop;
    shop.readAll();
    shop.tree.chooseOnly(shop.find(QStringLiteral("sales")));
    CHECK(dump::toOptions(shop.tree.choice()).selection.schemas ==
          std::vector<std::string>{"sales"});
    shop.tree.chooseOnly(shop.find(QStringLiteral("audit")));
    CHECK(dump::toOptions(shop.tree.choice()).selection.tables ==
          std::vector<std::string>{"public.audit"});
    CHECK(shop.tree.toggleRows(shop.find(QStringLiteral("audit"))));
    CHECK(shop.find(QStringLiteral("audit")).data().toString() ==
          QStringLiteral("audit · definition only"));
    CHECK(dump::toOptions(shop.tree.choice()).selection.excludeTableData ==
          std::vector<std::string>{"public.audit"});
    CHECK(shop.tree.chosenBytes() == 0);
    CHECK_FALSE(shop.tree.toggleRows(shop.find(QStringLiteral("totals"))));
}

TEST_CASE("object tree: a choice made earlier is shown again") {
    Shop shop;
    shop.readAll();
    const dump::ObjectChoice all = shop.tree.choice();
    options::DumpOptions options;
    options.selection.excludeTables = {"public.events_2"};
    options.selection.excludeTableData = {"public.audit"};
    options.content.noLargeObjects = true;
    const auto choice = dump::toChoice(options, all);
    REQUIRE(choice);
    shop.tree.setChoice(*choice);
    CHECK(shop.state(QStringLiteral("events_2")) == Qt::Unchecked);
    CHECK(shop.state(QStringLiteral("events (")) == Qt::PartiallyChecked);
    CHECK(shop.state(QStringLiteral("Large objects")) == Qt::Unchecked);
    options::DumpOptions again;
    dump::toOptions(shop.tree.choice()).apply(again);
    CHECK(again.selection.excludeTables == options.selection.excludeTables);
    CHECK(again.selection.excludeTableData == options.selection.excludeTableData);
    CHECK(again.content.noLargeObjects);
}

TEST_CASE("object tree: the search shows what holds the text, and all above it") {
    Shop shop;
    shop.readAll();
    const QPersistentModelIndex audit = shop.find(QStringLiteral("audit"));
    shop.tree.setFilter(QStringLiteral("EVENTS_"));
    CHECK(shop.tree.matches() == 2);
    CHECK(shop.tree.rowCount() == 1);
    CHECK(shop.tree.rowCount(shop.tree.index(0, 0)) == 1);
    CHECK(shop.find(QStringLiteral("events_1")).isValid());
    CHECK_FALSE(audit.isValid());
    shop.tree.setFilter({});
    CHECK(shop.tree.rowCount() == 5);
}

TEST_CASE("object tree: fifty thousand tables are no burden") {
    ObjectTree tree;
    dump::Inventory inventory;
    inventory.schemas = {{kPublic, "public", 50'000, 0}};
    tree.setInventory(inventory);
    std::vector<dump::InventoryRelation> relations;
    for (uint32_t i = 0; i < 50'000; ++i) {
        relations.push_back(relation(i + 1, "table_" + std::to_string(i), i));
    }
    const std::clock_t begin = std::clock();
    tree.setRelations(kPublic, relations);
    tree.setData(tree.index(0, 0), Qt::Unchecked, Qt::CheckStateRole);
    tree.setData(tree.index(7, 0, tree.index(0, 0)), Qt::Checked, Qt::CheckStateRole);
    tree.setFilter(QStringLiteral("table_4999"));
    tree.setFilter({});
    tree.setOrder(FlatTree::Order::ByName);
    WARN("50,000 tables added, checked, searched and sorted in "
         << (std::clock() - begin) * 1000 / CLOCKS_PER_SEC << " ms of processor time");
    CHECK(tree.rowCount(tree.index(0, 0)) == 50'000);
    CHECK(dump::toOptions(tree.choice()).selection.excludeTables.size() == 49'999);
}
