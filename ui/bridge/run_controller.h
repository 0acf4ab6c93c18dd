// SPDX-License-Identifier: PostgreSQL
// A run as the window sees it: started, folded as it goes on, stopped, finished.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/events/event.h"
#include "core/events/run_state.h"
#include "core/options/connection_options.h"
#include "core/run/run_control.h"

class QTimer;

namespace gantry::ui {

class RunRecorder;

/// What to run, and what to call it.
struct RunRequest {
    QString title;             ///< "Back up shop"
    QStringList chips;         ///< "devbox · PostgreSQL 18.6", "directory · zstd"
    QString serverId;          ///< of the profile it aims at; empty if none
    QString destination;       ///< the archive written or read; empty if none
    uint32_t workers = 0;      ///< that were chosen; 0: not known yet
    QStringList commandLines;  ///< what Copy as command offers, the gantryctl line first
    /// Blocks; called in the pool. dump::dump and restore::restore with their options bound.
    std::function<void(events::EventSink&, std::stop_token, run::RunControl&)> work;
    /// Where its sessions can be looked at, with the password; empty: not known yet.
    std::optional<options::ConnectionOptions> connection;
    /// The same for what failed, by the objects that ErrorIgnored names. Empty: it cannot be.
    std::function<RunRequest(const std::vector<std::string>& objects)> again;
    /// What finishes this one, should it break off, by its record. Empty: nothing can.
    std::function<RunRequest(const std::filesystem::path& record)> resumed;
};

enum class RunPhase {
    Ready,
    Running,
    Stopping,  ///< asked to stop, not yet through with it
    Finished,  ///< state().finished() says how
    Refused    ///< refusal() says why; nothing was touched
};

/// One run, from its request to its end. All calls and signals on the GUI thread; none waits. If it
/// goes while the run is under way, the run is stopped.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(RunRequest request, QObject* parent = nullptr);
    ~RunController() override;

    /// It is kept in this history. Before start().
    void recordTo(std::filesystem::path historyFolder);
    void start();
    void stop();
    /// More or fewer workers from now on; the lanes tell when they have come or left.
    void setWorkers(uint32_t workers);
    /// Workers finish what they do and begin nothing new.
    void setPaused(bool paused);
    bool paused() const { return paused_; }
    /// Of a vacuum, as RunControl::setThrottle().
    void setThrottle(const run::Throttle& throttle, bool beginAgain);
    /// The run goes on without this task; a dump ends, since its archive would not be whole.
    void cancelTask(TaskId task);

    const RunRequest& request() const { return request_; }
    const events::RunState& state() const { return state_; }
    RunPhase phase() const { return phase_; }
    bool active() const { return phase_ == RunPhase::Running || phase_ == RunPhase::Stopping; }
    const std::optional<ErrorInfo>& refusal() const { return refusal_; }
    /// The file of its events; empty if there is none. It is another one once the run is over.
    std::filesystem::path recordPath() const;

Q_SIGNALS:
    void started();
    /// `events` have just been folded into state(): about 30 times a second while there are any.
    void changed(const std::vector<gantry::events::Event>& events);
    void phaseChanged();
    /// It is over: phase() is Finished or Refused.
    void finished();

private:
    struct Shared;
    void control(std::function<void(run::RunControl&)> action);
    void pump();
    void end(const std::optional<ErrorInfo>& error);
    void finish();
    void setPhase(RunPhase phase);

    RunRequest request_;
    events::RunState state_;
    RunPhase phase_ = RunPhase::Ready;
    bool paused_ = false;
    std::optional<ErrorInfo> refusal_;
    std::shared_ptr<Shared> shared_;
    std::filesystem::path historyFolder_;
    std::shared_ptr<RunRecorder> recorder_;
    std::vector<events::Event> drained_;
    std::size_t folded_ = 0;  ///< of these
    bool over_ = false;       ///< the work has returned
    std::optional<ErrorInfo> error_;
    QTimer* timer_ = nullptr;
};

}  // namespace gantry::ui
