// SPDX-License-Identifier: PostgreSQL
// What the server says a run's sessions do now: their statements, waits, and who holds them up.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/options/connection_options.h"
#include "ui/bridge/async.h"

class QTimer;

namespace gantry::ui {

struct BackendFacts {
    std::string statement;
    std::string wait;                   ///< "Lock: relation"; empty: it works
    std::vector<std::string> blockers;  ///< "4711 (psql): ALTER TABLE orders …"
};

/// Looks once a second, over a connection that is there only while something is watched. A server
/// that cannot be asked tells nothing. GUI thread.
class BackendWatch : public QObject {
    Q_OBJECT
public:
    explicit BackendWatch(options::ConnectionOptions connection, QObject* parent = nullptr);
    ~BackendWatch() override;

    /// These from now on; none ends it.
    void watch(const std::vector<int32_t>& pids);
    const std::map<int32_t, BackendFacts>& facts() const { return facts_; }

Q_SIGNALS:
    void changed();

private:
    struct Session;
    void look();

    const options::ConnectionOptions connection_;
    std::vector<int32_t> pids_;
    std::map<int32_t, BackendFacts> facts_;
    std::shared_ptr<Session> session_;
    AsyncJob looking_;
    QTimer* timer_;
};

}  // namespace gantry::ui
