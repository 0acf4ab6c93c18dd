// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/decide.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::vacuum;

namespace {

ServerFacts server() {
    ServerFacts facts;
    facts.version = 180000;
    return facts;
}

/// A table that needs nothing.
TableFacts calm() {
    TableFacts table;
    table.oid = Oid{20000};
    table.schema = "public";
    table.name = "t";
    table.blocks = table.allVisible = 10000;
    table.heapBytes = 10000 * 8192;
    table.rows = 900000;
    table.liveRows = 900000;
    table.xidAge = 1000;
    table.lastVacuum = table.lastAnalyze = "2026-01-01T00:00:00Z";
    return table;
}

Decision decided(const TableFacts& table, const ServerFacts& facts = server(), bool full = false) {
    return decide(table, facts, full);
}

}  // namespace

TEST_CASE("a table that needs nothing says why") {
    const Decision decision = decided(calm());
    CHECK(decision.action == Action::Nothing);
    CHECK(decision.what() == "nothing");
    CHECK(decision.why() == "0% dead rows, age 0% of the limit, statistics are up to date");
    CHECK(decision.urgency == 0);
}

TEST_CASE("pg_statistic is not to be analyzed, which the server would pass over") {
    TableFacts table = calm();
    table.schema = "pg_catalog";
    table.name = "pg_statistic";
    table.catalog = true;
    table.modifiedRows = 10'000'000;
    CHECK(decided(table).action == Action::Nothing);
    table.name = "pg_attribute";
    CHECK(decided(table).action == Action::Analyze);
}

TEST_CASE("dead rows are removed when they are worth it, before autovacuum has to") {
    TableFacts table = calm();
    table.deadRows = 40000;  // 4%
    CHECK(decided(table).action == Action::Nothing);
    table.deadRows = 100000;
    const Decision decision = decided(table);
    CHECK(decision.action == Action::Vacuum);
    CHECK(decision.why() == "100,000 dead rows, 10% of all");
    CHECK(decision.urgency > 0.5);
    CHECK(decision.urgency < 1);
    table.deadRows = 200000;
    CHECK(decided(table).urgency > 1);

    table = calm();
    table.toastDead = 50000;
    CHECK(decided(table).why() == "50,000 dead rows in its TOAST table");
}

TEST_CASE("an old table is frozen, and says how long it has") {
    TableFacts table = calm();
    table.xidAge = 160'000'000;
    ServerFacts facts = server();
    facts.xidsPerSecond = 1000;
    const Decision decision = decided(table, facts);
    CHECK(decision.action == Action::Freeze);
    CHECK(decision.why() ==
          "its oldest row is 160,000,000 transactions behind, 80% of autovacuum_freeze_max_age; "
          "1,984,483,648 more until the server stops writing, 23 days at the present rate");
    CHECK(decision.urgency > 1.7);
    facts.version = 130000;  // which stops later
    CHECK(decided(table, facts).why().find("1,986,483,648 more") != std::string::npos);

    table.xidAge = 90'000;
    CHECK(decided(table).action == Action::Nothing);
    table.options = "toast.autovacuum_freeze_max_age=100000";
    CHECK(decided(table).action == Action::Nothing);
    table.options = "fillfactor=90, autovacuum_freeze_max_age=100000";
    CHECK(decided(table).action == Action::Freeze);

    table = calm();
    table.mxidAge = 400'000'000;
    CHECK(decided(table).why() ==
          "its oldest row lock is 400,000,000 multixacts behind, 100% of "
          "autovacuum_multixact_freeze_max_age");
}

TEST_CASE("pages that only inserts have touched are marked visible") {
    TableFacts table = calm();
    table.allVisible = 5000;
    table.insertedRows = 300000;
    const Decision decision = decided(table);
    CHECK(decision.action == Action::Vacuum);
    CHECK(decision.why() ==
          "50% of its pages are not marked all-visible: index-only scans have to read them, and so "
          "will the next freeze");
}

TEST_CASE("stale statistics are gathered, also beside a vacuum") {
    TableFacts table = calm();
    table.modifiedRows = 200000;
    Decision decision = decided(table);
    CHECK(decision.what() == "analyze");
    CHECK(decision.why() == "200,000 rows changed since its statistics were gathered");
    table.deadRows = 300000;
    decision = decided(table);
    CHECK(decision.what() == "vacuum, analyze");
    CHECK(decision.reasons.size() == 2);

    table = calm();
    table.lastAnalyze.clear();
    CHECK(decided(table).why() == "its statistics were never gathered");
}

