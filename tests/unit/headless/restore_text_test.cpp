// SPDX-License-Identifier: PostgreSQL
#include "app/headless/restore_text.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::headless;

namespace {

/// A restore into "shop" that has begun.
events::RunState begun(std::map<std::string, std::string> options) {
    events::RunState state;
    events::RunStarted started;
    started.operation = "restore";
    started.database = "shop";
    started.options = std::move(options);
    started.versions["archive"] = "18.1";
    state.apply({Duration(0), std::move(started)});
    return state;
}

/// A restore that passed one error over, and then ended like this.
std::string summaryOf(events::Outcome outcome, std::map<std::string, std::string> options = {}) {
    events::RunState state = begun(std::move(options));
    const Error ignored(ErrorKind::Server, "cannot drop a template database", "DATABASE shop");
    state.apply({Duration(0), events::ErrorIgnored{.span = {}, .error = ignored.info()}});
    events::RunFinished finished;
    finished.outcome = outcome;
    finished.ignoredErrors = 1;
    finished.nothingRestored = true;
    if (outcome == events::Outcome::Failed) {
        finished.error = Error(ErrorKind::Server, "database \"shop\" already exists").info();
    }
    state.apply({std::chrono::seconds(2), std::move(finished)});
    return renderRestoreSummary(state, {.databaseStays = true, .record = "last"});
}

/// One that was stopped half-way.
std::string halfWay(const Aftermath& aftermath, std::map<std::string, std::string> options = {},
                    bool commitInDoubt = false) {
    events::RunState state = begun(std::move(options));
    events::RunFinished finished;
    finished.outcome = events::Outcome::Cancelled;
    finished.relations = 3;
    finished.commitInDoubt = commitInDoubt;
    state.apply({std::chrono::seconds(2), std::move(finished)});
    return renderRestoreSummary(state, aftermath);
}

}  // namespace

TEST_CASE("errors that were ignored are listed, however the restore ended") {
    const std::string errors =
        "  cannot drop a template database\n"
        "      DATABASE shop\n";
    CHECK(summaryOf(events::Outcome::CompletedWithErrors) ==
          "Nothing was restored into \"shop\": 1 error.\n" + errors);
    CHECK(summaryOf(events::Outcome::Failed) ==
          "The restore into \"shop\" failed after 2.0 s: database \"shop\" already exists\n"
          "Nothing of the archive was restored into \"shop\".\n"
          "1 error had been ignored before:\n" +
              errors);
    CHECK(summaryOf(events::Outcome::Cancelled) ==
          "Cancelled after 2.0 s. Nothing of the archive was restored into \"shop\".\n"
          "1 error had been ignored before:\n" +
              errors);
    CHECK(summaryOf(events::Outcome::Cancelled, {{"refresh", "shop"}}) ==
          "Cancelled after 2.0 s. \"shop\" is as it was.\n"
          "1 error had been ignored before:\n" +
              errors);
}

TEST_CASE("what a restore leaves is resumed from where it is recorded, if it is") {
    const std::string left =
        "Cancelled after 2.0 s. The database \"shop\" holds a part of the archive: 3 tables had "
        "been "
        "loaded whole. ";
    CHECK(halfWay({.databaseStays = true, .record = "last"}) ==
          left +
              "Give the same command with --resume=last to restore only what is missing; or drop "
              "it, or restore once more with --clean.\n");
    CHECK(halfWay({.databaseStays = true, .record = "my events"}).find("'--resume=my events'") !=
          std::string::npos);
    CHECK(halfWay({.databaseStays = true, .record = ""}) ==
          left + "Drop it, or restore once more with --clean.\n");
    CHECK(halfWay({.databaseStays = false, .record = ""}) == "Cancelled after 2.0 s.\n");
}

TEST_CASE("a transaction of which nobody knows whether it was committed is not told as gone") {
    CHECK(halfWay({.databaseStays = true, .record = "last"}, {{"single-transaction", ""}}) ==
          "Cancelled after 2.0 s. The database \"shop\" is as it was: all was one transaction.\n");
    CHECK(
        halfWay({.databaseStays = true, .record = "last"}, {{"single-transaction", ""}}, true) ==
        "Cancelled after 2.0 s. Whether what was restored last is in the database \"shop\" is not "
        "known: no answer came to its commit. Look before you restore it "
        "again.\n");
}
