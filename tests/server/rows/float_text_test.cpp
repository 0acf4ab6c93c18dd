// SPDX-License-Identifier: PostgreSQL
// Floating-point numbers, a great many of them, against what servers write.
#include "core/rows/float_text.h"

#include <fmt/format.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/buffer.h"
#include "core/pg/connection.h"
#include "tests/support/cluster.h"
#include "tests/support/servers.h"

using namespace gantry;
using namespace gantry::test;

namespace {

constexpr int kShortest = 12;

/// Any bits; whole numbers about which the digits run out; powers of two; round decimals and their
/// neighbours: where the shortest decimal is likely to lie just between two numbers.
template <class T>
std::vector<T> numbers() {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr int kDigits = std::numeric_limits<T>::digits;
    std::mt19937_64 random(7);
    std::vector<T> found{T{0}, -T{0}, std::numeric_limits<T>::quiet_NaN(),
                         -std::numeric_limits<T>::infinity()};
    const auto addWithNeighbours = [&](T value) {
        for (const T next : {value, std::nextafter(value, T{0}),
                             std::nextafter(value, std::numeric_limits<T>::max())}) {
            if (std::isfinite(next)) found.push_back(next);
        }
    };
    for (int i = 0; i < 200'000; ++i) {
        const T any = std::bit_cast<T>(static_cast<Bits>(random()));
        found.push_back(std::isnan(any) ? T{1} : any);
    }
    for (int exponent = std::numeric_limits<T>::min_exponent - kDigits;
         exponent < std::numeric_limits<T>::max_exponent; ++exponent) {
        addWithNeighbours(std::ldexp(T{1}, exponent));
    }
    for (int i = 0; i < 100'000; ++i) {
        const auto mantissa =
            static_cast<T>((random() >> (64 - kDigits)) | (Bits{1} << (kDigits - 1)));
        found.push_back(std::ldexp(mantissa, static_cast<int>(random() % 80) - 10));
    }
    for (int power = -5; power < 38; ++power) {
        for (int i = 0; i < 3'000; ++i) {
            const auto digits = static_cast<int>(random() % 17);
            const T factor = std::floor(static_cast<T>(random() % 100'000'000'000'000'000ULL) /
                                        std::pow(T{10}, static_cast<T>(digits)));
            addWithNeighbours(factor * std::pow(T{10}, static_cast<T>(power)));
        }
    }
    std::erase_if(found, [](T value) { return std::isinf(value) && value > 0; });
    return found;
}

template <class T>
void compare(pg::Connection& connection, const std::string& type) {
    const std::vector<T> values = numbers<T>();
    std::string rows;
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows += std::isfinite(values[i]) ? fmt::format("{}\t{:.17g}\n", i, values[i])
                                         : fmt::format("{}\t{}\n", i, values[i]);
    }
    connection.execute(fmt::format("CREATE TEMP TABLE f (i int, x {})", type));
    connection.beginCopyIn("COPY f FROM STDIN");
    connection.putCopyData(bytesOf(rows));
    REQUIRE(connection.endCopyIn() == values.size());
    connection.execute("SET extra_float_digits = 3");
    connection.beginCopyOut("COPY (SELECT x FROM f ORDER BY i) TO STDOUT");
    std::size_t at = 0;
    std::size_t different = 0;
    while (const auto row = connection.nextCopyRow()) {
        char room[gantry::rows::kRoomOfFloat];
        const std::string ours(room, gantry::rows::writeFloat(room, values.at(at)));
        if (ours + "\n" != *row && ++different < 10) {
            UNSCOPED_INFO(fmt::format("{:a}: {} instead of {}", values[at], ours, *row));
        }
        ++at;
    }
    connection.execute("DROP TABLE f");
    CHECK(at == values.size());
    CHECK(different == 0);
}

}  // namespace

TEST_CASE("floats are written as every server from 12 on writes them") {
    const int major = GENERATE(from_range(installedMajors()));
    if (major < kShortest) return;
    CAPTURE(major);
    const Cluster cluster(major);
    pg::Connection connection = pg::Connection::open(cluster.connection(), "test", {});
    compare<double>(connection, "float8");
    compare<float>(connection, "float4");
}
