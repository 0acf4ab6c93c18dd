// SPDX-License-Identifier: PostgreSQL
// Who stops a commit is told whether it was done, as far as that can be known.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/pg/connection.h"
#include "tests/support/cluster.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kApplication = "commit test";

/// A row in "t" is being committed when the stop is asked for. The error, if one was thrown.
std::optional<ErrorInfo> stopTheCommit(const Cluster& cluster, const char* waitingFor) {
    std::stop_source stop;
    pg::Connection connection =
        pg::Connection::open(cluster.connection(), kApplication, stop.get_token());
    connection.execute("BEGIN; SET LOCAL synchronous_commit = on; INSERT INTO t VALUES (1)");
    bool waited = false;
    std::jthread stopper([&] {
        const std::string waits = fmt::format(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}' AND wait_event ="
            " '{}'",
            kApplication, waitingFor);
        for (int i = 0; i < 500 && !waited; ++i) {
            std::this_thread::sleep_for(10ms);
            waited = cluster.value(waits) == "1";
        }
        stop.request_stop();
    });
    std::optional<ErrorInfo> thrown;
    try {
        connection.commit();
    } catch (const Error& error) {
        thrown = error.info();
    }
    stopper.join();
    CHECK(waited);
    return thrown;
}

/// Runs `body` when a row of "t" is committed.
void atCommit(const Cluster& cluster, const char* body) {
    cluster.execute(fmt::format(
        "CREATE FUNCTION go() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {} RETURN NULL; END $$;"
        "CREATE CONSTRAINT TRIGGER go AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION go()",
        body));
}

}  // namespace

TEST_CASE("a commit that is stopped in time is none") {
    const Cluster cluster;
    cluster.execute("CREATE TABLE t (i int)");
    atCommit(cluster, "PERFORM pg_sleep(60);");
    const std::optional<ErrorInfo> error = stopTheCommit(cluster, "PgSleep");
    REQUIRE(error);
    CHECK(error->kind == ErrorKind::Cancelled);
    CHECK(error->connectionUsable);
    CHECK(cluster.value("SELECT count(*) FROM t") == "0");
}

TEST_CASE("a commit that only waits for a standby is one, also if it is stopped") {
    const Cluster cluster(ClusterOptions{
        .settings = {"synchronous_standby_names = 'nobody'", "synchronous_commit = off",
                     "wal_level = replica", "max_wal_senders = 2"}});
    cluster.execute("CREATE TABLE t (i int)");
    CHECK_FALSE(stopTheCommit(cluster, "SyncRep"));
    CHECK(cluster.value("SELECT count(*) FROM t") == "1");
}

TEST_CASE("a commit that does not answer when it is stopped may be one") {
    const Cluster cluster;
    cluster.execute("CREATE TABLE t (i int)");
    atCommit(cluster,
             "FOR i IN 1..20 LOOP BEGIN PERFORM pg_sleep(0.2);"
             " EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP;");
    const std::optional<ErrorInfo> error = stopTheCommit(cluster, "PgSleep");
    REQUIRE(error);
    CHECK(error->kind == ErrorKind::Cancelled);
    CHECK_FALSE(error->connectionUsable);
}
