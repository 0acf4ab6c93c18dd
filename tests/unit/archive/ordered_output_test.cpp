// SPDX-License-Identifier: PostgreSQL
#include "core/archive/ordered_output.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <random>
#include <thread>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;
using namespace gantry::archive;

namespace {

using Part = OrderedOutput::Part;
using EntryPtr = std::shared_ptr<OrderedOutput::Entry>;

std::string contentOf(const File& file) {
    std::string text(file.size(), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(text)));
    return text;
}

void put(OrderedOutput& output, OrderedOutput::Entry& entry, std::string_view text) {
    const Part part = bytesOf(text);
    output.append(entry, std::span(&part, 1));
}

// Lets writes beyond `bytes` fail with EFBIG while it lives, as a full disk would.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        previousHandler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &previous_);
        rlimit limit = previous_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &previous_);
        std::signal(SIGXFSZ, previousHandler_);
    }

private:
    rlimit previous_{};
    void (*previousHandler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("entries stand in order however they were written") {
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    const EntryPtr first = output.open();
    const EntryPtr second = output.open();
    const EntryPtr third = output.open();
    put(output, *third, "ccc");
    output.finish(*third, "!");
    put(output, *second, "b1");
    output.start(2, {{first, "<1>"}, {nullptr, "text"}, {second, "<2>"}, {third, "<3>"}});
    put(output, *second, "b2");
    put(output, *first, "a1");
    output.finish(*first, "/");
    put(output, *second, "b3");
    output.finish(*second, "");
    CHECK(contentOf(file) == std::string("\0\0<1>a1/text<2>b1b2b3<3>ccc!", 28));
    CHECK(output.end() == 28);
    CHECK(output.beginOf(*second) == 12);
    CHECK(output.piecesOf(*second)[0].position == 15);
    CHECK(output.piecesOf(*second)[2].position == 19);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("room that is left out, and padding, read as zeros until they are written") {
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    const EntryPtr first = output.open();
    const EntryPtr second = output.open();
    put(output, *second, "b");
    output.finish(*second, "/", 2);
    output.start(0, {{first, "<1>", 3}, {second, "", 4}});
    put(output, *first, "a");
    output.finish(*first, "", 1);
    CHECK(output.beginOf(*second) == 8);
    CHECK(output.end() == 16);
    file.writeAt(output.end(), bytesOf("end"));
    file.writeAt(output.beginOf(*second), bytesOf("HEAD"));
    CHECK(contentOf(file) == std::string("<1>\0\0\0a\0HEADb/\0\0end", 19));
}

TEST_CASE("parts of one append stay together, spooled or not") {
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    const EntryPtr first = output.open();
    const EntryPtr second = output.open();
    const auto both = [&](OrderedOutput::Entry& entry) {
        const auto aside = output.spool(bytesOf("spooled"));
        const Part parts[] = {bytesOf("("), aside, bytesOf(")")};
        return output.append(entry, parts);
    };
    output.start(0, {{first, ""}, {second, ""}});
    put(output, *second, "x");
    CHECK(both(*second) == 1);
    CHECK(both(*first) == 0);
    output.finish(*second, "");
    output.finish(*first, "");
    CHECK(contentOf(file) == "(spooled)x(spooled)");
}

TEST_CASE("a discarded entry leaves nothing, also of what comes late") {
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    const EntryPtr kept = output.open();
    const EntryPtr dropped = output.open();
    put(output, *dropped, std::string(200000, 'd'));
    output.start(0, {{kept, ""}});
    output.discard(*dropped);
    put(output, *dropped, "late");
    output.finish(*dropped, "end");
    put(output, *kept, "k");
    output.finish(*kept, "");
    CHECK(contentOf(file) == "k");
}

TEST_CASE("thousands that wait for their turn are passed while others finish") {
    constexpr std::size_t kEntries = 6000;
    constexpr std::size_t kThreads = 4;
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    std::vector<OrderedOutput::Slot> order;
    std::string expected;
    for (std::size_t i = 0; i < kEntries; ++i) {
        order.push_back({output.open(), fmt::format("<{}>", i)});
        expected += fmt::format("<{0}>[{0}]$", i);
    }
    // The first one holds the others up; they end one by one while it lets them pass.
    const auto end = [&](std::size_t i) {
        put(output, *order[i].entry, fmt::format("[{}]", i));
        output.finish(*order[i].entry, "$");
    };
    output.start(0, order);
    for (std::size_t i = 1; i < kEntries / 2; ++i) end(i);
    std::vector<std::thread> threads;
    threads.emplace_back([&] { end(0); });
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = kEntries / 2 + t; i < kEntries; i += kThreads) end(i);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(contentOf(file) == expected);
    CHECK(output.end() == expected.size());
}

TEST_CASE("many threads, any order: every entry whole and in its place") {
    constexpr int kEntries = 60;
    constexpr int kPieces = 40;
    constexpr int kThreads = 6;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        test::TemporaryFolder folder;
        File file = File::create(folder / "out");
        OrderedOutput output(file, folder.path());
        std::vector<EntryPtr> entries;
        std::vector<std::atomic<int>> left(kEntries);
        std::vector<OrderedOutput::Slot> order;
        std::vector<std::pair<int, int>> work;
        for (int i = 0; i < kEntries; ++i) {
            entries.push_back(output.open());
            order.push_back({entries.back(), fmt::format("<{}>", i)});
            left[static_cast<std::size_t>(i)] = kPieces;
            for (int p = 0; p < kPieces; ++p) work.emplace_back(i, p);
        }
        std::mt19937 random(seed);
        std::shuffle(work.begin(), work.end(), random);
        std::atomic<std::size_t> next = 0;
        std::atomic<bool> failed = false;
        const auto run = [&] {
            try {
                for (std::size_t at = next++; at < work.size(); at = next++) {
                    const auto entry = static_cast<std::size_t>(work[at].first);
                    const std::size_t size = at % 7 == 0 ? 150000 : at % 100;
                    std::string text(size, static_cast<char>('a' + entry % 26));
                    text += fmt::format("[{}]", work[at].second);
                    put(output, *entries[entry], text);
                    if (--left[entry] == 0) output.finish(*entries[entry], "$");
                    if (at == work.size() / 3) output.start(0, order);
                }
            } catch (const Error&) {
                failed = true;
            }
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) threads.emplace_back(run);
        for (auto& thread : threads) thread.join();
        REQUIRE_FALSE(failed);
        const std::string all = contentOf(file);
        CHECK(all.size() == output.end());
        std::size_t position = 0;
        for (int i = 0; i < kEntries; ++i) {
            const auto& entry = *entries[static_cast<std::size_t>(i)];
            REQUIRE(output.beginOf(entry) == position);
            const std::string prefix = fmt::format("<{}>", i);
            REQUIRE(all.compare(position, prefix.size(), prefix) == 0);
            position += prefix.size();
            const auto& pieces = output.piecesOf(entry);
            REQUIRE(pieces.size() == kPieces);
            std::vector<int> seen;
            for (const auto& piece : pieces) {
                REQUIRE(piece.position == position);
                const std::string text = all.substr(position, piece.length);
                const auto bracket = text.find_first_not_of(static_cast<char>('a' + i % 26));
                CAPTURE(i, seen.size(), position, piece.length, bracket);
                REQUIRE(bracket != std::string::npos);
                REQUIRE(int{text[bracket]} == int{'['});
                seen.push_back(std::stoi(text.substr(bracket + 1)));
                position += piece.length;
            }
            std::sort(seen.begin(), seen.end());
            for (int p = 0; p < kPieces; ++p) REQUIRE(seen[static_cast<std::size_t>(p)] == p);
            REQUIRE(all[position++] == '$');
        }
    }
}

TEST_CASE("a failed write is an error for those who wait, never a hang") {
    test::TemporaryFolder folder;
    File file = File::create(folder / "out");
    OrderedOutput output(file, folder.path());
    const EntryPtr first = output.open();
    const EntryPtr second = output.open();
    output.start(0, {{first, ""}, {second, ""}});
    const std::string large(100000, 'x');
    {
        const FileSizeLimit limit(50000);
        CHECK_THROWS_AS(put(output, *second, large), Error);
    }
    put(output, *first, "x");
    try {
        output.finish(*first, "");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Io);
        CHECK(error.info().object == (folder / "out").string());
        CHECK(error.info().message == "another write of this archive failed");
    }
}
