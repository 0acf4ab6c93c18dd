// SPDX-License-Identifier: PostgreSQL
#include "core/archive/ordered_output.h"

#include <utility>

#include "core/base/buffer.h"
#include "core/base/error.h"

namespace gantry::archive {
namespace {

constexpr std::size_t kStepsAtOnce = 1024;
constexpr uint64_t kCopyInKernel = 64 * 1024;  // below, reading and writing it together is cheaper
constexpr std::size_t kRunSize = 1 << 20;
constexpr std::size_t kWorthGathering = 64 * 1024;
constexpr uint64_t kWriteBackFrom = 1 << 20;
constexpr uint64_t kWorthTruncating = 64 << 20;

}  // namespace

// Gathers small neighbours into one write.
class OrderedOutput::Run {
public:
    /// `kept`: what is written stays, so that the disk may as well have it now.
    Run(File& file, bool kept) : file_(file), kept_(kept) {}

    void put(uint64_t position, std::span<const std::byte> bytes) {
        makeRoom(position, bytes.size());
        if (bytes.size() > kWorthGathering) {
            flush();
            file_.writeAt(position, bytes);
            startWriteback(position, bytes.size());
        } else {
            buffer_.append(bytes);
        }
    }
    void copy(const File& source, Extent from, uint64_t to) {
        if (from.length >= kCopyInKernel) {
            flush();
            file_.copyRangeFrom(source, from.position, from.length, to);
            startWriteback(to, from.length);
            return;
        }
        const auto length = static_cast<std::size_t>(from.length);
        makeRoom(to, length);
        const std::size_t old = buffer_.size();
        buffer_.resize(old + length);
        if (source.readAt(from.position, buffer_.span().subspan(old)) != length) {
            throw Error(ErrorKind::Io, "the spool is shorter than what was written to it",
                        source.path().string());
        }
    }
    void flush() {
        if (!buffer_.empty()) file_.writeAt(start_, buffer_.span());
        buffer_.clear();
    }

private:
    void startWriteback(uint64_t position, uint64_t length) {
        if (kept_ && length >= kWriteBackFrom) file_.startWriteback(position, length);
    }
    void makeRoom(uint64_t position, std::size_t length) {
        if (position != start_ + buffer_.size() || buffer_.size() + length > kRunSize) flush();
        if (buffer_.empty()) start_ = position;
    }

