// SPDX-License-Identifier: PostgreSQL
#include "app/headless/run_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "app/headless/quantity.h"
#include "app/headless/run_text.h"
#include "app/headless/terminal.h"
#include "core/base/error.h"
#include "core/events/event_queue.h"
#include "core/history/recorder.h"

namespace gantry::headless {
namespace {

using namespace std::chrono_literals;

constexpr auto kRedrawInterval = 100ms;
constexpr auto kLineInterval = 10s;
/// Before it is said that a run has not begun yet.
constexpr auto kSlowStart = 1s;

/// What has been drawn, so that it can be drawn over. The cursor stays below the block and visible,
/// so that nothing has to be put right after a kill.
class Screen {
public:
    void draw(const std::vector<std::string>& lines, std::size_t width) {
        // After a pause (Ctrl-Z, fg) the shell has written below the block.
        const auto now = std::chrono::steady_clock::now();
        if (now - drawn_ > kPause) columns_.clear();
        drawn_ = now;
        std::string text = toTop(width);
        columns_.clear();
        for (const std::string& line : lines) {
            text += line + "\x1b[K\n";
            columns_.push_back(columnsOf(withoutColor(line)));
        }
        text += "\x1b[J";
        write(text);
    }
    void erase(std::size_t width) {
        if (columns_.empty()) return;
        write(toTop(width) + "\x1b[J");
        columns_.clear();
    }
    static void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return;  // nobody looks any more
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    static std::string withoutColor(std::string_view line) {
        std::string text;
        while (!line.empty()) {
            const std::size_t escape = std::min(line.find('\x1b'), line.size());
            text += line.substr(0, escape);
            line.remove_prefix(escape);
            if (!line.empty()) line.remove_prefix(std::min(line.find('m') + 1, line.size()));
        }
        return text;
    }

private:
    /// A terminal that has become narrower since has wrapped the lines.
    std::string toTop(std::size_t width) const {
        std::size_t rows = 0;
        for (const std::size_t columns : columns_) {
            rows += std::max<std::size_t>(1, (columns + width - 1) / width);
        }
        return rows == 0 ? std::string("\r") : fmt::format("\r\x1b[{}A", rows);
    }
    static constexpr auto kPause = 3s;
    std::vector<std::size_t> columns_;
    std::chrono::steady_clock::time_point drawn_;
};

}  // namespace

struct RunDisplay::State {
    explicit State(DisplaySettings chosen, std::optional<events::RunLog> record)
        : settings(chosen),
          log(std::move(record)),
          onTerminal(isCapableTerminal(STDERR_FILENO)),
          queue(clock) {
        if (!settings.history.empty()) recorder.emplace(settings.history, queue);
    }

    void work(const std::stop_token& stop);
    /// Whether there was anything.
    bool drain();
    void take(const events::Event& event);
    void show();
    void drawBlock(std::chrono::steady_clock::time_point now);
    void say(const std::string& line) {
        eraseBlock();
        Screen::write(line + "\n");
    }

    void tellLock(const events::WorkerIdle& idle);
    /// Else there are lines.
    bool drawsBlock() const { return onTerminal && !settings.verbose; }
    void eraseBlock() {
        if (onTerminal) screen.erase(terminalStyle(STDERR_FILENO).width);
    }

