// SPDX-License-Identifier: PostgreSQL
#include "app/headless/stop_signals.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

using namespace gantry::headless;
using namespace std::chrono_literals;

TEST_CASE("Ctrl-C asks for a stop, and any number of further ones change nothing") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const StopSignals signals;
        CHECK_FALSE(signals.stopped());
        ::kill(::getpid(), number);
        for (int i = 0; i < 500 && !signals.stopped(); ++i) std::this_thread::sleep_for(10ms);
        CHECK(signals.stopped());
        for (int i = 0; i < 100; ++i) ::kill(::getpid(), number);
    }
}

TEST_CASE("a broken pipe is an error of the write, as long as they are listened to") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    {
        const StopSignals signals;
        CHECK(::write(ends[1], "x", 1) == -1);
        CHECK(errno == EPIPE);
    }
    ::close(ends[1]);
}