    File& file_;
    const bool kept_;
    Buffer buffer_;
    uint64_t start_ = 0;
};

OrderedOutput::OrderedOutput(File& output, std::filesystem::path spoolFolder)
    : output_(output), spoolFolder_(std::move(spoolFolder)) {}

std::shared_ptr<OrderedOutput::Entry> OrderedOutput::open() { return std::make_shared<Entry>(); }

OrderedOutput::Extent OrderedOutput::reserveSpool(uint64_t length) {
    if (!spool_.isOpen()) spool_ = File::createAnonymous(spoolFolder_);
    const Extent extent{spoolEnd_, length};
    spoolEnd_ += length;
    spoolLive_ += length;
    return extent;
}

OrderedOutput::Extent OrderedOutput::spool(std::span<const std::byte> bytes) {
    Extent extent;
    {
        const MutexLock lock(mutex_);
        extent = reserveSpool(bytes.size());
    }
    spool_.writeAt(extent.position, bytes);
    return extent;
}

// The place of what must be written: all parts in the output, those in memory in the spool.
OrderedOutput::Extent OrderedOutput::reservePieces(Entry& entry, std::span<const Part> parts) {
    uint64_t inMemory = 0;
    uint64_t total = 0;
    for (const Part& part : parts) {
        if (const auto* bytes = std::get_if<std::span<const std::byte>>(&part)) {
            inMemory += bytes->size();
            total += bytes->size();
        } else {
            total += std::get<Extent>(part).length;
        }
    }
    Extent place{end_, total};
    if (entry.streaming) {
        end_ += total;
    } else {
        place = reserveSpool(inMemory);
        ++entry.spoolWrites;
    }
    uint64_t next = place.position;
    for (const Part& part : parts) {
        const auto* bytes = std::get_if<std::span<const std::byte>>(&part);
        const uint64_t length = bytes != nullptr ? bytes->size() : std::get<Extent>(part).length;
        if (bytes == nullptr && !entry.streaming) {
            entry.pieces.push_back(std::get<Extent>(part));
        } else {
            entry.pieces.push_back({next, length});
            next += length;
        }
    }
    return place;
}

void OrderedOutput::writeParts(std::span<const Part> parts, Extent to, bool streaming) {
    Run run(streaming ? output_ : spool_, streaming);
    uint64_t next = to.position;
    for (const Part& part : parts) {
        if (const auto* bytes = std::get_if<std::span<const std::byte>>(&part)) {
            run.put(next, *bytes);
            next += bytes->size();
        } else if (streaming) {
            const Extent& extent = std::get<Extent>(part);
            run.copy(spool_, extent, next);
            release(extent);
            next += extent.length;
        }
    }
    run.flush();
}

std::size_t OrderedOutput::append(Entry& entry, std::span<const Part> parts) {
    std::size_t first = 0;
    Extent place;
    bool streaming = false;
    {
        const MutexLock lock(mutex_);
        if (entry.discarded) return 0;
        streaming = entry.streaming;
        first = entry.pieces.size();
        place = reservePieces(entry, parts);
    }
    try {
        writeParts(parts, place, streaming);
    } catch (...) {
        giveUp();
        throw;
    }
    if (!streaming) {
        const MutexLock lock(mutex_);
        if (--entry.spoolWrites == 0) written_.notify_all();
    }
    return first;
}

void OrderedOutput::finish(Entry& entry, std::string suffix, uint64_t padding) {
    {
        const MutexLock lock(mutex_);
        entry.finished = true;
        entry.suffix = std::move(suffix);
        entry.padding = padding;
        if (!entry.streaming) return;
    }
    passOn();
}

void OrderedOutput::discard(Entry& entry) {
    {
        const MutexLock lock(mutex_);
        entry.discarded = true;
    }
    waitForSpoolWrites(entry);
    std::vector<Extent> pieces;
    {
        const MutexLock lock(mutex_);
        pieces.swap(entry.pieces);
    }
    for (const Extent& extent : pieces) release(extent);
}

void OrderedOutput::start(uint64_t position, std::vector<Slot> order) {
    {
        const MutexLock lock(mutex_);
        end_ = position;
        order_ = std::move(order);
    }
    passOn();
}

void OrderedOutput::passOn() {
    std::vector<Step> steps;
    for (bool more = true; more;) {
        steps.clear();
        {
            const MutexLock lock(mutex_);
            more = passTurn(steps);
        }
        carryOut(steps);
    }
}

// From the entry whose turn it is, or has just become, to the first one that is not finished:
// places are given away here, in order; what belongs there is copied afterwards. Of thousands that
// are finished already only so many at once; the next one's turn has not come meanwhile.
bool OrderedOutput::passTurn(std::vector<Step>& steps) {
    const auto text = [&](std::string bytes) REQUIRES(mutex_) {
        if (bytes.empty()) return;
        const uint64_t length = bytes.size();
        steps.push_back({nullptr, {}, std::move(bytes), end_});
        end_ += length;
    };
    for (; turn_ < order_.size(); ++turn_) {
        if (steps.size() >= kStepsAtOnce) return true;
        Slot& slot = order_[turn_];
        Entry* entry = slot.entry.get();
        if (entry == nullptr || !entry->streaming) {
            if (entry != nullptr) entry->begin = end_;
            text(std::exchange(slot.prefix, {}));
            end_ += slot.room;
        }
        if (entry == nullptr) continue;
        if (!entry->streaming) {
            entry->streaming = true;
            for (Extent& piece : entry->pieces) {
                steps.push_back({entry, piece, {}, end_});
                piece.position = end_;
                end_ += piece.length;
            }
        }
        if (!entry->finished) return false;
        text(std::exchange(entry->suffix, {}));
        end_ += entry->padding;
    }
    return false;
}

void OrderedOutput::carryOut(const std::vector<Step>& steps) {
    if (steps.empty()) return;
    try {
        Run run(output_, true);
        const Entry* complete = nullptr;
        for (const Step& step : steps) {
            if (step.source == nullptr) {
                run.put(step.to, bytesOf(step.text));
                continue;
            }
            if (step.source != complete) waitForSpoolWrites(*step.source);
            complete = step.source;
            run.copy(spool_, step.from, step.to);
            release(step.from);
        }
        run.flush();
    } catch (...) {
        giveUp();
        throw;
    }
}

void OrderedOutput::waitForSpoolWrites(const Entry& entry) {
    MutexLock lock(mutex_);
    while (entry.spoolWrites > 0 && !failed_) written_.wait(lock.native());
    if (failed_) {
        throw Error(ErrorKind::Io, "another write of this archive failed", output_.path().string());
    }
}

// The extent counts as live until its hole is punched: nobody else may have its place before.
void OrderedOutput::release(Extent extent) {
    if (extent.length >= kCopyInKernel) spool_.punchHole(extent.position, extent.length);
    const MutexLock lock(mutex_);
    spoolLive_ -= extent.length;
    if (spoolLive_ == 0 && spoolEnd_ >= kWorthTruncating) {
        spool_.truncate(0);
        spoolEnd_ = 0;
    }
}

void OrderedOutput::giveUp() noexcept {
    const MutexLock lock(mutex_);
    failed_ = true;
    written_.notify_all();
}

uint64_t OrderedOutput::end() const {
    const MutexLock lock(mutex_);
    return end_;
}

uint64_t OrderedOutput::beginOf(const Entry& entry) const {
    const MutexLock lock(mutex_);
    return entry.begin;
}

const std::vector<OrderedOutput::Extent>& OrderedOutput::piecesOf(const Entry& entry) const {
    const MutexLock lock(mutex_);
    return entry.pieces;
}

}  // namespace gantry::archive
