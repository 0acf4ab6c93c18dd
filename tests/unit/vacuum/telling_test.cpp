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

Survey oneTable(const std::vector<std::string>& indexes) {
    Survey survey;
    survey.databases = {"db"};
    TableFacts& table = survey.tables.emplace_back();
    table.schema = "public";
    table.name = "t";
    for (uint32_t i = 0; i < indexes.size(); ++i) {
        table.indexes.push_back({.oid = Oid{i + 1}, .name = indexes[i]});
    }
    return survey;
}

Step vacuumOfIt(uint32_t helpers) {
    Step step;
    step.vacuum = true;
    step.helpers = helpers;
    step.tables = {0};
    return step;
}

/// A vacuum of one table with these indexes, which has just begun.
struct Vacuum {
    explicit Vacuum(const std::vector<std::string>& indexes, uint32_t helpers = 0)
        : survey(oneTable(indexes)), step(vacuumOfIt(helpers)) {
        at(1s);
        hear("vacuuming \"db.public.t\"");
    }
    void at(Duration time) { clock.time = time; }
    void hear(std::string message) { telling.hear(debug(std::move(message))); }
    void find(const std::string& phase) { telling.found(phase, true, clock.time); }
    /// By a look that began earlier.
    void find(const std::string& phase, Duration asked) { telling.found(phase, true, asked); }

    const Survey survey;
    const Step step;
    SetClock clock;
    Heard told;
    Telling telling{step, survey, {}, told, clock};
};

}  // namespace

TEST_CASE("an index begins when the heap was last seen being scanned, not before") {
    Vacuum vacuum({"a", "b"});
    vacuum.find("scanning heap");
    // Two looks later it is at it still; then both indexes are done between two looks. From 15 on
    // nothing says how long they took.
    vacuum.at(9s);
    vacuum.find("scanning heap");
    vacuum.at(9500ms);
    vacuum.hear("scanned index \"a\" to remove 10 row versions");
    vacuum.find("scanning heap");  // what was seen a moment ago
    vacuum.at(9900ms);
    vacuum.hear("scanned index \"b\" to remove 10 row versions");

    const auto& parts = vacuum.told.finishedParts;
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].took == 500ms);
    CHECK(parts[1].took == 400ms);
}

TEST_CASE("an index's clean-up lasts no longer than its phase") {
    Vacuum vacuum({"a"});
    const char* const cleanUp = "index \"a\" now contains 10 row versions in 2 pages";
    vacuum.find("vacuuming heap");
    vacuum.at(9s);
    vacuum.hear(cleanUp);  // right after, before anybody saw it
    CHECK(vacuum.told.finishedParts.empty());
    vacuum.find("cleaning up indexes");
    vacuum.at(11s);
    vacuum.hear(cleanUp);
    REQUIRE(vacuum.told.finishedParts.size() == 1);
    CHECK(vacuum.told.finishedParts[0].took == 2s);
}

TEST_CASE("a phase is entered when the server says so, or is found in it") {
    Vacuum vacuum({"a", "b"}, 1);
    vacuum.find("initializing", 900ms);
    vacuum.at(2s);
    vacuum.find("scanning heap");
    CHECK(vacuum.told.phases == std::vector<std::string>{"scanning heap"});
    vacuum.at(3s);
    vacuum.hear("launched 1 parallel vacuum worker for index vacuuming (planned: 1)");
    vacuum.find("scanning heap", 2900ms);
    vacuum.at(4s);
    vacuum.find("vacuuming indexes");
    vacuum.hear("scanned index \"a\" to remove 10 row versions");
    vacuum.hear("scanned index \"b\" to remove 10 row versions");
    vacuum.find("vacuuming indexes", 3900ms);
    vacuum.hear("vacuuming \"db.pg_toast.pg_toast_4711\"");
    vacuum.hear("analyzing \"public.t\"");
    CHECK(vacuum.told.phases == std::vector<std::string>{"scanning heap", "vacuuming indexes",
                                                         "vacuuming heap", "TOAST: scanning heap",
                                                         "analyzing"});
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
