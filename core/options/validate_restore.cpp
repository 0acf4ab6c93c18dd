// SPDX-License-Identifier: PostgreSQL
#include <fmt/format.h>

#include "core/options/problem_collector.h"
#include "core/options/validate.h"

namespace gantry::options {
namespace {

constexpr uint32_t kMaxJobs = 512;

void checkContent(const RestoreOptions& o, Collector& found) {
    const RestoreContent& c = o.content;
    checkParts(c, found);
    found.exclusive(c.clean && c.dataOnly, "clean", "data-only",
                    "objects that are dropped first have to be created again, which data alone "
                    "cannot do");
    if (c.ifExists && !c.clean) {
        found.error({"if-exists", "clean"}, "--if-exists changes the DROP commands of --clean",
                    "Add --clean, or leave --if-exists out.");
    }
    if (c.disableTriggers && !c.dataOnly && !c.noSchema) {
        found.warning({"disable-triggers"},
                      "it matters only for data alone: triggers are created after the rows",
                      "Add --data-only, or leave it out.");
    }
    if (c.noSchema && c.noData && !c.statistics) {
        found.warning({"no-schema", "no-data"}, "nothing but statistics will be restored",
                      "Leave one of them out.");
    }
    if (!c.wantsData() && !o.selection.excludeTableData.empty()) {
        found.warning({"exclude-table-data"}, "no rows are restored anyway", "Leave it out.");
    }
}

void checkTransactions(const RestoreOptions& o, Collector& found) {
    found.exclusive(o.singleTransaction && o.content.create, "single-transaction", "create",
                    "a database cannot be created within a transaction");
    found.exclusive(o.singleTransaction && o.jobs.value_or(1) > 1, "single-transaction", "jobs",
                    "one transaction has one connection");
    found.exclusive(o.singleTransaction && o.transactionSize, "single-transaction",
                    "transaction-size", "all in one transaction leaves none of another size");
    if (o.transactionSize && *o.transactionSize < 1) {
        found.error({"transaction-size"}, fmt::format("{} is out of range", *o.transactionSize),
                    "Choose 1 or more.");
    }
}

}  // namespace

std::vector<Problem> validate(const RestoreOptions& options) {
    Collector found;
    if (options.connection.database.empty()) {
        found.error({"dbname"}, "the database to restore into is not named",
                    "Add -d NAME (with --create: a database to connect to first).");
    }
    if (options.jobs && (*options.jobs < 1 || *options.jobs > kMaxJobs)) {
        found.error({"jobs"}, fmt::format("{} is out of range", *options.jobs),
                    fmt::format("Choose 1 to {}, or auto.", kMaxJobs));
    }
    checkContent(options, found);
    checkTransactions(options, found);
    found.exclusive(options.connection.neverPrompt && options.connection.forcePrompt, "no-password",
                    "password", "they contradict each other");
    return found.take();
}

}  // namespace gantry::options
