// SPDX-License-Identifier: PostgreSQL
// What contradicts what among the options of a restore.
#include <catch2/catch_test_macros.hpp>

#include "core/options/validate.h"

using namespace gantry::options;
using Lines = std::vector<std::string>;

namespace {

RestoreOptions soundRestore() {
    RestoreOptions options;
    options.connection.database = "target";
    return options;
}

Lines described(const RestoreOptions& options) {
    Lines lines;
    for (const Problem& problem : validate(options)) lines.push_back(problem.describe());
    return lines;
}

}  // namespace

TEST_CASE("one transaction has one connection and creates no database") {
    RestoreOptions options = soundRestore();
    options.singleTransaction = true;
    CHECK(validate(options).empty());
    options.jobs = 1;
    CHECK(validate(options).empty());
    options.jobs = 4;
    CHECK(described(options) == Lines{"--single-transaction and --jobs: one transaction has one "
                                      "connection. Give --single-transaction or --jobs."});
    options.jobs.reset();
    options.content.create = true;
    CHECK(described(options) ==
          Lines{"--single-transaction and --create: a database cannot be created within a "
                "transaction. Give --single-transaction or --create."});
    options.content.create = false;
    options.transactionSize = 10;
    CHECK(
        described(options) ==
        Lines{"--single-transaction and --transaction-size: all in one transaction leaves none of "
              "another size. Give --single-transaction or --transaction-size."});
}

TEST_CASE("transactions hold an entry at least, and go with jobs and --create") {
    RestoreOptions options = soundRestore();
    options.transactionSize = 0;
    CHECK(described(options) == Lines{"--transaction-size: 0 is out of range. Choose 1 or more."});
    options.transactionSize = 100;
    options.jobs = 4;
    options.content.create = true;
    CHECK(validate(options).empty());
    CHECK(options.stopsAtFirstError());
    options.resume = "last";
    CHECK(validate(options).empty());
    options.jobs.reset();
    CHECK(described(options) ==
          Lines{"--resume and --transaction-size: over one connection nobody records what its "
                "transactions have committed. Give --resume or --transaction-size."});
}
