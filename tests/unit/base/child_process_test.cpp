// SPDX-License-Identifier: PostgreSQL
#include "core/base/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace std::chrono_literals;

namespace {

ChildOptions shell(std::string script) {
    ChildOptions options;
    options.program = "sh";
    options.arguments = {"-c", std::move(script)};
    return options;
}

std::string readAll(int fd) {
    std::string text;
    std::array<char, 512> bytes{};
    ssize_t count = 0;
    while ((count = ::read(fd, bytes.data(), bytes.size())) > 0) {
        text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
}

std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("arguments reach the child as they are, without a shell between") {
    ChildOptions options;
    options.program = "printf";
    options.arguments = {"%s|", "a b", "$HOME", "", "\"'*"};
    const ChildResult result = runToEnd(options, 5s);
    CHECK(result.status.success());
    CHECK(result.output == "a b|$HOME||\"'*|");
}

TEST_CASE("both outputs and the exit code are data") {
    const ChildResult result = runToEnd(shell("echo out; echo err >&2; exit 3"), 5s);
    CHECK(result.output == "out\n");
    CHECK(result.errors == "err\n");
    CHECK(result.status.code == 3);
    CHECK(result.status.describe() == "ended with exit code 3");
}

TEST_CASE("pipes carry standard input and output") {
    ChildOptions options;
    options.program = "cat";
    options.input = ChildStream::Pipe;
    options.output = ChildStream::Pipe;
    ChildProcess child = ChildProcess::start(options);
    REQUIRE(::write(child.input(), "hello", 5) == 5);
    child.closeInput();
    CHECK(readAll(child.output()) == "hello");
    CHECK(child.wait().success());
}

TEST_CASE("what is said on standard error is bounded, front and end are kept") {
    ChildOptions options = shell(
        "printf first; i=0; while [ $i -lt 2000 ]; do printf 0123456789; i=$((i+1)); done; "
        "printf last");
    options.arguments[1] = "(" + options.arguments[1] + ") >&2";
    options.errors = ChildStream::Capture;
    options.captureLimit = 20;
    ChildProcess child = ChildProcess::start(options);
    CHECK(child.wait().success());
    CHECK(child.errorText() == "first01234\n[… 19989 bytes left out …]\n456789last");
}

TEST_CASE("the environment is added to, replaced and removed from") {
    ::setenv("GANTRY_TEST_KEPT", "kept", 1);
    ::setenv("GANTRY_TEST_GONE", "gone", 1);
    ChildOptions options =
        shell("echo $GANTRY_TEST_KEPT ${GANTRY_TEST_GONE-unset} $GANTRY_TEST_NEW");
    options.environment["GANTRY_TEST_NEW"] = "a=b c";
    options.removeFromEnvironment = {"GANTRY_TEST_GONE"};
    CHECK(runToEnd(options, 5s).output == "kept unset a=b c\n");
    ::unsetenv("GANTRY_TEST_KEPT");
    ::unsetenv("GANTRY_TEST_GONE");
}

TEST_CASE("a program that is not there is told at the start") {
    ChildOptions options;
    options.program = "/nowhere/pg_dump";
    try {
        ChildProcess::start(options);
        FAIL("it started");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Io);
        CHECK(error.info().describe() ==
              "/nowhere/pg_dump: cannot start the program: No such file or directory");
    }
    options.program = "gantry-no-such-program";
    CHECK_THROWS_AS(ChildProcess::start(options), Error);
}

TEST_CASE("a working folder that is not there is told at the start") {
    ChildOptions options = shell("true");
    options.workingFolder = "/nowhere";
    CHECK_THROWS_AS(ChildProcess::start(options), Error);
}

TEST_CASE("no descriptor of ours reaches the child") {
    const int leaky = ::open("/dev/null", O_RDONLY);  // deliberately without O_CLOEXEC
    REQUIRE(leaky >= 0);
    const ChildResult result =
        runToEnd(shell("test -e /proc/self/fd/" + std::to_string(leaky) + " && echo leaked"), 5s);
    ::close(leaky);
    CHECK(result.output.empty());
}

TEST_CASE("signals blocked and ignored by us are at their defaults in the child") {
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    ChildProcess child = ChildProcess::start(shell("exec sleep 30"));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    const ExitStatus status = child.end(5s);
    CHECK(status.signal == SIGTERM);
    CHECK(status.describe() == "was ended by signal 15 (Terminated)");
}

TEST_CASE("what ignores the request to end is killed") {
    ChildOptions options = shell("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    options.output = ChildStream::Pipe;
    ChildProcess child = ChildProcess::start(options);
    char ready = 0;
    REQUIRE(::read(child.output(), &ready, 1) == 1);
    CHECK(child.end(50ms).signal == SIGKILL);
}

TEST_CASE("waiting ends with its timeout or a stop, the child goes on") {
    ChildProcess child = ChildProcess::start(shell("exec sleep 30"));
    CHECK_FALSE(child.waitFor(30ms));
    std::stop_source source;
    std::jthread stopper([&source] {
        std::this_thread::sleep_for(20ms);
        source.request_stop();
    });
    const SteadyClock clock;
    const Duration begin = clock.now();
    CHECK_FALSE(child.waitFor(20s, source.get_token()));
    CHECK(clock.now() - begin < 5s);
    CHECK(::kill(child.pid(), 0) == 0);
    child.end(5s);
}

TEST_CASE("a program that takes too long is killed and named") {
    try {
        runToEnd(shell("exec sleep 30"), 1s);
        FAIL("it ended");
    } catch (const Error& error) {
        CHECK(error.info().describe() == "sh: the program did not end within 1 s");
    }
}

TEST_CASE("a child is gone with its owner") {
    pid_t pid = 0;
    {
        const ChildProcess child = ChildProcess::start(shell("exec sleep 30"));
        pid = child.pid();
    }
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a session of its own has no terminal's group in common with us") {
    ChildOptions options = shell("exec sleep 30");
    options.group = ChildOptions::Group::OwnSession;
    ChildProcess child = ChildProcess::start(options);
    CHECK(::getsid(child.pid()) == child.pid());
    child.end(5s);
}

TEST_CASE("root can run a program as somebody else") {
    const auto user = findUser("nobody");
    if (::geteuid() != 0 || !user) SKIP("only root can");
    ChildOptions options = shell("id -u; id -G");
    options.runAs = user;
    CHECK(runToEnd(options, 5s).output ==
          std::to_string(user->uid) + "\n" + std::to_string(user->gid) + "\n");
}

#ifdef __linux__
TEST_CASE("the kernel ends a child whose parent thread is gone") {
    const test::TemporaryFolder folder;
    const std::string mark = (folder / "ended").string();
    ChildOptions options =
        shell("trap 'echo yes > " + mark + "; exit' INT; echo ready; while :; do sleep 0.02; done");
    options.output = ChildStream::Pipe;
    options.parentDeathSignal = SIGINT;
    std::optional<ChildProcess> child;
    std::thread parent([&] {
        child.emplace(ChildProcess::start(options));
        char ready = 0;
        [[maybe_unused]] const ssize_t ignored = ::read(child->output(), &ready, 1);
    });
    parent.join();
    CHECK(child->waitFor(10s).has_value());
    CHECK(contentOf(mark) == "yes\n");
}
#endif

TEST_CASE("a log file takes both outputs, appended") {
    const test::TemporaryFolder folder;
    ChildOptions options = shell("echo out; echo err >&2");
    options.logFile = folder / "log";
    CHECK(ChildProcess::start(options).wait().success());
    CHECK(ChildProcess::start(options).wait().success());
    CHECK(contentOf(options.logFile) == "out\nerr\nout\nerr\n");
}

TEST_CASE("a user that does not exist is not found") {
    CHECK_FALSE(findUser("gantry-no-such-user").has_value());
}
