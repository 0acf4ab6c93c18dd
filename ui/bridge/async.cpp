// SPDX-License-Identifier: PostgreSQL
#include "ui/bridge/async.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace gantry::ui {

QThreadPool& workPool() {
    static QThreadPool pool;
    // Work waits for servers and disks, not for processors: none may wait for another.
    static const bool sized = [] {
        constexpr int kMost = 256;
        pool.setMaxThreadCount(kMost);
        return true;
    }();
    static_cast<void>(sized);
    return pool;
}

void postToGui(std::function<void()> action) {
    if (QCoreApplication* application = QCoreApplication::instance()) {
        QMetaObject::invokeMethod(application, std::move(action), Qt::QueuedConnection);
    }
}

ErrorInfo describeException(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return error.info();
    } catch (const std::exception& error) {
        ErrorInfo info;
        info.message = error.what();
        return info;
    }
}

void startInPool(std::function<void()> action) { workPool().start(std::move(action)); }

void AsyncJob::stop() {
    if (!state_ || !state_->wanted) return;
    state_->wanted = false;
    // What a stop sets off may wait for a lock or a socket.
    startInPool([stop = state_->stop]() mutable { stop.request_stop(); });
}

AsyncJob AsyncJob::make(QObject* context) {
    AsyncJob job;
    job.state_ = std::make_shared<State>();
    QObject::connect(context, &QObject::destroyed, QCoreApplication::instance(),
                     [weak = std::weak_ptr(job.state_)] {
                         if (const auto state = weak.lock()) AsyncJob(state).stop();
                     });
    return job;
}

}  // namespace gantry::ui
