// SPDX-License-Identifier: PostgreSQL
// Advice for databases and machines of different shape, and the sentence that goes with it.
#include "core/advise/dump_advice.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace gantry;
using namespace gantry::advise;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

constexpr uint64_t kGigabyte = 1'000'000'000;

plan::TableSize table(std::string name, uint64_t bytes, bool divisible = true) {
    return {.object = std::move(name),
            .heapBlocks = bytes / 8192,
            .bytes = bytes,
            .divisible = divisible};
}

/// 30 GB, one table half of it; a server of its own with many cores.
DumpQuestion shop() {
    DumpQuestion question;
    question.workload.tables = {table("public.audit", 15 * kGigabyte),
                                table("public.orders", 10 * kGigabyte),
                                table("public.lines", 5 * kGigabyte)};
    question.workload.relations = 3;
    question.surroundings = {.serverMajor = 17,
                             .localCores = 8,
                             .sameMachine = false,
                             .serverCores = 16,
                             .freeConnections = 90};
    question.rates.compressPerSecond = 250e6;
    return question;
}

void checkShape(const Advice& advice) {
    REQUIRE_FALSE(advice.curve.points.empty());
    CHECK(advice.jobs() >= 1);
    CHECK(advice.jobs() <= advice.curve.mostJobs);
    for (std::size_t i = 0; i < advice.curve.points.size(); ++i) {
        CHECK(advice.curve.points[i].jobs == i + 1);
        CHECK(advice.curve.points[i].seconds >= advice.curve.points[i].lowerBound);
    }
}

}  // namespace

TEST_CASE("the knee lies where the first processors are full") {
    DumpQuestion question = shop();
    question.surroundings.serverCores = 6;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.curve.points.size() == 16);
    CHECK(advice.jobs() == 6);
    CHECK(advice.reason("jobs") == "the server's 6 cores are busy then, at about 900 MB/s");
    CHECK(advice.curve.at(1).limit == Limit::Connections);
    CHECK(advice.curve.at(12).limit == Limit::ServerCpu);
    CHECK(advice.curve.at(1).seconds == Catch::Approx(200).epsilon(0.05));
}

TEST_CASE("a slow codec is named as the limit") {
    DumpQuestion question = shop();
    question.rates.compressPerSecond = 40e6;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 3);
    CHECK(advice.reason("jobs") ==
          "this machine's 8 cores compress about 320 MB/s, which so many connections fill");
}

TEST_CASE("server and compression on the same cores share them") {
    DumpQuestion question = shop();
    question.surroundings.sameMachine = true;
    question.surroundings.localCores = 2;
    question.surroundings.serverCores = 2;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.curve.points.size() == 4);
    CHECK(advice.jobs() == 2);
    CHECK(advice.reason("jobs") ==
          "the server and the compression share 2 cores here, which manage about 187 MB/s between "
          "them");
}

TEST_CASE("as long as nothing was measured, each core of the server's own machine gets a job") {
    DumpQuestion question = shop();
    question.surroundings.sameMachine = true;
    question.surroundings.localCores = 4;
    question.surroundings.serverCores = 4;
    question.rates.compressPerSecond = 40e6;  // so slow that two jobs feed all compressors
    Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 4);
    CHECK(advice.find("jobs")->value == "4");
    CHECK(advice.reason("jobs") ==
          "one for each of 4 cores here; nothing measured on this server says that fewer will do");
    question.surroundings.freeConnections = 4;
    CHECK(adviseDump(question).jobs() < 4);
    question.surroundings.freeConnections = 90;
    question.workload.tables[0] = table("public.audit", 500 * kGigabyte);
    question.workload.tables[0].divisible = false;
    question.rates.compressPerSecond = 2e9;
    CHECK(adviseDump(question).jobs() < 4);  // no rate changes that
    question = shop();
    question.surroundings.sameMachine = true;
    question.surroundings.localCores = 4;
    question.surroundings.serverCores = 4;
    question.rates.compressPerSecond = 40e6;
    question.rates.measured = true;
    advice = adviseDump(question);
    CHECK(advice.jobs() < 4);
    CHECK(advice.reason("jobs").starts_with("the server and the compression share 4 cores here"));
}

TEST_CASE("a table that cannot be divided decides") {
    DumpQuestion question = shop();
    question.workload.tables[0].divisible = false;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 2);
    CHECK(advice.reason("jobs") ==
          "public.audit is read over one connection, since it cannot be divided: its 15 GB take "
          "about 1:40");
    question.workload.tables[0].divisible = true;
    question.surroundings.serverMajor = 13;
    CHECK(adviseDump(question).reason("jobs") ==
          "public.audit is read over one connection, since server 13 cannot read a table in "
          "ranges: its 15 GB take about 1:40");
    question.surroundings.serverMajor = 17;
    question.chunks = false;
    CHECK(adviseDump(question).reason("jobs") ==
          "public.audit is read over one connection, since tables are not to be divided: its 15 "
          "GB take about 1:40");
}

