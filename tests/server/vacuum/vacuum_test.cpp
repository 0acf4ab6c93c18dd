// SPDX-License-Identifier: PostgreSQL
// What a vacuum does is what vacuumdb does; and beyond that: its own plan, indexes built anew, all
// databases, a budget of time.
#include "core/vacuum/vacuum.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <map>
#include <thread>

#include "core/pg/connection.h"
#include "tests/server/dump/faults.h"
#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/tool.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

/// What a vacuum or an analyze leaves in the catalog.
std::string effects(const Cluster& cluster, const std::string& database) {
    return cluster.value(
        "SELECT string_agg(format('%s %s %s %s %s', relname, relpages, reltuples, relallvisible,"
        " CASE WHEN relkind = 'r' THEN age(relfrozenxid) < 2000 END), E'\n' ORDER BY relname)"
        " || (SELECT string_agg(format(E'\n%s %s %s %s', tablename, attname, n_distinct, "
        "avg_width),"
        " '' ORDER BY tablename, attname) FROM pg_stats WHERE schemaname = 'public')"
        " FROM pg_class WHERE relnamespace = 'public'::regnamespace",
        database);
}

bool ranClean(const EventRecord& record) {
    return record.all<events::RunFinished>().at(0).outcome == events::Outcome::Clean;
}

Words tasksOf(const EventRecord& record) {
    Words names;
    for (const auto& task : record.all<events::TaskStarted>()) names.push_back(task.object);
    return names;
}

