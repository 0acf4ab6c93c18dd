// SPDX-License-Identifier: PostgreSQL
#include "core/options/vacuum_table.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "core/options/command.h"
#include "core/options/profile.h"

using namespace gantry;
using namespace gantry::options;
using Words = std::vector<std::string>;

namespace {

VacuumOptions sample() {
    VacuumOptions o;
    o.connection.database = "shop";
    o.jobs = 4;
    o.parallel = 0;
    o.selection.tables = {"a", "b(x)"};
    o.selection.minXidAge = 7;
    o.work.analyze = o.work.freeze = true;
    o.bufferUsageLimit = "1GB";
    o.budget = "2h";
    return o;
}

}  // namespace

TEST_CASE("every option of vacuumdb has its name and letter") {
    VacuumOptions options;
    std::set<std::string> names;
    for (const Option& option : vacuumTable(options)) {
        if (isOnlyOurs(option.name)) continue;
        names.insert(option.letter != 0 ? std::string(option.name) + "/" + option.letter
                                        : std::string(option.name));
    }
    CHECK(names == std::set<std::string>{"all/a",
                                         "analyze-in-stages",
                                         "analyze-only/Z",
                                         "analyze/z",
                                         "buffer-usage-limit",
                                         "dbname/d",
                                         "disable-page-skipping",
                                         "echo/e",
                                         "exclude-schema/N",
                                         "force-index-cleanup",
                                         "freeze/F",
                                         "full/f",
                                         "host/h",
                                         "jobs/j",
                                         "maintenance-db",
                                         "min-mxid-age",
                                         "min-xid-age",
                                         "missing-stats-only",
                                         "no-index-cleanup",
                                         "no-password/w",
                                         "no-process-main",
                                         "no-process-toast",
                                         "no-truncate",
                                         "parallel/P",
                                         "password/W",
                                         "port/p",
                                         "schema/n",
                                         "skip-locked",
                                         "table/t",
                                         "username/U"});
}

TEST_CASE("a vacuum as a command, and as the nearest of vacuumdb") {
    const VacuumOptions options = sample();
    CHECK(gantryctlCommand(options) == Words{"gantryctl", "vacuum", "-d", "shop", "-j", "4", "-P",
                                             "0", "--buffer-usage-limit=1GB", "-t", "a", "-t",
                                             "b(x)", "--min-xid-age=7", "-z", "-F", "--for=2h"});
    const StockCommand stock = vacuumdbCommand(options);
    CHECK(stock.arguments == Words{"vacuumdb", "-d", "shop", "-j", "4", "-P", "0",
                                   "--buffer-usage-limit=1GB", "-t", "a", "-t", "b(x)",
                                   "--min-xid-age=7", "-z", "-F"});
    CHECK(stock.notes == Words{"vacuumdb knows no time limit: it ends when all is done."});

    VacuumOptions reindex;
    reindex.connection.database = "host=db password=secret";
    reindex.work.reindexConcurrently = true;
    CHECK(vacuumdbCommand(reindex).arguments == Words{"vacuumdb", "-d", "host=db"});
    CHECK(vacuumdbCommand(reindex).notes ==
          Words{"vacuumdb rebuilds no indexes: use reindexdb --concurrently -j N.",
                "vacuumdb uses one connection unless -j gives a number; it has no auto."});
}

TEST_CASE("a saved vacuum comes back as it was") {
    const VacuumOptions options = sample();
    const std::string profile = toProfile(options);
    CHECK(operationOfProfile(profile) == "vacuum");
    CHECK(gantryctlCommand(vacuumOptionsFromProfile(profile)) == gantryctlCommand(options));
}