TEST_CASE("the server's room for connections limits the advice, pg_dump's own counted") {
    DumpQuestion question = shop();
    question.surroundings.freeConnections = 3;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.curve.mostJobs == 2);
    CHECK(advice.jobs() == 1);
    CHECK(advice.reason("jobs") ==
          "the server has room for 3 more connections, of which pg_dump needs one and one is left "
          "to others");
    CHECK(advice.find("jobs")->warning == "2 would leave no connection to anybody else.");
    question.surroundings.freeConnections = 0;
    CHECK(adviseDump(question).jobs() == 1);
}

TEST_CASE("definitions of very many relations cannot be gathered faster") {
    DumpQuestion question = shop();
    question.workload.tables.assign(1, table("public.small", 100'000'000));
    question.workload.relations = 100'000;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 1);
    CHECK(advice.reason("jobs") ==
          "pg_dump takes about 12.1 s to gather the definitions of 100,000 relations, however many "
          "connections read");
}

TEST_CASE("a small database needs one connection") {
    DumpQuestion question = shop();
    question.workload.tables = {table("public.small", 3'000'000)};
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 1);
    CHECK(advice.reason("jobs") ==
          "3.0 MB are read in a moment, so that more connections gain nothing");
    question.workload = {};
    CHECK(adviseDump(question).jobs() == 1);
}

TEST_CASE("a server that does not tell its cores is judged by what is known") {
    DumpQuestion question = shop();
    question.surroundings.serverCores.reset();
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.jobs() == 4);
    CHECK(advice.find("jobs")->range == "2 to 8");
    CHECK(advice.reason("jobs") ==
          "how many cores the server has is not to be seen, and 4 is what a small one has");
}

TEST_CASE("ranges are wide as long as nothing was measured") {
    DumpQuestion question = shop();
    Advice advice = adviseDump(question);
    const double expected = advice.curve.at(4).seconds;
    CHECK(advice.curve.timeRange(4).low == Catch::Approx(expected * 0.5));
    CHECK(advice.curve.timeRange(4).high == Catch::Approx(expected * 2));
    CHECK(advice.archiveBytes->low == Catch::Approx(4.5e9));
    CHECK_FALSE(advice.curve.outdated);
    question.rates.sampledAt = "2026-01-01T00:00:00Z";  // and does not hold any more
    advice = adviseDump(question);
    CHECK(advice.curve.outdated);
    CHECK(advice.curve.timeRange(4).high == Catch::Approx(expected * 2));
    question.rates.measured = true;
    advice = adviseDump(question);
    CHECK_FALSE(advice.curve.outdated);
    CHECK(advice.curve.timeRange(4).high == Catch::Approx(expected * 1.2));
    CHECK(advice.archiveBytes->high == Catch::Approx(9.9e9));
    CHECK(advice.curve.at(0).jobs == 1);
    CHECK(advice.curve.at(1000).jobs == 32);
}

TEST_CASE("rates follow format and codec") {
    using archive::Format;
    const DumpRates automatic = usualRates(Format::Directory, std::nullopt, 17);
    CHECK(automatic.compressPerSecond ==
          usualRates(Format::Custom, io::parseCompression("zstd:1"), 17).compressPerSecond);
    CHECK(automatic.compressPerSecond >
          usualRates(Format::Custom, io::parseCompression("zstd"), 17).compressPerSecond);
    CHECK(usualRates(Format::Directory, std::nullopt, 15).compressPerSecond ==
          usualRates(Format::Directory, io::parseCompression("gzip:1"), 15).compressPerSecond);
    CHECK(usualRates(Format::Tar, std::nullopt, 17).ratio >
          2 * usualRates(Format::Directory, std::nullopt, 17).ratio);
    CHECK(usualRates(Format::Plain, io::parseCompression("zstd:19"), 17).compressPerSecond <
          usualRates(Format::Plain, io::parseCompression("zstd:3"), 17).compressPerSecond);
    CHECK_FALSE(automatic.measured);
}

TEST_CASE("a codec that the server's pg_restore cannot read is left out, which is told") {
    DumpQuestion question = shop();
    question.codecs = {{io::parseCompression("gzip:1"), 280e6, 0.27},
                       {io::parseCompression("gzip:6"), 110e6, 0.23}};
    question.surroundings.serverMajor = 15;
    CHECK_THAT(adviseDump(question).reason("compress"),
               EndsWith("; zstd is left out, which pg_restore 15 cannot read"));
    question.surroundings.serverMajor = 16;
    CHECK_THAT(adviseDump(question).reason("compress"), !ContainsSubstring("zstd"));
}

TEST_CASE("very many small tables are taken together") {
    DumpQuestion question = shop();
    question.workload.tables.clear();
    for (int i = 0; i < 50'000; ++i) {
        question.workload.tables.push_back(
            table("public.t" + std::to_string(i), static_cast<uint64_t>(i) * 1000));
    }
    question.workload.relations = 50'000;
    const Advice advice = adviseDump(question);
    checkShape(advice);
    CHECK(advice.curve.at(1).seconds ==
          Catch::Approx(50'000 * (0.0005 + 25e6 / 150e6)).epsilon(0.02));
}
