// SPDX-License-Identifier: PostgreSQL
// --refresh: the database that is in use is replaced by a whole one, or not touched at all.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/pg/connection.h"
#include "core/restore/database_properties.h"
#include "core/restore/restore.h"
#include "tests/server/dump/round_trip.h"
#include "tests/support/relay.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kDatabases =
    "SELECT string_agg(regexp_replace(datname, '\\d{8}_\\d{6}', 'DATE'), ' ' ORDER BY datname)"
    " FROM pg_database WHERE datname NOT LIKE 'template%' AND datname <> 'postgres'";

struct Refreshed {
    events::RunFinished end;
    std::string notices;
};

/// A run that was refused has no end.
Refreshed refresh(const options::RestoreOptions& options, std::stop_token stop = {}) {
    EventRecord events;
    try {
        restore::restore(options, events, std::move(stop));
    } catch (const Error& error) {
        if (events.all<events::RunStarted>().empty()) throw;
    }
    Refreshed refreshed{.end = events.all<events::RunFinished>().at(0), .notices = {}};
    CHECK(events.all<events::RunStarted>().at(0).database == options.connection.database);
    for (const auto& notice : events.all<events::Notice>()) {
        refreshed.notices += notice.message + "\n";
    }
    return refreshed;
}

/// "live" with a table of one row; an archive in which it has 20,000.
class RefreshScene {
public:
    explicit RefreshScene(int major) : cluster(major) {
        cluster.createDatabase("source");
        cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 20000) AS i", "source");
        runDump(dumpOptions(cluster, "source", folder / "a", archive::Format::Directory, "gzip:1"));
        dropDatabase(cluster, "source");
        cluster.createDatabase("live", "ENCODING 'LATIN1'");
        cluster.execute("CREATE TABLE t AS SELECT 1 AS i", "live");
        options.connection = cluster.connection("live");
        options.archive = folder / "a";
        options.jobs = 2;
        options.refresh = true;
    }
    std::string rows(const std::string& database = "live") const {
        return cluster.value("SELECT count(*) FROM t", database);
    }
    std::string databases() const { return cluster.value(kDatabases); }

    Cluster cluster;
    TemporaryFolder folder;
    options::RestoreOptions options;
};

}  // namespace

TEST_CASE("time limits of the database that a refresh works from do not end it") {
    const RefreshScene scene(18);
    // To copy a database takes longer.
    scene.cluster.execute("ALTER DATABASE postgres SET statement_timeout = '10ms'");
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.rows() == "20000");
}

TEST_CASE("a refresh swaps a whole database in and carries its properties over") {
    const RefreshScene scene(GENERATE(15, 18));
    const Cluster& cluster = scene.cluster;
    cluster.execute(
        "CREATE ROLE app; CREATE ROLE reader; CREATE ROLE \"Odd one\";"
        "COMMENT ON DATABASE live IS 'it''s live';"
        "ALTER DATABASE live SET search_path TO \"$user\", public, \"a,b\";"
        "ALTER DATABASE live SET work_mem TO '8MB'; ALTER DATABASE live SET my.own TO 'a b';"
        "ALTER ROLE reader IN DATABASE live SET statement_timeout TO '5s';"
        "REVOKE ALL ON DATABASE live FROM PUBLIC; GRANT CONNECT ON DATABASE live TO reader;"
        "GRANT CREATE ON DATABASE live TO \"Odd one\" WITH GRANT OPTION;"
        "ALTER DATABASE live OWNER TO app; ALTER DATABASE live CONNECTION LIMIT 50");
    const std::string properties =
        "SELECT concat_ws('|', pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate,"
        " datctype, datconnlimit, shobj_description(oid, 'pg_database'), (SELECT string_agg(concat("
        " setrole::regrole, setconfig::text), ';' ORDER BY setrole) FROM pg_db_role_setting WHERE"
        " setdatabase = d.oid), (SELECT string_agg(concat(grantee::regrole, ' ', privilege_type,"
        " is_grantable), ',' ORDER BY grantee, privilege_type) FROM aclexplode(datacl)))"
        " FROM pg_database d WHERE datname = 'live'";
    const std::string before = cluster.value(properties);
    const Refreshed refreshed = refresh(scene.options);
    CHECK(refreshed.end.outcome == events::Outcome::Clean);
    CHECK(cluster.value(properties) == before);
    CHECK(scene.rows() == "20000");
    CHECK(scene.databases() == "live live_DATE");
    const std::string old =
        cluster.value("SELECT datname FROM pg_database WHERE datname ~ 'live_'");
    CHECK(scene.rows(old) == "1");
    CHECK(refreshed.notices.find("The old database is kept as \"" + old + "\".") !=
          std::string::npos);
}

