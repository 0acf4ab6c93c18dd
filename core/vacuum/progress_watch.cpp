// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/progress_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/stoppable_sleep.h"
#include "core/run/load_watch.h"

namespace gantry::vacuum {
namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 250ms;
constexpr uint64_t kLooksPerLoad = 4;  ///< once a second
constexpr int kClusterView = 12;
constexpr int kAnalyzeView = 13;
constexpr int kBytesOfDeadRows = 17;
constexpr uint64_t kBytesOfAnItem = 6;

/// One shape for all views: kind, pid, relid, phase, blocks, scanned, vacuumed, passes, dead rows,
/// dead bytes, their limit, indexes, indexes done.
std::string progressQuery(int major, const std::string& pids) {
    const std::string where = fmt::format(" WHERE pid IN ({})", pids);
    const std::string memory =
        major >= kBytesOfDeadRows
            ? "num_dead_item_ids, dead_tuple_bytes, max_dead_tuple_bytes, indexes_total, "
              "indexes_processed"
            : fmt::format("num_dead_tuples, num_dead_tuples * {0}, max_dead_tuples * {0}, 0, 0",
                          kBytesOfAnItem);
    std::string sql = fmt::format(
        "SELECT 'v', pid, relid, phase, heap_blks_total, heap_blks_scanned, heap_blks_vacuumed,"
        " index_vacuum_count, {} FROM pg_catalog.pg_stat_progress_vacuum{}",
        memory, where);
    if (major >= kClusterView) {
        sql +=
            " UNION ALL SELECT 'f', pid, relid, phase, heap_blks_total, heap_blks_scanned, 0, 0,"
            " 0, 0, 0, 0, 0 FROM pg_catalog.pg_stat_progress_cluster" +
            where +
            " UNION ALL SELECT 'i', pid, relid, phase, blocks_total, blocks_done, 0, 0,"
            " 0, 0, 0, 0, 0 FROM pg_catalog.pg_stat_progress_create_index" +
            where;
    }
    if (major >= kAnalyzeView) {
        sql +=
            " UNION ALL SELECT 'a', pid, relid, phase, sample_blks_total, sample_blks_scanned, 0,"
            " 0, 0, 0, 0, 0, 0 FROM pg_catalog.pg_stat_progress_analyze" +
            where;
    }
    return sql;
}

/// Not in whole numbers, which the product of terabytes and blocks would exceed.
uint64_t partOf(uint64_t bytes, uint64_t done, uint64_t all) {
    if (all == 0) return 0;
    return static_cast<uint64_t>(static_cast<double>(bytes) *
                                 (static_cast<double>(done) / static_cast<double>(all)));
}

}  // namespace

struct ProgressWatch::Row {
    char kind;
    Oid relation;
    std::string phase;
    uint64_t blocks;
    uint64_t scanned;
    uint64_t vacuumed;
    uint32_t passes;
    uint64_t deadRows;
    uint64_t deadBytes;
    uint64_t deadBytesMost;
    uint32_t indexes;
    uint32_t indexesDone;
};

