// SPDX-License-Identifier: PostgreSQL
// What the chart says in words: names of kinds, labels of bars, all facts of a task.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "core/events/run_state.h"
#include "ui/gantt/layout.h"

namespace gantry::ui {

/// Kinds that look alike in the chart and are one entry of its legend.
enum class Category {
    Copy,
    Index,
    Constraint,
    ForeignKey,
    Matview,
    Definition,
    Vacuum,
    Analyze,
};
inline constexpr std::size_t kCategories = 8;
Category categoryOf(plan::TaskKind kind);
QString categoryName(Category category);
/// A kind that has the category's colour.
plan::TaskKind kindOf(Category category);

QString kindName(plan::TaskKind kind);
/// A vacuum's tasks, which tell their phases.
bool isMaintenance(plan::TaskKind kind);
/// "04:10", "1:02:33": a moment of the run, or time that goes on.
QString clockText(Duration duration);
/// "00:04.2 to 00:09.1 (4.9 s)": short ones to a tenth of a second.
QString periodText(Duration begin, Duration end);

/// A relation without the schema that goes without saying.
QString shortObject(const std::string& object);
/// "part 3"; empty for an undivided task.
QString partLabel(const events::SpanState& span);
/// "audit_log · part 3"; "orders_pkey" of a constraint.
QString barLabel(const events::RunState& run, const events::SpanState& span);
/// A task's name without that of the relation it belongs to.
std::string nameWithin(const std::string& relation, const std::string& object);
QString workerName(WorkerId worker);
/// "COPY", "building index: sorting": what a backend is at.
QString activityText(const events::SpanState& span);
QString idleText(const events::WorkerIdle& idle);
/// "Index worker 1", "TOAST".
QString subLaneName(const SubLane& lane);

/// A run's lower bound: "about 1:04" as long as what is left is estimated, "32.7 s" of one that is
/// over.
QString boundText(const events::RunState& run, Duration bound);

/// Whether an error within the task was passed over.
bool hasPassedOver(const events::RunState& run, const events::TaskState& task);
/// Whether somebody ended it rather than an error.
bool wasCancelled(const events::RunState& run, const events::TaskState& task);

enum class StatusTone { Plain, Muted, Good, Bad };
struct Status {
    QString text;
    StatusTone tone = StatusTone::Plain;
};
/// "running · sorting", "waits for a lock: …", "waits for COPY", "done in 0:09", "done, with
/// errors", "failed", "cancelled".
Status statusOf(const events::RunState& run, const events::TaskState& task);

/// Name and value, in the order in which they are shown.
using Facts = std::vector<std::pair<QString, QString>>;
Facts factsOf(const events::RunState& run, const events::SpanState& span);
/// Of what has a place of its own beneath the span's bar.
Facts factsOf(const events::RunState& run, const events::SpanState& span,
              const events::PartState& part);
/// "orders_pkey · index".
QString partTitle(const events::PartState& part);
/// The same as one sentence, for screen readers.
QString describeBar(const events::RunState& run, const events::SpanState& span);
QString describePart(const events::RunState& run, const events::SpanState& span,
                     const events::PartState& part);
/// The same as a tooltip; of a vacuum with the phase that it was in at that time.
QString barToolTip(const events::RunState& run, const events::SpanState& span, Duration at);
QString partToolTip(const events::RunState& run, const events::SpanState& span,
                    const events::PartState& part);

}  // namespace gantry::ui
