// SPDX-License-Identifier: PostgreSQL
// Choosing entries of an archive: what comes along, what goes along.
#include "core/restore/entry_choice.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::restore;

namespace {

/// orders has a serial key, an index, rows and a foreign key to customers; paid is a view of it.
struct Shop {
    archive::Toc toc;

    DumpId add(std::string desc, std::string tag, std::vector<DumpId> needs) {
        archive::TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc.entries.size()) + 1};
        entry.desc = std::move(desc);
        entry.tag = std::move(tag);
        entry.dependencies = std::move(needs);
        toc.entries.push_back(std::move(entry));
        return toc.entries.back().dumpId;
    }

    DumpId schema = add("SCHEMA", "sales", {});
    DumpId customers = add("TABLE", "customers", {schema});
    DumpId orders = add("TABLE", "orders", {schema});
    DumpId sequence = add("SEQUENCE", "orders_id_seq", {schema});
    DumpId owned = add("SEQUENCE OWNED BY", "orders_id_seq", {sequence, orders});
    DumpId paid = add("VIEW", "paid", {orders});
    DumpId standard = add("DEFAULT", "orders id", {sequence, orders});
    DumpId customerRows = add("TABLE DATA", "customers", {customers});
    DumpId rows = add("TABLE DATA", "orders", {orders});
    DumpId value = add("SEQUENCE SET", "orders_id_seq", {sequence});
    DumpId customerKey = add("CONSTRAINT", "customers customers_pkey", {customers});
    DumpId key = add("CONSTRAINT", "orders orders_pkey", {orders});
    DumpId index = add("INDEX", "orders_day", {orders});
    DumpId remark = add("COMMENT", "INDEX orders_day", {index});
    DumpId foreignKey =
        add("FK CONSTRAINT", "orders orders_customer_fkey", {orders, customers, customerKey});
};

using Ids = std::vector<DumpId>;

}  // namespace

TEST_CASE("a table brings what it needs and what belongs to it") {
    Shop shop;
    EntryChoice choice(shop.toc);
    CHECK(choice.everything());
    choice.leaveAll();
    CHECK(choice.count() == 0);
    const Ids brought = choice.take({shop.orders});
    CHECK(brought == Ids{shop.schema, shop.sequence, shop.owned, shop.standard, shop.rows,
                         shop.value, shop.key, shop.index, shop.remark});
    CHECK_FALSE(choice.taken(shop.foreignKey));
    CHECK_FALSE(choice.taken(shop.paid));
}

TEST_CASE("an identity column's sequence belongs to its table") {
    Shop shop;
    const DumpId identity = shop.add("SEQUENCE", "lines_id_seq", {shop.schema, shop.orders});
    shop.toc.entries.back().defn = "ALTER TABLE sales.orders ALTER COLUMN id ADD GENERATED";
    EntryChoice choice(shop.toc);
    choice.leaveAll();
    choice.take({shop.orders});
    CHECK(choice.taken(identity));
    CHECK(choice.ownerOf(identity) == shop.orders);
}

TEST_CASE("a foreign key comes with the second of its tables") {
    Shop shop;
    EntryChoice choice(shop.toc);
    choice.leaveAll();
    choice.take({shop.orders});
    CHECK(choice.take({shop.customers}) ==
          Ids{shop.customerRows, shop.customerKey, shop.foreignKey});
}

TEST_CASE("what is left out takes along what cannot be without it") {
    Shop shop;
    EntryChoice choice(shop.toc);
    const Ids expected{shop.customerRows, shop.customerKey, shop.foreignKey};
    CHECK(choice.dependents({shop.customers}) == expected);
    CHECK(choice.everything());
    CHECK(choice.leave({shop.customers}) == expected);
    CHECK(choice.taken(shop.orders));
    CHECK(choice.count() == shop.toc.entries.size() - 4);
    CHECK(choice.leave({shop.schema}).size() == shop.toc.entries.size() - 5);
    CHECK(choice.count() == 0);
}

TEST_CASE("rows alone can be left out") {
    Shop shop;
    EntryChoice choice(shop.toc);
    CHECK(choice.leave({shop.rows}).empty());
    CHECK(choice.taken(shop.orders));
    CHECK(choice.taken(shop.key));
}

TEST_CASE("a view brings the table it reads, with its rows") {
    Shop shop;
    EntryChoice choice(shop.toc);
    choice.leaveAll();
    choice.take({shop.paid});
    CHECK(choice.taken(shop.orders));
    CHECK(choice.taken(shop.rows));
    CHECK_FALSE(choice.taken(shop.customers));
}

TEST_CASE("attachments are shown under the object they belong to") {
    Shop shop;
    const EntryChoice choice(shop.toc);
    CHECK(choice.ownerOf(shop.rows) == shop.orders);
    CHECK(choice.ownerOf(shop.foreignKey) == shop.orders);
    CHECK(choice.ownerOf(shop.remark) == shop.orders);
    CHECK(choice.ownerOf(shop.value) == shop.sequence);
    CHECK(choice.ownerOf(shop.schema) == DumpId{});
}

TEST_CASE("entries that need each other in a circle are chosen all the same") {
    Shop shop;
    const DumpId one = shop.add("INDEX", "one", {DumpId{17}});
    const DumpId two = shop.add("INDEX", "two", {one, DumpId{99}});
    EntryChoice choice(shop.toc);
    CHECK(choice.leave({one}) == Ids{two});
    CHECK(choice.take({one}) == Ids{two});
    CHECK(choice.ownerOf(one) == DumpId{});
}
