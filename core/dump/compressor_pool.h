// SPDX-License-Identifier: PostgreSQL
// Compressor threads between the copy connections and the archive.
//
// Copy threads fill buffers of whole rows and hand them over; any compressor takes the next one,
// compresses it and gives it to its table. The number of buffers bounds both the queue and the
// memory: a copy thread that finds none free waits, which is how a slow codec slows the server's
// stream down without stalling it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/archive/archive_writer.h"
#include "core/base/buffer.h"
#include "core/base/clock.h"
#include "core/base/sync.h"
#include "core/dump/auto_level.h"
#include "core/io/codec.h"

namespace gantry::dump {

/// Raw bytes of a full frame; a single larger row makes a larger frame.
inline constexpr std::size_t kFrameSize = std::size_t{8} << 20;

/// Takes frames of one table. Called from any compressor thread, several at once.
class FrameTarget {
public:
    virtual ~FrameTarget() = default;
    virtual void append(archive::EncodedFrame& frame) = 0;
};

/// A buffer of whole rows on its way to a compressor.
struct RawFrame {
    Buffer rows;
    uint64_t rowCount = 0;
    uint64_t checksum = 0;
    std::shared_ptr<FrameTarget> target;
};

class CompressorPool {
public:
    struct Settings {
        uint32_t threads = 1;
        uint32_t producers = 1;  ///< copy threads that fill buffers
        io::Compression compression;
        io::FrameStyle style = io::FrameStyle::Independent;
    };

    /// `onFailure` is called once, on a compressor thread, when an append or a codec failed.
    CompressorPool(const Settings& settings, std::function<void(std::exception_ptr)> onFailure);
    ~CompressorPool();

    /// An empty buffer with room for a frame; waits until one is free. Throws Error{Cancelled} on
    /// stop, or what made the pool fail.
    Buffer takeBuffer(const std::stop_token& stop);
    /// Gives a buffer back unused.
    void returnBuffer(Buffer buffer);
    /// Never waits: whoever has a buffer has a place in the queue.
    void submit(RawFrame frame);
    /// What a copy thread holds while it reads.
    class Reader {
    public:
        /// `goesFirst`: a table that all wait for in the end; the others make way meanwhile.
        Reader(CompressorPool& pool, bool goesFirst);
        ~Reader();
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

    private:
        CompressorPool& pool_;
        const bool goesFirst_;
    };
    /// Fewer copy threads read now than there are processors.
    bool processorsToSpare() const { return readers_ < processors_; }
    /// For the other copy threads, from time to time: while somebody goes first, waits as long as
    /// compressors have work for all processors but the one that reading it takes. So the rows of
    /// other tables fill the gaps. Returns at once on stop and when the pool has failed.
    void makeWay(const std::stop_token& stop);

    /// Compresses on the calling thread with the caller's own encoder: for small tables, where
    /// handing over costs more than compressing.
    static void encode(const RawFrame& frame, io::FrameEncoder& encoder, io::FrameStyle style,
                       archive::EncodedFrame& encoded);
    /// Waits until everything submitted has been appended, and compresses with the others where
    /// that leaves a processor idle; rethrows what made the pool fail. Throws Error{Cancelled} once
    /// `stop` is requested.
    void drain(const std::stop_token& stop);

    std::unique_ptr<io::FrameEncoder> makeEncoder() const;
    io::FrameStyle style() const { return settings_.style; }
    /// The level in force now, if it is ours to choose.
    std::optional<int> automaticLevel() const;
    /// What all copy threads together have waited for buffers, so for compressors.
    Duration waited() const;

private:
    void work(const std::stop_token& stop);
    RawFrame takeFrame() REQUIRES(mutex_);
    /// Compresses and appends a frame that has been taken.
    void compress(RawFrame frame, io::FrameEncoder& encoder, archive::EncodedFrame& encoded);
    void fail(std::exception_ptr error);

    const Settings settings_;
    const std::function<void(std::exception_ptr)> onFailure_;
    const uint32_t processors_;
    mutable Mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<RawFrame> queue_ GUARDED_BY(mutex_);
    std::vector<Buffer> free_ GUARDED_BY(mutex_);
    uint32_t unmade_ GUARDED_BY(mutex_);  ///< buffers that may still be allocated
    uint32_t inWork_ GUARDED_BY(mutex_) = 0;
    Duration waited_ GUARDED_BY(mutex_){};
    std::atomic<uint32_t> readers_ = 0;
    std::atomic<uint32_t> goingFirst_ = 0;  ///< who go first; changed under the mutex
    std::exception_ptr failure_ GUARDED_BY(mutex_);
    AutoLevel autoLevel_ GUARDED_BY(mutex_);
    std::vector<std::jthread> threads_;
};

}  // namespace gantry::dump
