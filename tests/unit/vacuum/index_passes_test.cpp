// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/index_passes.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

using namespace gantry;
using namespace gantry::vacuum;
using namespace std::chrono_literals;

namespace {

/// "+a/1@10" for index a that helper 1 begins at 10 ms, "-a/1@10" for one that ends and began then,
/// "=a/1@10" for one that helper 1 turns out to be at.
std::string text(const std::vector<IndexPasses::Stretch>& stretches) {
    std::string all;
    for (const IndexPasses::Stretch& s : stretches) {
        const auto put = [&](char sign) {
            all += fmt::format("{}{}{}/{}@{}", all.empty() ? "" : " ", sign, s.index, s.helper,
                               s.begin.count() / 1000);
        };
        if (s.isNew) put('+');
        if (s.over) put('-');
        if (!s.isNew && !s.over) put('=');
    }
    return all;
}

}  // namespace

TEST_CASE("without helpers an index begins where the one before it ended") {
    IndexPasses passes({{"a", false}, {"b", false}, {"c", false}});
    CHECK(text(passes.begin(0, 10ms)) == "+a/0@10");
    CHECK(passes.indexesDone() == 0);
    CHECK(text(passes.done("a", false, {}, 10ms, 30ms)) == "-a/0@10 +b/0@30");
    CHECK(passes.indexesDone() == 1);
    CHECK(text(passes.done("b", false, {}, 10ms, 35ms)) == "-b/0@30 +c/0@35");
    CHECK(text(passes.done("c", false, {}, 10ms, 50ms)) == "-c/0@35");
    CHECK_FALSE(passes.underWay());
    CHECK(passes.indexesDone() == 0);
    CHECK(passes.passes() == 1);
}

TEST_CASE("a pass whose beginning went unseen begins with the first thing it tells") {
    IndexPasses passes({{"a", false}, {"b", false}});
    CHECK(text(passes.done("a", false, {}, 10ms, 30ms)) == "+a/0@10 -a/0@10 +b/0@30");
    CHECK(text(passes.done("b", false, 5ms, 10ms, 36ms)) == "-b/0@31");
    CHECK(text(passes.done("a", false, {}, 40ms, 60ms)) == "+a/0@40 -a/0@40 +b/0@60");
    CHECK(passes.passes() == 2);
}

TEST_CASE("helpers take the next of the list that is shared, the session its own first") {
    IndexPasses passes({{"a", true}, {"tiny", false}, {"b", true}, {"c", true}, {"d", true}});
    CHECK(text(passes.begin(2, 0ms)) == "+tiny/0@0 +a/1@0 +b/2@0");
    CHECK(text(passes.done("tiny", false, {}, 0ms, 1ms)) == "-tiny/0@0 +c/0@1");
    CHECK(text(passes.done("b", true, {}, 0ms, 5ms)) == "-b/2@0 +d/2@5");
    CHECK(text(passes.done("a", true, {}, 0ms, 9ms)) == "-a/1@0");
    CHECK(text(passes.done("c", false, {}, 0ms, 10ms)) == "-c/0@1");
    CHECK(text(passes.done("d", true, {}, 0ms, 12ms)) == "-d/2@5");
    CHECK_FALSE(passes.underWay());
}

TEST_CASE("who did an index is as the server says, whatever was thought before") {
    IndexPasses passes({{"a", true}, {"b", true}, {"c", true}});
    CHECK(text(passes.begin(1, 0ms)) == "+a/1@0 +b/0@0");
    // The session was quicker to take the first.
    CHECK(text(passes.done("a", false, {}, 0ms, 4ms)) == "-a/0@0 =b/1@0 +c/0@4");
    CHECK(text(passes.done("b", true, {}, 0ms, 6ms)) == "-b/1@0");
    CHECK(text(passes.done("c", false, {}, 0ms, 9ms)) == "-c/0@4");
}

TEST_CASE("an index that nobody was thought to work on has its place all the same") {
    IndexPasses passes({{"a", true}, {"b", true}, {"c", true}});
    CHECK(text(passes.begin(0, 0ms)) == "+a/0@0");
    CHECK(text(passes.done("new", false, 2ms, 0ms, 7ms)) == "+new/0@5 -new/0@5");
    CHECK(text(passes.done("c", true, {}, 3ms, 7ms)) == "+c/1@3 -c/1@3");
    CHECK(text(passes.done("a", false, {}, 0ms, 9ms)) == "-a/0@0 +b/0@9");
}
