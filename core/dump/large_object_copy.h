// SPDX-License-Identifier: PostgreSQL
// The large objects of one BLOBS entry on their way into the archive.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive/archive_writer.h"
#include "core/base/ids.h"

namespace gantry::dump {

/// Shared by the workers that read its slices; units of its task are indexes into `objects`.
class LargeObjectCopy {
public:
    LargeObjectCopy(std::vector<Oid> objects, std::shared_ptr<archive::LargeObjectMember> member)
        : objects_(std::move(objects)),
          member_(std::move(member)),
          lengths_(objects_.size(), kNotCopied),
          left_(objects_.size()) {}

    const std::vector<Oid>& objects() const { return objects_; }
    archive::LargeObjectMember& member() { return *member_; }

    /// Indexes in [begin, end) that no earlier attempt has brought into the archive. A slice
    /// belongs to one thread at a time.
    std::vector<uint64_t> notYetCopied(uint64_t begin, uint64_t end) const {
        std::vector<uint64_t> indexes;
        for (uint64_t index = begin; index < end; ++index) {
            if (lengths_[index] == kNotCopied) indexes.push_back(index);
        }
        return indexes;
    }
    void markCopied(uint64_t index, uint64_t length) { lengths_[index] = length; }
    /// Bytes of what has been copied of [begin, end), by this attempt and earlier ones.
    uint64_t bytesCopied(uint64_t begin, uint64_t end) const {
        uint64_t bytes = 0;
        for (uint64_t index = begin; index < end; ++index) {
            if (lengths_[index] != kNotCopied) bytes += lengths_[index];
        }
        return bytes;
    }

    /// `count` more objects are in the archive; the last call completes the entry.
    void objectsRead(uint64_t count) {
        if (left_.fetch_sub(count) == count) member_->finish();
    }

private:
    static constexpr uint64_t kNotCopied = UINT64_MAX;

    const std::vector<Oid> objects_;
    const std::shared_ptr<archive::LargeObjectMember> member_;
    std::vector<uint64_t> lengths_;
    std::atomic<uint64_t> left_;
};

}  // namespace gantry::dump
