// SPDX-License-Identifier: PostgreSQL
// Chosen objects as options: the shortest that say exactly this, whatever the names hold.
#include "core/dump/object_choice.h"

#include <catch2/catch_test_macros.hpp>
#include <regex>

#include "core/pg/name_pattern.h"

using namespace gantry;
using namespace gantry::dump;
using pg::NamePattern;
using pg::parseNamePattern;

namespace {

using Names = std::vector<std::string>;

ObjectChoice shop() {
    ObjectChoice choice;
    choice.schemas = {{.name = "public", .whole = true}, {.name = "sales", .whole = true}};
    choice.extensionsTaken = {"pg_trgm"};
    choice.hasLargeObjects = true;
    return choice;
}

bool matches(const std::string& expression, const std::string& name) {
    return std::regex_match(name, std::regex(expression));
}

}  // namespace

TEST_CASE("everything needs no option") {
    const ChosenOptions chosen = toOptions(shop());
    CHECK(chosen.form == ChoiceForm::Everything);
    CHECK_FALSE(chosen.largeObjects);
    CHECK_FALSE(chosen.noLargeObjects);
    CHECK(chosen.selection.schemas.empty());
}

TEST_CASE("what is left out of a database is named") {
    ObjectChoice choice = shop();
    choice.schemas[0] = {.name = "public",
                         .taken = {"orders", "cache"},
                         .left = {"audit"},
                         .definitionOnly = {"cache"}};
    choice.schemas[1] = {.name = "sales", .nothing = true};
    choice.extensionsTaken.clear();
    choice.extensionsLeft = {"pg_trgm"};
    choice.largeObjects = false;
    const ChosenOptions chosen = toOptions(choice);
    CHECK(chosen.form == ChoiceForm::Without);
    CHECK(chosen.selection.excludeSchemas == Names{"sales"});
    CHECK(chosen.selection.excludeTables == Names{"public.audit"});
    CHECK(chosen.selection.excludeTableData == Names{"public.cache"});
    CHECK(chosen.selection.excludeExtensions == Names{"pg_trgm"});
    CHECK(chosen.noLargeObjects);
    CHECK(chosen.selection.schemas.empty());
    CHECK(chosen.selection.tables.empty());
}

TEST_CASE("schemas alone leave the database's own things behind, but for what is chosen") {
    ObjectChoice choice = shop();
    choice.databaseWide = false;
    choice.schemas[1] = {.name = "sales", .taken = {"a"}, .left = {"b"}};
    ChosenOptions chosen = toOptions(choice);
    CHECK(chosen.form == ChoiceForm::Schemas);
    CHECK(chosen.selection.schemas == Names{"public", "sales"});
    CHECK(chosen.selection.excludeTables == Names{"sales.b"});
    CHECK(chosen.selection.extensions == Names{"pg_trgm"});
    CHECK(chosen.largeObjects);

    choice.largeObjects = false;
    choice.extensionsTaken.clear();
    choice.schemas[1] = {.name = "sales", .nothing = true};
    chosen = toOptions(choice);
    CHECK(chosen.selection.schemas == Names{"public"});
    CHECK(chosen.selection.extensions.empty());
    CHECK_FALSE(chosen.largeObjects);
    CHECK_FALSE(chosen.noLargeObjects);
}

TEST_CASE("relations alone are named one by one") {
    ObjectChoice choice = shop();
    choice.databaseWide = false;
    choice.largeObjects = false;
    choice.extensionsTaken.clear();
    choice.schemas[0] = {.name = "public", .nothing = true};
    choice.schemas[1] = {
        .name = "sales", .taken = {"a", "Odd"}, .left = {"b"}, .definitionOnly = {"Odd"}};
    const ChosenOptions chosen = toOptions(choice);
    CHECK(chosen.form == ChoiceForm::Relations);
    CHECK(chosen.selection.tables == Names{"sales.a", "sales.\"Odd\""});
    CHECK(chosen.selection.excludeTableData == Names{"sales.\"Odd\""});
    CHECK(chosen.selection.excludeTables.empty());
    CHECK(chosen.selection.schemas.empty());
}

TEST_CASE("nothing chosen, or large objects alone, cannot be dumped") {
    ObjectChoice choice = shop();
    choice.databaseWide = false;
    choice.extensionsTaken.clear();
    choice.schemas = {{.name = "public", .nothing = true}};
    CHECK(toOptions(choice).form == ChoiceForm::Nothing);
}

TEST_CASE("applying a choice keeps what else was chosen by options") {
    options::DumpOptions options;
    options.selection.tables = {"old"};
    options.selection.includeForeignData = {"server"};
    options.selection.strictNames = true;
    ObjectChoice choice = shop();
    choice.largeObjects = false;
    toOptions(choice).apply(options);
    CHECK(options.selection.tables.empty());
    CHECK(options.selection.includeForeignData == Names{"server"});
    CHECK(options.selection.strictNames);
    CHECK(options.content.noLargeObjects);
}

TEST_CASE("exact patterns match one name and no other") {
    CHECK(exactPattern("sales", "orders_2024") == "sales.orders_2024");
    const Names names{"orders", "Orders", "a.b",     "a*",   "a?",     "a|b",    "[x]",
                      "x[]",    "$1",     "say\"so", "\"",   "(a)",    "a\\b",   "two words",
                      "a+",     "{2}",    "^a$",     "grün", "tab\tx", "new\nli"};
    for (const std::string& name : names) {
        const NamePattern table = parseNamePattern(exactPattern("s.x", name), 3);
        CHECK_FALSE(table.database);
        REQUIRE(table.schema);
        CHECK(matches(*table.schema, "s.x"));
        const NamePattern schema = parseNamePattern(exactPattern(name), 2);
        CHECK_FALSE(schema.database);
        for (const std::string& other : names) {
            INFO(exactPattern(name) << " against " << other);
            CHECK(matches(table.name, other) == (name == other));
            CHECK(matches(schema.name, other) == (name == other));
        }
    }
}

TEST_CASE("options that a choice gave lead back to it") {
    ObjectChoice all = shop();
    all.schemas[0].taken = {"orders", "say\"so", "a.b"};
    all.schemas[1].taken = {"Odd"};
    ObjectChoice choice = all;
    choice.schemas[0] = {.name = "public",
                         .taken = {"say\"so", "a.b"},
                         .left = {"orders"},
                         .definitionOnly = {"a.b"}};
    choice.largeObjects = false;
    for (const bool databaseWide : {true, false}) {
        choice.databaseWide = databaseWide;
        options::DumpOptions options;
        toOptions(choice).apply(options);
        const auto read = toChoice(options, all);
        REQUIRE(read);
        CHECK(read->databaseWide == databaseWide);
        CHECK_FALSE(read->largeObjects);
        CHECK(read->extensionsTaken == choice.extensionsTaken);
        CHECK(read->schemas[0].taken == choice.schemas[0].taken);
        CHECK(read->schemas[0].left == choice.schemas[0].left);
        CHECK(read->schemas[0].definitionOnly == choice.schemas[0].definitionOnly);
        CHECK_FALSE(read->schemas[0].whole);
        CHECK(read->schemas[1].whole);
    }
    options::DumpOptions options;
    options.selection.tables = {"public.ord*"};
    CHECK_FALSE(toChoice(options, all));
    options.selection.tables = {"orders"};
    CHECK_FALSE(toChoice(options, all));
}
