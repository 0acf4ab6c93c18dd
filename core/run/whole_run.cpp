// SPDX-License-Identifier: PostgreSQL
#include "core/run/whole_run.h"

#include "core/base/error.h"
#include "core/run/load_watch.h"

namespace gantry::run {

void toItsEnd(events::EventSink& events, const std::function<void()>& execute,
              const std::function<events::RunFinished()>& totals) {
    const auto fail = [&](const Error& error) {
        events::RunFinished end = totals();
        end.outcome = error.kind() == ErrorKind::Cancelled ? events::Outcome::Cancelled
                                                           : events::Outcome::Failed;
        end.error = error.info();
        events.post(std::move(end));
    };
    try {
        const LoadWatch load(events);
        execute();
    } catch (const Error& error) {
        fail(error);
        throw;
    } catch (const std::exception& error) {  // of the library: no memory, no thread
        const Error told(ErrorKind::Internal, error.what());
        fail(told);
        throw told;
    }
    events.post(totals());
}

}  // namespace gantry::run