Words sortedTasks(const options::VacuumOptions& options) {
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    Words names = tasksOf(record);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

TEST_CASE("the effect is vacuumdb's") {
    const Cluster cluster(quietServer());
    const auto compare = [&](const Words& arguments) {
        INFO(fmt::format("{}", arguments.empty() ? "" : arguments.front()));
        for (const char* database : {"stock", "ours"}) {
            cluster.createDatabase(database);
            makeDirty(cluster, database, "t", 20000);
            makeDirty(cluster, database, "u", 300);
            cluster.execute("DELETE FROM t WHERE id > 15000", database);
        }
        // One at a time: with -f its sessions lock each other out of the catalogs.
        Words stock{cluster.tool("vacuumdb"), "-j1", "-d", cluster.conninfo("stock")};
        stock.insert(stock.end(), arguments.begin(), arguments.end());
        runToolOk(stock);
        Words ours = vacuumCommand(cluster, "ours", arguments);
        ours.push_back("-j2");
        const ToolResult result = runTool(ours);
        CHECK(result.describe() != "");
        CHECK(result.exitCode == 0);
        CHECK(effects(cluster, "ours") == effects(cluster, "stock"));
        dropDatabase(cluster, "stock");
        dropDatabase(cluster, "ours");
    };
    compare({});
    compare({"-z"});
    compare({"-F"});
    compare({"-f"});
    compare({"-Z"});
    compare({"--analyze-in-stages"});
    compare({"-t", "t"});
    compare({"--no-truncate"});
    compare({"--no-index-cleanup"});
    compare({"-n", "public", "-z"});
}

TEST_CASE("a TOAST table is passed over only if it is surely empty") {
    const Cluster cluster(quietServer());
    if (cluster.major() < 14) SKIP("PROCESS_TOAST came with 14");
    const std::vector<std::string> names{"never", "used", "emptied", "undone", "unknown"};
    for (const std::string& name : names) {
        cluster.execute("CREATE TABLE " + name + "(id int, t text); ALTER TABLE " + name +
                        " ALTER t SET STORAGE EXTERNAL; INSERT INTO " + name +
                        " VALUES (1, 'short')");
    }
    const auto empty = [&](const std::string& name) {
        const options::VacuumOptions options = vacuumOptions(cluster, "postgres");
        for (const auto& table : vacuum::look(options, {}).survey.tables) {
            if (table.name == name) return table.toastEmpty;
        }
        return false;
    };
    CHECK_FALSE(empty("never"));  // nobody has looked yet
    cluster.execute("VACUUM never, used, emptied, undone, unknown");
    for (const std::string& name : names) {
        INFO(name);
        waitUntil("statistics are seen", [&] { return empty(name); });
    }
    const std::string row = " VALUES (2, repeat('x', 100000))";
    cluster.execute("INSERT INTO used" + row);
    cluster.execute("INSERT INTO emptied" + row);
    cluster.execute("DELETE FROM emptied");
    cluster.execute("BEGIN; INSERT INTO undone" + row + "; ROLLBACK");
    cluster.execute(
        "SELECT pg_stat_reset_single_table_counters(reltoastrelid) FROM pg_class"
        " WHERE relname = 'unknown'");  // as a crash does
    for (const std::string name : {"used", "emptied", "undone", "unknown"}) {
        INFO(name);
        waitUntil("statistics are seen", [&] { return !empty(name); });
    }
    CHECK(empty("never"));
    cluster.execute("ALTER SYSTEM SET vacuum_freeze_min_age = 0");
    cluster.execute("SELECT pg_reload_conf()");
    waitUntil("statistics are seen", [&] { return !empty("never"); });
    cluster.execute("ALTER SYSTEM RESET vacuum_freeze_min_age");
    cluster.execute("SELECT pg_reload_conf()");
    waitUntil("statistics are seen", [&] { return empty("never"); });
    // The rows that were removed from the others count, and their TOAST tables come along.
    EventRecord record;
    runVacuum(vacuumOptions(cluster, "postgres"), record);
    CHECK(cluster.value("SELECT pg_relation_size(reltoastrelid) FROM pg_class"
                        " WHERE relname = 'emptied'") == "0");
    waitUntil("statistics are seen", [&] { return empty("emptied"); });
}

TEST_CASE("small tables are as large as the catalog remembers, unless they have grown") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE TABLE small(a int PRIMARY KEY); INSERT INTO small SELECT generate_series(1, 500);"
        "CREATE TABLE grown(a int PRIMARY KEY); INSERT INTO grown SELECT generate_series(1, 500);"
        "CREATE TABLE wide(t text); ALTER TABLE wide ALTER t SET STORAGE EXTERNAL;"
        "INSERT INTO wide VALUES ('short'); CREATE TABLE fresh(a int);"
        "INSERT INTO fresh SELECT generate_series(1, 100000);"
        "CREATE TABLE empty(a int PRIMARY KEY); CREATE TABLE untold(a int)");
    cluster.execute("VACUUM ANALYZE small, grown, wide, empty");
    cluster.execute(
        "INSERT INTO grown SELECT generate_series(501, 100000);"
        "INSERT INTO wide SELECT repeat('x', 100000) FROM generate_series(1, 100);"
        "DELETE FROM small WHERE a > 250");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    std::map<std::string, vacuum::TableFacts> tables;
    for (const auto& table : vacuum::look(options, {}).survey.tables) tables[table.name] = table;
    CHECK(tables.at("small").sizeRemembered);
    CHECK_FALSE(tables.at("grown").sizeRemembered);
    CHECK_FALSE(tables.at("wide").sizeRemembered);
    CHECK_FALSE(tables.at("fresh").sizeRemembered);
    // Before 14 a table without pages may be one that nobody has counted.
    CHECK(tables.at("empty").sizeRemembered == (cluster.major() >= 14));
    CHECK_FALSE(tables.at("untold").sizeRemembered);
    for (const auto& [name, table] : tables) {
        INFO(name);
        CHECK(std::to_string(table.bytes()) ==
              cluster.value("SELECT pg_relation_size('" + name +
                            "') + coalesce((SELECT sum("
                            "pg_relation_size(indexrelid)) FROM pg_index WHERE indrelid = '" +
                            name +
                            "'::regclass), 0) + coalesce((SELECT pg_relation_size("
                            "nullif(reltoastrelid, 0)) FROM pg_class WHERE oid = '" +
                            name + "'::regclass), 0)"));
    }
    options.jobs = 2;  // then two sessions look, one of them at indexes
    EventRecord record;
    runVacuum(options, record);
    // By these the history finds what later runs on this server learn from.
    const auto started = record.all<events::RunStarted>().at(0);
    CHECK_FALSE(started.environment.at("cluster").empty());
    CHECK_FALSE(started.environment.at("server").empty());
    std::map<std::string, events::VacuumOutcome> outcomes;
    for (const auto& outcome : record.all<events::VacuumOutcome>()) {
        outcomes[outcome.relation] = outcome;
    }
    REQUIRE(outcomes.size() == tables.size());
    CHECK(outcomes.at("public.small").rowsRemoved == 250);
    CHECK(outcomes.at("public.small").bytesAfter <= outcomes.at("public.small").bytesBefore);
    CHECK(outcomes.at("public.grown").bytesBefore == tables.at("grown").bytes());
}

