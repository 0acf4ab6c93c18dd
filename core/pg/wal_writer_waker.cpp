// SPDX-License-Identifier: PostgreSQL
#include "core/pg/wal_writer_waker.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/stoppable_sleep.h"
#include "core/pg/connection_room.h"
#include "core/pg/session.h"

namespace gantry::pg {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortest = 1ms;
constexpr Duration kLongest = 20ms;
/// No server writes more in a microsecond.
constexpr uint64_t kBytesPerMicrosecond = 1000;
/// A pause grows slowly, and ends with the first burst.
constexpr double kMostGrowth = 2;
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
std::array<Duration, kTimes> times(Connection& connection, const std::string& sql) {
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
Duration timeOfSync(Connection& connection) {
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

uint64_t enoughToWake(uint64_t buffers) { return std::max(buffers / kPartOfBuffers, kWorthWaking); }

std::optional<Duration> longestSync(uint64_t buffers, uint64_t file) {
    if (buffers >= file) return std::nullopt;
    return Duration(buffers / kPartInASync / kBytesPerMicrosecond);
}

Duration pauseAfter(Duration pause, uint64_t written, uint64_t enough) {
    const double wanted =
        static_cast<double>(enough) / static_cast<double>(std::max<uint64_t>(written, 1));
    const double next = static_cast<double>(pause.count()) * std::min(wanted, kMostGrowth);
    return Duration(std::clamp(static_cast<int64_t>(next), kShortest.count(), kLongest.count()));
}

std::optional<uint64_t> worthWaking(Connection& connection) {
    const Result settings = connection.query(kSettings);
    if (settings.boolean(0, 0)) return std::nullopt;
    const uint64_t buffers = settings.number(0, 1);
    const std::optional<Duration> allowed = longestSync(buffers, settings.number(0, 2));
    if (allowed && timeOfSync(connection) > *allowed) return std::nullopt;
    return enoughToWake(buffers);
}

WalWriterWaker::WalWriterWaker(options::ConnectionOptions connection, Settings settings) {
    // Whatever fails, the run goes on without it.
    try {
        thread_ = std::jthread([options = std::move(connection),
                                wanted = std::move(settings)](const std::stop_token& stop) {
            if (!sleepUnlessStopped(wanted.delay, stop)) return;
            try {
                Connection session = Connection::open(options, wanted.application, stop);
                setUpMaintenance(session);
                if (connectionsLeft(session) >= wanted.leaves) {
                    wakeUntil(stop, session, wanted.enough);
                }
            } catch (const std::exception&) {
                // As said.
            }
        });
    } catch (const std::system_error&) {
        // There are threads enough without this one.
    }
}

void WalWriterWaker::wakeUntil(const std::stop_token& stop, Connection& connection,
                               uint64_t enough) {
    Duration pause = kShortest;
    uint64_t position = 0;
    do {
        const uint64_t now =
            parseLsn(connection.query("SELECT pg_catalog.pg_logical_emit_message(false, '', '')")
                         .string(0, 0));
        pause = pauseAfter(pause, now - position, enough);
        position = now;
    } while (sleepUnlessStopped(pause, stop));
}

}  // namespace gantry::pg
