// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/telling.h"

#include <catch2/catch_test_macros.hpp>
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
    }
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
    telling.reached("scanning heap");
    // Two looks later it is at it still; then both indexes are done between two looks. From 15 on
    // nothing says how long they took.
    clock.time = 9s;
    telling.stays();
    clock.time = 9500ms;
    telling.hear(debug("scanned index \"a\" to remove 10 row versions"));
    telling.stays();  // what was seen a moment ago
    clock.time = 9900ms;
    telling.hear(debug("scanned index \"b\" to remove 10 row versions"));

    REQUIRE(told.finishedParts.size() == 2);
    CHECK(told.finishedParts[0].took == 500ms);
    CHECK(told.finishedParts[1].took == 400ms);
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