TEST_CASE("only what lacks statistics is analyzed") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE TABLE known(a int); INSERT INTO known VALUES (1); ANALYZE known;"
        "CREATE TABLE unknown(a int); INSERT INTO unknown SELECT generate_series(1, 10);"
        "CREATE TABLE partly(a int); INSERT INTO partly VALUES (1); ANALYZE partly;"
        "ALTER TABLE partly ADD b int DEFAULT 7");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.selection.missingStatsOnly = true;
    options.work.analyzeOnly = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK(record.all<events::RunFinished>().at(0).relations == 2);
    CHECK(cluster.value("SELECT count(*) FROM pg_stats WHERE schemaname = 'public'") == "4");
}

TEST_CASE("of small tables, too, it is told how many rows were removed") {
    const int major = GENERATE(14, 15, 18);
    CAPTURE(major);
    const Cluster cluster(quietServer(major));
    constexpr int kTables = 40;  // so many that some share a statement
    for (int i = 1; i <= kTables; ++i) {
        cluster.execute(
            fmt::format("CREATE TABLE t{0}(x int); INSERT INTO t{0} SELECT"
                        " generate_series(1, 500); DELETE FROM t{0} WHERE x <= {0}",
                        i));
    }
    // A session tells the statistics when it ends, which is after who used it has gone on.
    waitUntil("the last deletion is known", [&] {
        return cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 't40'") ==
               "40";
    });
    pg::Connection holder =
        pg::Connection::open(cluster.connection(), "somebody else", std::stop_token());
    holder.execute("BEGIN; LOCK TABLE t7");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.jobs = 1;
    options.work.skipLocked = true;
    EventRecord record;
    runVacuum(options, record);
    std::map<std::string, uint64_t> expected;
    for (uint64_t i = 1; i <= kTables; ++i) {
        if (i != 7) expected[fmt::format("public.t{}", i)] = i;
    }
    std::map<std::string, uint64_t> removed;
    for (const auto& outcome : record.all<events::VacuumOutcome>()) {
        removed[outcome.relation] = outcome.rowsRemoved;
    }
    CHECK(removed == expected);
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.rows == kTables * (kTables + 1) / 2 - 7);
    CHECK(end.relations == kTables - 1);
}

TEST_CASE("partitioned tables are analyzed as a whole, and by nothing else") {
    const Cluster cluster(quietServer(18));
    cluster.execute(
        "CREATE TABLE whole(a int) PARTITION BY RANGE (a);"
        "CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (1000);"
        "INSERT INTO whole SELECT generate_series(0, 999)");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    const auto tasks = [&] { return sortedTasks(options); };
    options.work.analyze = true;
    CHECK(tasks() == Words{"database postgres", "public.part"});
    CHECK(cluster.value("SELECT count(*) FROM pg_stats WHERE tablename = 'whole'") == "0");
    options.work.analyze = false;
    options.work.analyzeOnly = true;
    options.selection.missingStatsOnly = true;
    CHECK(tasks() == Words{"public.whole"});
    CHECK(cluster.value("SELECT count(*) FROM pg_stats WHERE tablename = 'whole'") == "1");
    CHECK(tasks().empty());
    options.selection.missingStatsOnly = false;
    CHECK(tasks() == Words{"public.part", "public.whole"});
}

