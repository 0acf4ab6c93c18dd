// SPDX-License-Identifier: PostgreSQL
#include "core/dump/compressor_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/processor_load.h"

namespace gantry::dump {
namespace {

/// From this zstd level on a frame takes long, and its tables much room.
constexpr int kSlowLevel = 10;
constexpr std::chrono::milliseconds kLoadInterval{200};

/// One being filled, one waiting. Slow compressors never find the queue empty: there it is enough
/// that each thread has one to take next.
uint32_t buffersPerProducer(const io::Compression& compression) {
    const bool slow =
        compression.algorithm == io::Algorithm::Zstd && compression.level.value_or(0) >= kSlowLevel;
    return slow ? 1 : 2;
}

/// Compressors take what the readers, and a server on the same machine, leave over: a server that
/// is kept waiting never makes up for it, a frame in the queue does. Not by much: beside other work
/// of the machine they would starve, and the server wait for them after all. (On Linux the priority
/// is a thread's own; elsewhere it would be the process's.)
void letReadersGoFirst() {
#ifdef __linux__
    constexpr int kNice = 3;
    (void)::setpriority(PRIO_PROCESS, 0, kNice);
#endif
}

}  // namespace

CompressorPool::CompressorPool(const Settings& settings,
                               std::function<void(std::exception_ptr)> onFailure)
    : settings_(settings),
      onFailure_(std::move(onFailure)),
      processors_(usableProcessors()),
      unmade_(settings.producers * buffersPerProducer(settings.compression) + settings.threads),
      autoLevel_(AutoLevel::Limits{}) {
    threads_.reserve(settings_.threads);
    for (uint32_t i = 0; i < settings_.threads; ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
}

CompressorPool::~CompressorPool() {
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.notify_all();
}

std::unique_ptr<io::FrameEncoder> CompressorPool::makeEncoder() const {
    return io::makeFrameEncoder(settings_.compression, settings_.style);
}

std::optional<int> CompressorPool::automaticLevel() const {
    if (!settings_.compression.automatic) return std::nullopt;
    const MutexLock lock(mutex_);
    return autoLevel_.level();
}

Duration CompressorPool::waited() const {
    const MutexLock lock(mutex_);
    return waited_;
}

Buffer CompressorPool::takeBuffer(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    if (free_.empty() && unmade_ == 0) {
        const auto since = std::chrono::steady_clock::now();
        changed_.wait(lock.native(), stop, [this]() REQUIRES(mutex_) {
            return failure_ || !free_.empty() || unmade_ > 0;
        });
        waited_ += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - since);
    }
    if (failure_) std::rethrow_exception(failure_);
    if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
    if (!free_.empty()) {
        Buffer buffer = std::move(free_.back());
        free_.pop_back();
        return buffer;
    }
    --unmade_;
    lock.native().unlock();
    Buffer fresh(kFrameSize);
    lock.native().lock();
    return fresh;
}

void CompressorPool::returnBuffer(Buffer buffer) {
    buffer.clear();
    buffer.shrinkTo(kFrameSize);
    {
        const MutexLock lock(mutex_);
        free_.push_back(std::move(buffer));
    }
    changed_.notify_all();
}

void CompressorPool::submit(RawFrame frame) {
    {
        const MutexLock lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
        queue_.push_back(std::move(frame));
    }
    changed_.notify_all();
}

CompressorPool::Reader::Reader(CompressorPool& pool, bool goesFirst)
    : pool_(pool), goesFirst_(goesFirst) {
    ++pool_.readers_;
    if (!goesFirst_) return;
    const MutexLock lock(pool_.mutex_);
    ++pool_.goingFirst_;
}

CompressorPool::Reader::~Reader() {
    --pool_.readers_;
    if (!goesFirst_) return;
    {
        const MutexLock lock(pool_.mutex_);
        --pool_.goingFirst_;
    }
    pool_.changed_.notify_all();
}

void CompressorPool::makeWay(const std::stop_token& stop) {
    if (goingFirst_.load(std::memory_order_relaxed) == 0) return;
    MutexLock lock(mutex_);
    const uint32_t others = std::max(processors_, 2U) - 1;  // one at least, or none ever goes on
    changed_.wait(lock.native(), stop, [&]() REQUIRES(mutex_) {
        return failure_ || goingFirst_ == 0 || queue_.size() + inWork_ < others;
    });
}

void CompressorPool::encode(const RawFrame& frame, io::FrameEncoder& encoder, io::FrameStyle style,
                            archive::EncodedFrame& encoded) {
    encoder.encode(frame.rows.span(), frame.checksum, encoded.bytes);
    encoded.rawSize = frame.rows.size();
    encoded.rows = frame.rowCount;
    encoded.checksum = frame.checksum;
    if (style == io::FrameStyle::ZlibPieces) encoded.adler = io::adler32Of(frame.rows.span());
}

void CompressorPool::drain(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    if (settings_.threads < processors_ && !queue_.empty()) {
        const std::unique_ptr<io::FrameEncoder> encoder = makeEncoder();
        encoder->stopOn(stop);
        archive::EncodedFrame encoded;
        if (settings_.compression.automatic) encoder->setLevel(autoLevel_.level());
        while (!queue_.empty() && !failure_ && !stop.stop_requested()) {
            RawFrame frame = takeFrame();
            lock.native().unlock();
            try {
                compress(std::move(frame), *encoder, encoded);
            } catch (...) {
                lock.native().lock();
                --inWork_;
                failure_ = std::current_exception();
                throw;
            }
            lock.native().lock();
        }
    }
    changed_.wait(lock.native(), stop, [this]() REQUIRES(mutex_) {
        return failure_ || (queue_.empty() && inWork_ == 0);
    });
    if (failure_) std::rethrow_exception(failure_);
    if (stop.stop_requested()) throw Error(ErrorKind::Cancelled, "cancelled");
}

RawFrame CompressorPool::takeFrame() {
    RawFrame frame = std::move(queue_.front());
    queue_.pop_front();
    ++inWork_;
    return frame;
}

void CompressorPool::compress(RawFrame frame, io::FrameEncoder& encoder,
                              archive::EncodedFrame& encoded) {
    encode(frame, encoder, settings_.style, encoded);
    returnBuffer(std::move(frame.rows));
    frame.target->append(encoded);
    encoded.bytes.shrinkTo(2 * kFrameSize);
    frame.target.reset();
    {
        const MutexLock lock(mutex_);
        --inWork_;
    }
    changed_.notify_all();
}

void CompressorPool::work(const std::stop_token& stop) {
    try {
        letReadersGoFirst();
        const std::unique_ptr<io::FrameEncoder> encoder = makeEncoder();
        encoder->stopOn(stop);
        archive::EncodedFrame encoded;
        ProcessorLoad load;
        auto measured = std::chrono::steady_clock::now();
        for (;;) {
            RawFrame frame;
            {
                MutexLock lock(mutex_);
                changed_.wait(lock.native(), stop,
                              [this]() REQUIRES(mutex_) { return !queue_.empty(); });
                if (stop.stop_requested() || failure_) return;
                if (settings_.compression.automatic) {
                    const auto now = std::chrono::steady_clock::now();
                    if (now - measured >= kLoadInterval) {
                        measured = now;
                        autoLevel_.observe(static_cast<double>(queue_.size()) / settings_.producers,
                                           load.idleShareSinceLastCall());
                    }
                    encoder->setLevel(autoLevel_.level());
                }
                frame = takeFrame();
            }
            compress(std::move(frame), *encoder, encoded);
        }
    } catch (...) {
        if (!stop.stop_requested()) fail(std::current_exception());
    }
}

void CompressorPool::fail(std::exception_ptr error) {
    {
        const MutexLock lock(mutex_);
        if (failure_) return;
        failure_ = error;
    }
    changed_.notify_all();
    onFailure_(error);
}

}  // namespace gantry::dump
