// SPDX-License-Identifier: PostgreSQL
// Which entries pg_restore's options choose.
#include "core/restore/selection.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/restore/entry_list.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::restore;
using archive::Section;
using archive::TocEntry;

namespace {

struct Line {
    std::string desc;
    std::string schema;
    std::string tag;
    Section section;
    std::vector<int32_t> after;
    bool data = false;
};

archive::Toc contents() {
    const std::vector<Line> lines{
        {"ENCODING", "", "ENCODING", Section::PreData, {}},
        {"DATABASE", "", "db", Section::PreData, {}},
        {"SCHEMA", "", "a", Section::PreData, {}},
        {"TABLE", "a", "t", Section::PreData, {}},
        {"COMMENT", "a", "TABLE t", Section::PreData, {4}},
        {"FUNCTION", "a", "f(integer)", Section::PreData, {}},
        {"TABLE", "b", "u", Section::PreData, {}},
        {"PUBLICATION", "", "p", Section::PostData, {}},
        {"TABLE DATA", "a", "t", Section::Data, {4}, true},
        {"TABLE DATA", "b", "u", Section::Data, {7}, true},
        {"SEQUENCE SET", "a", "s", Section::Data, {}},
        {"INDEX", "a", "i", Section::PostData, {4}},
        {"TRIGGER", "a", "t tr", Section::PostData, {4}},
        {"ACL", "a", "TABLE t", Section::None, {4}},
        {"STATISTICS DATA", "a", "t", Section::None, {4}},
        {"STATISTICS DATA", "a", "i", Section::None, {12}},
    };
    archive::Toc toc;
    for (const Line& line : lines) {
        TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc.entries.size()) + 1};
        entry.desc = line.desc;
        entry.tag = line.tag;
        if (!line.schema.empty()) entry.namespaceName = line.schema;
        entry.section = line.section;
        entry.hadDumper = line.data;
        if (!line.data) entry.defn = "SELECT 1;";
        for (const int32_t id : line.after) entry.dependencies.push_back(DumpId{id});
        toc.entries.push_back(std::move(entry));
    }
    return toc;
}

std::set<int32_t> chosen(const options::RestoreOptions& options) {
    static const archive::Toc toc = contents();
    const Choice choice = choose(toc, options);
    std::set<int32_t> ids;
    for (std::size_t i = 0; i < choice.order.size(); ++i) {
        if (choice.wanted[i].any()) ids.insert(choice.order[i]->dumpId.value);
    }
    return ids;
}

using ChosenIds = std::set<int32_t>;

}  // namespace