TEST_CASE(
    "a plan of its own gathers what autovacuum never does: statistics of partitioned tables") {
    const int major = GENERATE(15, 17, 18);
    CAPTURE(major);
    const Cluster cluster(quietServer(major));
    cluster.execute(
        "CREATE TABLE whole(a int) PARTITION BY RANGE (a);"
        "CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (1000);"
        "CREATE TABLE half PARTITION OF whole FOR VALUES FROM (1000) TO (3000)"
        " PARTITION BY RANGE (a);"
        "CREATE TABLE half1 PARTITION OF half FOR VALUES FROM (1000) TO (3000);"
        "INSERT INTO whole SELECT generate_series(0, 1999)");
    const auto changesAreKnown = [&] {
        // A session tells the statistics when it ends, which is after who used it has gone on.
        waitUntil("the changes are known", [&] {
            return cluster.value("SELECT sum(n_mod_since_analyze) FROM pg_stat_user_tables") ==
                   "2000";
        });
    };
    changesAreKnown();
    cluster.execute("VACUUM ANALYZE part, half1");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.plan = "auto";
    const auto tasks = [&] { return sortedTasks(options); };
    CHECK(tasks() == Words{"public.half", "public.whole"});
    CHECK(tasks().empty());
    CHECK(cluster.value("SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_stats"
                        " WHERE inherited") == "half whole");
    cluster.execute("INSERT INTO whole SELECT generate_series(1000, 2999)");
    changesAreKnown();
    cluster.execute("VACUUM ANALYZE half1");
    CHECK(tasks() == Words{"public.half", "public.whole"});
}

TEST_CASE("who names a partitioned table means its partitions in a plan, too") {
    const int major = GENERATE(10, 13, 18);
    CAPTURE(major);
    const Cluster cluster(quietServer(major));
    cluster.execute(
        "CREATE TABLE whole(a int, b int) PARTITION BY RANGE (a);"
        "CREATE TABLE quiet PARTITION OF whole FOR VALUES FROM (0) TO (10);"
        "CREATE TABLE half PARTITION OF whole FOR VALUES FROM (10) TO (30)"
        " PARTITION BY RANGE (a);"
        "CREATE TABLE dirty PARTITION OF half FOR VALUES FROM (10) TO (30);"
        "CREATE TABLE beside(a int, b int);"
        "INSERT INTO whole SELECT i % 30, i FROM generate_series(1, 3000) i;"
        "INSERT INTO beside SELECT i, i FROM generate_series(1, 3000) i");
    // What a session did is counted when it ends, which may be after a VACUUM of the next one.
    waitUntil("the rows are known", [&] {
        return cluster.value("SELECT sum(n_tup_ins) FROM pg_stat_user_tables") == "6000";
    });
    cluster.execute("VACUUM ANALYZE");
    cluster.execute("UPDATE whole SET b = 0 WHERE a >= 10; UPDATE beside SET b = 0");
    waitUntil("the changes are known", [&] {
        return cluster.value("SELECT sum(n_tup_upd) FROM pg_stat_user_tables") == "5000";
    });
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"whole"};
    options.plan = "auto";
    const Words tasks = sortedTasks(options);
    CHECK(std::count(tasks.begin(), tasks.end(), "public.dirty") == 1);
    CHECK(std::count(tasks.begin(), tasks.end(), "public.quiet") == 0);
    CHECK(std::count(tasks.begin(), tasks.end(), "public.beside") == 0);
}

TEST_CASE("a partitioned table that was named is vacuumed by its partitions, and told by them") {
    const int major = GENERATE(10, 13, 17, 18);
    CAPTURE(major);
    const Cluster cluster(quietServer(major));
    cluster.execute(
        "CREATE TABLE whole(a int, b text) PARTITION BY RANGE (a);"
        "CREATE TABLE one PARTITION OF whole FOR VALUES FROM (0) TO (10);"
        "CREATE TABLE two PARTITION OF whole FOR VALUES FROM (10) TO (20);"
        "INSERT INTO whole SELECT i % 20, repeat('x', 100) FROM generate_series(1, 20000) i;"
        "DELETE FROM whole WHERE a % 10 <> 0");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"whole"};
    options.work.full = true;
    options.work.analyze = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK_THAT(noticeThatBegins(record, "VACUUM FULL locks each of 2 tables"),
               ContainsSubstring("public.one (about ") && ContainsSubstring("public.two (about ") &&
                   ContainsSubstring(" of disk)") && !ContainsSubstring("--reindex-concurrently") &&
                   !ContainsSubstring("Up to 0 bytes"));
    uint64_t before = 0;
    uint64_t after = 0;
    for (const auto& outcome : record.all<events::VacuumOutcome>()) {
        before += outcome.bytesBefore;
        after += outcome.bytesAfter;
    }
    CHECK(before > (2 << 20));
    CHECK(after < before / 5);
    CHECK(cluster.value("SELECT string_agg(DISTINCT tablename, ' ' ORDER BY tablename)"
                        " FROM pg_stats WHERE schemaname = 'public'") == "one two whole");
}

