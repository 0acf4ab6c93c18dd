// SPDX-License-Identifier: PostgreSQL
// Events as lines of text, both ways, and lines that are damaged.
#include "core/events/event_json.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/events/run_state.h"

using namespace gantry;
using namespace gantry::events;
using namespace std::chrono_literals;

namespace {

/// One of each type with every field set, as it stands in a log.
const std::vector<std::string> kLines{
    R"({"database":"shop","environment":{"cluster":"7001"},"operation":"dump",)"
    R"("options":{"jobs":"4"},"started_at":)"
    R"("2026-01-02T03:04:05Z","t_ms":0.0,"type":"run_started","versions":{"server":"18.1"},)"
    R"("workers":4})",
    R"({"lower_bound_ms":12.5,"t_ms":1.0,"tasks":[{"bytes":7,"divisible":true,"kind":"index",)"
    R"("object":"public.a","rows":3,"task":0},{"after":[0,5],"bytes":0,"divisible":false,)"
    R"("kind":"foreign key","locks":[{"key":18446744073709551615,"mode":"share"}],)"
    R"("ms":1.5,"object":"b c","relation":"b","rows":0,"task":1,"withdrawn":true}],)"
    R"("type":"plan"})",
    R"({"backend_pid":4711,"chunk":3,"estimated":99,"kind":"table data","object":"public.ä",)"
    R"("share":0.25,"t_ms":2.125,"task":8,"type":"task_started","worker":2})",
    R"({"chunk":3,"statement":"COPY public.ä TO stdout","t_ms":2.5,"task":8,)"
    R"("type":"task_statement"})",
    R"({"bytes":18446744073709551615,"estimated":5,"rows":2,"t_ms":3.0,"task":8,)"
    R"("type":"task_progress"})",
    R"({"chunk":0,"phase":"scanning heap","t_ms":4.0,"task":8,"type":"task_phase"})",
    R"({"bytes":10,"compressed":4,"rows":2,"t_ms":5.0,"task":8,"type":"task_finished",)"
    R"("whole":false})",
    R"({"byte_offset":12,"connection_usable":false,"error_kind":"server","hint":"Do this.",)"
    R"("ignored":true,"message":"it broke","object":"public.a","retried":true,)"
    R"("sqlstate":"57P01","statement":"COPY a","t_ms":6.0,"task":8,"type":"task_failed"})",
    R"({"cause":"lock","on":"public.b","t_ms":7.0,"type":"worker_idle","worker":3})",
    R"({"archive":"a1","database":"7/8","first_transaction":740,"incarnation":"1.5/1.25",)"
    R"("t_ms":7.25,"type":"identity"})",
    R"({"entries":[1,2147483647],"t_ms":7.5,"type":"entries_done"})",
    R"({"message":"hear","of_wait":true,"severity":"warning","t_ms":8.0,"type":"notice"})",
    R"({"error":{"error_kind":"io","message":"no space left"},"outcome":"failed","t_ms":9.0,)"
    R"("totals":{"bytes":1,"compressed":2,"compression_wait_ms":1.5,"ignored_errors":6,)"
    R"("large_objects":5,"relations":4,"rows":3},"type":"run_finished"})",
    R"({"chunk":1,"error_kind":"server","message":"no such role","t_ms":6.5,"task":8,)"
    R"("type":"error_ignored"})",
    R"({"ms":1500.5,"runs":3,"t_ms":1.5,"type":"forecast"})",
    R"({"anew":true,"lower_bound_ms":0.0,"t_ms":1.0,"tasks":[{"bytes":7,"divisible":false,)"
    R"("kind":"vacuum",)"
    R"("note":"vacuum: 12% dead rows","object":"public.a","rows":0,"task":0}],"type":"plan"})",
    R"({"helper":2,"kind":"index","object":"a_pkey","part":1,"phase":"vacuuming","t_ms":4.0,)"
    R"("task":8,"type":"part_started"})",
    R"({"helper":1,"part":1,"rows":30,"t_ms":5.0,"task":8,"took_ms":1.25,"type":"part_finished"})",
    R"({"launched":1,"phase":"vacuuming","planned":2,"t_ms":4.0,"task":8,)"
    R"("type":"helpers_launched"})",
    R"({"blocks":9,"dead_bytes":6,"dead_bytes_most":7,"dead_rows":5,"index_pass":1,"indexes":4,)"
    R"("indexes_done":3,"relation":"public.a","scanned":8,"t_ms":4.5,"task":8,)"
    R"("type":"vacuum_progress","vacuumed":2})",
    R"({"bytes_after":3,"bytes_before":4,"relation":"public.a","rows_kept":2,"rows_removed":1,)"
    R"("t_ms":8.5,"task":8,"type":"vacuum_outcome","xid_age_after":5,"xid_age_before":6})",
    R"({"active":2,"processors":0.5,"sessions":9,"t_ms":7.125,"type":"load"})",
};

std::string refusal(const std::string& line) {
    try {
        (void)fromJson(line);
        return "none";
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Format);
        return error.info().describe();
    }
}

}  // namespace

