// SPDX-License-Identifier: PostgreSQL
// Keeps the server's WAL writer at work while a vacuum or a restore writes much.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/options/connection_options.h"
#include "core/pg/connection.h"

namespace gantry::pg {

/// What has to be written, or looked at for it, without a commit, which would wake the WAL writer
/// by itself. Bytes.
inline constexpr uint64_t kWorthAWaker = uint64_t{64} << 20;

/// How many bytes of WAL are to come between two wakings, with WAL buffers of so many bytes.
uint64_t enoughToWake(uint64_t buffers);
/// How long a sync may take with so many bytes of buffers, and in a file of the WAL; empty:
/// whatever it takes.
std::optional<Duration> longestSync(uint64_t buffers, uint64_t file);
/// How long to sleep next, so that `enough` comes meanwhile, when `written` bytes of WAL have come
/// in the sleep of `pause`.
Duration pauseAfter(Duration pause, uint64_t written, uint64_t enough);

/// What is enough on this server; empty where waking would gain nothing. Over a session on which
/// nothing goes on, and before the work begins, which would be in the way: it times syncs where
/// they matter. Throws Error{Server, Connection}.
std::optional<uint64_t> worthWaking(Connection& connection);

/// The WAL writer sleeps for wal_writer_delay unless an asynchronous commit wakes it, and the
/// vacuum of a table, its load or the build of its index, long as they may be, commit once. So the
/// WAL buffers are full after milliseconds, and from then on each session has to write a page by
/// itself, and sync a file at its end, before it gets on; one that loads, also before it writes out
/// what it has filled. This commits all the while over a session of its own: without a
/// transaction ID, and with nothing but a message in the WAL that nobody reads, which is what makes
/// such a commit count. From XLogSetAsyncXactLSN() and AdvanceXLInsertBuffer() in PostgreSQL's
/// xlog.c.
///
/// Woken, the WAL writer also syncs, more often than the sessions would, which is once for each
/// file of the WAL. Where the buffers hold less than that, sessions wait for it when they are full:
/// waking gains only if syncs are quick.
///
/// The WAL writer is not woken where wal_level is logical, since who decodes the WAL would be sent
/// the messages; where the server logs each statement; or where it has no connection for anybody
/// else. Whatever fails costs time only and is not told.
class WalWriterWaker {
public:
    struct Settings {
        std::string application;  ///< its name in pg_stat_activity
        uint64_t enough = 0;      ///< bytes of WAL between two wakings, by worthWaking()
        uint32_t leaves = 1;      ///< if fewer connections are left for others, it goes at once
        Duration delay{};         ///< before it begins
    };
    /// Works on a thread of its own, which ends with this.
    WalWriterWaker(options::ConnectionOptions connection, Settings settings);

private:
    static void wakeUntil(const std::stop_token& stop, Connection& connection, uint64_t enough);

    std::jthread thread_;
};

}  // namespace gantry::pg
