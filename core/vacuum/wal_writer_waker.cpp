// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/wal_writer_waker.h"

#include <algorithm>
#include <array>
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
/// No server writes more in a microsecond.
constexpr uint64_t kBytesPerMicrosecond = 1000;
/// Of the buffers, which the WAL writer has to come to before they are full.
constexpr uint64_t kPartOfBuffers = 8;
/// With less it does not wake, from 17 on (wal_writer_flush_after).
constexpr uint64_t kWorthWaking = uint64_t{1} << 20;

/// A sync may take as long as filling this part of the buffers.
constexpr uint64_t kPartInASync = 4;
/// One that takes longer than others tells nothing.
constexpr std::size_t kTimes = 3;

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

/// Microseconds, sorted.
std::array<Duration, kTimes> times(pg::Connection& connection, const std::string& sql) {
    std::array<Duration, kTimes> taken{};
    for (Duration& one : taken) {
        const Duration begin = SteadyClock().now();
        connection.execute(sql);
        one = SteadyClock().now() - begin;
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

/// Of hardly anything, without the way there and back.
Duration timeOfSync(pg::Connection& connection) {
    // Only what writes and has a transaction ID waits for the disk; standbys do not matter.
    const auto commits = times(connection,
                               "BEGIN; SET LOCAL synchronous_commit = local;"
                               " SELECT pg_catalog.pg_logical_emit_message(true, '', ''); COMMIT");
    const auto trips = times(connection, "SELECT 1");
    return commits[kTimes / 2] - trips.front();
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

std::optional<Duration> pauseWorthIt(pg::Connection& connection) {
    const pg::Result settings = connection.query(kSettings);
    if (settings.boolean(0, 0)) return std::nullopt;
    const uint64_t buffers = settings.number(0, 1);
    const std::optional<Duration> allowed = longestSync(buffers, settings.number(0, 2));
    if (allowed && timeOfSync(connection) > *allowed) return std::nullopt;
    return shortestPause(buffers);
}

WalWriterWaker::WalWriterWaker(options::ConnectionOptions connection, Duration shortest)
    : thread_([options = std::move(connection), shortest](const std::stop_token& stop) {
          try {
              pg::Connection session =
                  openSession(options, "gantry vacuum: wakes the WAL writer", stop);
              if (pg::connectionsLeft(session) > 0) wakeUntil(stop, session, shortest);
          } catch (const Error&) {
              // The vacuum goes on without it.
          }
      }) {}

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
