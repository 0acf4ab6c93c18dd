// SPDX-License-Identifier: PostgreSQL
// Work that may block, done off the GUI thread, its result brought back to it.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/error.h"

class QThreadPool;

namespace gantry::ui {

/// Where all blocking work is done. main() waits for it before the application object goes.
QThreadPool& workPool();

/// Runs `action` on the GUI thread soon. From any thread.
void postToGui(std::function<void()> action);

/// What an exception that work threw says of itself.
ErrorInfo describeException(const std::exception_ptr& exception);

/// Starts `action` in the pool.
void startInPool(std::function<void()> action);

/// A piece of work under way; stop() asks it to end and drops what it would have delivered. Copies
/// mean the same work. All calls on the GUI thread, and none of them waits.
class AsyncJob {
public:
    AsyncJob() = default;
    void stop();
    bool running() const { return state_ && state_->wanted; }

private:
    struct State {
        std::stop_source stop;
        bool wanted = true;  ///< GUI thread only
    };
    explicit AsyncJob(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;

    template <class Work, class Done, class Failed>
    friend AsyncJob runAsync(QObject* context, Work work, Done done, Failed failed);
    /// Stopped when `context` goes.
    static AsyncJob make(QObject* context);
};

/// Calls `work(std::stop_token)` in the pool, then `done(result)` or `failed(const ErrorInfo&)` on
/// the GUI thread. Neither is called once `context` has gone or the job was stopped. From the GUI
/// thread.
template <class Work, class Done, class Failed>
AsyncJob runAsync(QObject* context, Work work, Done done, Failed failed) {
    using Value = std::invoke_result_t<Work, std::stop_token>;
    AsyncJob job = AsyncJob::make(context);
    const std::shared_ptr<AsyncJob::State> state = job.state_;
    startInPool([state, guard = QPointer<QObject>(context), work = std::move(work),
                 done = std::move(done), failed = std::move(failed)]() mutable {
        const auto deliver = [&](auto call) {
            postToGui([state, guard, call = std::move(call)]() mutable {
                if (!state->wanted || !guard) return;
                state->wanted = false;
                call();
            });
        };
        try {
            if constexpr (std::is_void_v<Value>) {
                work(state->stop.get_token());
                deliver([done = std::move(done)]() mutable { done(); });
            } else {
                // Results need not be copyable; what is posted has to be.
                auto value = std::make_shared<Value>(work(state->stop.get_token()));
                deliver([value, done = std::move(done)]() mutable { done(std::move(*value)); });
            }
        } catch (...) {
            deliver([error = describeException(std::current_exception()),
                     failed = std::move(failed)]() mutable { failed(error); });
        }
    });
    return job;
}

}  // namespace gantry::ui
