// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/async.h"

#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <thread>

namespace gantry::ui {
namespace {

TEST_CASE("async: a result comes back on the GUI thread") {
    QObject context;
    std::thread::id workedOn;
    std::optional<int> result;
    std::thread::id deliveredOn;
    runAsync(
        &context,
        [&](std::stop_token) {
            workedOn = std::this_thread::get_id();
            return 42;
        },
        [&](int value) {
            result = value;
            deliveredOn = std::this_thread::get_id();
        },
        [](const ErrorInfo&) { FAIL("no error was expected"); });
    REQUIRE(QTest::qWaitFor([&] { return result.has_value(); }));
    CHECK(*result == 42);
    CHECK(deliveredOn == std::this_thread::get_id());
    CHECK(workedOn != deliveredOn);
}

TEST_CASE("async: an error comes back as what it says") {
    QObject context;
    std::optional<ErrorInfo> told;
    runAsync(
        &context,
        [](std::stop_token) { throw Error(ErrorKind::Io, "no space", "/x", "Free some."); },
        [] { FAIL("no result was expected"); }, [&](const ErrorInfo& error) { told = error; });
    REQUIRE(QTest::qWaitFor([&] { return told.has_value(); }));
    CHECK(told->describe() == "/x: no space. Free some.");
}

TEST_CASE("async: a context that goes stops the work and hears nothing more") {
    std::atomic<bool> stopped = false;
    bool delivered = false;
    {
        QObject context;
        runAsync(
            &context,
            [&](const std::stop_token& stop) {
                while (!stop.stop_requested()) std::this_thread::yield();
                stopped = true;
            },
            [&] { delivered = true; }, [&](const ErrorInfo&) { delivered = true; });
    }
    REQUIRE(QTest::qWaitFor([&] { return stopped.load(); }));
    QTest::qWait(20);
    CHECK_FALSE(delivered);
}

TEST_CASE("async: a stopped job delivers nothing") {
    QObject context;
    std::atomic<bool> stopped = false;
    bool delivered = false;
    AsyncJob job = runAsync(
        &context,
        [&](const std::stop_token& stop) {
            while (!stop.stop_requested()) std::this_thread::yield();
            stopped = true;
        },
        [&] { delivered = true; }, [&](const ErrorInfo&) { delivered = true; });
    CHECK(job.running());
    job.stop();
    CHECK_FALSE(job.running());
    REQUIRE(QTest::qWaitFor([&] { return stopped.load(); }));
    QTest::qWait(20);
    CHECK_FALSE(delivered);
}

}  // namespace
}  // namespace gantry::ui
