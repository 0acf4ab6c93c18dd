// SPDX-License-Identifier: PostgreSQL
// Fetches the rows of a COPY on a thread of its own, ahead of whoever works on them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/sync.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// While rows are made into text nobody empties the socket, and a server that writes faster waits;
/// with a processor to spare the two go side by side. Holds at most three megabytes, or one larger
/// row: what is taken off it may wait for a processor some milliseconds, and the server should not.
/// Serves one COPY after the other: where all processors are at work, a new thread waits for its
/// first turn longer than a small table takes.
class ReadAhead {
public:
    ReadAhead();
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    /// What one COPY brings. One at a time, and on one thread.
    class Rows {
    public:
        /// Reads the COPY under way on the connection from its next row on. The connection is the
        /// reading thread's from now on, and a row that it returned before is gone.
        Rows(ReadAhead& reader, pg::Connection& connection);
        /// Waits until the connection is free again. If rows are left, the COPY stays unfinished on
        /// it.
        ~Rows();
        Rows(const Rows&) = delete;
        Rows& operator=(const Rows&) = delete;

        /// As Connection::nextCopyRow, also in what it throws.
        std::optional<std::string_view> next();

    private:
        ReadAhead& reader_;
        Buffer current_;         ///< whose rows next() returns
        std::size_t taken_ = 0;  ///< bytes of it
    };

private:
    void work();
    void read(pg::Connection& connection);
    /// Waits for room, and hands over what has been read; false if nobody wants more.
    bool hand(Buffer& batch);
    /// The next batch, in exchange for one that has been used; false at the end.
    bool exchange(Buffer& used);
    void empty(Buffer batch) REQUIRES(mutex_);
    Buffer anEmptyOne() REQUIRES(mutex_);

    Mutex mutex_;
    std::condition_variable changed_;
    pg::Connection* connection_ GUARDED_BY(mutex_) = nullptr;  ///< while it is read
    std::deque<Buffer> filled_ GUARDED_BY(mutex_);             ///< each row behind its length
    std::size_t ahead_ GUARDED_BY(mutex_) = 0;                 ///< bytes of them
    std::vector<Buffer> emptied_ GUARDED_BY(mutex_);
    bool unwanted_ GUARDED_BY(mutex_) = false;  ///< nobody will ask for more
    bool closing_ GUARDED_BY(mutex_) = false;
    std::exception_ptr failure_ GUARDED_BY(mutex_);
    std::jthread thread_;  ///< last, so that all it uses is there
};

}  // namespace gantry::dump
