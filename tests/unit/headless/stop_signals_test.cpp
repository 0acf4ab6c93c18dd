// SPDX-License-Identifier: PostgreSQL
#include "app/headless/stop_signals.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

using namespace gantry::headless;
using namespace std::chrono_literals;

TEST_CASE("Ctrl-C asks for a stop, and any number of further ones change nothing") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(number, SIG_DFL);  // who started the tests may ignore it
        const StopSignals signals;
        CHECK_FALSE(signals.stopped());
        ::kill(::getpid(), number);
        for (int i = 0; i < 500 && !signals.stopped(); ++i) std::this_thread::sleep_for(10ms);
        CHECK(signals.stopped());
        for (int i = 0; i < 100; ++i) ::kill(::getpid(), number);
    }
}

TEST_CASE("with last words, a signal that comes long after the first ends the process at once") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        std::signal(SIGINT, SIG_DFL);
        const StopSignals signals("farewell");
        ::kill(::getpid(), SIGINT);
        while (!signals.stopped()) std::this_thread::sleep_for(1ms);
        ::kill(::getpid(), SIGINT);  // too early to be meant
        std::this_thread::sleep_for(100ms);
        [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, "still here, ", 12);
        for (int i = 0; i < 1000; ++i) {
            std::this_thread::sleep_for(100ms);
            ::kill(::getpid(), SIGINT);
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string words;
    char c = 0;
    while (::read(ends[0], &c, 1) == 1) words += c;
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(words == "still here, farewell");
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
