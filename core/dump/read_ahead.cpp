// SPDX-License-Identifier: PostgreSQL
#include "core/dump/read_ahead.h"

#include <cstring>
#include <span>
#include <utility>

namespace gantry::dump {
namespace {

constexpr std::size_t kBatch = std::size_t{128} << 10;  // small enough to stay in the cache
constexpr std::size_t kMostAhead = 4 * kBatch;

using Length = std::size_t;

void appendRow(std::string_view row, Buffer& batch) {
    const Length length = row.size();
    batch.append(std::as_bytes(std::span(&length, 1)));
    batch.append(row);
}

}  // namespace

ReadAhead::ReadAhead(pg::Connection& connection)
    : connection_(connection), thread_([this] { read(); }) {}

ReadAhead::~ReadAhead() {
    const MutexLock lock(mutex_);
    unwanted_ = true;
    changed_.notify_all();
}

std::optional<std::string_view> ReadAhead::next() {
    if (taken_ == current_.size()) {
        current_.clear();
        current_.shrinkTo(2 * kBatch);
        taken_ = 0;
        MutexLock lock(mutex_);
        emptied_.push_back(std::move(current_));
        changed_.notify_all();
        changed_.wait(lock.native(),
                      [this]() REQUIRES(mutex_) { return !filled_.empty() || ended_; });
        if (filled_.empty()) {
            if (failure_) std::rethrow_exception(failure_);
            return std::nullopt;
        }
        current_ = std::move(filled_.front());
        filled_.pop_front();
        ahead_ -= current_.size();
    }
    Length length = 0;
    std::memcpy(&length, current_.data() + taken_, sizeof length);
    const std::string_view row =
        textOf(std::as_const(current_).span().subspan(taken_ + sizeof length, length));
    taken_ += sizeof length + length;
    return row;
}

void ReadAhead::read() {
    Buffer batch(2 * kBatch);
    std::exception_ptr failure;
    try {
        while (const auto row = connection_.nextCopyRow()) {
            appendRow(*row, batch);
            if (batch.size() >= kBatch && !hand(batch)) return;
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (!batch.empty() && !hand(batch)) return;
    const MutexLock lock(mutex_);
    ended_ = true;
    failure_ = failure;
    changed_.notify_all();
}

bool ReadAhead::hand(Buffer& batch) {
    MutexLock lock(mutex_);
    changed_.wait(lock.native(), [this, &batch]() REQUIRES(mutex_) {
        return filled_.empty() || ahead_ + batch.size() <= kMostAhead || unwanted_;
    });
    if (unwanted_) return false;
    ahead_ += batch.size();
    filled_.push_back(std::move(batch));
    changed_.notify_all();
    if (!emptied_.empty()) {
        batch = std::move(emptied_.front());
        emptied_.pop_front();
    }
    return true;
}

}  // namespace gantry::dump