TEST_CASE("without options all but the database itself") {
    CHECK(chosen({}) == ChosenIds{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    options::RestoreOptions options;
    options.content.create = true;
    CHECK(chosen(options).contains(2));
}

TEST_CASE("parts: definitions, rows, sections") {
    options::RestoreOptions options;
    SECTION("schema only") {
        options.content.schemaOnly = true;
        CHECK(chosen(options) == ChosenIds{3, 4, 5, 6, 7, 8, 12, 13, 14});
    }
    SECTION("data only") {
        options.content.dataOnly = true;
        CHECK(chosen(options) == ChosenIds{9, 10, 11});
    }
    SECTION("a section") {
        options.content.sections = {"post-data"};
        CHECK(chosen(options) == ChosenIds{8, 12, 13, 14, 15, 16});
    }
}

TEST_CASE("rows alone, however that is said") {
    static const archive::Toc toc = contents();
    options::RestoreOptions options;
    CHECK_FALSE(choose(toc, options).dataOnly);
    SECTION("by the option") { options.content.dataOnly = true; }
    SECTION("without definitions") { options.content.noSchema = true; }
    SECTION("by the section") { options.content.sections = {"data"}; }
    CHECK(choose(toc, options).dataOnly == true);
}

TEST_CASE("names choose by kind, schemas take all that is in them with what is attached") {
    options::RestoreOptions options;
    SECTION("a table is its definition and its rows") {
        options.selection.tables = {"t"};
        CHECK(chosen(options) == ChosenIds{4, 5, 9, 14, 15});
    }
    SECTION("statistics come along, even alone") {
        options.selection.tables = {"t"};
        options.content.statisticsOnly = true;
        CHECK(chosen(options) == ChosenIds{15});
        options.selection.schemas = {"b"};
        CHECK(chosen(options).empty());
    }
    SECTION("an index, a function, a trigger") {
        options.selection.indexes = {"i"};
        options.selection.functions = {"f(integer)"};
        options.selection.triggers = {"t tr"};
        CHECK(chosen(options) == ChosenIds{6, 12, 13, 16});
    }
    SECTION("a schema") {
        options.selection.schemas = {"b"};
        CHECK(chosen(options) == ChosenIds{7, 10});
    }
    SECTION("not a schema") {
        options.selection.excludeSchemas = {"a"};
        CHECK(chosen(options) == ChosenIds{3, 7, 8, 10});
    }
    SECTION("not the rows of a table") {
        options.selection.excludeTableData = {"b.u"};
        CHECK_FALSE(chosen(options).contains(10));
        CHECK(chosen(options).contains(7));
    }
}

TEST_CASE("what is left out by kind") {
    options::RestoreOptions options;
    options.content.noPrivileges = true;
    options.content.noComments = true;
    options.content.noPublications = true;
    options.content.noStatistics = true;
    CHECK(chosen(options) == ChosenIds{3, 4, 6, 7, 9, 10, 11, 12, 13});
}

TEST_CASE("rows that stay behind are named by patterns, and who names none is told") {
    options::RestoreOptions options;
    options.content.dataOnly = true;
    const archive::Toc toc = contents();
    const auto rowsOf = [&](const char* pattern) {
        options.selection.excludeTableData = {pattern};
        const Choice choice = choose(toc, options);
        std::string names;
        for (std::size_t i = 0; i < choice.order.size(); ++i) {
            const bool rows = choice.order[i]->description() == "TABLE DATA";
            if (rows && choice.wanted[i].data) names += choice.order[i]->name();
        }
        for (const std::string& unmet : choice.unmetExclusions) names += " " + unmet;
        return names;
    };
    for (const char* t : {"t", "a.t", "T", "?", "a.*", "\"t\"", "[a-t]"}) {
        CAPTURE(t);
        CHECK(rowsOf(t) == (std::string(t) == "?" ? "" : "u"));
    }
    CHECK(rowsOf("b.t") == "tu --exclude-table-data=b.t");
    CHECK(rowsOf("\"T\"") == "tu --exclude-table-data=\"T\"");
    CHECK(rowsOf("\"a]b\"") == "tu --exclude-table-data=\"a]b\"");
    CHECK_THROWS_AS(rowsOf("a("), Error);
    options.selection.excludeSchemas = {"a", "none"};
    CHECK(rowsOf("u") == " --exclude-schema=none");
}

TEST_CASE("names that match nothing are told") {
    options::RestoreOptions options;
    options.selection.tables = {"t", "none"};
    const archive::Toc toc = contents();
    CHECK(choose(toc, options).unmatched == std::vector<std::string>{"table \"none\""});
    SECTION("with what may be meant") {
        options.selection = {};
        options.selection.tables = {"T"};
        options.selection.functions = {"f"};
        options.selection.triggers = {"tr"};
        options.selection.indexes = {"t"};
        CHECK(choose(toc, options).unmatched ==
              std::vector<std::string>{"table \"T\" (it has table \"t\")",
                                       "index \"t\" (it has table \"t\")",
                                       "function \"f\" (it has function \"f(integer)\")",
                                       "trigger \"tr\" (it has trigger \"t tr\")"});
    }
}

TEST_CASE("a list chooses and orders") {
    const test::TemporaryFolder folder;
    options::RestoreOptions options;
    options.selection.listFile = folder / "list";
    const archive::Toc toc = contents();
    SECTION("lines by number") {
        std::ofstream(folder / "list")
            << "; a comment\n12; 0 0 INDEX a i\n;13; left out\n4; TABLE\n";
        CHECK(chosen(options) == ChosenIds{4, 12});
        const Choice choice = choose(toc, options);
        REQUIRE(choice.order.size() == toc.entries.size());
        CHECK(choice.order.back()->dumpId.value == 4);
        CHECK(choice.order[choice.order.size() - 2]->dumpId.value == 12);
    }
    SECTION("a number that the archive does not have") {
        std::ofstream(folder / "list") << "99; 0 0 TABLE a x\n";
        CHECK_THROWS_AS(choose(toc, options), Error);
    }
    SECTION("a line without a number") {
        std::ofstream(folder / "list") << "4; TABLE\nTABLE t\n";
        try {
            (void)choose(toc, options);
            FAIL("accepted");
        } catch (const Error& error) {
            CHECK(error.info().object == (folder / "list").string() + ":2");
        }
    }
}

TEST_CASE("a filter file says the same as the options") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "filter")
        << "# what we need\ninclude table \"t\"\ninclude table \"a#\"\"b\" # \"c\"\n"
           "EXCLUDE Table_Data b . u # no\n"
           "include function f ( double  precision,\ttext )\n";
    options::RestoreSelection selection;
    readFilter(folder / "filter", selection);
    CHECK(selection.tables == std::vector<std::string>{"t", "a#\"b"});
    CHECK(selection.excludeTableData == std::vector<std::string>{"b.u"});
    CHECK(selection.functions == std::vector<std::string>{"f(double precision, text)"});
    std::ofstream(folder / "bad") << "exclude table t\n";
    CHECK_THROWS_AS(readFilter(folder / "bad", selection), Error);
}

TEST_CASE("names of a filter file may hold line ends within quotes, which have to be closed") {
    const test::TemporaryFolder folder;
    options::RestoreSelection selection;
    std::ofstream(folder / "two") << "# a \"\ninclude table \"two\nlines\"\ninclude table u\n";
    readFilter(folder / "two", selection);
    CHECK(selection.tables == std::vector<std::string>{"two\nlines", "u"});
    std::ofstream(folder / "open") << "include table a\ninclude table \"b\ninclude table c\n";
    try {
        readFilter(folder / "open", selection);
        FAIL("was taken");
    } catch (const Error& error) {
        CHECK(error.info().message == "a quotation mark is never closed");
        CHECK(error.info().object == (folder / "open").string() + ":2");
    }
}
