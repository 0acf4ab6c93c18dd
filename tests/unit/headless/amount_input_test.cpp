// SPDX-License-Identifier: PostgreSQL
// Sizes and times as people write them.
#include "app/headless/amount_input.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.h"

using namespace gantry;
using namespace gantry::headless;

namespace {

template <class Parse>
std::string refusal(Parse parse) {
    try {
        parse();
    } catch (const Error& error) {
        return error.info().describe();
    }
    return "none";
}

}  // namespace

TEST_CASE("sizes take the units that people use") {
    CHECK(parseSize("0") == 0);
    CHECK(parseSize("4096") == 4096);
    CHECK(parseSize("1.5kB") == 1500);
    CHECK(parseSize("500MB") == 500'000'000);
    CHECK(parseSize("2 GB") == 2'000'000'000);
    CHECK(parseSize("1GiB") == 1'073'741'824);
    for (const char* wrong : {"", "GB", "-1", "1 gb", "1e300", "12 parsecs", "99999999TB"}) {
        CAPTURE(wrong);
        CHECK(refusal([&] { parseSize(wrong); }) ==
              "\"" + std::string(wrong) + "\" is not a size. Write it like 500MB, 2GB or 1GiB.");
    }
}

TEST_CASE("moments are ages or dates") {
    const std::chrono::system_clock::time_point now{std::chrono::seconds(1'700'000'000)};
    CHECK(parseMoment("0h", now) == "2023-11-14T22:13:20Z");
    CHECK(parseMoment("36h", now) == "2023-11-13T10:13:20Z");
    CHECK(parseMoment("1.5d", now) == "2023-11-13T10:13:20Z");
    CHECK(parseMoment("2w", now) == "2023-10-31T22:13:20Z");
    CHECK(parseMoment("1mo", now) == "2023-10-15T22:13:20Z");
    CHECK(parseMoment("1y", now) == "2022-11-14T22:13:20Z");
    CHECK(parseMoment("2026-11-01", now) == "2026-11-01");
    CHECK(parseMoment("2026-11-01T10:00:00Z", now) == "2026-11-01T10:00:00Z");
    for (const char* wrong :
         {"", "d", "3", "3m", "yesterday", "2026-1-1", "2026-11-01x", "99999y"}) {
        CAPTURE(wrong);
        CHECK(refusal([&] { parseMoment(wrong, now); }) ==
              "\"" + std::string(wrong) +
                  "\" is neither an age nor a date. Write it like 12h, 30d, 8w, 6mo, 2y or "
                  "2026-11-01.");
    }
}
