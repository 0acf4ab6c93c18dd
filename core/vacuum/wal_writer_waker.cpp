// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/wal_writer_waker.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/stoppable_sleep.h"
#include "core/pg/connection_room.h"
#include "core/vacuum/sessions.h"

namespace gantry::vacuum {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortest = 1ms;
constexpr Duration kLongest = 20ms;
/// No session writes more in a microsecond.
constexpr uint64_t kBytesPerMicrosecond = 1000;
/// Of the buffers, which the WAL writer has to come to before they are full.
constexpr uint64_t kPartOfBuffers = 8;
/// With less it does not wake, from 17 on (wal_writer_flush_after).
constexpr uint64_t kWorthWaking = uint64_t{1} << 20;

/// Whether somebody would read the messages, or find each statement in a log; whether the buffers
/// would be full before a slow disk has synced what is in them; how large they are.
constexpr const char* kSettings =
    "SELECT pg_catalog.current_setting('wal_level') = 'logical'"
    " OR pg_catalog.current_setting('log_statement') = 'all'"
    " OR pg_catalog.current_setting('log_duration') = 'on'"
    " OR pg_catalog.current_setting('log_min_duration_statement') = '0'"
    " OR coalesce(pg_catalog.current_setting('log_min_duration_sample', true), '-1') = '0'"
    " OR coalesce(pg_catalog.current_setting('log_transaction_sample_rate', true), '0') <> '0'"
    " OR coalesce(pg_catalog.current_setting('auto_explain.log_min_duration', true), '-1') = '0'"
    " OR coalesce(pg_catalog.current_setting('pgaudit.log', true), 'none') <> 'none'"
    " OR pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_buffers'))"
    " < pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size')),"
    " pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_buffers'))";

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

Duration pauseAfter(Duration pause, uint64_t written, Duration shortest) {
    if (written * 2 >= kWorthWaking) return shortest;
    return std::min(pause * 2, kLongest);
}

WalWriterWaker::WalWriterWaker(options::ConnectionOptions connection)
    : thread_([options = std::move(connection)](const std::stop_token& stop) {
          try {
              pg::Connection session =
                  openSession(options, "gantry vacuum: wakes the WAL writer", stop);
              wakeUntil(stop, session);
          } catch (const Error&) {
              // The vacuum goes on without it.
          }
      }) {}

void WalWriterWaker::wakeUntil(const std::stop_token& stop, pg::Connection& connection) {
    const pg::Result settings = connection.query(kSettings);
    if (settings.boolean(0, 0) || pg::connectionsLeft(connection) == 0) return;
    const Duration shortest = shortestPause(settings.number(0, 1));
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
