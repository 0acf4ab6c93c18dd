// SPDX-License-Identifier: PostgreSQL
// Rows read ahead are those that the connection brings, whatever ends the reading.
#include "core/dump/read_ahead.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/support/cluster.h"

using namespace gantry;
using namespace gantry::test;
using namespace std::chrono_literals;

namespace {

pg::Connection openAt(const Cluster& cluster, std::stop_token stop = {}) {
    return pg::Connection::open(cluster.connection(), "test", std::move(stop));
}

std::vector<std::string> directly(pg::Connection& connection, const std::string& sql) {
    std::vector<std::string> rows;
    connection.beginCopyOut(sql);
    while (const auto row = connection.nextCopyRow()) rows.emplace_back(*row);
    return rows;
}

std::vector<std::string> ahead(dump::ReadAhead& reader, pg::Connection& connection,
                               const std::string& sql) {
    std::vector<std::string> rows;
    connection.beginCopyOut(sql);
    dump::ReadAhead::Rows read(reader, connection);
    while (const auto row = read.next()) rows.emplace_back(*row);
    return rows;
}

}  // namespace

TEST_CASE("rows read ahead are the same, small and huge", "[dump]") {
    const Cluster cluster;
    pg::Connection connection = openAt(cluster);
    const std::string sql =
        "COPY (SELECT i, repeat('x', CASE WHEN i % 1000 = 7 THEN 3000000 ELSE i % 200 END)"
        " FROM generate_series(1, 20000) i) TO STDOUT";
    const std::vector<std::string> expected = directly(connection, sql);
    REQUIRE(expected.size() == 20000);
    dump::ReadAhead reader;
    CHECK((ahead(reader, connection, sql) == expected));
    CHECK(connection.copyRows() == 20000);
    CHECK(ahead(reader, connection, "COPY (SELECT 1 WHERE false) TO STDOUT").empty());
    CHECK((ahead(reader, connection, sql + " (FORMAT binary)") ==
           directly(connection, sql + " (FORMAT binary)")));
}

TEST_CASE("a COPY may be read ahead from any of its rows on", "[dump]") {
    const Cluster cluster;
    pg::Connection connection = openAt(cluster);
    const std::string sql =
        "COPY (SELECT i, repeat('x', i % 200) FROM generate_series(1, 20000) i) TO STDOUT";
    const std::vector<std::string> expected = directly(connection, sql);
    dump::ReadAhead reader;
    for (const std::size_t before : {std::size_t{1}, std::size_t{777}, expected.size()}) {
        std::vector<std::string> rows;
        connection.beginCopyOut(sql);
        while (rows.size() < before) rows.emplace_back(connection.nextCopyRow().value());
        dump::ReadAhead::Rows read(reader, connection);
        while (const auto row = read.next()) rows.emplace_back(*row);
        CHECK((rows == expected));
        CHECK(connection.copyRows() == expected.size());
    }
}

TEST_CASE("what fails after some rows fails after these rows", "[dump]") {
    const Cluster cluster;
    pg::Connection connection = openAt(cluster);
    dump::ReadAhead reader;
    connection.beginCopyOut(
        "COPY (SELECT 1 / (1000 - i) FROM generate_series(1, 2000) i) TO STDOUT");
    int rows = 0;
    {
        dump::ReadAhead::Rows read(reader, connection);
        try {
            while (read.next()) ++rows;
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.info().sqlState == "22012");
        }
    }
    CHECK(rows == 999);
    CHECK(ahead(reader, connection, "COPY (SELECT 1) TO STDOUT") ==
          std::vector<std::string>{"1\n"});
}

TEST_CASE("who has enough does not wait for the rest, and a stop ends the waiting", "[dump]") {
    const Cluster cluster;
    const std::string endless = "COPY (SELECT generate_series(1, 10000000000)) TO STDOUT";
    dump::ReadAhead reader;
    {
        pg::Connection connection = openAt(cluster);
        connection.beginCopyOut(endless);
        dump::ReadAhead::Rows read(reader, connection);
        CHECK(read.next() == "1\n");
    }
    std::stop_source source;
    pg::Connection connection = openAt(cluster, source.get_token());
    connection.beginCopyOut(
        "COPY (SELECT repeat('x', 1000000) UNION ALL SELECT pg_sleep(100)::text) TO STDOUT");
    dump::ReadAhead::Rows read(reader, connection);
    CHECK(read.next());
    const std::jthread stopper([&source] {
        std::this_thread::sleep_for(50ms);
        source.request_stop();
    });
    CHECK_THROWS_AS(read.next(), Error);
}
