// SPDX-License-Identifier: PostgreSQL
#include <fmt/format.h>

#include "core/options/problem_collector.h"
#include "core/options/validate.h"

namespace gantry::options {
namespace {

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
    const bool partly = !c.sections.empty() || !o.selection.listFile.empty();
    if (c.disableTriggers && c.wantsSchema() && !partly) {
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

void checkRefresh(const RestoreOptions& o, Collector& found) {
    const std::string reason = "a refresh makes the database itself, under the name that it has";
    found.exclusive(o.refresh && o.content.create, "refresh", "create", reason);
    found.exclusive(o.refresh && o.content.clean, "refresh", "clean", reason);
    found.exclusive(o.refresh && (o.content.dataOnly || o.content.noSchema), "refresh",
                    o.content.dataOnly ? "data-only" : "no-schema",
                    "a new database has no tables for the rows");
    for (const auto& [given, name] :
         {std::pair(o.dropOld, "drop-old"), std::pair(o.terminateSessions, "terminate-sessions")}) {
        if (!given || o.refresh) continue;
        found.error({name, "refresh"}, "it says what --refresh does with the old database",
                    "Add --refresh, or leave it out.");
    }
}

void checkScratch(const RestoreOptions& o, Collector& found) {
    found.exclusive(o.scratch && o.refresh, "scratch", "refresh",
                    "a new server has no database to refresh");
    found.exclusive(o.scratch && o.content.clean, "scratch", "clean",
                    "a new server has nothing to drop");
    found.exclusive(o.scratch && !o.resume.empty(), "scratch", "resume",
                    "a new server has nothing to go on with");
    found.exclusive(o.scratch && o.checkOnly, "scratch", "check",
                    "there is no server to check before it is started");
}

void checkResume(const RestoreOptions& o, Collector& found) {
    const bool resumes = !o.resume.empty();
    found.exclusive(resumes && o.checkOnly, "resume", "check",
                    "what stands in the way was looked at when that restore began");
    found.exclusive(resumes && o.refresh, "resume", "refresh",
                    "an interrupted refresh begins anew, and names the new database that one which "
                    "was killed has left");
    found.exclusive(resumes && o.singleTransaction, "resume", "single-transaction",
                    "a transaction that was interrupted leaves nothing to finish");
    found.exclusive(resumes && o.transactionSize && o.jobs.value_or(1) == 1, "resume",
                    "transaction-size",
                    "over one connection nobody records what its transactions have committed");
    found.exclusive(resumes && (o.content.dataOnly || o.content.noSchema), "resume",
                    o.content.dataOnly ? "data-only" : "no-schema",
                    "rows of an interrupted load cannot be told from those that were there before");
}

}  // namespace

std::vector<Problem> validate(const RestoreOptions& options) {
    Collector found;
    const ConnectionOptions& c = options.connection;
    if (options.scratch) {
        if (!c.database.empty() || !c.host.empty() || !c.port.empty() || !c.user.empty()) {
            found.error({"scratch", "dbname"},
                        "a scratch server is started for this restore alone, it is none that there "
                        "is already",
                        "Leave out --scratch, or -d, -h, -p and -U.");
        }
    } else if (c.database.empty()) {
        found.error({"dbname"}, "the database to restore into is not named",
                    "Add -d NAME (with --create: a database to connect to first).");
    }
    checkJobs(options.jobs, found);
    checkContent(options, found);
    checkTransactions(options, found);
    checkRefresh(options, found);
    checkResume(options, found);
    checkScratch(options, found);
    found.exclusive(options.connection.neverPrompt && options.connection.forcePrompt, "no-password",
                    "password", "they contradict each other");
    return found.take();
}

}  // namespace gantry::options
