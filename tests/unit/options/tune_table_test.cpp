// SPDX-License-Identifier: PostgreSQL
// What a sweep can be told, and what it refuses.
#include "core/options/tune_table.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"
#include "core/options/command.h"
#include "core/options/validate.h"

using namespace gantry;
using namespace gantry::options;
using Words = std::vector<std::string>;

namespace {

void give(TuneOptions& options, std::string_view name, std::string_view value) {
    findOption(tuneTable(options), name)->set(value);
}

std::string refusal(std::string_view name, std::string_view value) {
    TuneOptions options;
    try {
        give(options, name, value);
    } catch (const Error& error) {
        return error.info().message;
    }
    return {};
}

std::string firstProblem(const TuneOptions& options) {
    const std::vector<Problem> problems = validate(options);
    return problems.empty() ? std::string() : problems.front().describe();
}

TuneOptions sweepOf(TuneOperation operation) {
    TuneOptions options;
    options.operation = operation;
    options.connection.database = "shop";
    return options;
}

}  // namespace

TEST_CASE("lists have commas, and each value once") {
    TuneOptions options;
    give(options, "jobs", "1,2,4,2,8,12");
    CHECK(options.jobs == std::vector<uint32_t>{1, 2, 4, 8, 12});
    give(options, "compress", "none,gzip:6,zstd:3,long");
    REQUIRE(options.compressions.size() == 3);
    CHECK(options.compressions[2].longWindow);
    give(options, "format", "d,custom,p");
    CHECK(options.formats ==
          std::vector{archive::Format::Directory, archive::Format::Custom, archive::Format::Plain});
    give(options, "for", "dump");
    CHECK(gantryctlCommand(options) == Words{"gantryctl", "tune", "--for=dump", "-j", "1,2,4,8,12",
                                             "-Z", "none,gzip:6,zstd:level=3,long", "-F", "d,c,p"});
}

TEST_CASE("what is no number, codec or word of the list is refused") {
    CHECK(refusal("jobs", "1,two") == "\"two\" is not a number of jobs");
    CHECK(refusal("jobs", "") == "the list is empty");
    CHECK(refusal("for", "lunch") == "\"lunch\" is none of dump|restore|vacuum");
    CHECK(refusal("to", "mars") == "\"mars\" is none of nowhere|disk");
    CHECK_FALSE(refusal("compress", "none,brotli").empty());
}

TEST_CASE("without a list the jobs go to twice the cores") {
    CHECK(usualJobs(1) == std::vector<uint32_t>{1, 2});
    CHECK(usualJobs(2) == std::vector<uint32_t>{1, 2, 4});
    CHECK(usualJobs(12) == std::vector<uint32_t>{1, 2, 4, 8, 16});
}

TEST_CASE("formats are compared on the disk, all else goes nowhere") {
    TuneOptions options = sweepOf(TuneOperation::Dump);
    CHECK(options.targetOrUsual() == TuneTarget::Nowhere);
    options.formats = {archive::Format::Directory, archive::Format::Custom};
    CHECK(options.targetOrUsual() == TuneTarget::Disk);
    CHECK(firstProblem(options).empty());
    options.target = TuneTarget::Nowhere;
    CHECK(firstProblem(options) ==
          "--format and --to: what is let go has the same cost in every format. Choose --to=disk, "
          "or one format.");
}

TEST_CASE("a sweep has to know of what") {
    CHECK(firstProblem({}) ==
          "--for: what to measure is missing. Add --for=dump, --for=restore or --for=vacuum.");
    CHECK(firstProblem(sweepOf(TuneOperation::Restore)) ==
          "--for: which archive to restore is missing. Name it behind the options.");
    TuneOptions restore = sweepOf(TuneOperation::Restore);
    restore.archive = "shop.dump";
    CHECK(firstProblem(restore).empty());
    restore.scratch = true;
    CHECK(firstProblem(restore) ==
          "--scratch and --dbname: each says which server to restore into. Give --scratch or "
          "--dbname.");
    restore.connection.database.clear();
    CHECK(firstProblem(restore).empty());
}

TEST_CASE("a vacuum is not repeated unasked") {
    TuneOptions vacuum = sweepOf(TuneOperation::Vacuum);
    CHECK(firstProblem(vacuum) ==
          "--copy and --in-place: a sweep vacuums the tables for real, many times, and each time "
          "leaves less to do. Choose --copy to measure it on a copy that is made dirty again each "
          "time, or --in-place.");
    vacuum.copy = true;
    CHECK(firstProblem(vacuum).empty());
    vacuum.inPlace = true;
    CHECK(firstProblem(vacuum) ==
          "--copy and --in-place: each says which tables to vacuum. Give --copy or --in-place.");
}

TEST_CASE("options of one operation are refused with another") {
    TuneOptions vacuum = sweepOf(TuneOperation::Vacuum);
    vacuum.inPlace = true;
    vacuum.formats = {archive::Format::Custom};
    CHECK(firstProblem(vacuum) == "--format: it concerns a dump only. Leave it out.");
    TuneOptions dump = sweepOf(TuneOperation::Dump);
    dump.rounds = 0;
    CHECK(firstProblem(dump) == "--rounds: 0 is out of range. Choose 1 to 20.");
    dump.rounds = 3;
    dump.budget = "soon";
    CHECK(firstProblem(dump) == "--budget: \"soon\" is no time. Give one, as in 2m, 90s or 1h.");
}
