// SPDX-License-Identifier: PostgreSQL
#include "core/dump/read_ahead.h"

#include <cstring>
#include <span>
#include <utility>

namespace gantry::dump {
namespace {

constexpr std::size_t kBatch = std::size_t{256} << 10;  // small enough to stay in the cache
constexpr std::size_t kMostAhead = 12 * kBatch;

using Length = std::size_t;

void appendRow(std::string_view row, Buffer& batch) {
    const Length length = row.size();
    batch.append(std::as_bytes(std::span(&length, 1)));
    batch.append(row);
}

}  // namespace

ReadAhead::ReadAhead() : thread_([this] { work(); }) {}

ReadAhead::~ReadAhead() {
    const MutexLock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
}

ReadAhead::Rows::Rows(ReadAhead& reader, pg::Connection& connection) : reader_(reader) {
    const MutexLock lock(reader_.mutex_);
    reader_.connection_ = &connection;
    reader_.changed_.notify_all();
}

ReadAhead::Rows::~Rows() {
    MutexLock lock(reader_.mutex_);
    reader_.unwanted_ = true;
    reader_.changed_.notify_all();
    reader_.changed_.wait(lock.native(), [this]() REQUIRES(reader_.mutex_) {
        return reader_.connection_ == nullptr;
    });
    for (Buffer& batch : reader_.filled_) reader_.empty(std::move(batch));
    reader_.empty(std::move(current_));
    reader_.filled_.clear();
    reader_.ahead_ = 0;
    reader_.unwanted_ = false;
    reader_.failure_ = nullptr;
}

std::optional<std::string_view> ReadAhead::Rows::next() {
    if (taken_ == current_.size()) {
        taken_ = 0;
        if (!reader_.exchange(current_)) return std::nullopt;
    }
    Length length = 0;
    std::memcpy(&length, current_.data() + taken_, sizeof length);
    const std::string_view row =
        textOf(std::as_const(current_).span().subspan(taken_ + sizeof length, length));
    taken_ += sizeof length + length;
    return row;
}

bool ReadAhead::exchange(Buffer& used) {
    MutexLock lock(mutex_);
    empty(std::move(used));
    changed_.notify_all();
    changed_.wait(lock.native(),
                  [this]() REQUIRES(mutex_) { return !filled_.empty() || connection_ == nullptr; });
    if (filled_.empty()) {
        if (failure_) std::rethrow_exception(failure_);
        return false;
    }
    used = std::move(filled_.front());
    filled_.pop_front();
    ahead_ -= used.size();
    return true;
}

void ReadAhead::empty(Buffer batch) {
    if (batch.capacity() == 0) return;
    batch.clear();
    batch.shrinkTo(2 * kBatch);
    emptied_.push_back(std::move(batch));
}

Buffer ReadAhead::anEmptyOne() {
    if (emptied_.empty()) return Buffer(2 * kBatch);
    Buffer batch = std::move(emptied_.back());
    emptied_.pop_back();
    return batch;
}

void ReadAhead::work() {
    MutexLock lock(mutex_);
    for (;;) {
        changed_.wait(lock.native(),
                      [this]() REQUIRES(mutex_) { return connection_ != nullptr || closing_; });
        if (connection_ == nullptr) return;
        pg::Connection& connection = *connection_;
        lock.native().unlock();
        std::exception_ptr failure;
        try {
            read(connection);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.native().lock();
        failure_ = failure;
        connection_ = nullptr;
        changed_.notify_all();
    }
}

void ReadAhead::read(pg::Connection& connection) {
    Buffer batch;
    {
        const MutexLock lock(mutex_);
        batch = anEmptyOne();
    }
    try {
        while (const auto row = connection.nextCopyRow()) {
            appendRow(*row, batch);
            if (batch.size() >= kBatch && !hand(batch)) return;
        }
    } catch (...) {
        if (!batch.empty()) (void)hand(batch);  // what came before is there
        throw;
    }
    if (!batch.empty() && !hand(batch)) return;
    const MutexLock lock(mutex_);
    empty(std::move(batch));
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
    batch = anEmptyOne();
    return true;
}

}  // namespace gantry::dump
