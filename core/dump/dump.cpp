// SPDX-License-Identifier: PostgreSQL
#include "core/dump/dump.h"

#include "core/dump/dump_run.h"

namespace gantry::dump {

void dump(const options::DumpOptions& options, events::EventSink& events, std::stop_token stop) {
    DumpRun run(options, events, std::move(stop));
    run.prepare();
    events::RunFinished end;
    const auto fail = [&](const Error& error) {
        end = run.totals();
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
    end = run.totals();
    events.post(end);
}

}  // namespace gantry::dump
