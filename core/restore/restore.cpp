// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore.h"

#include "core/restore/restore_run.h"
#include "core/run/whole_run.h"

namespace gantry::restore {

void restore(const options::RestoreOptions& options, events::EventSink& events,
             std::stop_token stop, run::RunControl* control) {
    RestoreRun run(options, events, std::move(stop), control);
    run.prepare();
    run::toItsEnd(
        events, [&] { run.execute(); }, [&] { return run.totals(); });
}

}  // namespace gantry::restore