    const DisplaySettings settings;
    std::optional<events::RunLog> log;
    std::string logProblem;
    const bool onTerminal;
    const SteadyClock clock;
    events::EventQueue queue;
    std::vector<events::Event> batch;
    std::optional<history::Recorder> recorder;
    events::RunState run;
    Screen screen;
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point nextShow = begin;
    std::optional<std::chrono::steady_clock::time_point> stopped;
    std::string lockTold;  ///< where there is no block that would show it
    std::jthread thread;
};

void RunDisplay::State::take(const events::Event& event) {
    if (log && logProblem.empty()) {
        try {
            log->write(event);
        } catch (const Error& error) {
            logProblem = error.info().describe();
        }
    }
    if (const auto* idle = std::get_if<events::WorkerIdle>(&event.payload)) tellLock(*idle);
    const std::size_t failures = run.failures().size();
    std::optional<std::size_t> finishing;
    if (const auto* finished = std::get_if<events::TaskFinished>(&event.payload)) {
        for (const auto& [id, worker] : run.workers()) {
            if (worker.span && run.spans()[*worker.span].span == finished->span) {
                finishing = worker.span;
            }
        }
    }
    run.apply(event);
    if (const auto* forecast = std::get_if<events::Forecast>(&event.payload)) {
        if (settings.progress) say(renderForecast(*forecast));
    }
    if (const auto* notice = std::get_if<events::Notice>(&event.payload)) {
        if (settings.progress || settings.notices || settings.verbose ||
            notice->severity == events::Severity::Warning) {
            say(renderNotice(*notice));
        }
    }
    if (run.failures().size() > failures) {
        const events::SpanState& failed = run.spans()[run.failures().back()];
        // What ends the run is told at its end.
        if (failed.ignored || failed.retried) say(renderFailure(failed));
    }
    if (finishing && settings.verbose) say(renderFinished(run.spans()[*finishing]));
}

/// A run that waits for somebody else must not look as if it hung. Of workers that do, notices
/// tell; those without a task wait for another of the run's own.
void RunDisplay::State::tellLock(const events::WorkerIdle& idle) {
    if (idle.cause != events::IdleCause::Lock || idle.worker.value != 0) return;
    if (drawsBlock() || !settings.progress) return;
    const std::string text = "waits for a lock: " + printable(idle.on);
    if (text == lockTold) return;
    lockTold = text;
    say(text);
}

void RunDisplay::State::show() {
    const auto now = std::chrono::steady_clock::now();
    if (!settings.progress || run.finished() || now < nextShow) return;
    if (drawsBlock()) {
        drawBlock(now);
        nextShow = now + kRedrawInterval;
    } else if (run.started()) {
        if (run.bytesDone() > 0) say(renderProgressLine(run));
        nextShow = now + kLineInterval;
    }
}

void RunDisplay::State::drawBlock(std::chrono::steady_clock::time_point now) {
    const TextStyle style = terminalStyle(STDERR_FILENO);
    std::vector<std::string> lines;
    if (run.started()) {
        lines = renderProgress(run, style);
    } else if (now - begin > kSlowStart) {
        lines = renderStart(run, style);
    }
    if (settings.stop.stop_requested()) {
        if (!stopped) stopped = now;
        lines.resize(std::max<std::size_t>(lines.size(), 1));
        lines.front() = renderStopping(std::chrono::duration_cast<Duration>(now - *stopped));
    }
    for (std::string& line : lines) {
        if (columnsOf(Screen::withoutColor(line)) >= style.width && style.width > 1) {
            line = fitted(line, style.width - 1, style.unicode);
        }
    }
    if (!lines.empty()) screen.draw(lines, style.width);
}

void RunDisplay::State::work(const std::stop_token& stop) {
    std::mutex sleeping;
    std::condition_variable_any wake;
    while (!stop.stop_requested()) {
        queue.wait(kRedrawInterval, stop);
        const bool any = drain();
        show();
        if (!any) continue;
        // Leaves the processors to the run: what comes meanwhile is taken in one go.
        std::unique_lock<std::mutex> lock(sleeping);
        (void)wake.wait_for(lock, stop, kRedrawInterval / 4, [] { return false; });
    }
    while (drain()) {  // the recorder may have something to say of its own
    }
    eraseBlock();
}

bool RunDisplay::State::drain() {
    queue.drain(batch);
    for (const events::Event& event : batch) take(event);
    if (recorder) recorder->take(batch, run);
    return !batch.empty();
}

RunDisplay::RunDisplay(DisplaySettings settings, std::optional<events::RunLog> log)
    : state_(std::make_unique<State>(settings, std::move(log))) {
    state_->thread =
        std::jthread([state = state_.get()](const std::stop_token& stop) { state->work(stop); });
}

RunDisplay::~RunDisplay() { finish(); }

events::EventSink& RunDisplay::sink() { return state_->queue; }

void RunDisplay::finish() {
    if (!state_->thread.joinable()) return;
    state_->thread.request_stop();
    state_->thread.join();
}

const events::RunState& RunDisplay::state() const { return state_->run; }
const std::string& RunDisplay::logProblem() const { return state_->logProblem; }

}  // namespace gantry::headless