TEST_CASE("statistics of a table with its children are missed like its own") {
    const Cluster cluster(quietServer());
    // What nobody has counted yet may have rows all the same.
    cluster.execute(
        "CREATE TABLE parent(a int, b int); INSERT INTO parent SELECT g, g FROM"
        " generate_series(1, 100) g; ANALYZE parent;"
        "CREATE TABLE child() INHERITS (parent); INSERT INTO child VALUES (1, 1); ANALYZE child;"
        "CREATE TABLE filled(a int); ANALYZE filled; INSERT INTO filled VALUES (1);"
        "CREATE TABLE known(a int); INSERT INTO known VALUES (1); ANALYZE known");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.selection.missingStatsOnly = true;
    options.work.analyzeOnly = true;
    const auto chosen = [&] {
        EventRecord record;
        runVacuum(options, record);
        return record.all<events::RunFinished>().at(0).relations;
    };
    CHECK(chosen() == 2);
    CHECK(cluster.value("SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM (SELECT DISTINCT"
                        " tablename FROM pg_stats WHERE inherited OR tablename = 'filled') s") ==
          "filled parent");
    CHECK(chosen() == 0);
    cluster.execute("CREATE STATISTICS both_of_them ON a, b FROM parent");
    CHECK(chosen() == 1);
    CHECK(chosen() == 0);
}

TEST_CASE("a plan of its own touches only what needs it, and a dry run nothing") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "dirty", 50000);
    cluster.execute("CREATE TABLE calm(a int); INSERT INTO calm SELECT generate_series(1, 5000)");
    cluster.execute("VACUUM ANALYZE calm");
    cluster.execute("SELECT pg_stat_reset_single_table_counters('calm'::regclass)");
    cluster.execute("ANALYZE calm");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.plan = "auto";
    options.dryRun = true;
    EventRecord dry;
    runVacuum(options, dry);
    const auto plan = dry.all<events::Plan>().at(0);
    REQUIRE(plan.tasks.size() == 2);
    CHECK(plan.tasks[0].object == "public.dirty");
    CHECK(plan.tasks[0].note.starts_with("vacuum: 5,000 dead rows, 10% of all"));
    CHECK(tasksOf(dry).empty());
    CHECK(cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'dirty'") ==
          "5000");

    options.dryRun = false;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK(tasksOf(record) == Words{"public.dirty", "database postgres"});
    CHECK(cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'dirty'") ==
          "0");
    const vacuum::Outlook outlook = vacuum::look(options, {});
    REQUIRE(outlook.survey.tables.size() == 2);
    for (const vacuum::Decision& decision : outlook.plan.decisions) {
        CHECK(decision.action < vacuum::Action::Vacuum);
    }
}

TEST_CASE("a table that was never analyzed needs it though the server forgot what it counted") {
    const int major = GENERATE(13, 18);
    CAPTURE(major);
    const Cluster cluster(quietServer(major));
    cluster.execute(
        "CREATE TABLE known(a int, b int); INSERT INTO known SELECT g, g FROM"
        " generate_series(1, 1000) g; CREATE TABLE fresh(a int); INSERT INTO fresh SELECT"
        " generate_series(1, 20000); CREATE TABLE hollow(a int)");
    waitUntil("the rows are known", [&] {
        return cluster.value("SELECT sum(n_tup_ins) FROM pg_stat_user_tables") == "21000";
    });
    cluster.execute("VACUUM ANALYZE known");
    cluster.execute("ALTER TABLE known ADD c int");
    cluster.execute("SELECT pg_stat_reset()");
    waitUntil("the rows are forgotten", [&] {
        return cluster.value("SELECT coalesce(sum(n_tup_ins), 0) FROM pg_stat_user_tables") == "0";
    });
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.schemas = {"public"};
    options.plan = "auto";
    const vacuum::Outlook outlook = vacuum::look(options, {});
    REQUIRE(outlook.survey.tables.size() == 3);
    for (std::size_t i = 0; i < outlook.survey.tables.size(); ++i) {
        const vacuum::Decision& decision = outlook.plan.decisions[i];
        const bool analyzes = decision.analyze || decision.action == vacuum::Action::Analyze;
        CHECK(analyzes == (outlook.survey.tables[i].name == "fresh"));
    }
}

