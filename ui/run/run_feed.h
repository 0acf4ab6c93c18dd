// SPDX-License-Identifier: PostgreSQL
// Where a run's page gets its run from: one that goes on, or a recorded one, shown alike.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/events/run_state.h"
#include "core/report/throughput.h"
#include "ui/bridge/async.h"
#include "ui/bridge/run_controller.h"

namespace gantry::ui {

/// A stretch of events; the vector that they are in never changes.
struct FoldedEvents {
    std::shared_ptr<const std::vector<events::Event>> events;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// GUI thread.
class RunFeed : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual const events::RunState& state() const = 0;
    const report::Throughput& throughput() const { return throughput_; }
    /// The run that goes on; nullptr for a recorded one.
    virtual RunController* controller() const { return nullptr; }

Q_SIGNALS:
    /// state() has gone on by these; changed() follows sooner or later.
    void folded(const gantry::ui::FoldedEvents& events);
    /// state() is empty again.
    void begunAnew();
    /// state() has gone on, or gone back.
    void changed();

protected:
    report::Throughput throughput_;
};

class LiveFeed : public RunFeed {
    Q_OBJECT
public:
    LiveFeed(RunController* run, QObject* parent);
    const events::RunState& state() const override { return run_->state(); }
    RunController* controller() const override { return run_; }

private:
    RunController* run_;
};

/// A recorded run: opened as it ended; can be played again from any point at any speed. Events are
/// folded a little at a time, so that the window stays alive whatever the record's length.
class ReplayFeed : public RunFeed {
    Q_OBJECT
public:
    explicit ReplayFeed(QObject* parent = nullptr);

    /// Reads the file in the background; loaded() or failed() follows.
    void load(const std::filesystem::path& path);
    void setEvents(std::vector<events::Event> events);

    const events::RunState& state() const override { return state_; }
    Duration length() const;
    Duration position() const { return position_; }
    bool playing() const { return clock_.isActive(); }

    void setPlaying(bool playing);
    void setSpeed(double factor) { speed_ = factor; }
    void seek(Duration position);

Q_SIGNALS:
    void loaded();
    void failed(const gantry::ErrorInfo& error);
    void positionChanged();

private:
    void tick();
    void foldSome();
    void goOn();
    void beginAnew();

    std::shared_ptr<const std::vector<events::Event>> events_ =
        std::make_shared<const std::vector<events::Event>>();
    events::RunState state_;
    std::size_t next_ = 0;  ///< the first event that has not been folded
    Duration position_{};
    double speed_ = 1;
    QTimer clock_;
    QTimer folding_;
    QElapsedTimer sinceTick_;
    QElapsedTimer sinceTold_;
    AsyncJob reading_;
};

}  // namespace gantry::ui
