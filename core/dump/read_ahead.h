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

#include "core/base/buffer.h"
#include "core/base/sync.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// While rows are made into text nobody empties the socket, and a server that writes faster waits;
/// with a processor to spare the two go side by side. Holds at most a few hundred kilobytes, or one
/// larger row. The connection belongs to it from construction to destruction.
class ReadAhead {
public:
    /// Begins to read the COPY that has been begun on the connection.
    explicit ReadAhead(pg::Connection& connection);
    /// Waits for the thread. If rows are left, the COPY stays unfinished on the connection.
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    /// As Connection::nextCopyRow, also in what it throws. One thread, not the reading one.
    std::optional<std::string_view> next();

private:
    void read();
    /// Waits for room, and hands over what has been read; false if nobody wants more.
    bool hand(Buffer& batch);

    pg::Connection& connection_;
    Mutex mutex_;
    std::condition_variable changed_;
    std::deque<Buffer> filled_ GUARDED_BY(mutex_);  ///< each row behind its length
    std::size_t ahead_ GUARDED_BY(mutex_) = 0;      ///< bytes of them
    std::deque<Buffer> emptied_ GUARDED_BY(mutex_);
    bool ended_ GUARDED_BY(mutex_) = false;     ///< all has been read, or failed
    bool unwanted_ GUARDED_BY(mutex_) = false;  ///< nobody will ask for more
    std::exception_ptr failure_ GUARDED_BY(mutex_);
    Buffer current_;         ///< whose rows next() returns
    std::size_t taken_ = 0;  ///< bytes of it
    std::jthread thread_;    ///< last, so that all it uses is there
};

}  // namespace gantry::dump