TEST_CASE("bloated indexes are built anew, and what an earlier attempt left is dropped") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE TABLE t(id int PRIMARY KEY, a int); CREATE TABLE u(id int PRIMARY KEY);"
        "INSERT INTO t SELECT g, g FROM generate_series(1, 700000) g;"
        "INSERT INTO u SELECT generate_series(1, 1000); CREATE INDEX t_a ON t(a);"
        "CREATE INDEX t_a_ccnew ON t(a); CREATE INDEX t_a_ccold1 ON t(a);"
        "CREATE INDEX t_other ON t(a);"
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN"
        " ('t_a_ccnew'::regclass, 't_a_ccold1'::regclass, 't_other'::regclass);"
        "DELETE FROM t WHERE id % 10 <> 0");
    cluster.execute("VACUUM ANALYZE t");
    cluster.execute("VACUUM ANALYZE u");
    const auto size = [&](const char* index) {
        return std::stoul(cluster.value(fmt::format("SELECT pg_relation_size('{}')", index)));
    };
    const auto before = size("t_a");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.reindexConcurrently = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK(size("t_a") < before / 5);
    CHECK(size("t_pkey") < before / 5);
    CHECK(cluster.value("SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class"
                        " WHERE relname LIKE 't\\_%' AND relkind = 'i'") == "t_a t_other t_pkey");
    // An index that is invalid for another reason is somebody else's.
    const Words tasks = tasksOf(record);
    CHECK(tasks.size() == 4);
    CHECK(std::find(tasks.begin(), tasks.end(), "public.t_other") == tasks.end());
    CHECK_THAT(noticeThatBegins(record, "Never built to their end"),
               ContainsSubstring(": public.t_other. REINDEX"));
    for (const auto& outcome : record.all<events::VacuumOutcome>()) {
        INFO(outcome.relation);
        CHECK(outcome.index);
        CHECK(outcome.bytesBefore > (8 << 20));
        const bool copy = outcome.relation.find("_cc") != std::string::npos;
        CHECK(outcome.bytesAfter == (copy ? 0 : size(outcome.relation.c_str())));
    }
    CHECK(record.all<events::VacuumOutcome>().size() == 4);
}

TEST_CASE("the copy of a TOAST table's index that an attempt left is dropped") {
    const Cluster cluster(quietServer());
    cluster.execute("CREATE TABLE t(a text)");
    const std::string copy = cluster.value(
        "SELECT 'pg_toast_' || oid || '_index_ccnew' FROM pg_class WHERE relname = 't'");
    {
        // A rebuild waits for who may still use the old one.
        pg::Connection reader =
            pg::Connection::open(cluster.connection(), "a reader", std::stop_token());
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        cluster.execute("ALTER ROLE postgres SET statement_timeout = '1s'");
        CHECK_THROWS(cluster.execute("REINDEX TABLE CONCURRENTLY t"));
    }
    const std::string copies =
        fmt::format("SELECT count(*) FROM pg_class WHERE relname = '{}'", copy);
    REQUIRE(cluster.value(copies) == "1");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.reindexConcurrently = true;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK(tasksOf(record) == Words{"pg_toast." + copy});
    CHECK(cluster.value(copies) == "0");
}

