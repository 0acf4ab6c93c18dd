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
    connect(run, &RunController::changed, this, [this](const std::vector<events::Event>& events) {
        throughput_.observe(run_->state());
        Q_EMIT folded(
            {std::make_shared<const std::vector<events::Event>>(events), 0, events.size()});
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
        this, [path](std::stop_token) { return events::readRecord(path); },
        [this](std::vector<events::Event> events) { setEvents(std::move(events)); },
        [this](const ErrorInfo& error) { Q_EMIT failed(error); });
}

void ReplayFeed::setEvents(std::vector<events::Event> events) {
    events_ = std::make_shared<const std::vector<events::Event>>(std::move(events));
    beginAnew();
    position_ = length();
    Q_EMIT loaded();
    goOn();
}

void ReplayFeed::beginAnew() {
    state_ = {};
    throughput_.clear();
    next_ = 0;
    Q_EMIT begunAnew();
}

Duration ReplayFeed::length() const { return events_->empty() ? Duration{} : events_->back().at; }

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
        beginAnew();
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
    const std::vector<events::Event>& events = *events_;
    const std::size_t begin = next_;
    bool through = true;
    while (next_ < events.size() && events[next_].at <= position_) {
        state_.apply(events[next_++]);
        throughput_.observe(state_);
        if ((next_ - begin) % kEventsBetweenLooks == 0 && slice.elapsed() >= kSliceMs) {
            through = false;  // the rest when the window has had its turn
            break;
        }
    }
    Q_EMIT folded({events_, begin, next_});
    if (through) {
        folding_.stop();
    } else if (sinceTold_.elapsed() < kTellMs) {
        return;
    }
    sinceTold_.start();
    Q_EMIT changed();
}

}  // namespace gantry::ui
