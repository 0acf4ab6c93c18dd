// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/backend_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QTimer>
#include <optional>

#include "core/base/sync.h"
#include "core/pg/connection.h"
#include "core/pg/secrets.h"

namespace gantry::ui {
namespace {

constexpr int kLookMs = 1000;

/// A row for each session and each that blocks it; one without a blocker if none does.
constexpr std::string_view kQuery = R"(
SELECT a.pid, CASE WHEN a.state = 'active' THEN a.query END,
       CASE WHEN a.wait_event_type IS NOT NULL AND a.state = 'active'
            THEN a.wait_event_type || ': ' || a.wait_event END,
       b.pid || coalesce(' (' || nullif(b.application_name, '') || ')', '') || ': ' || left(b.query, 200)
FROM pg_catalog.pg_stat_activity a
LEFT JOIN LATERAL unnest(CASE WHEN a.wait_event_type = 'Lock'
                              THEN pg_catalog.pg_blocking_pids(a.pid) END) AS blocking(pid) ON true
LEFT JOIN pg_catalog.pg_stat_activity b ON b.pid = blocking.pid
WHERE a.pid IN ({}))";

std::map<int32_t, BackendFacts> ask(pg::Connection& connection, const std::vector<int32_t>& pids) {
    const pg::Result rows = connection.query(fmt::format(kQuery, fmt::join(pids, ", ")));
    std::map<int32_t, BackendFacts> facts;
    for (int row = 0; row < rows.rows(); ++row) {
        BackendFacts& backend = facts[static_cast<int32_t>(rows.number(row, 0))];
        backend.statement = pg::withoutSecrets(rows.text(row, 1));
        backend.wait = rows.string(row, 2);
        if (!rows.isNull(row, 3)) backend.blockers.push_back(pg::withoutSecrets(rows.text(row, 3)));
    }
    return facts;
}

}  // namespace

/// One look at a time uses it, on whatever thread of the pool.
struct BackendWatch::Session {
    Mutex mutex;
    std::optional<pg::Connection> connection GUARDED_BY(mutex);
};

BackendWatch::BackendWatch(options::ConnectionOptions connection, QObject* parent)
    : QObject(parent), connection_(std::move(connection)), timer_(new QTimer(this)) {
    timer_->setInterval(kLookMs);
    connect(timer_, &QTimer::timeout, this, &BackendWatch::look);
}

BackendWatch::~BackendWatch() { watch({}); }

void BackendWatch::watch(const std::vector<int32_t>& pids) {
    if (pids == pids_) return;
    pids_ = pids;
    if (!pids_.empty()) {
        if (!session_) session_ = std::make_shared<Session>();
        if (!timer_->isActive()) timer_->start();
        return look();
    }
    timer_->stop();
    looking_.stop();
    facts_.clear();
    // Taking leave of the server may take a moment.
    if (session_) startInPool([session = std::move(session_)] {});
    session_.reset();
}

void BackendWatch::look() {
    if (looking_.running() || pids_.empty()) return;
    looking_ = runAsync(
        this,
        [session = session_, wanted = connection_, pids = pids_](const std::stop_token& stop) {
            const MutexLock lock(session->mutex);
            try {
                if (!session->connection) {
                    session->connection = pg::Connection::open(wanted, "gantry: details", stop);
                }
                session->connection->stopOn(stop);
                return ask(*session->connection, pids);
            } catch (const Error&) {
                session->connection.reset();  // the next look connects again
                throw;
            }
        },
        [this](std::map<int32_t, BackendFacts> facts) {
            facts_ = std::move(facts);
            Q_EMIT changed();
        },
        [this](const ErrorInfo&) { facts_.clear(); });
}

}  // namespace gantry::ui
