// SPDX-License-Identifier: PostgreSQL
#include "core/history/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"

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

void Recorder::take(std::span<const events::Event> events) {
    if (!wanted_) return;
    std::size_t first = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto* started = std::get_if<events::RunStarted>(&events[i].payload);
        if (name_.empty() && started == nullptr) {
            before_.push_back(events[i]);
            first = i + 1;
        } else if (name_.empty()) {
            begin(*started);
            if (!wanted_) return;
        }
        state_.apply(events[i]);
    }
    if (name_.empty()) return;
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
    if (state_.finished()) end();
}

void Recorder::begin(const events::RunStarted& started) {
    wanted_ = !started.options.contains("dry-run");
    if (!wanted_) return;
    name_ = nameFor(started);
    const bool logged = attempt("no record of this run is kept", [&] {
        std::filesystem::create_directories(history_.logFolder());
        log_.emplace(events::RunLog::create(history_.logFolder() / (name_ + ".jsonl")));
        log_->write(before_);
    });
    before_.clear();
    // Where not even a file can be made, there is no need to say the same twice.
    if (!logged) return;
    attempt("the history of runs was not written", [&] { run_ = history_.add(name_, started); });
}

void Recorder::end() {
    wanted_ = false;
    attempt("the history of runs was not written", [&] {
        if (run_) history_.finish(*run_, state_);
        if (log_) history_.compress(name_);
    });
    log_.reset();
}

std::filesystem::path Recorder::log() const {
    if (name_.empty()) return {};
    PastRun run;
    run.log = name_;
    return history_.logOf(run);
}

}  // namespace gantry::history
