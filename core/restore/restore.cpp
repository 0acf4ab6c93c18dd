// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore.h"

#include "core/restore/restore_run.h"

namespace gantry::restore {

void restore(const options::RestoreOptions& options, events::EventSink& events,
             std::stop_token stop) {
    RestoreRun run(options, events, std::move(stop));
    run.prepare();
    const auto fail = [&](const Error& error) {
        events::RunFinished end = run.totals();
        end.outcome = error.kind() == ErrorKind::Cancelled ? events::Outcome::Cancelled
                                                           : events::Outcome::Failed;
        end.error = error.info();
        events.post(end);
    };
    try {
        run.execute();
    } catch (const Error& error) {
        fail(error);
        throw;
    } catch (const std::exception& error) {  // of the library: no memory, no thread
        const Error told(ErrorKind::Internal, error.what());
        fail(told);
        throw told;
    }
    events.post(run.totals());
}

}  // namespace gantry::restore
