// SPDX-License-Identifier: PostgreSQL
// One table on its way into the archive: what is read, what has been handed over, when it is whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/archive_writer.h"
#include "core/base/sync.h"
#include "core/dump/catalog.h"
#include "core/dump/compressor_pool.h"

namespace gantry::dump {

/// Shared by the copy threads that read its chunks and the compressors that append its frames.
/// The member is finished by whoever takes the last step, reading or appending.
class TableCopy : public FrameTarget, public std::enable_shared_from_this<TableCopy> {
public:
    /// `facts` outlive it. `units`: heap blocks that chunks will cover, or 1 for an undivided
    /// table. `goesFirst`: other copy threads make way while it is read.
    TableCopy(const TableFacts& facts, std::string condition, uint64_t units, bool goesFirst,
              std::shared_ptr<archive::TableMember> member);

    const TableFacts& facts() const { return facts_; }
    /// "WHERE …" of an extension's configuration table; empty for others.
    const std::string& condition() const { return condition_; }
    bool goesFirst() const { return goesFirst_; }

    /// What an earlier attempt at a chunk has handed over already: checksums of its frames. The
    /// same rows come again in the same order under the same snapshot, so a repeated attempt checks
    /// and skips them.
    struct Chunk {
        std::vector<uint64_t> submittedFrames;
    };
    /// The chunk's memory; valid as long as the table. One thread at a time works on a chunk.
    Chunk& chunk(uint32_t ordinal);

    /// To be called before a frame is submitted; append() is its counterpart.
    void frameSubmitted() { pending_.fetch_add(1, std::memory_order_relaxed); }
    void append(archive::EncodedFrame& frame) override;
    /// `units` more have been read to their end, `rows` by the server's count.
    void unitsRead(uint64_t units, uint64_t rows);

    bool isWhole() const { return whole_.load(); }
    /// What has been compressed since the last call; chunks share their table's member.
    uint64_t newlyCompressed();

private:
    void oneStepLess();

    const TableFacts& facts_;
    const std::string condition_;
    const bool goesFirst_;
    const std::shared_ptr<archive::TableMember> member_;
    std::atomic<uint64_t> unitsLeft_;
    std::atomic<uint64_t> compressedTold_ = 0;
    std::atomic<uint64_t> rows_ = 0;
    std::atomic<uint64_t> pending_ = 1;  ///< frames under way, and one for the reading itself
    std::atomic<bool> whole_ = false;
    Mutex mutex_;
    std::map<uint32_t, Chunk> chunks_ GUARDED_BY(mutex_);
};

}  // namespace gantry::dump
