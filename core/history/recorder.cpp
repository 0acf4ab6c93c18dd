// SPDX-License-Identifier: PostgreSQL
#include "core/history/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "core/base/error.h"
#include "core/history/forecast.h"

namespace gantry::history {
namespace {

/// Sorts by time, and is nobody else's.
std::string nameFor(const events::RunStarted& started) {
    std::string time = started.startedAt;
    std::replace(time.begin(), time.end(), ':', '-');
    return fmt::format("{}-{:08x}", time, std::random_device()());
}

}  // namespace

Recorder::Recorder(std::filesystem::path folder, events::EventSink& notices)
    : history_(std::move(folder),
               [&notices](const std::string& message) {
                   notices.post(events::Notice{events::Severity::Warning, message});
               }),
      notices_(notices) {}

template <class Action>
bool Recorder::attempt(const char* what, Action action) {
    try {
        action();
        return true;
    } catch (const std::exception& error) {
        notices_.post(
            events::Notice{events::Severity::Warning, fmt::format("{}: {}", what, error.what())});
        return false;
    }
}

void Recorder::take(std::span<const events::Event> events, const events::RunState& run) {
    if (over_) return;
    std::size_t first = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const events::Payload& payload = events[i].payload;
        const auto* started = std::get_if<events::RunStarted>(&payload);
        if (!begun_ && started != nullptr) {
            begin(*started);
        } else if (!begun_) {
            before_.push_back(events[i]);
            first = i + 1;
        }
        if (const auto* plan = std::get_if<events::Plan>(&payload)) predict(*plan, run);
    }
    if (!begun_) return;
    const auto write = [&] {
        if (log_) log_->write(events.subspan(first));
    };
    if (!attempt("the record of this run is not whole", write)) log_.reset();
    for (const events::Event& event : events.subspan(first)) {
        const auto* identity = std::get_if<events::Identity>(&event.payload);
        if (identity == nullptr || !run_) continue;
        attempt("the history of runs was not written",
                [&] { history_.identify(*run_, *identity); });
    }
    if (run.finished()) end(run);
}

void Recorder::begin(const events::RunStarted& started) {
    begun_ = true;
    dry_ = started.options.contains("dry-run");
    if (dry_) return;
    const std::string name = nameFor(started);
    const bool logged = attempt("no record of this run is kept", [&] {
        std::filesystem::create_directories(history_.logFolder());
        log_.emplace(events::RunLog::create(history_.logFolder() / (name + ".jsonl")));
        name_ = name;
        log_->write(before_);
    });
    before_.clear();
    // Where not even a file can be made, there is no need to say the same twice.
    if (!logged) return;
    attempt("the history of runs was not written", [&] { run_ = history_.add(name_, started); });
}

void Recorder::predict(const events::Plan& plan, const events::RunState& run) {
    if (std::exchange(planned_, true) || !run.started() || (!run_ && !dry_)) return;
    if (!history_.exists()) return;
    attempt("no forecast was made", [&] {
        const auto found = forecast(*run.started(), plan, experienceFor(history_, *run.started()));
        if (found) notices_.post(*found);
    });
}

void Recorder::end(const events::RunState& run) {
    over_ = true;
    attempt("the history of runs was not written", [&] {
        if (run_) history_.finish(*run_, run);
        if (log_) history_.compress(name_);
    });
    log_.reset();
}

std::filesystem::path Recorder::log() const {
    PastRun run;
    run.log = name_;
    return name_.empty() || history_.logBytes(run) == 0 ? std::filesystem::path()
                                                        : history_.logOf(run);
}

}  // namespace gantry::history
