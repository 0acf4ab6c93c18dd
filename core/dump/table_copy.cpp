// SPDX-License-Identifier: PostgreSQL
#include "core/dump/table_copy.h"

#include <utility>

namespace gantry::dump {

TableCopy::TableCopy(const TableFacts& facts, std::string condition, uint64_t units, bool goesFirst,
                     std::shared_ptr<archive::TableMember> member)
    : facts_(facts),
      condition_(std::move(condition)),
      goesFirst_(goesFirst),
      member_(std::move(member)),
      unitsLeft_(units) {}

TableCopy::Chunk& TableCopy::chunk(uint32_t ordinal) {
    const MutexLock lock(mutex_);
    return chunks_[ordinal];  // a map's nodes stay where they are
}

void TableCopy::append(archive::EncodedFrame& frame) {
    member_->append(frame);
    oneStepLess();
}

void TableCopy::unitsRead(uint64_t units, uint64_t rows) {
    rows_.fetch_add(rows);
    if (unitsLeft_.fetch_sub(units) == units) oneStepLess();
}

void TableCopy::oneStepLess() {
    if (pending_.fetch_sub(1) != 1) return;
    member_->finish(rows_.load());
    whole_ = true;
}

uint64_t TableCopy::newlyCompressed() {
    const uint64_t now = member_->compressedSize();
    uint64_t told = compressedTold_.load();
    while (told < now && !compressedTold_.compare_exchange_weak(told, now)) {
    }
    return told < now ? now - told : 0;
}

}  // namespace gantry::dump