TEST_CASE("a refresh drops the old database if told, and needs none") {
    RefreshScene scene(18);
    scene.options.dropOld = true;
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.rows() == "20000");
    scene.options.connection = scene.cluster.connection("fresh");
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.rows("fresh") == "20000");
    CHECK(scene.databases() == "fresh live");
    scene.options.dryRun = true;
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.databases() == "fresh live");
    // A script will do as well.
    scene.options.dryRun = false;
    scene.options.jobs.reset();
    scene.options.archive = scene.folder / "s.sql";
    std::ofstream(scene.options.archive) << "CREATE TABLE t AS SELECT 1 UNION SELECT 2;";
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.rows("fresh") == "2");
}

TEST_CASE("a refresh that fails leaves the old database serving and no new one") {
    RefreshScene scene(18);
    SECTION("a damaged archive") {
        for (const auto& file : fs::directory_iterator(scene.options.archive)) {
            if (file.path().extension() == ".gz") fs::resize_file(file.path(), 100);
        }
        const Refreshed refreshed = refresh(scene.options);
        CHECK(refreshed.end.outcome == events::Outcome::Failed);
        CHECK(refreshed.end.error->message ==
              "the restore had errors, so the new database does not take the place of \"live\", "
              "which is as it was");
    }
    SECTION("what is refused before it begins") {
        fs::remove(scene.options.archive / "toc.dat");
        CHECK_THROWS_AS(refresh(scene.options), Error);
    }
    SECTION("with a subscription, which keeps its database") {
        const std::string subscribe =
            "CREATE SUBSCRIPTION \"a b\" CONNECTION 'dbname=x' PUBLICATION p"
            " WITH (connect = false)";
        const Cluster& cluster = scene.cluster;
        cluster.createDatabase("unborn");
        cluster.execute(subscribe +
                            ";COMMENT ON DATABASE \"unborn\" IS 'gantryctl restore "
                            "--refresh fills this database'",
                        "unborn");
        scene.options.archive = scene.folder / "s.sql";
        scene.options.jobs.reset();
        std::ofstream(scene.options.archive) << subscribe << "; SELECT 1 / 0;";
        const Refreshed refreshed = refresh(scene.options);
        CHECK(refreshed.end.outcome == events::Outcome::Failed);
        CHECK(refreshed.notices.find(
                  "An earlier refresh left a database behind: in it ALTER SUBSCRIPTION \"a b\" "
                  "DISABLE; ALTER SUBSCRIPTION \"a b\" SET (slot_name = NONE); DROP SUBSCRIPTION "
                  "\"a b\"; then, from another, DROP DATABASE \"unborn\";") != std::string::npos);
        dropDatabase(cluster, "unborn");
    }
    SECTION("Ctrl-C") {
        scene.options.archive = scene.folder / "s.sql";
        scene.options.jobs.reset();
        std::ofstream(scene.options.archive) << "CREATE TABLE t(); SELECT pg_sleep(60);";
        std::stop_source stop;
        std::jthread later([&] {
            while (scene.cluster.value("SELECT count(*) FROM pg_stat_activity WHERE query = "
                                       "'SELECT pg_sleep(60);' AND state = 'active'") == "0") {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            stop.request_stop();
        });
        CHECK(refresh(scene.options, stop.get_token()).end.outcome == events::Outcome::Cancelled);
    }
    CHECK(scene.databases() == "live");
    CHECK(scene.rows() == "1");
}

TEST_CASE("who may create databases refreshes his own without being a superuser") {
    RefreshScene scene(GENERATE(15, 18));
    const Cluster& cluster = scene.cluster;
    cluster.execute(
        "CREATE ROLE carol LOGIN CREATEDB; CREATE ROLE boss;"
        "ALTER DATABASE live OWNER TO carol; ALTER DATABASE live SET work_mem = '8MB'");
    scene.options.connection.user = "carol";
    scene.options.content.noOwner = true;
    const auto refusal = [&] {
        try {
            (void)refresh(scene.options);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Preflight);
            CHECK(scene.databases() == "live");
            return error.info().message + ". " + error.info().hint;
        }
        return std::string("none");
    };
    SECTION("it works") {
        CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
        CHECK(scene.rows() == "20000");
        CHECK(cluster.value("SELECT setconfig FROM pg_db_role_setting JOIN pg_database d"
                            " ON d.oid = setdatabase WHERE datname = 'live'") == "{work_mem=8MB}");
    }
    SECTION("what he may not carry over is said before the restore") {
        cluster.execute("ALTER DATABASE live SET log_min_duration_statement = 5");
        CHECK(refusal() ==
              "no database like \"live\" can be made: permission denied to set parameter "
              "\"log_min_duration_statement\" (ALTER DATABASE \"live\" SET "
              "\"log_min_duration_statement\" TO '5'). Refresh as a superuser (-U) or as a role "
              "that may do that, or take it from \"live\" first.");
    }
    SECTION("of another's database") {
        cluster.execute("ALTER DATABASE live OWNER TO boss");
        CHECK(refusal() ==
              "carol may not rename \"live\", which belongs to boss. Refresh as boss or as a "
              "superuser (-U).");
        cluster.execute("GRANT boss TO carol");
        CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
        CHECK(cluster.value("SELECT pg_get_userbyid(datdba) FROM pg_database"
                            " WHERE datname = 'live'") == "boss");
    }
    SECTION("a role that may create none") {
        cluster.execute("ALTER ROLE carol NOCREATEDB");
        CHECK(refusal() ==
              "The role carol may not create databases, and --refresh makes one. ALTER "
              "ROLE carol CREATEDB; or restore into a database that is there "
              "(--dbname).");
    }
    SECTION("sessions of others") {
        const pg::Connection session =
            pg::Connection::open(cluster.connection("live"), "busy app", {});
        CHECK(refresh(scene.options).end.error->message ==
              "\"live\" is in use (1 session: postgres with busy app) and was not swapped");
    }
}

