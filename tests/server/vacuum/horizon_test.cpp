// SPDX-License-Identifier: PostgreSQL
// Rows that a vacuum has to leave, and who is told to be the reason.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/pg/connection.h"
#include "tests/server/vacuum/vacuum_scene.h"
#include "tests/support/servers.h"

using namespace gantry;
using namespace gantry::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What is told of the 100 rows that were deleted before.
std::string toldOf(const Cluster& cluster) {
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.selection.tables = {"t"};
    EventRecord record;
    runVacuum(options, record);
    return noticeThatBegins(record, "100 deleted rows could not be removed: ");
}

}  // namespace

TEST_CASE("who keeps deleted rows from being removed is told") {
    const int major = GENERATE(from_range(installedMajors()));
    CAPTURE(major);
    ClusterOptions wanted = quietServer(major);
    wanted.settings.emplace_back("max_prepared_transactions = 2");
    const Cluster cluster(wanted);
    cluster.execute("CREATE TABLE t(a int); INSERT INTO t SELECT generate_series(1, 200)");

    SECTION("a session, by what it does") {
        pg::Connection reader =
            pg::Connection::open(cluster.connection(), "a report", std::stop_token());
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; TABLE t");
        cluster.execute("DELETE FROM t WHERE a > 100");
        const std::string told = toldOf(cluster);
        CHECK_THAT(told, ContainsSubstring("session " + std::to_string(reader.backendPid())));
        CHECK_THAT(told, ContainsSubstring("idle in transaction"));
        CHECK_THAT(told, ContainsSubstring("s ago, may still see them."));
    }
    SECTION("a prepared transaction") {
        pg::Connection session =
            pg::Connection::open(cluster.connection(), "two phases", std::stop_token());
        session.execute("BEGIN; CREATE TABLE u()");
        session.execute("PREPARE TRANSACTION 'left over'");
        cluster.execute("DELETE FROM t WHERE a > 100");
        CHECK_THAT(toldOf(cluster),
                   ContainsSubstring("the prepared transaction \"left over\" of postgres"));
        session.execute("ROLLBACK PREPARED 'left over'");
    }
    SECTION("nobody, once they are removed") {
        cluster.execute("DELETE FROM t WHERE a > 100");
        CHECK(toldOf(cluster).empty());
    }
}

TEST_CASE("one that is far behind is told before a plan") {
    ClusterOptions wanted = quietServer();
    wanted.settings.insert(wanted.settings.end(),
                           {"max_prepared_transactions = 2", "autovacuum_freeze_max_age = 100000"});
    const Cluster cluster(wanted);
    cluster.execute("CREATE TABLE t(a int); INSERT INTO t SELECT generate_series(1, 5000)");
    pg::Connection session =
        pg::Connection::open(cluster.connection(), "two phases", std::stop_token());
    session.execute("BEGIN; CREATE TABLE u()");
    session.execute("PREPARE TRANSACTION 'left over'");
    cluster.execute("DELETE FROM t");
    options::VacuumOptions options = vacuumOptions(cluster, "postgres");
    options.plan = "auto";
    options.dryRun = true;
    const auto told = [&] {
        EventRecord record;
        runVacuum(options, record);
        return noticeThatBegins(record, "Rows that were deleted in the last ");
    };
    CHECK(told().empty());
    session.execute(
        "DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM txid_current(); COMMIT; END LOOP;"
        " END $$");
    CHECK_THAT(told(), ContainsSubstring("the prepared transaction \"left over\" of postgres"));
    session.execute("ROLLBACK PREPARED 'left over'");
    CHECK(told().empty());
}
