// SPDX-License-Identifier: PostgreSQL
// Who waits for whom between copy threads and compressors.
#include "core/dump/compressor_pool.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <semaphore>

#include "core/base/error.h"
#include "core/base/processor_load.h"

using namespace gantry;
using namespace gantry::dump;
using namespace std::chrono_literals;

namespace {

/// Lets frames through one by one.
class Gate final : public FrameTarget {
public:
    void append(archive::EncodedFrame&) override {
        open_.acquire();
        if (fails_) throw Error(ErrorKind::Io, "no space left");
    }
    void open(std::ptrdiff_t frames = 1) { open_.release(frames); }
    void fail() {
        fails_ = true;
        open();
    }

private:
    std::counting_semaphore<> open_{0};
    std::atomic<bool> fails_ = false;
};

/// A pool with as many frames at the gate as there are processors but one, two at least.
struct Busy {
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();
    std::stop_source stop;
    uint32_t frames = std::max(usableProcessors(), 2U) - 1;
    CompressorPool pool{{.threads = frames, .producers = frames, .compression = {}},
                        [](const std::exception_ptr&) {}};

    Busy() {
        for (uint32_t i = 0; i < frames; ++i) {
            RawFrame frame;
            frame.rows = pool.takeBuffer(stop.get_token());
            frame.target = gate;
            frame.rows.append(std::string_view("1\n"));
            pool.submit(std::move(frame));
        }
    }
    ~Busy() { gate->open(frames); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    std::future<void> makeWay() {
        return std::async(std::launch::async, [this] { pool.makeWay(stop.get_token()); });
    }
};

bool waits(const std::future<void>& future) {
    return future.wait_for(50ms) == std::future_status::timeout;
}

bool ends(const std::future<void>& future) {
    return future.wait_for(10s) == std::future_status::ready;
}

}  // namespace

TEST_CASE("while nobody goes first nobody makes way") {
    Busy busy;
    const CompressorPool::Reader someone(busy.pool, false);
    CHECK(ends(busy.makeWay()));
}

TEST_CASE("others make way until compressors leave a processor idle") {
    Busy busy;
    const CompressorPool::Reader first(busy.pool, true);
    const std::future<void> other = busy.makeWay();
    CHECK(waits(other));
    busy.gate->open();
    CHECK(ends(other));
    CHECK(ends(busy.makeWay()));
}

TEST_CASE("others make way until the table that goes first has been read") {
    Busy busy;
    std::optional<CompressorPool::Reader> first(std::in_place, busy.pool, true);
    std::optional<CompressorPool::Reader> again(std::in_place, busy.pool, true);
    const std::future<void> other = busy.makeWay();
    first.reset();
    CHECK(waits(other));
    again.reset();
    CHECK(ends(other));
}

TEST_CASE("nobody makes way once the run is to stop or the pool has failed") {
    Busy busy;
    const CompressorPool::Reader first(busy.pool, true);
    const std::future<void> other = busy.makeWay();
    CHECK(waits(other));
    SECTION("stop") { busy.stop.request_stop(); }
    SECTION("failure") { busy.gate->fail(); }
    CHECK(ends(other));
}

TEST_CASE("there are processors to spare until as many read") {
    Busy busy;
    std::deque<CompressorPool::Reader> readings;
    for (uint32_t i = 0; i < usableProcessors(); ++i) {
        CHECK(busy.pool.processorsToSpare());
        readings.emplace_back(busy.pool, i == 0);
    }
    CHECK_FALSE(busy.pool.processorsToSpare());
    readings.pop_back();
    CHECK(busy.pool.processorsToSpare());
}