TEST_CASE("each type of event, with every field, from text and back") {
    std::vector<bool> seen(std::variant_size_v<Payload>);
    for (const std::string& line : kLines) {
        const std::optional<Event> event = fromJson(line);
        REQUIRE(event);
        CHECK(nlohmann::json::parse(toJson(*event)) == nlohmann::json::parse(line));
        seen[event->payload.index()] = true;
    }
    for (const bool one : seen) CHECK(one);
}

TEST_CASE("an event's fields are where they belong") {
    const Event event = fromJson(kLines[2]).value();
    CHECK(event.at == Duration(2125us));
    const auto& started = std::get<TaskStarted>(event.payload);
    CHECK(started.span == Span{TaskId{8}, 3});
    CHECK(started.kind == plan::TaskKind::TableData);
    CHECK(started.object == "public.ä");
    CHECK(started.worker == WorkerId{2});
    CHECK(started.backendPid == 4711);
    CHECK(started.estimatedBytes == 99);
    CHECK(started.share == 0.25);
    const Event failedEvent = fromJson(kLines[7]).value();
    const auto& failed = std::get<TaskFailed>(failedEvent.payload);
    CHECK_FALSE(failed.span.chunk);
    CHECK(failed.error.describe() == "public.a: it broke (SQLSTATE 57P01) at byte 12. Do this.");
    CHECK_FALSE(failed.error.connectionUsable);
}

TEST_CASE("every value of an enumeration has its word") {
    for (int kind = 0; kind < static_cast<int>(plan::kTaskKinds); ++kind) {
        TaskStarted started;
        started.kind = plan::TaskKind{kind};
        const Event event{0s, started};
        CHECK(std::get<TaskStarted>(fromJson(toJson(event))->payload).kind == plan::TaskKind{kind});
    }
    for (const IdleCause cause : {IdleCause::Dependency, IdleCause::Lock, IdleCause::Tail,
                                  IdleCause::Starting, IdleCause::Paused, IdleCause::Left}) {
        const Event event{0s, WorkerIdle{.worker = {}, .cause = cause, .on = ""}};
        CHECK(std::get<WorkerIdle>(fromJson(toJson(event))->payload).cause == cause);
    }
    for (const PartKind kind : {PartKind::Index, PartKind::Toast, PartKind::Table}) {
        const Event event{
            0s, PartStarted{.span = {}, .part = 1, .kind = kind, .object = "", .phase = ""}};
        CHECK(std::get<PartStarted>(fromJson(toJson(event))->payload).kind == kind);
    }
    for (const Outcome outcome :
         {Outcome::Clean, Outcome::CompletedWithErrors, Outcome::Failed, Outcome::Cancelled}) {
        RunFinished finished;
        finished.outcome = outcome;
        CHECK(std::get<RunFinished>(fromJson(toJson({0s, finished}))->payload).outcome == outcome);
        finished.nothingRestored = true;
        CHECK(std::get<RunFinished>(fromJson(toJson({0s, finished}))->payload).nothingRestored);
        CHECK_FALSE(std::get<RunFinished>(fromJson(toJson({0s, finished}))->payload).commitInDoubt);
        finished.commitInDoubt = true;
        CHECK(std::get<RunFinished>(fromJson(toJson({0s, finished}))->payload).commitInDoubt);
    }
    for (const ErrorKind kind :
         {ErrorKind::Usage, ErrorKind::Preflight, ErrorKind::Connection, ErrorKind::Server,
          ErrorKind::Format, ErrorKind::Io, ErrorKind::Cancelled, ErrorKind::Internal}) {
        TaskFailed failed;
        failed.error.kind = kind;
        CHECK(std::get<TaskFailed>(fromJson(toJson({0s, failed}))->payload).error.kind == kind);
    }
}

TEST_CASE("times are kept to the microsecond") {
    for (const int64_t microseconds : {0, 1, 999, 1001, 1234567, 123456789}) {
        const Event event{Duration(microseconds), Notice{}};
        CHECK(fromJson(toJson(event))->at == Duration(microseconds));
    }
}

TEST_CASE("what is no number is no number's text either") {
    Plan plan;
    plan.lowerBoundMs = std::numeric_limits<double>::infinity();
    const std::string line = toJson({0s, plan});
    CHECK(nlohmann::json::parse(line)["lower_bound_ms"].is_null());
    CHECK(std::get<Plan>(fromJson(line)->payload).lowerBoundMs == 0);
}

TEST_CASE("names in any encoding give valid text") {
    const Event event{0s, Notice{.severity = Severity::Info, .message = "a\xffz\n\"\x01"}};
    CHECK(toJson(event) ==
          "{\"t_ms\":0,\"type\":\"notice\",\"severity\":\"info\","
          "\"message\":\"a\xEF\xBF\xBDz\\n\\\"\\u0001\"}");
}

