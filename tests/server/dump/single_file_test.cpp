// SPDX-License-Identifier: PostgreSQL
// What only a newest server's dumps have: large objects in several groups, and keys in scripts.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <regex>

#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;

namespace {

constexpr int kGroupedObjects = 17;  // pg_dump from which large objects come in groups

// Every object with its content, owner and privileges.
std::string objectsIn(const Cluster& cluster, const std::string& database) {
    return cluster.value(
        "SELECT count(*) || ' ' || md5(string_agg(concat_ws(':', m.oid, lomowner::regrole, lomacl,"
        " md5(lo_get(m.oid))), ',' ORDER BY m.oid)) FROM pg_largeobject_metadata m",
        database);
}

std::vector<std::string> keysOf(const std::string& script) {
    static const std::regex line(R"((?:^|\n)\\(?:un)?restrict (\S*)(?=\n))");
    std::vector<std::string> keys;
    for (std::sregex_iterator at(script.begin(), script.end(), line), end; at != end; ++at) {
        keys.push_back((*at)[1]);
    }
    return keys;
}

}  // namespace

TEST_CASE("large objects of several groups come back from every format", "[dump]") {
    const Cluster cluster;
    if (clientToolsFor(cluster.major()).major < kGroupedObjects) {
        SKIP("no pg_dump on this machine puts large objects into groups");
    }
    cluster.createDatabase("source");
    cluster.execute("CREATE ROLE painter; CREATE ROLE reader", "source");
    cluster.execute(
        "SELECT lo_from_bytea(0, convert_to(repeat(i::text, i % 50), 'UTF8'))"
        " FROM generate_series(1, 2300) i",
        "source");
    cluster.execute("SELECT lo_from_bytea(0, decode(repeat('00ff27', 3000000), 'hex'))", "source");
    cluster.execute(
        "DO $$ DECLARE o oid; BEGIN"
        " FOR o IN SELECT oid FROM pg_largeobject_metadata WHERE oid::bigint % 3 = 0 LOOP"
        " EXECUTE format('ALTER LARGE OBJECT %s OWNER TO painter', o);"
        " EXECUTE format('GRANT SELECT ON LARGE OBJECT %s TO reader', o);"
        " END LOOP; END $$",
        "source");
    const std::string expected = objectsIn(cluster, "source");
    const TemporaryFolder folder;
    for (const Format format : {Format::Directory, Format::Custom, Format::Tar, Format::Plain}) {
        CAPTURE(archive::toString(format));
        const auto path = folder / std::string(archive::toString(format));
        auto options = dumpOptions(cluster, "source", path, format, "none");
        options.jobs = 4;
        runDump(options);
        restore(cluster, "copy", path, format, clientToolsFor(cluster.major()));
        CHECK(objectsIn(cluster, "copy") == expected);
        dropDatabase(cluster, "copy");
    }
}

TEST_CASE("a script has a key of its own unless one is given", "[dump]") {
    const Cluster cluster;
    const TemporaryFolder folder;
    const auto keysOfDump = [&](const std::string& name, const std::string& key) {
        auto options = dumpOptions(cluster, "postgres", folder / name, Format::Plain);
        options.restrictKey = key;
        runDump(options);
        return keysOf(readScript(folder / name));
    };
    CHECK(keysOfDump("given", "abc123") == std::vector<std::string>{"abc123", "abc123"});
    const auto first = keysOfDump("first", "");
    const auto second = keysOfDump("second", "");
    REQUIRE(first.size() == 2);
    REQUIRE(second.size() == 2);
    CHECK(first[0] == first[1]);
    CHECK(second[0] == second[1]);
    CHECK(first[0] != second[0]);
    CHECK(std::regex_match(first[0], std::regex("[0-9A-Za-z]{63}")));
}
