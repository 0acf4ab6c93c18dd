// SPDX-License-Identifier: PostgreSQL
#include "ui/forms/window_words.h"

#include <catch2/catch_test_macros.hpp>

#include "core/options/restore_table.h"
#include "core/restore/error_causes.h"
#include "ui/forms/text.h"

namespace gantry::ui {
namespace {

std::string worded(const char* said) { return inWindow(std::string_view(said)).toStdString(); }

TEST_CASE("lines become one: sentences that libpq breaks stay whole") {
    CHECK(inOneLine(QStringLiteral("server closed the connection unexpectedly\n"
                                   "\tThis probably means the server terminated abnormally\n"
                                   "\tbefore or while processing the request.\n"
                                   "Look at its log.")) ==
          QStringLiteral("server closed the connection unexpectedly. This probably means the "
                         "server terminated abnormally before or while processing the request. "
                         "Look at its log."));
    CHECK(inOneLine(QStringLiteral("FATAL:\n  Gone\n \n")) == QStringLiteral("FATAL: Gone"));
}

TEST_CASE("window words: options are named by their controls") {
    CHECK(worded("CREATE ROLE a; or leave owners out with --no-owner.") ==
          "CREATE ROLE a; or leave owners out with “Leave owners to whoever restores”.");
    CHECK(worded("Drop what is there first (--clean --if-exists), or restore into an empty "
                 "database.") ==
          "Drop what is there first (“Drop what the archive holds before creating it”), or restore "
          "into an empty database.");
    CHECK(worded("Use fewer jobs (-j), or raise max_connections.") ==
          "Use fewer jobs (“Jobs”), or raise max_connections.");
    CHECK(worded("Use -j 3, or raise max_connections.") ==
          "Use “Jobs” 3, or raise max_connections.");
    CHECK(worded("leave it out with -T.") == "leave it out with “Not these tables”.");
    CHECK(worded("Choose --jobs=1, or --format=plain.") ==
          "Choose “Jobs” = 1, or “Format” = plain.");
    CHECK(worded("Try it again: --use-list with the list of what failed.") ==
          "Try it again: “Retry what failed…”.");
    CHECK(worded("\"gantryctl scratch stop demo\" removes it.") ==
          "“Stop” on the page of demo removes it.");
    CHECK(worded("Give the server's own host and port.") == "Give the server's own host and port.");
    CHECK(worded("nothing --of-ours, a-b, x -- y; pg_restore -Q") ==
          "nothing --of-ours, a-b, x -- y; pg_restore -Q");
}

TEST_CASE("window words: no hint of a restore's errors names a flag") {
    for (const char* state : {"42501", "23505", "23503", "40P01", "55P03", "57014", "42P07",
                              "42710", "3F000", "42P01", "42704"}) {
        for (const bool clean : {false, true}) {
            ErrorInfo error;
            error.kind = ErrorKind::Server;
            error.sqlState = state;
            error.message = "role \"a\" does not exist";
            const std::string hint = restore::nextStep(error, {.others = true, .clean = clean});
            const QString told = inWindow(hint);
            CAPTURE(state, hint, told.toStdString());
            CHECK_FALSE(told.contains(QStringLiteral(" -")));
            CHECK_FALSE(told.contains(QStringLiteral("(-")));
        }
    }
}

TEST_CASE("window words: every option of a restore has a name here") {
    options::RestoreOptions unused;
    for (const options::Option& option : options::restoreTable(unused)) {
        const QString told = inWindow(option.dashed());
        CAPTURE(option.name);
        CHECK(told.startsWith(u'“'));
        CHECK(told.size() > 3);
    }
}

}  // namespace
}  // namespace gantry::ui