TEST_CASE("what a newer version adds is skipped, what an older one lacks has its default") {
    CHECK_FALSE(fromJson(R"({"type":"coffee_break","t_ms":4})"));
    const Event event = fromJson(R"({"type":"task_finished","flavour":"sweet"})").value();
    const auto& finished = std::get<TaskFinished>(event.payload);
    CHECK(event.at == Duration(0));
    CHECK(finished.whole);
    CHECK(finished.bytes == 0);
    CHECK(std::get<Plan>(fromJson(R"({"type":"plan"})")->payload).tasks.empty());
    CHECK(std::get<TaskStarted>(
              fromJson(R"({"type":"task_started","kind":"wizardry","object":null})")->payload)
              .kind == plan::TaskKind::TableData);
}

TEST_CASE("what is no event is refused with the reason") {
    CHECK(refusal("") == "not an event: it is not JSON");
    CHECK(refusal("{]") == "not an event: it is not JSON");
    CHECK(refusal("[1]") == "not an event: it has no type");
    CHECK(refusal("{}") == "not an event: it has no type");
    CHECK(refusal(R"({"type":7})") == R"(not an event: "type" is not text)");
    CHECK(refusal(R"({"type":"notice","t_ms":"x"})") == R"(not an event: "t_ms" is not a number)");
    CHECK(refusal(R"({"type":"notice","t_ms":-1})") == R"(not an event: "t_ms" is out of range)");
    CHECK(refusal(R"({"type":"notice","t_ms":1e300})") ==
          R"(not an event: "t_ms" is out of range)");
    CHECK(refusal(R"({"type":"task_progress","bytes":1.5})") ==
          R"(not an event: "bytes" is not a whole number)");
    CHECK(refusal(R"({"type":"task_progress","bytes":-1})") ==
          R"(not an event: "bytes" is out of range)");
    CHECK(refusal(R"({"type":"task_progress","task":4294967296})") ==
          R"(not an event: "task" is out of range)");
    CHECK(refusal(R"({"type":"task_started","backend_pid":2147483648})") ==
          R"(not an event: "backend_pid" is out of range)");
    CHECK(refusal(R"({"type":"task_started","share":2})") ==
          R"(not an event: "share" is out of range)");
    CHECK(refusal(R"({"type":"task_failed","retried":1})") ==
          R"(not an event: "retried" is neither true nor false)");
    CHECK(refusal(R"({"type":"run_started","options":[]})") ==
          R"(not an event: "options" is not an object)");
    CHECK(refusal(R"({"type":"run_started","options":{"a":1}})") ==
          R"(not an event: "options" holds what is not text)");
    CHECK(refusal(R"({"type":"plan","tasks":{}})") == R"(not an event: "tasks" is not a list)");
    CHECK(refusal(R"({"type":"plan","tasks":[4]})") ==
          R"(not an event: "tasks" holds what is not an object)");
    CHECK(refusal(R"({"type":"plan","tasks":[{"after":["x"]}]})") ==
          R"(not an event: "after" is not a whole number)");
}

TEST_CASE("a line that is cut off anywhere is refused") {
    for (const std::string& line : kLines) {
        for (std::size_t length = 0; length < line.size(); ++length) {
            CHECK(refusal(line.substr(0, length)) == "not an event: it is not JSON");
        }
    }
}

TEST_CASE("a damaged line is refused or read as something else, and harms nobody") {
    for (const std::string& line : kLines) {
        RunState state;
        for (std::size_t at = 0; at < line.size(); ++at) {
            for (const int bit : {0, 1, 3, 5, 7}) {
                std::string damaged = line;
                damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
                try {
                    if (const auto event = fromJson(damaged)) state.apply(*event);
                } catch (const Error& error) {
                    if (error.kind() != ErrorKind::Format) FAIL(error.what());
                }
            }
        }
        CHECK(state.fraction() <= 1);
    }
}

TEST_CASE("a recorded run is read line by line, whatever its last line is") {
    std::string text;
    for (const std::string& line : kLines) text += line + "\n";
    const std::string whole = text;
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        std::istringstream lines(whole.substr(0, cut));
        std::size_t complete = 0;
        std::size_t length = 0;
        // A line counts once it is whole, with its newline or without.
        for (const std::string& line : kLines) {
            length += line.size();
            if (length <= cut) ++complete;
            ++length;
        }
        REQUIRE(readEvents(lines).size() == complete);
    }
}

TEST_CASE("a line that is damaged within a recorded run is named by its number") {
    std::istringstream lines(kLines[7] + "\n\n{\"type\":\n" + kLines[8] + "\n");
    CHECK_THROWS_WITH(readEvents(lines), "line 3: not an event: it is not JSON");
    std::istringstream newer(kLines[7] + "\n{\"type\":\"new\"}\n" + kLines[8]);
    CHECK(readEvents(newer).size() == 2);
}
