// SPDX-License-Identifier: PostgreSQL
#include "app/headless/restore_text.h"

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::headless;

namespace {

/// A restore that passed one error over, and then ended like this.
std::string summaryOf(events::Outcome outcome, std::map<std::string, std::string> options = {}) {
    events::RunState state;
    events::RunStarted started;
    started.operation = "restore";
    started.database = "shop";
    started.options = std::move(options);
    started.versions["archive"] = "18.1";
    state.apply({Duration(0), std::move(started)});
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
    return renderRestoreSummary(state);
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