TEST_CASE("a table without statistics is analyzed although the server's counters were lost") {
    TableFacts table = calm();
    table.lastVacuum.clear();
    table.lastAnalyze.clear();
    table.liveRows = 0;
    CHECK(decided(table).what() == "analyze");
    table.rows = -1;  // nor was it ever vacuumed
    CHECK(decided(table).what() == "analyze");
    CHECK(decided(table).why() == "its statistics were never gathered");
    ServerFacts old = server();
    old.version = 130000;
    table.rows = 0;
    CHECK(decided(table, old).what() == "analyze");
    CHECK(decided(table).what() == "nothing");  // it was counted, and has no rows
    table.rows = 900000;
    table.hasStatistics = true;
    CHECK(decided(table).what() == "nothing");
    CHECK(decided(table).why() ==
          "0% dead rows, age 0% of the limit, how old its statistics are is not known");
    table.hasStatistics = false;
    table.rows = -1;
    table.blocks = table.heapBytes = 0;
    CHECK(decided(table).why() ==
          "0% dead rows, age 0% of the limit, no rows to have statistics of");
}

TEST_CASE("a partitioned table is analyzed when what lies below it has become another number") {
    TableFacts table;
    table.schema = "public";
    table.name = "whole";
    table.relkind = 'p';
    table.rows = -1;
    CHECK(decided(table).action == Action::Nothing);
    table.liveRows = 1000;
    table.blocks = 1000;
    CHECK(decided(table).what() == "analyze");
    CHECK(decided(table).why() ==
          "the statistics of its partitions together were never gathered, which autovacuum leaves "
          "to you");
    ServerFacts old = server();
    old.version = 130000;
    CHECK(decided(table, old).action == Action::Nothing);
    table.rows = 1000;
    CHECK(decided(table).why() == "statistics of all its partitions together are up to date");
    table.liveRows = 1200;
    CHECK(decided(table).what() == "analyze");
    CHECK(decided(table).why() ==
          "its partitions have 1,200 rows, and had 1,000 when the statistics of all together were "
          "gathered, which autovacuum leaves to you");
}

TEST_CASE("thresholds of nothing make no empty table urgent") {
    ServerFacts eager = server();
    eager.analyzeThreshold = eager.vacuumThreshold = 0;
    TableFacts table;
    table.lastAnalyze = "2026-01-01T00:00:00Z";
    CHECK(decided(table, eager).action == Action::Nothing);
    table.relkind = 'p';
    CHECK(decided(table, eager).action == Action::Nothing);
}

TEST_CASE("an index that is mostly waste is built anew") {
    TableFacts table = calm();
    table.indexes = {{.oid = Oid{1},
                      .name = "good",
                      .accessMethod = "btree",
                      .bytes = 20 << 20,
                      .rows = 900000,
                      .entryBytes = 8},
                     {.oid = Oid{2},
                      .name = "bad",
                      .accessMethod = "btree",
                      .bytes = 80 << 20,
                      .rows = 900000,
                      .entryBytes = 8},
                     {.oid = Oid{3},
                      .name = "unknown",
                      .accessMethod = "gin",
                      .bytes = 80 << 20,
                      .rows = 900000,
                      .entryBytes = 8}};
    table.catalog = true;  // of which none is rebuilt beside it
    CHECK(decided(table).reindex.empty());
    table.catalog = false;
    Decision decision = decided(table);
    CHECK(decision.what() == "reindex");
    CHECK(decision.reindex == std::vector<std::size_t>{1});
    CHECK(decision.why() == "about 76% of the 84 MB of index bad are waste");
    table.deadRows = 300000;
    CHECK(decided(table).what() == "vacuum, reindex");
    table.indexes[1].rows = -1;  // nobody has counted them
    CHECK(decided(table).what() == "vacuum");
}

TEST_CASE("shares are of the rows there are, also when the statistics were lost or are old") {
    TableFacts table = calm();
    table.liveRows = 0;
    table.deadRows = 225000;
    CHECK(decided(table).why() == "225,000 dead rows, 25% of all");
    table.rows = -1;
    CHECK(decided(table).reasons.front() == "225,000 dead rows, 100% of all");
    // Loaded after it was counted: it is full, not empty.
    table = calm();
    table.rowBytes = 60;
    table.rows = 1000;
    CHECK(decided(table, server(), true).action == Action::Nothing);
}

TEST_CASE("an index whose build was broken off is told, and left") {
    TableFacts table = calm();
    table.indexes = {{.oid = Oid{1}, .name = "wanted", .accessMethod = "btree", .valid = false},
                     {.oid = Oid{2}, .name = "t_ccnew1", .accessMethod = "btree", .valid = false},
                     {.oid = Oid{3}, .name = "t", .accessMethod = "btree"}};
    CHECK(isLeftover(table, table.indexes[1]));
    CHECK_FALSE(isLeftover(table, table.indexes[0]));
    const Decision decision = decided(table);
    CHECK(decision.action == Action::Nothing);
    CHECK(decision.why() ==
          "index wanted was never built to its end: no query uses it, and writes may have to "
          "keep it all the same");
    // Somebody's own, who likes such names.
    table.indexes.pop_back();
    CHECK_FALSE(isLeftover(table, table.indexes[1]));
}