TEST_CASE("sessions on the old database keep their database until somebody ends them") {
    RefreshScene scene(18);
    auto session =
        std::make_optional(pg::Connection::open(scene.cluster.connection("live"), "busy app", {}));
    const Refreshed busy = refresh(scene.options);
    CHECK(busy.notices.find("\"live\" is in use (1 session: postgres with busy app); it can be "
                            "swapped only once nobody is connected to it. --terminate-sessions "
                            "ends who still is.") != std::string::npos);
    REQUIRE(busy.end.outcome == events::Outcome::Failed);
    CHECK(busy.end.error->message ==
          "\"live\" is in use (1 session: postgres with busy app) and was not swapped");
    CHECK(session->query("SELECT count(*) FROM t").text(0, 0) == "1");
    // The new one is whole and waits; what the hint says makes it the one.
    CHECK(scene.databases() == "live live_new_DATE");
    session.reset();
    const std::string& hint = busy.end.error->hint;
    scene.cluster.execute("BEGIN;" + hint.substr(hint.find("ALTER DATABASE")) + "COMMIT");
    CHECK(scene.rows() == "20000");

    session = pg::Connection::open(scene.cluster.connection("live"), "busy app", {});
    scene.options.terminateSessions = scene.options.dropOld = true;
    CHECK(refresh(scene.options).end.outcome == events::Outcome::Clean);
    CHECK(scene.rows() == "20000");
    CHECK_THROWS_AS(session->query("SELECT 1"), Error);
}