TEST_CASE("of which larger indexes nobody knows how full they are is told") {
    const Cluster cluster(quietServer());
    cluster.execute(
        "CREATE TABLE t(a int, b tsvector);"
        "INSERT INTO t SELECT g, to_tsvector('simple', md5(g::text)) FROM"
        " generate_series(1, 500000) g; CREATE INDEX t_lower ON t((a::text || 'x'));"
        "CREATE INDEX t_words ON t USING gin(b)");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.work.reindexConcurrently = true;
    const auto told = [&] {
        EventRecord record;
        runVacuum(options, record);
        CHECK(ranClean(record));
        return noticeThatBegins(record, "Not judged");
    };
    CHECK(told() ==
          "Not judged, of indexes of 8.4 MB and more: of 1 the server has no statistics (analyze "
          "its table first); one is no B-tree. REINDEX INDEX CONCURRENTLY builds one anew all the "
          "same.");
    cluster.execute("ANALYZE t");
    CHECK(told() ==
          "Not judged, of indexes of 8.4 MB and more: one is no B-tree. REINDEX INDEX CONCURRENTLY "
          "builds one anew all the same.");
}

TEST_CASE("all databases in one run, also past one that refuses") {
    const Cluster cluster(quietServer());
    cluster.execute("CREATE ROLE owner LOGIN");
    for (const char* database : {"one", "two", "closed"}) {
        cluster.createDatabase(database, "OWNER owner");
        makeDirty(cluster, database, "t", 2000);
        cluster.execute("ALTER TABLE t OWNER TO owner", database);
    }
    cluster.execute("ALTER DATABASE closed CONNECTION LIMIT 0");
    options::VacuumOptions options;
    options.connection.database =
        fmt::format("host={} port={} user=owner", cluster.socketFolder().string(), cluster.port());
    options.allDatabases = true;
    options.jobs = 2;
    options.selection.schemas = {"public"};
    options.maintenanceDatabase = options.connection.database + " dbname=postgres";
    EventRecord record;
    runVacuum(options, record);
    const auto end = record.all<events::RunFinished>().at(0);
    CHECK(end.outcome == events::Outcome::CompletedWithErrors);
    const auto ignored = record.all<events::ErrorIgnored>();
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].error.object == "database closed");
    CHECK_THAT(ignored[0].error.message, ContainsSubstring("too many connections for database"));
    CHECK_THAT(ignored[0].error.hint, ContainsSubstring("ALTER DATABASE … CONNECTION LIMIT"));
    const Words tasks = tasksOf(record);
    for (const char* database : {"one", "two"}) {
        CHECK(std::count(tasks.begin(), tasks.end(), fmt::format("public.t ({})", database)) == 1);
    }
    CHECK(end.relations == 2);
    CHECK(end.rows == 400);
    for (const char* database : {"one", "two"}) {
        CHECK(cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables", database) == "0");
    }
    CHECK(cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables", "closed") == "200");

    cluster.execute("CREATE ROLE guest LOGIN");
    options.connection.database =
        fmt::format("host={} port={} user=guest", cluster.socketFolder().string(), cluster.port());
    options.maintenanceDatabase = options.connection.database + " dbname=postgres";
    EventRecord refused;
    runVacuum(options, refused);
    Words objects;
    for (const auto& error : refused.all<events::ErrorIgnored>()) {
        objects.push_back(error.error.object);
    }
    CHECK(objects == Words{"database closed", "public.t (one)", "public.t (two)"});
}

TEST_CASE("an old database that allows nobody in is told, with the way to vacuum it") {
    ClusterOptions aging = quietServer();
    aging.settings.emplace_back("autovacuum_freeze_max_age = 100000");
    const Cluster cluster(aging);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.allDatabases = true;
    options.work.freeze = true;
    const auto told = [&] {
        EventRecord record;
        runVacuum(options, record);
        CHECK(ranClean(record));
        return noticeThatBegins(record, "Database template0");
    };
    CHECK(told().empty());
    // A block that has written takes a transaction ID of its own.
    cluster.execute(
        "CREATE TABLE t(a int); DO $$ BEGIN FOR i IN 1 .. 80000 LOOP"
        " BEGIN INSERT INTO t VALUES (i); EXCEPTION WHEN division_by_zero THEN NULL; END;"
        " END LOOP; END $$");
    CHECK_THAT(told(),
               ContainsSubstring("is left out, since it allows no connections, and its oldest row "
                                 "is 80,") &&
                   ContainsSubstring(": ALTER DATABASE \"template0\" ALLOW_CONNECTIONS true, "));
}

TEST_CASE("what will not be done in time is not begun") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "large", 60000);
    makeDirty(cluster, "postgres", "later", 58000);
    cluster.execute("CHECKPOINT");  // changing what is written down is what costs
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"large", "later"};
    options.jobs = 1;
    options.costDelay = 20;
    options.costLimit = 200;
    options.dryRun = true;
    EventRecord planned;
    runVacuum(options, planned);
    options.dryRun = false;
    // Enough for the first by its estimate, which counts the throttle, but not for both.
    const double first = planned.all<events::Plan>().at(0).tasks.at(0).estimatedMs / 1000;
    REQUIRE(first > 1);
    options.budget = fmt::format("{}s", static_cast<int>(std::ceil(first * 1.3)));
    options.dryRun = true;
    EventRecord foreseen;
    runVacuum(options, foreseen);
    CHECK_THAT(noticeThatBegins(foreseen, "By these estimates " + options.budget),
               ContainsSubstring("public.later (about ") && !ContainsSubstring("public.large"));
    CHECK_THAT(foreseen.all<events::Plan>().at(0).tasks.at(1).note,
               ContainsSubstring("; would be left, for want of time"));
    options.dryRun = false;
    EventRecord record;
    runVacuum(options, record);
    CHECK(ranClean(record));
    CHECK(tasksOf(record).front() == "public.large");
    CHECK(record.all<events::RunFinished>().at(0).relations == 1);
    CHECK_THAT(noticeThatBegins(record, fmt::format("Left, since {} would not have been enough: ",
                                                    options.budget)),
               ContainsSubstring("public.later (about "));
    CHECK(record.all<events::Plan>().back().tasks.front().withdrawn);
}

