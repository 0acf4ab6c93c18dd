// SPDX-License-Identifier: PostgreSQL
#include "core/dump/dump.h"

#include "core/dump/dump_run.h"
#include "core/pg/one_server.h"
#include "core/run/whole_run.h"

namespace gantry::dump {

void dump(const options::DumpOptions& options, events::EventSink& events, std::stop_token stop,
          run::RunControl* control) {
    DumpRun run(pg::onOneServer(options), events, std::move(stop), control);
    run.prepare();
    run::toItsEnd(
        events, [&] { run.execute(); }, [&] { return run.totals(); });
}

}  // namespace gantry::dump
