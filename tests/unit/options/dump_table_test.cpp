// SPDX-License-Identifier: PostgreSQL
#include "core/options/dump_table.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "core/base/error.h"
#include "core/options/command.h"
#include "core/options/profile.h"

using namespace gantry;
using namespace gantry::options;

namespace {

/// A value that each kind of row takes and that is not its standard.
std::vector<std::string> sampleFor(const Option& option) {
    if (option.name == "format") return {"t"};
    if (option.name == "compress") return {"zstd:level=5,long"};
    switch (option.kind) {
        case OptionKind::Flag:
            return {""};
        case OptionKind::Text:
            return {"a \"b'\\ -c"};
        case OptionKind::Number:
            return {"2"};
        case OptionKind::List:
            return {"first", "[second]", "-third", "a,b"};
    }
    return {};
}

std::vector<std::string> valuesOf(DumpOptions& options, std::string_view name) {
    const std::vector<Option> table = dumpTable(options);
    return findOption(table, name)->get();
}

}  // namespace

TEST_CASE("names, letters and aliases are unique, and every row has help") {
    DumpOptions options;
    std::set<std::string> names;
    std::set<char> letters{'?', 'V'};
    for (const Option& option : dumpTable(options)) {
        CAPTURE(option.name);
        CHECK(names.insert(std::string(option.name)).second);
        for (const std::string_view alias : option.aliases) {
            CHECK(names.insert(std::string(alias)).second);
        }
        if (option.letter != 0) CHECK(letters.insert(option.letter).second);
        CHECK_FALSE(option.help.empty());
        CHECK(option.placeholder.empty() == (option.kind == OptionKind::Flag));
        CHECK(option.get().empty());
    }
    for (const UnsupportedOption& option : unsupportedDumpOptions()) {
        CAPTURE(option.name);
        CHECK(names.insert(std::string(option.name)).second);
        if (option.letter != 0) CHECK(letters.insert(option.letter).second);
        CHECK(option.reason.ends_with('.'));
    }
}

TEST_CASE("every row goes into its struct, a profile and back") {
    DumpOptions names;
    for (const Option& row : dumpTable(names)) {
        CAPTURE(row.name);
        DumpOptions options;
        const std::vector<Option> table = dumpTable(options);
        const Option* option = findOption(table, row.name);
        REQUIRE(option != nullptr);
        const std::vector<std::string> sample = sampleFor(row);
        for (const std::string& value : sample) option->set(value);
        CHECK(option->get() == sample);
        for (const Option& other : table) {
            if (other.name != row.name) CHECK(other.get().empty());
        }
        DumpOptions restored = dumpOptionsFromProfile(toProfile(options));
        CHECK(valuesOf(restored, row.name) == sample);
        CHECK(toProfile(restored) == toProfile(options));
    }
}

TEST_CASE("auto is the same as saying nothing") {
    DumpOptions options;
    const std::vector<Option> table = dumpTable(options);
    for (const std::string_view name : {"jobs", "compress-jobs", "compress"}) {
        const Option* option = findOption(table, name);
        option->set(name == "compress" ? "gzip:9" : "7");
        CHECK(option->get().size() == 1);
        option->set("auto");
        CHECK(option->get().empty());
    }
}

TEST_CASE("what is not a number, a format or a value is refused by name") {
    DumpOptions options;
    const std::vector<Option> table = dumpTable(options);
    const auto refusal = [&table](std::string_view name, std::string_view value) {
        try {
            findOption(table, name)->set(value);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Usage);
            return error.info().object + ": " + error.info().message;
        }
        return std::string("accepted");
    };
    CHECK(refusal("jobs", "many") == "--jobs: \"many\" is not a whole number or \"auto\"");
    CHECK(refusal("jobs", "-1") == "--jobs: \"-1\" is not a whole number or \"auto\"");
    CHECK(refusal("jobs", "4x") == "--jobs: \"4x\" is not a whole number or \"auto\"");
    CHECK(refusal("jobs", "99999999999") ==
          "--jobs: \"99999999999\" is not a whole number or \"auto\"");
    CHECK(refusal("extra-float-digits", "1.5") ==
          "--extra-float-digits: \"1.5\" is not a whole number");
    CHECK(refusal("format", "zip") == "--format: \"zip\" is not a format");
    CHECK(refusal("file", "") == "--file: the value is empty");
}

TEST_CASE("formats are read as pg_dump reads them") {
    CHECK(parseFormat("d") == archive::Format::Directory);
    CHECK(parseFormat("Custom") == archive::Format::Custom);
    CHECK(parseFormat("TAR") == archive::Format::Tar);
    CHECK(parseFormat("plain") == archive::Format::Plain);
    for (const std::string_view text : {"d", "c", "t", "p"}) {
        CHECK(formatLetter(parseFormat(text)) == text[0]);
    }
}

TEST_CASE("help is grouped, aligned and wrapped") {
    bool flag = false;
    std::string text;
    const std::vector<Option> table{
        flagOption(OptionGroup::Run, {"dry-run", 0, "", "print the plan"}, flag),
        textOption(OptionGroup::Connection,
                   {"dbname", 'd', "CONN", "the database and some more words that need a new line"},
                   text)
            .otherwise("PGDATABASE"),
        textOption(OptionGroup::Connection, {"a-name-too-long-for-its-column", 0, "VALUE", "help"},
                   text),
    };
    CHECK(renderHelp(table, 70) == R"(
Connection
  -d, --dbname=CONN               the database and some more words
                                  that need a new line (otherwise:
                                  PGDATABASE)
      --a-name-too-long-for-its-column=VALUE
                                  help

This run
      --dry-run                   print the plan
)");
}
