// SPDX-License-Identifier: PostgreSQL
// Machines and servers that are not at hand: what is advised for each, and in which words.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/advise/wording.h"
#include "tests/unit/advise/shapes.h"

using namespace gantry;
using namespace gantry::advise;
using namespace gantry::test;

namespace {

struct Advised {
    Advice dump;
    Advice restore;
    Advice vacuum;
};

/// On a database of even tables.
Advised adviseIn(const Surroundings& where, Shape shape = Shape::Even) {
    DumpQuestion dump = dumpOf(shape);
    dump.surroundings = where;
    RestoreQuestion restore = restoreOf(shape);
    restore.surroundings = where;
    VacuumQuestion vacuum = vacuumOf(shape);
    vacuum.surroundings = where;
    vacuum.survey.server.freeConnections = where.freeConnections;
    return {adviseDump(dump), adviseRestore(restore), adviseVacuum(vacuum)};
}

/// Every recommendation has its reason, and the jobs are within what there is room for.
void checkSensible(const Advised& advised) {
    for (const Advice* advice : {&advised.dump, &advised.restore, &advised.vacuum}) {
        for (const Recommendation& one : advice->recommendations) {
            CAPTURE(one.setting);
            CHECK_FALSE(one.value.empty());
            CHECK_FALSE(one.reason.empty());
            CHECK_FALSE(one.reason.ends_with('.'));
        }
        CHECK(advice->jobs() >= 1);
        CHECK(advice->jobs() <= advice->curve.mostJobs);
        CHECK_FALSE(advice->facts.empty());
    }
}

bool tells(const std::vector<std::string>& sentences, std::string_view what) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& one) { return one.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("one core, shared with the server: one job does it all") {
    Surroundings where = roomyServer();
    where.localCores = 1;
    where.processors = {};
    where.sameMachine = true;
    where.serverCores = 1;
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(advised.dump.jobs() == 1);
    CHECK(advised.restore.jobs() == 1);
    CHECK(advised.vacuum.jobs() == 1);
    CHECK(advised.dump.reason("jobs") ==
          "the server and the compression share one core here, which manage about 94 MB/s "
          "between them");
    CHECK(advised.dump.find("compress-jobs")->value == "1");
    CHECK(advised.dump.curve.at(4).limit == Limit::SharedCpu);
}

TEST_CASE("4 of 64 cores by control group: what compresses here is what limits") {
    Surroundings where = roomyServer();
    where.localCores = 4;
    where.processors = {.logical = 64, .physical = 32, .allowed = 64, .quota = 4.0};
    where.serverCores = 32;
    DumpQuestion question = dumpOf(Shape::Even);
    question.surroundings = where;
    question.rates.compressPerSecond = 60e6;
    const Advice advice = adviseDump(question);
    CHECK(advice.jobs() == 2);
    CHECK(advice.curve.at(8).limit == Limit::LocalCpu);
    CHECK(advice.reason("jobs") ==
          "4 of this machine's 64 cores compress about 240 MB/s, which so many connections fill");
    CHECK(advice.find("compress-jobs")->value == "4");
    CHECK(tells(advice.facts, "This machine lets us use 4 cores of 64 (a control group allows 4)"));
    checkSensible(adviseIn(where));
}

TEST_CASE("a server 40 ms away is read over more connections than one that is near") {
    Surroundings near = roomyServer();
    near.localCores = 16;
    Surroundings far = near;
    far.roundTrip = 0.04;
    const Advised there = adviseIn(far);
    checkSensible(there);
    const Advised here = adviseIn(near);
    CHECK(there.dump.jobs() > here.dump.jobs());
    CHECK(there.dump.curve.at(1).seconds > 2 * here.dump.curve.at(1).seconds);
    CHECK(there.dump.reason("jobs") ==
          fmt::format("over 40 ms each connection carries about 25 MB/s, and up to {} they add up",
                      there.dump.jobs()));
    CHECK(tells(there.dump.facts, "An answer of the server takes 40 ms."));
}

TEST_CASE("3 free connections: one stays free for others, and it is said why") {
    Surroundings where = roomyServer();
    where.freeConnections = 3;
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(advised.dump.jobs() == 1);
    CHECK(advised.vacuum.jobs() == 1);
    CHECK(advised.restore.jobs() == 2);
    CHECK(advised.dump.reason("jobs") ==
          "the server has room for 3 more connections, of which pg_dump needs one and one is left "
          "to others");
    CHECK(advised.dump.find("jobs")->warning == "2 would leave no connection to anybody else.");
    CHECK(advised.restore.reason("jobs") ==
          "the server has room for 3 more connections, and one is left to others");
    CHECK(tells(advised.restore.warnings, "The server has only 3 free connections"));
    where.freeConnections = 0;
    const Advised none = adviseIn(where);
    CHECK(none.dump.jobs() == 1);
    CHECK(none.dump.find("jobs")->warning ==
          "A dump needs two connections beside the first: it will be refused.");
}

TEST_CASE("without the right to see anything the advice is modest, and says so") {
    Surroundings where;
    where.serverMajor = 17;
    where.localCores = 8;
    where.freeConnections = 50;
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(advised.dump.jobs() == 4);
    CHECK(advised.dump.find("jobs")->range == "2 to 8");
    CHECK(advised.dump.reason("jobs") ==
          "how many cores the server has is not to be seen, and 4 is what a small one has");
    CHECK(advised.restore.jobs() == 4);
    CHECK(advised.restore.find("jobs")->range == "2 to 8");
    CHECK(advised.restore.find("maintenance_work_mem")->reason ==
          "how much memory the server was given is not to be seen");
    CHECK(advised.vacuum.jobs() == 3);  // and helpers
    CHECK(tells(advised.dump.facts, "whether others are at work is hidden from us"));
    CHECK_FALSE(advised.dump.curve.measured);
}

TEST_CASE("cores that are concluded from settings are doubted") {
    Surroundings where = roomyServer();
    where.localCores = 16;
    where.serverCores = 6;
    where.serverCoresDoubt = "its max_parallel_workers is 6, which is usually set to its cores";
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(advised.dump.jobs() == 6);
    CHECK(advised.dump.find("jobs")->range == "3 to 12");
    CHECK(advised.dump.reason("jobs") ==
          "the server's 6 cores (its max_parallel_workers is 6, which is usually set to its cores) "
          "are busy then, at about 900 MB/s");
}

TEST_CASE("a standby: what would cancel a dump is told, and what it cannot do") {
    Surroundings where = roomyServer();
    where.standby = true;
    where.standbyPatience = 30;
    where.replicationLag = 4;
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(
        tells(advised.dump.warnings,
              "On this standby a dump may be cancelled once it has kept replay waiting for 30.0 s "
              "(max_standby_streaming_delay), and hot_standby_feedback is off."));
    CHECK(tells(advised.dump.warnings,
                "The standby is 4.0 s behind its primary, and so is the dump."));
    CHECK(advised.restore.warnings.front() ==
          "The server is a standby, which takes nothing: restore into its primary.");
    CHECK(advised.vacuum.warnings.front() ==
          "The server is a standby: it takes over what is vacuumed on its primary.");
    where.standbyFeedback = true;
    CHECK_FALSE(tells(adviseIn(where).dump.warnings, "may be cancelled"));
}

TEST_CASE("a server at work leaves fewer cores, and a quieter time is recommended") {
    Surroundings where = roomyServer();
    where.localCores = 16;
    where.busySessions = 12;
    const Advised advised = adviseIn(where);
    checkSensible(advised);
    CHECK(advised.dump.jobs() == 4);
    CHECK(advised.dump.reason("jobs") ==
          "the server's 16 cores are busy then, 12 of them with other sessions, at about 600 MB/s");
    CHECK(advised.restore.jobs() == 4);
    CHECK(tells(advised.dump.warnings, "12 sessions are at work on the server's 16 cores"));
}

TEST_CASE("what the advice goes by is told: settings, distance, lag, sizes, room for the archive") {
    Surroundings where = roomyServer();
    where.checksums = true;
    where.replicationLag = 0.5;
    const Advised advised = adviseIn(where);
    for (const Advice* advice : {&advised.dump, &advised.restore, &advised.vacuum}) {
        CHECK(tells(advice->facts,
                    "Its shared_buffers are 16GB, its maintenance_work_mem is 64MB; beside "
                    "sessions it runs up to 16 processes (max_worker_processes), of which 2 may "
                    "help with one table. Its wal_level is replica, pages have checksums."));
        CHECK(tells(advice->facts, "The last of its standbys is 0.5 s behind."));
        CHECK(tells(advice->facts, "An answer of the server takes 0.30 ms."));
    }
    CHECK(tells(advised.dump.facts, "To be read: 24 tables of 30 GB"));
    CHECK(tells(advised.restore.facts,
                "To be loaded: 24 GB of rows into 24 tables; to be built: "
                "48 indexes and keys."));
    CHECK(tells(advised.vacuum.facts,
                "To be looked after: 24 tables of 30 GB, with 12 GB of indexes."));
    DumpQuestion toDisk = dumpOf(Shape::ToastHeavy);
    toDisk.destination = {.folder = "/backup", .freeBytes = 900'000'000'000, .fileSystem = "xfs"};
    const Advice dump = adviseDump(toDisk);
    CHECK(tells(dump.facts, "To be read: 10 tables of 30 GB, 27 GB of it TOAST."));
    CHECK(tells(dump.facts, "/backup has 900 GB free (xfs)."));
}

TEST_CASE("little memory and little disk are warned of") {
    Surroundings where = roomyServer();
    where.memory = Memory{.total = 1'000'000'000, .available = 200'000'000, .limit = 200'000'000};
    DumpQuestion question = dumpOf(Shape::Even);
    question.surroundings = where;
    question.destination =
        Destination{.folder = "/backup", .freeBytes = 5'000'000'000, .writePerSecond = 40e6};
    const Advice advice = adviseDump(question);
    CHECK(advice.curve.at(8).limit == Limit::Disk);
    CHECK(advice.reason("jobs") == "/backup takes about 40 MB/s, which so many connections fill");
    CHECK(tells(advice.warnings, "The archive may take 14 GB, and /backup has 5.0 GB free."));
    CHECK(advice.find("jobs")->warning.find("of 200 MB that are free.") != std::string::npos);
}

TEST_CASE("servers of 16 and 64 cores with recorded costs get many jobs") {
    for (const uint32_t cores : {16U, 64U}) {
        CAPTURE(cores);
        Surroundings where = roomyServer();
        where.localCores = cores;
        where.serverCores = cores;
        for (const Shape shape : kShapes) {
            if (cores == 64 && shape != Shape::Even) continue;
            CAPTURE(nameOf(shape));
            DumpQuestion dump = dumpOf(shape);
            dump.surroundings = where;
            dump.rates.measured = true;
            dump.rates.readPerSecond = 120e6;
            CHECK(adviseDump(dump).jobs() > 8);
            RestoreQuestion restore = restoreOf(shape);
            restore.surroundings = where;
            restore.factors.runs = 2;
            restore.factors.byKind = {{"table data", 1.2}, {"index", 0.9}};
            const Advice restoring = adviseRestore(restore);
            if (shape == Shape::LargeObjects) {
                CHECK(restoring.jobs() == 2);
                CHECK(restoring.reason("jobs").starts_with("large objects alone takes about"));
            } else {
                CHECK(restoring.jobs() > 2);
            }
            VacuumQuestion vacuum = vacuumOf(shape);
            vacuum.surroundings = where;
            const Advice vacuuming = adviseVacuum(vacuum);
            if (shape == Shape::Skewed) {
                CHECK(vacuuming.jobs() == 2);
                CHECK(vacuuming.reason("jobs").starts_with("vacuum public.t0 alone takes about"));
            } else {
                CHECK(vacuuming.jobs() > 2);
            }
        }
    }
}

TEST_CASE("a codec is chosen by what it costs and what it saves") {
    DumpQuestion question = dumpOf(Shape::Even);
    const auto codec = [](const char* name, double perSecond, double ratio) {
        return CodecRate{.compression = io::parseCompression(name),
                         .compressPerSecond = perSecond,
                         .ratio = ratio};
    };
    question.codecs = {codec("lz4", 500e6, 0.4), codec("zstd:1", 350e6, 0.3),
                       codec("zstd:3", 280e6, 0.27), codec("zstd:9", 50e6, 0.22),
                       codec("gzip:6", 30e6, 0.26)};
    Advice advice = adviseDump(question);
    CHECK(advice.find("compress")->value == "zstd:3");
    CHECK(advice.reason("compress") ==
          "the archive has 27% of the tables' size, and a core compresses 280 MB/s; gzip:6 would "
          "make it 26%, and take 9.2 times as long");
    // A slow disk makes small archives worth their while.
    question.destination =
        Destination{.folder = "/backup", .freeBytes = 1ULL << 50, .writePerSecond = 30e6};
    advice = adviseDump(question);
    CHECK(advice.find("compress")->value == "zstd:9");
}
