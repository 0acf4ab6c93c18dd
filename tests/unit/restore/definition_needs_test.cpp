// SPDX-License-Identifier: PostgreSQL
// When rows may begin before all definitions are made, and when not.
#include "core/restore/definition_needs.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <string>
#include <utility>

using namespace gantry;
using namespace gantry::restore;
using archive::TocEntry;

namespace {

/// Entries in the archive's order; all but those of `behind` are definitions.
struct Archive {
    std::deque<TocEntry> entries;
    std::vector<const TocEntry*> order;
    std::vector<std::size_t> definitions;

    DumpId add(std::string desc, std::vector<DumpId> after = {}, std::string defn = "") {
        TocEntry& entry = entries.emplace_back();
        entry.dumpId = DumpId{static_cast<int32_t>(entries.size())};
        entry.desc = std::move(desc);
        entry.defn = std::move(defn);
        entry.dependencies = std::move(after);
        order.push_back(&entry);
        return entry.dumpId;
    }
    DumpId define(std::string desc, std::vector<DumpId> after = {}, std::string defn = "") {
        definitions.push_back(order.size());
        return add(std::move(desc), std::move(after), std::move(defn));
    }
    /// Of the last entry.
    std::size_t before() const {
        return DefinitionNeeds(order, definitions).before(entries.back());
    }
};

}  // namespace

TEST_CASE("rows wait for their table and for what names it, not for other tables") {
    Archive archive;
    const DumpId first = archive.define("TABLE");
    archive.define("VIEW", {first});
    archive.define("TABLE");
    archive.define("TABLE");
    SECTION("rows") {
        archive.add("TABLE DATA", {first});
        CHECK(archive.before() == 2);
    }
    SECTION("an index") {
        archive.add("INDEX", {first});
        CHECK(archive.before() == 2);
    }
    SECTION("what may do anything waits for all") {
        archive.add("TRIGGER", {first});
        CHECK(archive.before() == 4);
    }
}

TEST_CASE("what completes a table is made right behind it") {
    Archive archive;
    const DumpId table = archive.define("TABLE");
    const DumpId sequence = archive.define("SEQUENCE", {table});
    archive.define("TABLE");
    archive.define("SEQUENCE OWNED BY", {sequence});
    archive.define("DEFAULT", {table, sequence});
    CHECK(DefinitionNeeds(archive.order, archive.definitions).sequence() ==
          std::vector<std::size_t>{0, 1, 3, 4, 2});
    archive.add("TABLE DATA", {table});
    CHECK(archive.before() == 4);
    archive.add("SEQUENCE SET", {sequence});
    CHECK(archive.before() == 4);
}

TEST_CASE("where a function may run, all definitions come first and stay in their order") {
    Archive archive;
    const DumpId function = archive.define("FUNCTION");
    SECTION("called by the table") {
        const DumpId table = archive.define("TABLE", {function});
        archive.define("TABLE");
        archive.add("TABLE DATA", {table});
        CHECK(archive.before() == 3);
    }
    SECTION("called by a domain") {
        const DumpId domain = archive.define("DOMAIN", {function});
        const DumpId table = archive.define("TABLE", {domain});
        archive.define("TABLE");
        archive.add("TABLE DATA", {table});
        CHECK(archive.before() == 4);
    }
    SECTION("called by a default") {
        const DumpId table = archive.define("TABLE");
        archive.define("TABLE");
        archive.define("DEFAULT", {table, function});
        CHECK(DefinitionNeeds(archive.order, archive.definitions).sequence() ==
              std::vector<std::size_t>{0, 1, 2, 3});
        archive.add("TABLE DATA", {table});
        CHECK(archive.before() == 4);
    }
    SECTION("called by an index") {
        const DumpId table = archive.define("TABLE");
        archive.define("TABLE");
        archive.add("INDEX", {table, function});
        CHECK(archive.before() == 3);
    }
}

TEST_CASE("what an extension makes stands once all definitions do") {
    Archive archive;
    archive.define("TABLE");
    archive.define("EXTENSION");
    archive.define("TABLE");
    const DumpId elsewhere{4711};  // no entry of the archive
    archive.add("SEQUENCE SET", {elsewhere});
    CHECK(archive.before() == 3);
    archive.add("TABLE DATA");
    CHECK(archive.before() == 3);
}

TEST_CASE("values that are names of objects wait for all objects") {
    Archive archive;
    const DumpId table =
        archive.define("TABLE", {}, "CREATE TABLE public.t (\n    name regclass\n);\n");
    archive.define("TABLE");
    archive.add("TABLE DATA", {table});
    CHECK(archive.before() == 2);
}
