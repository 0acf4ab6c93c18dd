// SPDX-License-Identifier: PostgreSQL
// Several hosts: some do not answer, and all sessions of a run go to one.
#include "core/pg/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <stdexcept>

#include "core/pg/one_server.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;
using Catch::Matchers::StartsWith;

namespace {

/// Takes connections and says nothing.
class SilentServer {
public:
    SilentServer() {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = host() + "/.s.PGSQL.5432";
        std::copy(path.begin(), path.end(), address.sun_path);
        if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(socket_, 8) != 0) {
            throw std::runtime_error("cannot listen at " + path);
        }
    }
    ~SilentServer() { ::close(socket_); }
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;

    std::string host() const { return folder_.path().string(); }

private:
    const TemporaryFolder folder_;
    const int socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

pg::Connection open(const std::string& conninfo) {
    options::ConnectionOptions options;
    options.database = conninfo + " user=postgres dbname=postgres connect_timeout=2";
    return pg::Connection::open(options, "test", {});
}

}  // namespace

TEST_CASE("a host that does not answer in time gives way to the next") {
    const SilentServer silent;
    const Cluster cluster;
    const std::string hosts = fmt::format("host={},{} port=5432,{}", silent.host(),
                                          cluster.socketFolder().string(), cluster.port());
    const auto began = std::chrono::steady_clock::now();
    for (const char* attributes : {"any", "read-write"}) {
        CAPTURE(attributes);
        pg::Connection connection =
            open(fmt::format("{} target_session_attrs={}", hosts, attributes));
        CHECK(connection.query("SELECT 1").number(0, 0) == 1);
    }
    CHECK(std::chrono::steady_clock::now() - began < 20s);
}

TEST_CASE("where no host answers, what went wrong with each is told") {
    const SilentServer silent;
    const std::string silence =
        fmt::format("{}:5432/postgres: no answer from the server within 2 s", silent.host());
    const std::string refusal =
        "connection to server on socket \"/nowhere/.s.PGSQL.5432\" failed: ";
    const auto failureOf = [](const std::string& conninfo) {
        try {
            open(conninfo);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::Connection);
            CHECK(error.info().hint ==
                  "Check that the server runs and that host and port are right.");
            return error.info().message;
        }
        return std::string("connected");
    };
    CHECK(failureOf("host=" + silent.host()) == silence);
    CHECK_THAT(failureOf(fmt::format("host={},/nowhere", silent.host())),
               StartsWith(silence + ".\n" + refusal));
    const std::string last = failureOf("host=/nowhere," + silent.host());
    CHECK_THAT(last, StartsWith(refusal));
    CHECK(last.ends_with("\n" + silence));
}

TEST_CASE("all sessions of a run are of the server that the first one reached") {
    Cluster first;
    const Cluster second;
    options::ConnectionOptions options;
    options.database = fmt::format("host={},{} port={},{} user=postgres dbname=postgres",
                                   first.socketFolder().string(), second.socketFolder().string(),
                                   first.port(), second.port());
    const options::ConnectionOptions ofRun = pg::onOneServer(options);
    const auto portReached = [](const options::ConnectionOptions& to) {
        return pg::Connection::open(to, "test", {}).reached().port;
    };
    CHECK(portReached(ofRun) == std::to_string(first.port()));
    first.stop(StopMode::Immediate);
    CHECK(portReached(options) == std::to_string(second.port()));
    const options::ConnectionOptions copy = pg::onOneServer(ofRun);  // of a run within the run
    CHECK_THROWS_AS(portReached(copy), Error);
    // A run that begins now may go to the other, and stays there.
    const options::ConnectionOptions next = pg::onOneServer(options);
    CHECK(portReached(next) == std::to_string(second.port()));
    first.start();
    CHECK(portReached(next) == std::to_string(second.port()));
}
