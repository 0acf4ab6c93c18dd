// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/verbose.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::vacuum;
using namespace std::chrono_literals;

namespace {

pg::ServerNotice info(std::string message, std::string detail = {}, std::string context = {}) {
    return {.severity = "INFO",
            .sqlState = "00000",
            .message = std::move(message),
            .detail = std::move(detail),
            .context = std::move(context)};
}

template <class Kind>
Kind told(const pg::ServerNotice& notice) {
    const auto found = understand(notice);
    REQUIRE(found);
    REQUIRE(std::holds_alternative<Kind>(*found));
    return std::get<Kind>(*found);
}

}  // namespace

TEST_CASE("a table's begin and end, as the versions word them") {
    CHECK(told<TableBegun>(info("vacuuming \"public.t\"")).table == "public.t");
    CHECK(told<TableBegun>(info("aggressively vacuuming \"db.public.t\"")).table == "db.public.t");
    CHECK(told<TableBegun>(info("vacuuming \"db.odd \"name\".t\"")).table == "db.odd \"name\".t");
    const auto analyzed = told<TableBegun>(info("analyzing \"public.t\""));
    CHECK(analyzed.table == "public.t");
    CHECK(analyzed.analyze);
    CHECK_FALSE(understand(info("analyzing \"public.t\" inheritance tree")));

    const auto old = told<TableDone>(
        info("\"t\": found 100 removable, 900 nonremovable row versions in 5 out of 5 pages",
             "7 dead row versions cannot be removed yet, oldest xmin: 745"));
    CHECK(old.table == "t");
    CHECK(old.removed == 100);
    CHECK(old.kept == 7);
    CHECK_FALSE(old.indexPasses);
    CHECK(told<TableDone>(
              info("table \"t\": found 3 removable, 9 nonremovable row versions in 1 out of 1 "
                   "pages"))
              .removed == 3);

    const auto now = told<TableDone>(
        info("finished vacuuming \"db.public.t\": index scans: 2\n"
             "pages: 0 removed, 5406 remain, 5406 scanned (100.00% of total)\n"
             "tuples: 100000 removed, 900000 remain, 12 are dead but not yet removable\n"
             "index \"t_pkey\": pages: 2745 in total, 0 newly deleted"));
    CHECK(now.table == "db.public.t");
    CHECK(now.indexPasses == 2);
    CHECK(now.removed == 100000);
    CHECK(now.kept == 12);
}

TEST_CASE("an index that is done, by whom and in what time") {
    const auto own = told<IndexDone>(info("scanned index \"t_a\" to remove 300 row versions",
                                          "CPU: user: 0.05 s, system: 0.00 s, elapsed: 1.25 s"));
    CHECK(own.index == "t_a");
    CHECK(own.rows == 300);
    CHECK_FALSE(own.byHelper);
    CHECK_FALSE(own.cleanUp);
    CHECK(own.took == 1250ms);

    CHECK(told<IndexDone>(
              info("scanned index \"t_b\" to remove 300 row versions by parallel vacuum worker"))
              .byHelper);
    // From 14 on only the context says so.
    const auto helper = told<IndexDone>(
        info("scanned index \"t_b\" to remove 300 row versions", {},
             "while vacuuming index \"t_b\" of relation \"public.t\"\nparallel worker"));
    CHECK(helper.byHelper);
    CHECK_FALSE(helper.took);

    const auto cleaned = told<IndexDone>(
        info("index \"t_a\" now contains 900 row versions in 27 pages",
             "300 index row versions were removed.\n0 index pages have been deleted, 0 are "
             "currently reusable.\nCPU: user: 0.00 s, system: 0.00 s, elapsed: 0.01 s."));
    CHECK(cleaned.cleanUp);
    CHECK(cleaned.rows == 300);
    CHECK(cleaned.took == 10ms);
}

TEST_CASE("parallel workers, launched and planned") {
    const auto some = told<HelpersBegun>(
        info("launched 2 parallel vacuum workers for index vacuuming (planned: 3)"));
    CHECK(some.launched == 2);
    CHECK(some.planned == 3);
    CHECK_FALSE(some.cleanUp);
    const auto one = told<HelpersBegun>(
        info("launched 1 parallel vacuum worker for index cleanup (planned: 1)"));
    CHECK(one.launched == 1);
    CHECK(one.cleanUp);
}

TEST_CASE("what was left out, and why") {
    const auto skipped = [](std::string message, std::string state = "01000") {
        return told<Skipped>({.severity = "WARNING",
                              .sqlState = std::move(state),
                              .message = std::move(message),
                              .detail = {},
                              .context = {}});
    };
    const auto locked = skipped("skipping vacuum of \"t\" --- lock not available", "55P03");
    CHECK(locked.why == Skipped::Why::Locked);
    CHECK(locked.table == "t");
    CHECK(skipped("skipping vacuum of \"t\" --- relation no longer exists", "42P01").why ==
          Skipped::Why::Gone);
    CHECK(skipped("permission denied to vacuum \"t\", skipping it").why ==
          Skipped::Why::NotPermitted);
    CHECK(skipped("skipping \"t\" --- only table or database owner can vacuum it").why ==
          Skipped::Why::NotPermitted);
    CHECK(skipped("oldest xmin is far in the past").why == Skipped::Why::Other);
}

TEST_CASE("what is of no interest is passed over") {
    CHECK_FALSE(understand(info("\"t\": truncated 10 to 2 pages")));
    CHECK_FALSE(understand(info("launched")));
    CHECK_FALSE(understand(info("scanned index t")));
    CHECK_FALSE(understand(info("finished vacuuming something")));
    CHECK_FALSE(understand(info("")));
}
