// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/wal_writer_waker.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "core/base/stoppable_sleep.h"
#include "core/pg/connection_room.h"
#include "core/vacuum/sessions.h"

namespace gantry::vacuum {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortest = 1ms;
constexpr Duration kLongest = 20ms;
/// No server writes more in a microsecond.
constexpr uint64_t kBytesPerMicrosecond = 1000;
/// Of the buffers, which the WAL writer has to come to before they are full.
constexpr uint64_t kPartOfBuffers = 8;
/// With less it does not wake, from 17 on (wal_writer_flush_after).
constexpr uint64_t kWorthWaking = uint64_t{1} << 20;

/// Of the buffers: filling them takes as long as a sync may, where sessions are to wait for it.
constexpr uint64_t kPartInASync = 4;
/// The first syncs may take longer.
constexpr int kSyncs = 3;
/// From which a message can be synced.
constexpr int kSyncedMessages = 17;

/// Whether somebody would read the messages, or find each statement in a log; how large the buffers
/// and the files are.
constexpr const char* kSettings =
    "SELECT pg_catalog.current_setting('wal_level') = 'logical'"
    " OR pg_catalog.current_setting('log_statement') = 'all'"
    " OR pg_catalog.current_setting('log_duration') = 'on'"
    " OR pg_catalog.current_setting('log_min_duration_statement') = '0'"
    " OR coalesce(pg_catalog.current_setting('log_min_duration_sample', true), '-1') = '0'"
    " OR coalesce(pg_catalog.current_setting('log_transaction_sample_rate', true), '0') <> '0'"
    " OR coalesce(pg_catalog.current_setting('auto_explain.log_min_duration', true), '-1') = '0'"
    " OR coalesce(pg_catalog.current_setting('pgaudit.log', true), 'none') <> 'none',"
    " pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_buffers')),"
    " pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size'))";

/// Whether one of a few syncs of hardly anything takes no longer than `allowed`.
bool syncsWithin(pg::Connection& connection, Duration allowed) {
    for (int i = 0; i < kSyncs; ++i) {
        const Duration begin = SteadyClock().now();
        connection.execute("SELECT pg_catalog.pg_logical_emit_message(false, '', '', true)");
        if (SteadyClock().now() - begin <= allowed) return true;
    }
    return false;
}

/// "16/B374D848"
uint64_t parseLsn(const std::string& text) {
    const std::size_t slash = text.find('/');
    return (std::strtoull(text.c_str(), nullptr, 16) << 32) |
           std::strtoull(text.c_str() + slash + 1, nullptr, 16);
}

}  // namespace

Duration shortestPause(uint64_t buffers) {
    const uint64_t microseconds = buffers / kPartOfBuffers / kBytesPerMicrosecond;
    return std::clamp(Duration(microseconds), kShortest, kLongest);
}

std::optional<Duration> longestSync(uint64_t buffers, uint64_t file) {
    if (buffers >= file) return std::nullopt;
    return Duration(buffers / kPartInASync / kBytesPerMicrosecond);
}

Duration pauseAfter(Duration pause, uint64_t written, Duration shortest) {
    if (written * 2 >= kWorthWaking) return shortest;
    return std::min(pause * 2, kLongest);
}

WalWriterWaker::WalWriterWaker(const options::ConnectionOptions& options, uint32_t others,
                               const std::stop_token& stop) {
    try {
        session_ = openSession(options, "gantry vacuum: wakes the WAL writer", stop);
        if (pg::connectionsLeft(*session_) >= others) pause_ = pauseWorthIt(*session_);
    } catch (const Error&) {
        // The vacuum goes on without it.
    }
    if (!pause_) session_.reset();
}

void WalWriterWaker::start() {
    if (!pause_) return;
    thread_ = std::jthread([this](const std::stop_token& stop) {
        try {
            wakeUntil(stop, *session_, *pause_);
        } catch (const Error&) {
            // As above.
        }
    });
}

std::optional<Duration> WalWriterWaker::pauseWorthIt(pg::Connection& connection) {
    const pg::Result settings = connection.query(kSettings);
    if (settings.boolean(0, 0)) return std::nullopt;
    const uint64_t buffers = settings.number(0, 1);
    const std::optional<Duration> allowed = longestSync(buffers, settings.number(0, 2));
    if (allowed &&
        (connection.serverMajor() < kSyncedMessages || !syncsWithin(connection, *allowed))) {
        return std::nullopt;
    }
    return shortestPause(buffers);
}

void WalWriterWaker::wakeUntil(const std::stop_token& stop, pg::Connection& connection,
                               Duration shortest) {
    Duration pause = shortest;
    uint64_t position = 0;
    do {
        const uint64_t now =
            parseLsn(connection.query("SELECT pg_catalog.pg_logical_emit_message(false, '', '')")
                         .string(0, 0));
        pause = pauseAfter(pause, now - position, shortest);
        position = now;
    } while (sleepUnlessStopped(pause, stop));
}

}  // namespace gantry::vacuum
