// SPDX-License-Identifier: PostgreSQL
#include "app/headless/command_line.h"

#include <catch2/catch_test_macros.hpp>

#include "core/options/command.h"
#include "core/options/profile.h"

using namespace gantry;
using namespace gantry::headless;
using namespace gantry::options;

namespace {

using Words = std::vector<std::string>;

struct Dump {
    DumpOptions options;
    CommandSyntax syntax;
    Dump() {
        syntax.name = "dump";
        syntax.purpose = "Dumps.";
        syntax.operands = "[DBNAME]";
        syntax.mostOperands = 1;
        syntax.table = dumpTable(options);
        syntax.unsupported = unsupportedDumpOptions();
    }
    Dump(const Dump&) = delete;
    Dump& operator=(const Dump&) = delete;
    ParsedLine parse(const Words& words) { return parseCommandLine(syntax, words); }
};

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
            return {"first", "[second]", "-third", "a,b", "\"Quoted\".*", "{}"};
    }
    return {};
}

}  // namespace

TEST_CASE("every row survives argv: copied as a command, parsed, copied again") {
    DumpOptions names;
    for (const Option& row : dumpTable(names)) {
        CAPTURE(row.name);
        DumpOptions source;
        const std::vector<Option> table = dumpTable(source);
        for (const std::string& value : sampleFor(row)) findOption(table, row.name)->set(value);
        Words words = gantryctlCommand(source);
        words.erase(words.begin(), words.begin() + 2);

        Dump dump;
        const ParsedLine line = dump.parse(words);
        CHECK(line.problems.empty());
        CHECK(line.operands.empty());
        CHECK(toProfile(dump.options) == toProfile(source));
    }
}

TEST_CASE("all rows at once survive argv, an operand between them too") {
    DumpOptions source;
    for (const Option& row : dumpTable(source)) {
        for (const std::string& value : sampleFor(row)) row.set(value);
    }
    Words words = gantryctlCommand(source);
    words.erase(words.begin(), words.begin() + 2);
    words.insert(words.begin(), "shop");
    Dump dump;
    const ParsedLine line = dump.parse(words);
    CHECK(line.problems.empty());
    CHECK(line.operands == Words{"shop"});
    CHECK(toProfile(dump.options) == toProfile(source));
}

TEST_CASE("the spellings that fingers know from pg_dump") {
    Dump dump;
    const ParsedLine line = dump.parse({"-Fc", "-j4", "-Z", "none", "-nsales", "--schema", "hr",
                                        "--table=a*", "-xOv", "--blobs", "-t", "b", "shop"});
    CHECK(line.problems == Words{"There is no option -v."});
    CHECK(line.operands == Words{"shop"});
    CHECK(dump.options.format == archive::Format::Custom);
    CHECK(dump.options.jobs == 4U);
    CHECK(dump.options.compression == io::Compression{});
    CHECK(dump.options.selection.schemas == Words{"sales", "hr"});
    CHECK(dump.options.selection.tables == Words{"a*", "b"});
    CHECK(dump.options.content.noPrivileges);
    CHECK(dump.options.content.noOwner);
    CHECK(dump.options.content.largeObjects);
}

TEST_CASE("of single values the last one counts") {
    Dump dump;
    CHECK(dump.parse({"-f", "a", "-f", "b", "-j", "2", "-j", "auto"}).problems.empty());
    CHECK(dump.options.output == "b");
    CHECK_FALSE(dump.options.jobs.has_value());
}

TEST_CASE("everything that is wrong is told at once") {
    Dump dump;
    const ParsedLine line = dump.parse({"-j", "many", "--jbos=3", "--forma", "x", "-F", "zip", "a",
                                        "--inserts", "--rows-per-insert=5", "--no-such-thing"});
    CHECK(line.problems ==
          Words{"--format: \"zip\" is not a format. Choose d (directory), c (custom), t (tar) or "
                "p (plain SQL).",
                "--jobs: \"many\" is not a whole number or \"auto\"",
                "--inserts is not supported by Gantry. Gantry moves rows with COPY alone, which is "
                "what lets it divide and count them; use pg_dump for INSERT commands.",
                "--rows-per-insert is not supported by Gantry. Gantry moves rows with COPY alone, "
                "which is what lets it divide and count them; use pg_dump for INSERT commands.",
                "There is no option --jbos=3. Did you mean --jobs?",
                "There is no option --forma. Did you mean --format?",
                "There is no option --no-such-thing.", "\"a\" is one word too many."});
}

TEST_CASE("a value that is missing is named") {
    Dump dump;
    CHECK(dump.parse({"-f"}).problems == Words{"--file needs a value."});
    CHECK(dump.parse({"--jobs"}).problems == Words{"--jobs needs a value."});
    CHECK(dump.parse({"--schema-only=maybe"}).problems.size() == 1);
}

TEST_CASE("a value that is empty takes no other word") {
    Dump dump;
    const ParsedLine line = dump.parse({"--role=", "-s", "--", "--file="});
    CHECK(line.problems == Words{"--role: the value is empty"});
    CHECK(line.operands == Words{"--file="});
    CHECK(dump.options.content.schemaOnly);
}

TEST_CASE("two dashes end the options") {
    Dump dump;
    const ParsedLine line = dump.parse({"-s", "--", "-odd-name"});
    CHECK(line.problems.empty());
    CHECK(line.operands == Words{"-odd-name"});
    CHECK(dump.options.content.schemaOnly);
}

TEST_CASE("help is asked for in either way, whatever else is there") {
    for (const char* word : {"--help", "-?"}) {
        Dump dump;
        const ParsedLine line = dump.parse({"-s", word, "a", "b"});
        CHECK(line.help);
    }
}

TEST_CASE("operands are counted") {
    CommandSyntax syntax;
    syntax.name = "list";
    syntax.operands = "PATH";
    syntax.fewestOperands = syntax.mostOperands = 1;
    CHECK(parseCommandLine(syntax, {}).problems == Words{"PATH is missing."});
    CHECK(parseCommandLine(syntax, {"a", "b"}).problems == Words{"\"b\" is one word too many."});
    CHECK(parseCommandLine(syntax, {"a"}).operands == Words{"a"});
}

TEST_CASE("a command's help: purpose, usage, options, notes") {
    CommandSyntax syntax;
    syntax.name = "list";
    syntax.purpose = "Prints.";
    syntax.operands = "PATH";
    syntax.notes = "Notes.";
    CHECK(renderCommandHelp(syntax, 80) ==
          "Prints.\n\nUsage: gantryctl list PATH\n\n  -?, --help                      print "
          "this\n\nNotes.\n");
}

TEST_CASE(
    "a flag that is given a value, and a value that is wrong, are told by the option's name") {
    Dump dump;
    CHECK(dump.parse({"--schema-only=3"}).problems ==
          std::vector<std::string>{"--schema-only takes no value."});
    CHECK(dump.parse({"--file"}).problems == std::vector<std::string>{"--file needs a value."});
    CHECK(dump.parse({"-Z", "zip"}).problems ==
          std::vector<std::string>{"--compress: there is no compression algorithm \"zip\". Choose "
                                   "none, gzip, lz4, zstd or auto."});
}

TEST_CASE("the distance of two words") {
    CHECK(editDistance("", "") == 0);
    CHECK(editDistance("dump", "dump") == 0);
    CHECK(editDistance("dmp", "dump") == 1);
    CHECK(editDistance("dmup", "dump") == 2);
    CHECK(editDistance("abc", "") == 3);
}
