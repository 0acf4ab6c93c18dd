// SPDX-License-Identifier: PostgreSQL
// One file whose entries stand in a given order while many threads write them in any order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "core/base/sync.h"

namespace gantry::archive {

/// The entry whose turn it is goes straight to the output; the others go to a spool, an anonymous
/// file beside it. When an entry is finished the turn passes on, and what the next ones have in
/// the spool is copied behind it and given back to the file system.
///
/// The lock is held to reserve positions only: all writing and copying happens outside of it, at
/// places that are nobody else's. Whoever waits, waits for another thread's single write, so there
/// is no order of calls that could deadlock. All functions throw Error{Io}; after that the output
/// is not worth keeping.
class OrderedOutput {
public:
    /// A stretch of the spool or, once its entry's turn has come, of the output.
    struct Extent {
        uint64_t position = 0;
        uint64_t length = 0;
    };

    /// What is written of one entry. Only OrderedOutput looks inside.
    class Entry {
        friend class OrderedOutput;
        bool streaming = false;
        bool finished = false;
        bool discarded = false;
        uint32_t spoolWrites = 0;  // reserved, not yet written
        uint64_t begin = 0;
        std::vector<Extent> pieces;
        std::string suffix;
        uint64_t padding = 0;
    };

    /// An entry in its place, and what stands before its pieces.
    struct Slot {
        std::shared_ptr<Entry> entry;
        std::string prefix;
        uint64_t room = 0;  ///< bytes behind the prefix that are left out, zero until written
    };

    /// What is appended: bytes in memory, or what spool() returned.
    using Part = std::variant<std::span<const std::byte>, Extent>;

    /// `output` must outlive this.
    OrderedOutput(File& output, std::filesystem::path spoolFolder);

    /// Thread-safe, as all functions down to finish().
    std::shared_ptr<Entry> open();

    /// Puts bytes aside that belong to parts which are not complete yet.
    Extent spool(std::span<const std::byte> bytes);

    /// Appends pieces, one a part, with nothing of other threads between them; returns the index
    /// of the first. Extents are used up.
    std::size_t append(Entry& entry, std::span<const Part> parts);

    /// No append of this entry may follow. `suffix` stands behind its pieces, then `padding` zero
    /// bytes, which the file has as soon as something is written behind them.
    void finish(Entry& entry, std::string suffix, uint64_t padding = 0);

    /// Drops an entry that start() did not name; what is still appended to it vanishes.
    void discard(Entry& entry);

    /// Once: names the entries in order, the first of which begins at `position`. A slot without
    /// an entry is text alone.
    void start(uint64_t position, std::vector<Slot> order);

    /// After all entries are finished: where the next byte goes.
    uint64_t end() const;
    uint64_t beginOf(const Entry& entry) const;
    const std::vector<Extent>& piecesOf(const Entry& entry) const;

private:
    /// One step of what a turn that passes on leaves to do outside the lock.
    struct Step {
        Entry* source = nullptr;  ///< its spool writes must be complete; null for text
        Extent from;
        std::string text;
        uint64_t to = 0;
    };
    class Run;

    Extent reserveSpool(uint64_t length) REQUIRES(mutex_);
    Extent reservePieces(Entry& entry, std::span<const Part> parts) REQUIRES(mutex_);
    void writeParts(std::span<const Part> parts, Extent to, bool streaming);
    /// Of the thread whose call made the turn pass on; it goes no farther meanwhile.
    void passOn() EXCLUDES(mutex_);
    /// A part of the way; false at its end.
    bool passTurn(std::vector<Step>& steps) REQUIRES(mutex_);
    void carryOut(const std::vector<Step>& steps) EXCLUDES(mutex_);
    void waitForSpoolWrites(const Entry& entry) EXCLUDES(mutex_);
    void release(Extent extent) EXCLUDES(mutex_);
    void giveUp() noexcept EXCLUDES(mutex_);

    File& output_;
    std::filesystem::path spoolFolder_;
    mutable Mutex mutex_;
    std::condition_variable written_;
    File spool_;  // opened when first needed, then fixed
    uint64_t spoolEnd_ GUARDED_BY(mutex_) = 0;
    uint64_t spoolLive_ GUARDED_BY(mutex_) = 0;
    uint64_t end_ GUARDED_BY(mutex_) = 0;
    std::vector<Slot> order_ GUARDED_BY(mutex_);
    std::size_t turn_ GUARDED_BY(mutex_) = 0;
    bool failed_ GUARDED_BY(mutex_) = false;
};

}  // namespace gantry::archive
