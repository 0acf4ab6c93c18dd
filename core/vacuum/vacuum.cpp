// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/vacuum.h"

#include "core/pg/one_server.h"
#include "core/run/whole_run.h"
#include "core/vacuum/survey.h"
#include "core/vacuum/vacuum_run.h"

namespace gantry::vacuum {

void vacuum(const options::VacuumOptions& options, events::EventSink& events, std::stop_token stop,
            run::RunControl* control) {
    VacuumRun run(pg::onOneServer(options), events, std::move(stop), control);
    run.prepare();
    run::toItsEnd(
        events, [&] { run.execute(); }, [&] { return run.totals(); });
}

Outlook look(const options::VacuumOptions& options, std::stop_token stop) {
    constexpr bool kThorough = true;
    Outlook outlook;
    outlook.survey = surveyAll(options, kThorough, stop).survey;
    outlook.plan = planVacuum(outlook.survey, options);
    return outlook;
}

}  // namespace gantry::vacuum
