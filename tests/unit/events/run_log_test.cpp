// SPDX-License-Identifier: PostgreSQL
#include "core/events/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/events/event_json.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::events;
using namespace std::chrono_literals;

namespace {

Event notice(std::string message) {
    return {1ms, Notice{.severity = Severity::Info, .message = std::move(message)}};
}

std::vector<Event> read(const std::filesystem::path& path) {
    std::ifstream lines(path);
    return readEvents(lines);
}

}  // namespace

TEST_CASE("a run log holds what was written, line by line, and what a killed run leaves is read") {
    const test::TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    std::ofstream(path) << "what was there before\n";
    {
        RunLog log = RunLog::create(path);
        log.write(notice("one\ntwo"));
        CHECK(read(path).size() == 1);  // at once, not when it is closed
        RunLog moved = std::move(log);
        moved.write(notice(std::string(1 << 20, 'x')));
    }
    REQUIRE(read(path).size() == 2);
    CHECK(std::get<Notice>(read(path)[0].payload).message == "one\ntwo");
    CHECK(std::get<Notice>(read(path)[1].payload).message.size() == 1 << 20);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
    CHECK(read(path).size() == 1);
}

TEST_CASE("a record that breaks off is ended, not one that goes on or has its own end") {
    const test::TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    {
        RunLog log = RunLog::create(path);
        log.write(notice("begun"));
        CHECK(readRecord(path).size() == 1);
    }
    const std::vector<Event> broken = readRecord(path);
    REQUIRE(broken.size() == 2);
    CHECK(broken[1].at == broken[0].at);
    CHECK(std::get<RunFinished>(broken[1].payload).brokenOff);
    RunLog::create(path).write(Event{2ms, RunFinished{}});
    const std::vector<Event> ended = readRecord(path);
    REQUIRE(ended.size() == 1);
    CHECK_FALSE(std::get<RunFinished>(ended[0].payload).brokenOff);
}

TEST_CASE("a run log on somebody else's descriptor leaves it open") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    { RunLog::onDescriptor(ends[1], "standard output").write(notice("hello")); }
    CHECK(::write(ends[1], "!", 1) == 1);
    ::close(ends[1]);
    std::string text(200, '\0');
    const ssize_t got = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    CHECK(text == toJson(notice("hello")) + "\n!");
}

TEST_CASE("a run log that cannot be written says so") {
    const test::TemporaryFolder folder;
    const auto problem = [](auto action) {
        try {
            action();
            return std::string("none");
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Io);
            return error.info().object + ": " + error.info().message;
        }
    };
    CHECK(problem([&] { (void)RunLog::create(folder / "no" / "run.jsonl"); }) ==
          (folder / "no" / "run.jsonl").string() +
              ": cannot create the run log: No such file or directory");
    CHECK(problem([&] { RunLog::create("/dev/full").write(notice("x")); }) ==
          "/dev/full: cannot write the run log: No space left on device");
}

TEST_CASE("a log reads the same once it is compressed, and a cut one is refused") {
    const test::TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    const auto packed = folder / "run.jsonl.zst";
    constexpr int kEvents = 20'000;  // more than a block
    {
        RunLog log = RunLog::create(path);
        std::vector<Event> events;
        for (int i = 0; i < kEvents; ++i) {
            events.push_back(notice("event number " + std::to_string(i) + std::string(80, '.')));
        }
        log.write(events);
        CHECK(isBeingWritten(path));
    }
    CHECK_FALSE(isBeingWritten(path));
    const std::vector<Event> plain = readRunLog(path);
    REQUIRE(plain.size() == kEvents);
    std::ofstream(packed.string() + ".partial") << "of a process that was killed";
    compressRunLog(path, packed);
    CHECK(std::filesystem::file_size(packed) < std::filesystem::file_size(path) / 10);
    CHECK_FALSE(std::filesystem::exists(packed.string() + ".partial"));
    const std::vector<Event> unpacked = readRunLog(packed);
    REQUIRE(unpacked.size() == plain.size());
    CHECK(toJson(unpacked.back()) == toJson(plain.back()));

    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 3);
    try {
        (void)readRunLog(packed);
        FAIL("it was read");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Format);
        CHECK(error.info().object.starts_with(packed.string()));
    }
}

TEST_CASE("the beginning of a log says which run it is") {
    const test::TemporaryFolder folder;
    const auto path = folder / "run.jsonl";
    {
        RunLog log = RunLog::create(path);
        log.write(notice("somebody holds a lock"));
        RunStarted started;
        started.database = "shop";
        log.write(Event{2ms, started});
    }
    CHECK(readRunStarted(path).database == "shop");
    std::ofstream(path) << toJson(notice("alone")) << "\n";
    try {
        (void)readRunStarted(path);
        FAIL("it was read");
    } catch (const Error& error) {
        CHECK(error.info().message == "this is not the record of a run");
        CHECK(error.info().object == path.string());
    }
}
