// SPDX-License-Identifier: PostgreSQL
// One of each kind of object goes through every format and codec and comes back the same.
#include <catch2/catch_test_macros.hpp>

#include "tests/server/dump/round_trip.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using archive::Format;

TEST_CASE("a directory dump of one of each kind of object restores to the same", "[dump]") {
    const Cluster cluster(15);
    const TemporaryFolder folder;
    cluster.createDatabase("source");
    loadEveryObject(cluster, "source");
    EventRecord events;
    runDump(dumpOptions(cluster, "source", folder / "d", Format::Directory, "gzip:1"), events);
    CHECK(events.all<events::RunFinished>().size() == 1);
    const ServerPrograms tools = clientToolsFor(15);
    restore(cluster, "copy", folder / "d", Format::Directory, tools);
    CHECK(differences(cluster.conninfo("source"), cluster.conninfo("copy"), tools) == "");
}