TEST_CASE("an index is built anew only where the server can") {
    IndexFacts index{.oid = Oid{1},
                     .name = "t_excl",
                     .accessMethod = "btree",
                     .bytes = uint64_t{100} << 20,
                     .rows = 1000,
                     .entryBytes = 8};
    CHECK(isBloated(index));
    index.exclusion = true;
    CHECK_FALSE(isBloated(index));
}

TEST_CASE("an index is no smaller than its pages") {
    IndexFacts index{.oid = Oid{1},
                     .name = "t_pkey",
                     .accessMethod = "btree",
                     .bytes = 8192,
                     .rows = 0,
                     .entryBytes = 4};
    CHECK(wasteOf(index) == 0);
    index.bytes = 2 * 8192;
    index.rows = 10;
    CHECK(wasteOf(index) == 0);
    index.bytes = 4 * 8192;
    CHECK(isMostlyWaste(index));
}

TEST_CASE("the copy of a TOAST table's index is known by that table's name") {
    TableFacts table = calm();
    table.toastName = "pg_toast_4711";
    IndexFacts copy{.oid = Oid{1},
                    .name = "pg_toast_4711_index_ccnew",
                    .accessMethod = "btree",
                    .valid = false,
                    .ofToast = true};
    CHECK(isLeftover(table, copy));
    copy.name = "pg_toast_4712_index_ccnew";
    CHECK_FALSE(isLeftover(table, copy));
}

namespace {

/// Nearly all of it is waste.
TableFacts wasteful(uint64_t heapBytes) {
    TableFacts table = calm();
    table.rowBytes = 20;
    table.liveRows = heapBytes / 4096;
    table.rows = static_cast<double>(table.liveRows);
    table.heapBytes = heapBytes;
    return table;
}

}  // namespace

TEST_CASE("a rewrite is advised, and decided upon only where it was allowed") {
    const TableFacts table = wasteful(400 << 20);
    Decision decision = decided(table);
    CHECK(decision.action == Action::Nothing);
    CHECK(decision.why() ==
          "about 99% of its 419 MB are waste; VACUUM FULL would give them back, and lock "
          "everybody out meanwhile (--full)");
    decision = decided(table, server(), true);
    CHECK(decision.what() == "full");
    CHECK(decision.rewriteGain > (300 << 20));
}

TEST_CASE("whoever allows a rewrite learns why a small table is not worth one") {
    const Decision decision = decided(wasteful(40 << 20), server(), true);
    CHECK(decision.action == Action::Nothing);
    CHECK(decision.why() ==
          "about 99% of its 42 MB are waste, less than the 67 MB from which on it is locked to "
          "be written anew");
}

TEST_CASE("what a rewrite gives back is what neither rows nor their order need") {
    TableFacts table = calm();
    table.heapBytes = 400 << 20;
    table.rows = 1'000'000;
    table.liveRows = 400'000;
    table.deadRows = 600'000;  // of rows of unknown width
    CHECK(rewriteGain(table) == table.heapBytes / 10 * 6);
    CHECK(decided(table, server(), true).what() == "full");
    table.rowBytes = 372;
    const uint64_t fromWidth = rewriteGain(table);
    CHECK(fromWidth > (230 << 20));
    CHECK(fromWidth < (250 << 20));
    table.options = "autovacuum_enabled=off, fillfactor=50";
    CHECK(rewriteGain(table) < fromWidth - (140 << 20));
    table.options = "toast.fillfactor=50";
    CHECK(rewriteGain(table) == fromWidth);
    // A row of more than half a page has the page for itself, also in a new heap.
    table.options.clear();
    table.deadRows = 0;
    table.liveRows = 50'000;
    table.rows = 50'000;
    table.rowBytes = 4200;
    CHECK(rewriteGain(table) < (10 << 20));
    // Its TOAST table counts as well, and so do its indexes.
    table.toastBytes = 300 << 20;
    table.toastDead = 100'000;
    CHECK(rewriteGain(table) > (190 << 20));
    CHECK(rewriteGain(table) < (205 << 20));
}

TEST_CASE("the most urgent comes first, then the largest") {
    TableFacts small = calm();
    TableFacts dead = calm();
    dead.deadRows = 300000;
    TableFacts old = calm();
    old.xidAge = 199'000'000;
    TableFacts large = calm();
    large.heapBytes *= 2;
    const std::vector<TableFacts> tables{small, dead, old, large};
    std::vector<Decision> decisions;
    for (const TableFacts& table : tables) decisions.push_back(decided(table));
    CHECK(rank(tables, decisions) == std::vector<std::size_t>{2, 1, 3, 0});
}
