// SPDX-License-Identifier: PostgreSQL
#include "core/options/pg_dump_arguments.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::options;

using Words = std::vector<std::string>;

namespace {

io::Compression gzipSix() {
    io::Compression compression;
    compression.algorithm = io::Algorithm::Gzip;
    compression.level = 6;
    return compression;
}

}  // namespace

TEST_CASE("nothing chosen, nothing said: neither connection nor output nor speed is pg_dump's") {
    DumpOptions options;
    options.connection.database = "shop";
    options.connection.host = "db";
    options.connection.password = "secret";
    options.output = "/backup/shop";
    options.format = archive::Format::Plain;
    options.jobs = 4;
    options.compression = gzipSix();
    options.noSync = options.noChunks = options.noBinary = options.overwrite = true;
    options.serializableDeferrable = true;
    options.restrictKey = "abc";
    options.clientToolsFolder = "/opt";
    CHECK(pgDumpArguments(options, 18).empty());
    CHECK(neededPgDump(options).major == 0);
}

TEST_CASE("selection and content are said as pg_dump says them") {
    DumpOptions options;
    options.selection.schemas = {"a", "b*"};
    options.selection.excludeTableData = {"public.\"Log\""};
    options.content.noOwner = true;
    options.content.largeObjects = true;
    options.role = "reader";
    options.lockWaitTimeout = "5s";
    options.extraFloatDigits = 2;
    const Words expected{"-n",
                         "a",
                         "-n",
                         "b*",
                         "--exclude-table-data=public.\"Log\"",
                         "-b",
                         "-O",
                         "--role=reader",
                         "--lock-wait-timeout=5s",
                         "--extra-float-digits=2"};
    CHECK(pgDumpArguments(options, 18) == expected);
    CHECK(pgDumpArguments(options, 12) == expected);
}

TEST_CASE("an option that this version lacks is refused with the version that has it") {
    DumpOptions options;
    options.selection.filterFiles = {"objects.txt"};
    CHECK(pgDumpArguments(options, 17) == Words{"--filter=objects.txt"});
    CHECK(neededPgDump(options).major == 17);
    CHECK(neededPgDump(options).option == "--filter");
    try {
        pgDumpArguments(options, 16);
        FAIL("it was accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Preflight);
        CHECK(error.info().describe() ==
              "--filter: pg_dump 16 does not have this option, which came with version 17. Install "
              "client tools of version 17 or newer (--pg-bindir names their folder if they are "
              "there already), or leave the option out.");
    }
}

TEST_CASE("before 18, parts are left out with the means of the time") {
    DumpOptions options;
    options.content.noData = true;
    options.content.noStatistics = true;
    CHECK(pgDumpArguments(options, 18) == Words{"--no-data", "--no-statistics"});
    CHECK(pgDumpArguments(options, 17) == Words{"-s"});
    CHECK(neededPgDump(options).major == 0);

    options = {};
    options.content.noSchema = true;
    options.content.sequenceData = true;
    CHECK(pgDumpArguments(options, 18) == Words{"--no-schema", "--sequence-data"});
    CHECK(pgDumpArguments(options, 17) == Words{"-a"});

    options = {};
    options.content.schemaOnly = options.content.sequenceData = true;
    CHECK_THROWS_AS(pgDumpArguments(options, 17), Error);
    CHECK(neededPgDump(options).major == 18);

    options = {};
    options.content.noData = options.content.statistics = true;
    CHECK_THROWS_AS(pgDumpArguments(options, 17), Error);
    CHECK(neededPgDump(options).option == "--statistics");
}
