// SPDX-License-Identifier: PostgreSQL
#include "ui/run/run_feed.h"

#include "core/events/run_log.h"

namespace gantry::ui {
namespace {

constexpr int kTickMs = 33;
constexpr int kSliceMs = 10;
constexpr int kTellMs = 120;
constexpr std::size_t kEventsBetweenLooks = 64;

}  // namespace

LiveFeed::LiveFeed(RunController* run, QObject* parent) : RunFeed(parent), run_(run) {
    connect(run, &RunController::changed, this, [this] {
        throughput_.observe(run_->state());
        Q_EMIT changed();
    });
    connect(run, &RunController::phaseChanged, this, &RunFeed::changed);
    throughput_.observe(run_->state());
}

ReplayFeed::ReplayFeed(QObject* parent) : RunFeed(parent) {
    clock_.setInterval(kTickMs);
    connect(&clock_, &QTimer::timeout, this, &ReplayFeed::tick);
    folding_.setInterval(0);
    connect(&folding_, &QTimer::timeout, this, &ReplayFeed::foldSome);
}

void ReplayFeed::load(const std::filesystem::path& path) {
    reading_ = runAsync(
        this, [path](std::stop_token) { return events::readRunLog(path); },
        [this](std::vector<events::Event> events) { setEvents(std::move(events)); },
        [this](const ErrorInfo& error) { Q_EMIT failed(error); });
}

void ReplayFeed::setEvents(std::vector<events::Event> events) {
    events_ = std::move(events);
    state_ = {};
    throughput_.clear();
    next_ = 0;
    position_ = length();
    Q_EMIT loaded();
    goOn();
}

Duration ReplayFeed::length() const { return events_.empty() ? Duration{} : events_.back().at; }

void ReplayFeed::setPlaying(bool playing) {
    if (playing == clock_.isActive()) return;
    if (playing) {
        if (position_ >= length()) seek(Duration::zero());
        sinceTick_.start();
        clock_.start();
    } else {
        clock_.stop();
    }
    Q_EMIT positionChanged();
}

void ReplayFeed::seek(Duration position) {
    position = std::clamp(position, Duration::zero(), length());
    if (position < position_) {  // the fold only goes forward
        state_ = {};
        throughput_.clear();
        next_ = 0;
        Q_EMIT changed();  // nobody may go on looking for what is no longer there
    }
    position_ = position;
    Q_EMIT positionChanged();
    goOn();
}

void ReplayFeed::tick() {
    const auto passed = static_cast<double>(sinceTick_.restart()) * 1000 * speed_;
    position_ = std::min(position_ + Duration(static_cast<int64_t>(passed)), length());
    if (position_ >= length()) clock_.stop();
    Q_EMIT positionChanged();
    goOn();
}

void ReplayFeed::goOn() {
    if (folding_.isActive()) return;
    sinceTold_.start();
    folding_.start();
}

void ReplayFeed::foldSome() {
    QElapsedTimer slice;
    slice.start();
    std::size_t count = 0;
    while (next_ < events_.size() && events_[next_].at <= position_) {
        state_.apply(events_[next_++]);
        throughput_.observe(state_);
        if (++count % kEventsBetweenLooks == 0 && slice.elapsed() >= kSliceMs) {
            if (sinceTold_.elapsed() >= kTellMs) {
                sinceTold_.start();
                Q_EMIT changed();
            }
            return;  // the rest when the window has had its turn
        }
    }
    folding_.stop();
    Q_EMIT changed();
}

}  // namespace gantry::ui
