// SPDX-License-Identifier: PostgreSQL
#include "core/options/validate.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::options;

namespace {

DumpOptions sound() {
    DumpOptions options;
    options.output = "/backup/shop";
    return options;
}

std::vector<std::string> described(const DumpOptions& options) {
    std::vector<std::string> lines;
    for (const Problem& problem : validate(options)) {
        lines.push_back((problem.severity == ProblemSeverity::Error ? "error " : "warning ") +
                        problem.describe());
    }
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("options that fit have no problems") {
    CHECK(validate(sound()).empty());
    DumpOptions options = sound();
    options.content.largeObjects = options.content.noLargeObjects = true;  // as with pg_dump
    options.content.clean = options.content.ifExists = options.content.create = true;
    options.content.sections = {"pre-data", "data"};
    options.jobs = 8;
    options.extraFloatDigits = -15;
    CHECK(validate(options).empty());
}

TEST_CASE("all problems are told at once, errors first") {
    DumpOptions options;
    SECTION("no output") {}
    SECTION("standard output") { options.output = "-"; }
    options.jobs = 0;
    options.compressJobs = 1000;
    options.extraFloatDigits = 4;
    options.content.schemaOnly = options.content.noUnloggedTableData = true;
    options.content.ifExists = true;
    const Lines expected{
        "error --file: where to write is missing; a dump gets its name only when it is whole, so "
        "that it cannot go to standard output. Add --file=PATH.",
        "error --jobs: 0 is out of range. Choose 1 to 512, or auto.",
        "error --compress-jobs: 1000 is out of range. Choose 1 to 256, or auto.",
        "error --extra-float-digits: 4 is out of range. Choose -15 to 3.",
        "error --if-exists and --clean: --if-exists changes the DROP commands of --clean. Add "
        "--clean, or leave --if-exists out.",
        "warning --no-unlogged-table-data: no rows are dumped anyway. Leave it out.",
    };
    CHECK(described(options) == expected);
    CHECK(hasErrors(validate(options)));
}

TEST_CASE("a plan alone needs no place to write to") {
    DumpOptions options;
    options.dryRun = true;
    CHECK(validate(options).empty());
}

TEST_CASE("what excludes each other, as pg_dump has it") {
    struct Pair {
        bool Content::*first;
        bool Content::*second;
        Lines names;
    };
    const Pair pairs[] = {
        {&Content::schemaOnly, &Content::dataOnly, {"schema-only", "data-only"}},
        {&Content::schemaOnly, &Content::statisticsOnly, {"schema-only", "statistics-only"}},
        {&Content::dataOnly, &Content::statisticsOnly, {"data-only", "statistics-only"}},
        {&Content::dataOnly, &Content::noData, {"data-only", "no-data"}},
        {&Content::schemaOnly, &Content::noSchema, {"schema-only", "no-schema"}},
        {&Content::statisticsOnly, &Content::noStatistics, {"statistics-only", "no-statistics"}},
        {&Content::statistics, &Content::noStatistics, {"statistics", "no-statistics"}},
        {&Content::dataOnly, &Content::statistics, {"data-only", "statistics"}},
        {&Content::schemaOnly, &Content::statistics, {"schema-only", "statistics"}},
        {&Content::clean, &Content::dataOnly, {"clean", "data-only"}},
    };
    for (const Pair& pair : pairs) {
        DumpOptions options = sound();
        options.content.*pair.first = true;
        CHECK_FALSE(hasErrors(validate(options)));
        options.content.*pair.second = true;
        const std::vector<Problem> problems = validate(options);
        CAPTURE(pair.names);
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].severity == ProblemSeverity::Error);
        CHECK(problems[0].options == pair.names);
        CHECK(problems[0].wayOut == "Give --" + pair.names[0] + " or --" + pair.names[1] + ".");
    }
}

TEST_CASE("a section must be one of three") {
    DumpOptions options = sound();
    options.content.sections = {"data", "middle"};
    CHECK(described(options) ==
          Lines{"error --section: \"middle\" is not a section. Choose pre-data, data or "
                "post-data."});
}

TEST_CASE("tar archives hold no compressed members") {
    DumpOptions options = sound();
    options.format = archive::Format::Tar;
    options.compression = io::Compression{};
    CHECK(validate(options).empty());
    options.compression->algorithm = io::Algorithm::Zstd;
    CHECK(described(options) ==
          Lines{"error --compress and --format: pg_restore reads no compressed members in tar "
                "archives. Choose --format=custom or --format=directory, or leave --compress "
                "out."});
}

TEST_CASE("foreign data is read over one connection") {
    DumpOptions options = sound();
    options.selection.includeForeignData = {"*"};
    CHECK(validate(options).empty());
    options.jobs = 1;
    CHECK(validate(options).empty());
    options.jobs = 2;
    options.content.schemaOnly = true;
    CHECK(described(options) ==
          Lines{"error --schema-only and --include-foreign-data: definitions alone have no rows of "
                "foreign tables. Leave one of them out.",
                "error --include-foreign-data and --jobs: the foreign servers share no snapshot "
                "between connections, so that their rows can only be read over one. Choose "
                "--jobs=1, or dump the foreign tables in a run of their own."});
}

TEST_CASE("a restrict key is for plain scripts, of letters and digits") {
    DumpOptions options = sound();
    options.format = archive::Format::Plain;
    options.restrictKey = "abc123";
    CHECK(validate(options).empty());
    options.restrictKey = "a b";
    CHECK(described(options) ==
          Lines{"error --restrict-key: the key may hold only letters and digits. Choose another "
                "key, or leave --restrict-key out for a random one."});
    options.restrictKey = "abc";
    options.format = archive::Format::Custom;
    CHECK(described(options) ==
          Lines{"error --restrict-key and --format: only a plain script has a \\restrict command. "
                "Add --format=plain, or leave --restrict-key out."});
}

TEST_CASE("what has no effect is a warning, not a refusal, since pg_dump lets it pass") {
    DumpOptions options = sound();
    options.content.schemaOnly = true;
    options.selection.excludeTableData = {"big"};
    CHECK(described(options) ==
          Lines{"warning --exclude-table-data: no rows are dumped anyway. Leave it out."});
    CHECK_FALSE(hasErrors(validate(options)));

    options = sound();
    options.content.disableTriggers = true;
    CHECK(validate(options).size() == 1);
    options.content.dataOnly = true;
    CHECK(validate(options).empty());

    options = sound();
    options.content.noSchema = options.content.noData = true;
    CHECK(described(options) ==
          Lines{"warning --no-schema and --no-data: the dump will be empty. Add --statistics, or "
                "leave one of them out."});
}