TEST_CASE("settings of a database are said again as they were") {
    using restore::settingAsSql;
    CHECK(settingAsSql("work_mem", "8MB") == "'8MB'");
    CHECK(settingAsSql("search_path", "\"$user\", public, \"a,\"\"b\"") ==
          "'$user', 'public', 'a,\"b'");
    CHECK(settingAsSql("Search_Path", "\"\"") == "''");
    CHECK(settingAsSql("DateStyle", "ISO, MDY") == "'ISO, MDY'");
}

TEST_CASE("an answer that is lost while names are swapped is asked for once more") {
    RefreshScene scene(18);
    const Relay::Loss loss = GENERATE(Relay::Loss::Request, Relay::Loss::Answer);
    const bool again = GENERATE(true, false);  // whether the server can be reached once more
    CAPTURE(loss, again);
    std::atomic<bool> renames = false;
    std::atomic<bool> lost = false;
    const Relay relay({.server =
                           [&](int) {
                               return lost && !again ? fs::path("/nowhere")
                                                     : socketPath(scene.cluster.socketFolder(),
                                                                  scene.cluster.port());
                           },
                       .loses =
                           [&](std::string_view sent) {
                               if (sent.find("RENAME TO") != std::string_view::npos) renames = true;
                               const bool commits =
                                   renames && sent.find("COMMIT") != std::string_view::npos;
                               return commits && !lost.exchange(true) ? loss : Relay::Loss::None;
                           }});
    scene.options.connection.host = relay.host();
    scene.options.connection.port = "5432";
    const Refreshed refreshed = refresh(scene.options);
    CAPTURE(refreshed.notices);
    CHECK(lost);
    if (!again) {
        REQUIRE(refreshed.end.error);
        CHECK(refreshed.end.error->describe().find("whether \"live\" is the new database is not "
                                                   "known") != std::string::npos);
        // The new one is there, under one name or the other.
        CHECK(scene.databases() ==
              (loss == Relay::Loss::Answer ? "live live_DATE" : "live live_new_DATE"));
    } else if (loss == Relay::Loss::Answer) {
        CHECK(refreshed.end.outcome == events::Outcome::Clean);
        CHECK(scene.rows() == "20000");
        CHECK(scene.databases() == "live live_DATE");
    } else {
        CHECK(refreshed.end.outcome == events::Outcome::Failed);
        CHECK(scene.rows() == "1");
        CHECK(scene.databases() == "live");
    }
}

TEST_CASE("who stops a refresh once the names are swapped has the new database") {
    RefreshScene scene(18);
    scene.options.dropOld = true;
    std::stop_source stop;
    const Relay relay(
        {.server =
             [&](int) { return socketPath(scene.cluster.socketFolder(), scene.cluster.port()); },
         .loses =
             [&](std::string_view sent) {
                 if (sent.find("DROP DATABASE") != std::string_view::npos) stop.request_stop();
                 return Relay::Loss::None;
             }});
    scene.options.connection.host = relay.host();
    scene.options.connection.port = "5432";
    const Refreshed refreshed = refresh(scene.options, stop.get_token());
    CHECK(refreshed.end.outcome == events::Outcome::Clean);
    CHECK(scene.rows() == "20000");
    const bool told = refreshed.notices.find("was not dropped to its end") != std::string::npos;
    CHECK((told || scene.databases() == "live"));
}
