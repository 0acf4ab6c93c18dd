// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore.h"

#include "core/pg/one_server.h"
#include "core/restore/refresh.h"
#include "core/restore/restore_run.h"
#include "core/restore/script_run.h"
#include "core/run/whole_run.h"

namespace gantry::restore {
namespace {

/// `refresh`, if given, made the database that `options` lead to.
void restoreInto(const options::RestoreOptions& options, events::EventSink& events,
                 const std::stop_token& stop, run::RunControl* control, Refresh* refresh) {
    const auto carryOut = [&](auto&& run) {
        run.prepare();
        const auto execute = [&] {
            try {
                run.execute();
                if (refresh != nullptr) refresh->swap(run.totals());
            } catch (...) {
                if (refresh != nullptr) refresh->discard();
                throw;
            }
        };
        run::toItsEnd(events, execute, [&] { return run.totals(); });
    };
    if (isScript(options.archive)) {
        carryOut(ScriptRun(options, events, stop));
    } else {
        carryOut(RestoreRun(options, events, stop, control));
    }
}

}  // namespace

void restore(const options::RestoreOptions& options, events::EventSink& events,
             std::stop_token stop, run::RunControl* control) {
    const options::RestoreOptions aimed = pg::onOneServer(options);
    if (!aimed.refresh) {
        restoreInto(aimed, events, stop, control, nullptr);
        return;
    }
    Refresh refresh(aimed, events, stop);
    restoreInto(refresh.begin(), refresh.sink(), stop, control, &refresh);
}

}  // namespace gantry::restore
