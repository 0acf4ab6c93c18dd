// SPDX-License-Identifier: PostgreSQL
#include "core/options/command.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::options;

using Words = std::vector<std::string>;

namespace {

io::Compression gzip6() {
    io::Compression compression;
    compression.algorithm = io::Algorithm::Gzip;
    compression.level = 6;
    return compression;
}

}  // namespace

TEST_CASE("words are quoted for a shell only where they must be") {
    CHECK(quoteForShell({"gantryctl", "-n", "public", "-t", "a b", "--x=it's", "", "*"}) ==
          "gantryctl -n public -t 'a b' '--x=it'\\''s' '' '*'");
}

TEST_CASE("passwords leave connection strings, the rest stays") {
    CHECK(withoutPassword("shop") == "shop");
    CHECK(withoutPassword("host=db dbname=shop") == "host=db dbname=shop");
    CHECK(withoutPassword("host=db password='a b' dbname='my shop'") == "dbname='my shop' host=db");
    CHECK(withoutPassword("postgresql://me@db/shop") == "postgresql://me@db/shop");
    CHECK(withoutPassword("postgres://me:secret@db:5433/shop") ==
          "user=me dbname=shop host=db port=5433");
    CHECK(withoutPassword("no=such=thing") == "no=such=thing");
}

TEST_CASE("the shortest command says only what differs") {
    DumpOptions options;
    CHECK(gantryctlCommand(options) == Words{"gantryctl", "dump"});
    options.connection.database = "shop";
    options.output = "/backup/shop";
    options.format = archive::Format::Custom;
    options.jobs = 4;
    options.selection.tables = {"orders*"};
    options.noChunks = true;
    CHECK(gantryctlCommand(options) == Words{"gantryctl", "dump", "-d", "shop", "-f",
                                             "/backup/shop", "-F", "c", "-j", "4", "--no-chunks",
                                             "-t", "orders*"});
}

TEST_CASE("the nearest pg_dump command says what it cannot do") {
    DumpOptions options;
    options.connection.database = "shop";
    options.output = "/backup/shop";
    options.jobs = 4;
    options.noChunks = options.noBinary = true;
    StockCommand command = pgDumpCommand(options);
    CHECK(command.arguments ==
          Words{"pg_dump", "-d", "shop", "-f", "/backup/shop", "-F", "d", "-Z", "zstd", "-j", "4"});
    CHECK(command.notes == Words{"pg_dump does not adapt the compression level to the machine: "
                                 "zstd's default is used."});

    options.format = archive::Format::Custom;
    options.compression = gzip6();
    command = pgDumpCommand(options);
    CHECK(command.arguments ==
          Words{"pg_dump", "-d", "shop", "-f", "/backup/shop", "-F", "c", "-Z", "gzip:6"});
    CHECK(command.notes ==
          Words{"pg_dump reads over one connection in this format; only -F d takes -j."});
}

TEST_CASE("the nearest pg_dump of an older server compresses as that can") {
    DumpOptions options;
    options.connection.database = "shop";
    options.output = "/backup/shop";
    options.jobs = 4;
    StockCommand command = pgDumpCommand(options, 15);
    CHECK(command.arguments ==
          Words{"pg_dump", "-d", "shop", "-f", "/backup/shop", "-F", "d", "-j", "4"});
    CHECK(command.notes == Words{"pg_dump does not adapt the compression level to the machine: "
                                 "gzip's default is used."});
    CHECK(pgDumpCommand(options, 16).arguments == pgDumpCommand(options).arguments);

    const auto compressed = [&options](const char* wanted) {
        options.compression = io::parseCompression(wanted);
        const StockCommand old = pgDumpCommand(options, 15);
        const auto z = std::find(old.arguments.begin(), old.arguments.end(), "-Z");
        return z == old.arguments.end() ? old.notes.at(0) : *(z + 1);
    };
    CHECK(compressed("gzip:9") == "9");
    CHECK(compressed("gzip") == "6");
    CHECK(compressed("none") == "0");
    CHECK(compressed("zstd:3") == "pg_dump 15 knows gzip alone, which is used instead of zstd.");
}

TEST_CASE("a database is made on the server that is restored into") {
    ConnectionOptions connection;
    CHECK(createdbCommand(connection, "copy") == Words{"createdb", "-T", "template0", "copy"});
    connection.database = "shop";
    connection.host = "db1";
    connection.port = "5433";
    connection.user = "ann";
    CHECK(createdbCommand(connection, "copy") ==
          Words{"createdb", "-h", "db1", "-p", "5433", "-U", "ann", "-T", "template0", "copy"});
    connection = {};
    connection.database = "service=shop password=secret";
    CHECK(createdbCommand(connection, "copy") == Words{"createdb", "--maintenance-db",
                                                       "service=shop dbname=postgres", "-T",
                                                       "template0", "copy"});
}

TEST_CASE("the shortest restore command ends with the archive") {
    RestoreOptions options;
    options.archive = "/backup/my shop";
    options.connection.database = "host=db password=secret dbname=shop";
    options.jobs = 4;
    options.selection.listFile = "/tmp/list";
    options.analyze = true;
    CHECK(gantryctlCommand(options) == Words{"gantryctl", "restore", "-d", "dbname=shop host=db",
                                             "-j", "4", "--analyze", "-L", "/tmp/list",
                                             "/backup/my shop"});
}

TEST_CASE("the nearest pg_restore command says what it cannot do") {
    RestoreOptions options;
    options.archive = "/backup/shop";
    options.connection.database = "shop";
    options.content.clean = true;
    options.content.ifExists = true;
    options.jobs = 2;
    options.analyze = true;
    options.noFreeze = options.noBinary = true;
    StockCommand command = pgRestoreCommand(options);
    CHECK(command.arguments ==
          Words{"pg_restore", "-d", "shop", "-j", "2", "-c", "--if-exists", "/backup/shop"});
    CHECK(command.notes ==
          Words{"pg_restore gathers no statistics: run vacuumdb --analyze-only afterwards.",
                "pg_restore loads each table over one connection and adds foreign keys in one "
                "step."});
    options.jobs.reset();
    options.analyze = false;
    command = pgRestoreCommand(options);
    CHECK(command.notes.front() ==
          "pg_restore uses one connection unless -j gives a number; it has no auto.");

    options.refresh = true;
    options.dropOld = true;
    options.terminateSessions = true;
    options.content.clean = false;
    options.content.ifExists = false;
    command = pgRestoreCommand(options);
    CHECK(command.arguments == Words{"pg_restore", "-d", "shop", "/backup/shop"});
    CHECK(command.notes.front() ==
          "pg_restore swaps no databases: restore into a new one, then rename both with ALTER "
          "DATABASE.");
}

TEST_CASE("what a run was given is told by name, and nothing of the connection") {
    DumpOptions dump;
    dump.connection.database = "host=db password=secret dbname=shop";
    dump.connection.user = "me";
    dump.output = "/backup/shop";
    dump.selection.schemas = {"a", "b c"};
    dump.noSync = true;
    CHECK(optionsGiven(dump) == std::map<std::string, std::string>{{"file", "/backup/shop"},
                                                                   {"no-sync", ""},
                                                                   {"schema", "a 'b c'"}});
    RestoreOptions restore;
    restore.connection.database = "postgres://me:secret@db/shop";
    restore.singleTransaction = true;
    CHECK(optionsGiven(restore) == std::map<std::string, std::string>{{"single-transaction", ""}});
}