ProgressWatch::ProgressWatch(options::ConnectionOptions connection, uint64_t blockSize,
                             events::EventSink& events, run::LockObserver& locks,
                             const Clock& clock, std::function<void()> tick)
    : options_(std::move(connection)),
      blockSize_(blockSize),
      events_(events),
      locks_(locks),
      clock_(clock),
      tick_(std::move(tick)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

ProgressWatch::~ProgressWatch() = default;

void ProgressWatch::watch(int32_t pid, Watched watched) {
    const MutexLock lock(mutex_);
    seen_[pid] = Seen{.watched = std::move(watched)};
}

void ProgressWatch::forget(int32_t pid) {
    const MutexLock lock(mutex_);
    seen_.erase(pid);
}

void ProgressWatch::work(const std::stop_token& stop) {
    std::optional<pg::Connection> connection;
    uint64_t looks = 0;
    while (sleepUnlessStopped(kInterval, stop)) {
        tick_();
        if (pids().empty()) continue;
        try {
            if (!connection) {
                connection.emplace(pg::Connection::open(options_, "gantry vacuum: watch", stop));
            }
            look(*connection);
            if (looks++ % kLooksPerLoad == 0) {
                run::postServerLoad(*connection, events_);
                locks_.look(*connection);
            }
        } catch (const Error&) {
            connection.reset();
        }
    }
}

std::string ProgressWatch::pids() const {
    const MutexLock lock(mutex_);
    std::string list;
    for (const auto& [pid, seen] : seen_) list += (list.empty() ? "" : ", ") + std::to_string(pid);
    return list;
}

void ProgressWatch::look(pg::Connection& connection) {
    const std::string list = pids();
    if (list.empty()) return;
    const Duration asked = clock_.now();
    const pg::Result r = connection.query(progressQuery(connection.serverMajor(), list));
    const MutexLock lock(mutex_);
    for (int i = 0; i < r.rows(); ++i) {
        const auto found = seen_.find(static_cast<int32_t>(r.number(i, 1)));
        if (found == seen_.end()) continue;
        take(found->second, asked,
             Row{.kind = r.text(i, 0).front(),
                 .relation = r.oid(i, 2),
                 .phase = r.string(i, 3),
                 .blocks = r.number(i, 4),
                 .scanned = r.number(i, 5),
                 .vacuumed = r.number(i, 6),
                 .passes = static_cast<uint32_t>(r.number(i, 7)),
                 .deadRows = r.number(i, 8),
                 .deadBytes = r.number(i, 9),
                 .deadBytesMost = r.number(i, 10),
                 .indexes = static_cast<uint32_t>(r.number(i, 11)),
                 .indexesDone = static_cast<uint32_t>(r.number(i, 12))});
    }
}

void ProgressWatch::take(Seen& seen, Duration asked, const Row& row) {
    const Watched& watched = seen.watched;
    const TableFacts* table = watched.table;
    const bool toast = table != nullptr && table->toast == row.relation;
    std::string phase = row.phase;
    if (toast) phase = "TOAST: " + phase;
    if (row.kind == 'a') phase = "analyzing: " + phase;
    if (watched.telling) {
        watched.telling->found(phase, row.kind == 'v' && !toast, asked);
    } else if (phase != seen.phase) {
        seen.phase = phase;
        events_.post(events::TaskPhase{.span = watched.span, .phase = phase});
    }
    if (!watched.single || table == nullptr) return;
    uint64_t bytes = row.scanned * blockSize_;
    if (row.kind == 'v') {
        uint32_t indexes = row.indexes;
        uint32_t indexesDone = row.indexesDone;
        if (const auto told = !toast && indexes == 0 && watched.telling
                                  ? watched.telling->indexesDone()
                                  : std::nullopt) {
            indexesDone = static_cast<uint32_t>(told->first);
            indexes = static_cast<uint32_t>(told->second);
        }
        events_.post(events::VacuumProgress{
            .span = watched.span,
            .relation = toast ? "pg_toast." + table->toastName : table->displayName(),
            .blocks = row.blocks,
            .blocksScanned = row.scanned,
            .blocksVacuumed = row.vacuumed,
            .indexPass = row.passes,
            .indexes = indexes,
            .indexesDone = indexesDone,
            .deadRows = row.deadRows,
            .deadBytes = row.deadBytes,
            .deadBytesMost = row.deadBytesMost});
        if (toast) {
            bytes += watched.estimatedBytes - watched.toastBytes;  // the table comes before it
        } else {
            const uint64_t indexBytes = table->indexBytes();
            bytes += row.passes * indexBytes;
            bytes += partOf(indexBytes, indexesDone, indexes);
            bytes += partOf(watched.visitedAgain, row.vacuumed, row.blocks);
        }
    } else if (row.kind == 'i') {
        bytes = partOf(watched.estimatedBytes, row.scanned, row.blocks);
    } else if (row.kind == 'a' && seen.bytes > bytes) {
        return;  // the sample comes after the vacuum, which is nearly all of it
    }
    if (bytes <= seen.bytes) return;  // who waits for a lock gets nowhere
    seen.bytes = bytes;
    events_.post(events::TaskProgress{
        .span = watched.span, .bytes = seen.bytes, .rows = 0, .estimatedBytes = 0});
}

}  // namespace gantry::vacuum