TEST_CASE("a table under way begins again with a throttle that was changed") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "t", 40000);
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    options.work.skipLocked = true;  // its own first attempt is nothing to skip it for
    options.costDelay = 100;
    options.costLimit = 1;  // it would take minutes
    run::RunControl control;
    EventRecord record;
    std::jthread later([&] {
        waitUntil("the vacuum reads the table", [&] {
            return cluster.value(
                       "SELECT count(*) FROM pg_stat_progress_vacuum"
                       " WHERE heap_blks_scanned > 1") == "1";
        });
        control.setThrottle({.costDelay = 0, .costLimit = 10000}, true);
    });
    runVacuum(options, record, &control);
    later.join();
    CHECK(ranClean(record));
    const auto failures = record.all<events::TaskFailed>();
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].retried);
    CHECK(failures[0].error.message == "stopped on request");
    CHECK(record.all<events::TaskStarted>().size() >= 2);
    CHECK(record.all<events::VacuumOutcome>().at(0).rowsRemoved == 4000);
    CHECK(record.all<events::RunFinished>().at(0).relations == 1);
    CHECK(cluster.value("SELECT n_dead_tup FROM pg_stat_user_tables") == "0");
}

TEST_CASE("a run is paused and let go on, and its throttle is opened while it works") {
    const Cluster cluster(quietServer());
    makeDirty(cluster, "postgres", "t", 40000);
    cluster.execute("ALTER DATABASE postgres SET log_statement = 'all'");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    slowDown(options);
    run::RunControl control;
    control.setPaused(true);
    control.setThrottle({.costDelay = 0, .costLimit = 10000});
    EventRecord record;
    std::jthread later([&control] {
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        control.setPaused(false);
    });
    runVacuum(options, record, &control);
    later.join();
    CHECK(ranClean(record));
    bool paused = false;
    for (const auto& idle : record.all<events::WorkerIdle>()) {
        paused = paused || idle.cause == events::IdleCause::Paused;
    }
    CHECK(paused);
    CHECK_THAT(cluster.log(),
               ContainsSubstring("SET vacuum_cost_delay = 0;SET vacuum_cost_limit = 10000;"));
}
