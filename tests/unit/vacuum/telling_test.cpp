// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/telling.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace gantry;
using namespace gantry::vacuum;
using namespace std::chrono_literals;

namespace {

class SetClock final : public Clock {
public:
    Duration now() const override { return time; }
    Duration time{};
};

class Heard final : public events::EventSink {
public:
    void post(events::Payload payload) override {
        if (auto* finished = std::get_if<events::PartFinished>(&payload)) {
            finishedParts.push_back(*finished);
        }
        if (auto* entered = std::get_if<events::TaskPhase>(&payload)) {
            phases.push_back(entered->phase);
        }
    }
    std::vector<std::string> phases;
    std::vector<events::PartFinished> finishedParts;
};

pg::ServerNotice debug(std::string message) {
    return {.severity = "DEBUG",
            .sqlState = "00000",
            .message = std::move(message),
            .detail = {},
            .context = {}};
}

}  // namespace

TEST_CASE("an index begins when the heap was last seen being scanned, not before") {
    Survey survey;
    survey.databases = {"db"};
    TableFacts table;
    table.schema = "public";
    table.name = "t";
    table.indexes = {{.oid = Oid{1}, .name = "a"}, {.oid = Oid{2}, .name = "b"}};
    survey.tables = {table};
    Step step;
    step.vacuum = true;
    step.tables = {0};
    SetClock clock;
    Heard told;
    Telling telling(step, survey, {}, told, clock);

    clock.time = 1s;
    telling.hear(debug("vacuuming \"db.public.t\""));
    telling.found("scanning heap", true, clock.time);
    // Two looks later it is at it still; then both indexes are done between two looks. From 15 on
    // nothing says how long they took.
    clock.time = 9s;
    telling.found("scanning heap", true, clock.time);
    clock.time = 9500ms;
    telling.hear(debug("scanned index \"a\" to remove 10 row versions"));
    telling.found("scanning heap", true, clock.time);  // what was seen a moment ago
    clock.time = 9900ms;
    telling.hear(debug("scanned index \"b\" to remove 10 row versions"));

    REQUIRE(told.finishedParts.size() == 2);
    CHECK(told.finishedParts[0].took == 500ms);
    CHECK(told.finishedParts[1].took == 400ms);
}

TEST_CASE("an index's clean-up lasts no longer than its phase") {
    Survey survey;
    survey.databases = {"db"};
    TableFacts table;
    table.schema = "public";
    table.name = "t";
    table.indexes = {{.oid = Oid{1}, .name = "a"}};
    survey.tables = {table};
    Step step;
    step.vacuum = true;
    step.tables = {0};
    SetClock clock;
    Heard told;
    Telling telling(step, survey, {}, told, clock);
    const auto cleanUp = debug("index \"a\" now contains 10 row versions in 2 pages");

    clock.time = 1s;
    telling.hear(debug("vacuuming \"db.public.t\""));
    telling.found("vacuuming heap", true, clock.time);
    clock.time = 9s;
    telling.hear(cleanUp);  // right after, before anybody saw it
    CHECK(told.finishedParts.empty());
    telling.found("cleaning up indexes", true, clock.time);
    clock.time = 11s;
    telling.hear(cleanUp);
    REQUIRE(told.finishedParts.size() == 1);
    CHECK(told.finishedParts[0].took == 2s);
}

TEST_CASE("a phase is entered when the server says so, or is found in it") {
    Survey survey;
    survey.databases = {"db"};
    TableFacts table;
    table.schema = "public";
    table.name = "t";
    table.indexes = {{.oid = Oid{1}, .name = "a"}, {.oid = Oid{2}, .name = "b"}};
    survey.tables = {table};
    Step step;
    step.vacuum = true;
    step.helpers = 1;
    step.tables = {0};
    SetClock clock;
    Heard told;
    Telling telling(step, survey, {}, told, clock);

    clock.time = 1s;
    telling.hear(debug("vacuuming \"db.public.t\""));
    telling.found("initializing", true, 900ms);
    clock.time = 2s;
    telling.found("scanning heap", true, clock.time);
    CHECK(told.phases == std::vector<std::string>{"scanning heap"});
    clock.time = 3s;
    telling.hear(debug("launched 1 parallel vacuum worker for index vacuuming (planned: 1)"));
    telling.found("scanning heap", true, 2900ms);  // asked before that
    clock.time = 4s;
    telling.found("vacuuming indexes", true, clock.time);
    telling.hear(debug("scanned index \"a\" to remove 10 row versions"));
    telling.hear(debug("scanned index \"b\" to remove 10 row versions"));
    telling.found("vacuuming indexes", true, 3900ms);
    telling.hear(debug("vacuuming \"db.pg_toast.pg_toast_4711\""));
    telling.hear(debug("analyzing \"public.t\""));
    telling.found("analyzing: acquiring sample rows", false, clock.time);
    CHECK(told.phases == std::vector<std::string>{"scanning heap", "vacuuming indexes",
                                                  "vacuuming heap", "TOAST: scanning heap",
                                                  "analyzing", "analyzing: acquiring sample rows"});
}

TEST_CASE("a table that is skipped is known by its place in the statement, whatever its schema") {
    Survey survey;
    survey.databases = {"db"};
    survey.server.version = 140'000;
    for (const char* schema : {"acme", "globex", "initech"}) {
        TableFacts table;
        table.schema = schema;
        table.name = "orders";
        survey.tables.push_back(table);
    }
    survey.tables.push_back({});
    survey.tables.back().schema = "public";
    survey.tables.back().name = "only";
    Step step;
    step.vacuum = true;
    step.tables = {0, 1, 3, 2};
    SetClock clock;
    Heard told;
    const auto warning = [](std::string message) {
        pg::ServerNotice notice = debug(std::move(message));
        notice.severity = "WARNING";
        return notice;
    };
    const auto locked = [&](const std::string& name) {
        return warning("skipping vacuum of \"" + name + "\" --- lock not available");
    };

    SECTION("where the server tells which tables it is at") {
        Telling telling(step, survey, {}, told, clock);
        telling.hear(debug("vacuuming \"acme.orders\""));
        telling.hear(locked("orders"));
        telling.hear(locked("only"));
        telling.hear(locked("orders"));
        const auto skipped = telling.skipped();
        REQUIRE(skipped.size() == 3);
        CHECK(skipped[0].table == 1U);
        CHECK(skipped[1].table == 3U);
        CHECK(skipped[2].table == 2U);
    }
    SECTION("where it does not, the message may fit several") {
        survey.server.version = 180'000;
        Telling telling(step, survey, {}, told, clock);
        telling.hear(locked("orders"));
        telling.hear(locked("only"));
        telling.hear(locked("orders"));
        const auto skipped = telling.skipped();
        REQUIRE(skipped.size() == 3);
        CHECK_FALSE(skipped[0].table);
        CHECK(skipped[1].table == 3U);
        CHECK(skipped[2].table == 2U);
    }
}
