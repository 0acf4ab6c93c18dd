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
          copied_(objects_.size(), 0),
          left_(objects_.size()) {}

    const std::vector<Oid>& objects() const { return objects_; }
    archive::LargeObjectMember& member() { return *member_; }

    /// Indexes in [begin, end) that no earlier attempt has brought into the archive. A slice
    /// belongs to one thread at a time.
    std::vector<uint64_t> notYetCopied(uint64_t begin, uint64_t end) const {
        std::vector<uint64_t> indexes;
        for (uint64_t index = begin; index < end; ++index) {
            if (copied_[index] == 0) indexes.push_back(index);
        }
        return indexes;
    }
    void markCopied(uint64_t index) { copied_[index] = 1; }

    /// `count` more objects are in the archive; the last call completes the entry.
    void objectsRead(uint64_t count) {
        if (left_.fetch_sub(count) == count) member_->finish();
    }

private:
    const std::vector<Oid> objects_;
    const std::shared_ptr<archive::LargeObjectMember> member_;
    std::vector<uint8_t> copied_;  ///< a byte each, since slices are marked by several threads
    std::atomic<uint64_t> left_;
};

}  // namespace gantry::dump
