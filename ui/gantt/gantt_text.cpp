// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/gantt_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/format.h"
#include "core/report/verdict.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/layout.h"
#include "ui/gantt/vacuum_sums.h"

namespace gantry::ui {
namespace {

using events::IdleCause;
using events::RunState;
using events::SpanState;
using events::TaskState;
using events::TaskStatus;
using plan::TaskKind;

struct Chart {
    Q_DECLARE_TR_FUNCTIONS(Chart)
};

/// What a task that has not begun waits for: the first of those before it that is not over.
QString waitsFor(const RunState& run, const TaskState& task) {
    for (const TaskId before : task.after) {
        const auto found = run.tasks().find(before);
        if (found == run.tasks().end()) continue;
        const TaskStatus status = found->second.status;
        if (status == TaskStatus::Planned || status == TaskStatus::Running) {
            return Chart::tr("waits for %1").arg(shortObject(found->second.object));
        }
    }
    return Chart::tr("waits for a worker");
}

/// The lock that all of what runs of a task waits for; null if any of it gets on.
const events::WorkerIdle* lockWaitedFor(const RunState& run, const TaskState& task) {
    const events::WorkerIdle* lock = nullptr;
    for (const std::size_t place : task.spans) {
        const SpanState& span = run.spans()[place];
        if (!span.running()) continue;
        const events::WorkerState& worker = run.workers().at(span.worker);
        const bool waits =
            worker.span == place && worker.idle && worker.idle->cause == IdleCause::Lock;
        if (!waits) return nullptr;
        lock = &*worker.idle;
    }
    return lock;
}

}  // namespace

Category categoryOf(TaskKind kind) {
    switch (kind) {
        case TaskKind::TableData:
        case TaskKind::LargeObjects:
            return Category::Copy;
        case TaskKind::Index:
            return Category::Index;
        case TaskKind::Constraint:
            return Category::Constraint;
        case TaskKind::ForeignKey:
            return Category::ForeignKey;
        case TaskKind::MaterializedView:
            return Category::Matview;
        case TaskKind::Vacuum:
        case TaskKind::VacuumFull:
            return Category::Vacuum;
        case TaskKind::Analyze:
        case TaskKind::Statistics:
            return Category::Analyze;
        case TaskKind::Schema:
        case TaskKind::PostData:
        case TaskKind::Acl:
        case TaskKind::Finish:
            return Category::Definition;
    }
    return Category::Definition;
}

QString categoryName(Category category) {
    switch (category) {
        case Category::Copy:
            return Chart::tr("COPY");
        case Category::Index:
            return Chart::tr("Index");
        case Category::Constraint:
            return Chart::tr("Constraint");
        case Category::ForeignKey:
            return Chart::tr("Foreign key");
        case Category::Matview:
            return Chart::tr("Matview");
        case Category::Definition:
            return Chart::tr("Definitions");
        case Category::Vacuum:
            return Chart::tr("Vacuum");
        case Category::Analyze:
            return Chart::tr("Analyze");
    }
    return {};
}

TaskKind kindOf(Category category) {
    switch (category) {
        case Category::Copy:
            return TaskKind::TableData;
        case Category::Index:
            return TaskKind::Index;
        case Category::Constraint:
            return TaskKind::Constraint;
        case Category::ForeignKey:
            return TaskKind::ForeignKey;
        case Category::Matview:
            return TaskKind::MaterializedView;
        case Category::Definition:
            return TaskKind::Schema;
        case Category::Vacuum:
            return TaskKind::Vacuum;
        case Category::Analyze:
            return TaskKind::Analyze;
    }
    return TaskKind::Schema;
}

QString kindName(TaskKind kind) {
    switch (kind) {
        case TaskKind::Schema:
            return Chart::tr("Definitions");
        case TaskKind::TableData:
            return Chart::tr("COPY");
        case TaskKind::LargeObjects:
            return Chart::tr("Large objects");
        case TaskKind::Index:
            return Chart::tr("Index");
        case TaskKind::Constraint:
            return Chart::tr("Constraint");
        case TaskKind::ForeignKey:
            return Chart::tr("Foreign key");
        case TaskKind::MaterializedView:
            return Chart::tr("Materialized view");
        case TaskKind::PostData:
            return Chart::tr("Definition after data");
        case TaskKind::Acl:
            return Chart::tr("Privileges");
        case TaskKind::Statistics:
            return Chart::tr("Statistics");
        case TaskKind::Vacuum:
            return Chart::tr("Vacuum");
        case TaskKind::VacuumFull:
            return Chart::tr("Vacuum full");
        case TaskKind::Analyze:
            return Chart::tr("Analyze");
        case TaskKind::Finish:
            return Chart::tr("Completing");
    }
    return {};
}

bool isMaintenance(TaskKind kind) {
    return kind == TaskKind::Vacuum || kind == TaskKind::VacuumFull || kind == TaskKind::Analyze;
}

QString periodText(Duration begin, Duration end) {
    using namespace std::chrono_literals;
    const Duration step = end - begin < 10s ? Duration(100ms) : Duration(1s);
    return Chart::tr("%1 to %2 (%3)")
        .arg(text(tickLabel(begin, step)), text(tickLabel(end, step)), durationText(end - begin));
}

QString clockText(Duration duration) { return text(tickLabel(duration, std::chrono::seconds(1))); }

QString shortObject(const std::string& object) {
    constexpr std::string_view kUsual = "public.";
    std::string_view name = object;
    // Kind and colour tell what a refresh is.
    if (name.starts_with(kMatviewEntry)) name.remove_prefix(kMatviewEntry.size());
    if (name.starts_with(kUsual)) name.remove_prefix(kUsual.size());
    return text(name);
}

QString partLabel(const SpanState& span) {
    return span.span.chunk ? Chart::tr("part %1").arg(QString::number(*span.span.chunk + 1))
                           : QString();
}

std::string nameWithin(const std::string& relation, const std::string& object) {
    const std::string before = relation + ' ';  // "public.orders orders_pkey"
    return object.starts_with(before) ? object.substr(before.size()) : object;
}

QString barLabel(const RunState& run, const SpanState& span) {
    const auto task = run.tasks().find(span.span.task);
    QString label = shortObject(
        task == run.tasks().end() ? span.object : nameWithin(task->second.relation, span.object));
    if (label.isEmpty()) label = kindName(span.kind);
    return span.span.chunk ? QStringLiteral("%1 · %2").arg(label, partLabel(span)) : label;
}

QString workerName(WorkerId worker) {
    return worker.value == 0 ? Chart::tr("Coordinator") : Chart::tr("Worker %1").arg(worker.value);
}

QString activityText(const SpanState& span) {
    if (!span.phase.empty()) return text(span.phase);
    return kindName(span.kind);
}

QString idleText(const events::WorkerIdle& idle) {
    events::WorkerIdle shown = idle;
    shown.on = shortObject(idle.on).toStdString();
    return text(report::describeIdle(shown));
}

QString subLaneName(const SubLane& lane) {
    switch (lane.kind) {
        case events::PartKind::Table:
            return Chart::tr("Tables");
        case events::PartKind::Toast:
            return Chart::tr("TOAST");
        case events::PartKind::Index:
            return lane.helper == 0 ? Chart::tr("Indexes, itself")
                                    : Chart::tr("Index worker %1").arg(lane.helper);
    }
    return {};
}

QString boundText(const RunState& run, Duration bound) {
    return run.finished() ? durationText(bound) : Chart::tr("about %1").arg(durationText(bound));
}

bool hasPassedOver(const RunState& run, const TaskState& task) {
    if (task.spans.empty()) return false;
    const TaskId id = run.spans()[task.spans.front()].span.task;
    return std::any_of(run.ignoredAt().begin(), run.ignoredAt().end(),
                       [id](const auto& error) { return error.second.task == id; });
}

bool wasCancelled(const RunState& run, const TaskState& task) {
    return std::any_of(task.spans.begin(), task.spans.end(), [&run](std::size_t place) {
        const SpanState& span = run.spans()[place];
        return span.error && !span.retried && span.error->kind == ErrorKind::Cancelled;
    });
}

Status statusOf(const RunState& run, const TaskState& task) {
    switch (task.status) {
        case TaskStatus::Planned:
            if (run.finished()) return {Chart::tr("not begun"), StatusTone::Muted};
            return {waitsFor(run, task), StatusTone::Muted};
        case TaskStatus::Running: {
            if (task.runningSpans == 0) return {Chart::tr("begun"), StatusTone::Plain};
            if (const events::WorkerIdle* lock = lockWaitedFor(run, task)) {
                return {idleText(*lock), StatusTone::Plain};
            }
            const std::string& phase = run.spans()[task.spans.back()].phase;
            if (phase.empty()) return {Chart::tr("running"), StatusTone::Plain};
            return {Chart::tr("running · %1").arg(text(phase)), StatusTone::Plain};
        }
        case TaskStatus::Done: {
            if (task.spans.empty()) return {Chart::tr("done"), StatusTone::Good};
            if (hasPassedOver(run, task)) return {Chart::tr("done, with errors"), StatusTone::Bad};
            Duration begin = run.spans()[task.spans.front()].begin;
            Duration end{};
            for (const std::size_t span : task.spans) {
                end = std::max(end, run.spans()[span].end.value_or(run.now()));
            }
            return {Chart::tr("done in %1").arg(durationText(end - begin)), StatusTone::Good};
        }
        case TaskStatus::Failed:
            if (wasCancelled(run, task)) {
                return {Chart::tr("cancelled"), StatusTone::Bad};
            }
            return {Chart::tr("failed"), StatusTone::Bad};
        case TaskStatus::Withdrawn:
            return {Chart::tr("withdrawn"), StatusTone::Muted};
        case TaskStatus::CutOff:
            return {Chart::tr("cut off"), StatusTone::Bad};
    }
    return {};
}

namespace {

QString listOf(const std::vector<Spent>& spent) {
    constexpr std::size_t kMost = 8;
    QStringList items;
    for (const Spent& one : spent) {
        if (items.size() == static_cast<qsizetype>(kMost)) {
            items << Chart::tr("and %1 more").arg(spent.size() - kMost);
            break;
        }
        items << QStringLiteral("%1 %2").arg(shortObject(one.name), durationText(one.time));
    }
    return items.join(QStringLiteral(", "));
}

/// What only a vacuum tells: how far it is, who helps, what it came to.
void addVacuumFacts(const RunState& run, const SpanState& span, Facts& facts) {
    if (!isMaintenance(span.kind)) return;
    if (span.vacuum) {
        const events::VacuumProgress& v = *span.vacuum;
        if (v.blocks > 0) {
            facts.emplace_back(Chart::tr("Blocks"),
                               Chart::tr("%1 of %2 scanned, %3 vacuumed")
                                   .arg(countText(v.blocksScanned), countText(v.blocks),
                                        countText(v.blocksVacuumed)));
        }
        if (v.indexPass > 0 || v.indexes > 0) {
            facts.emplace_back(Chart::tr("Index passes"),
                               v.indexes > 0 ? Chart::tr("%1 done; %2 of %3 indexes in this one")
                                                   .arg(v.indexPass)
                                                   .arg(v.indexesDone)
                                                   .arg(v.indexes)
                                             : Chart::tr("%1 done").arg(v.indexPass));
        }
        if (v.deadBytesMost > 0) {
            facts.emplace_back(Chart::tr("Dead row memory"),
                               Chart::tr("%1 of %2, %3 rows")
                                   .arg(bytesText(v.deadBytes), bytesText(v.deadBytesMost),
                                        countText(v.deadRows)));
        } else if (v.deadRows > 0) {
            facts.emplace_back(Chart::tr("Dead rows held"), countText(v.deadRows));
        }
    }
    for (const events::HelpersLaunched& helpers : span.helpers) {
        facts.emplace_back(Chart::tr("Index workers"), Chart::tr("%1 launched of %2 planned, %3")
                                                           .arg(helpers.launched)
                                                           .arg(helpers.planned)
                                                           .arg(text(helpers.phase)));
    }
    const std::vector<Spent> phases = timeByPhase(span, run.now());
    if (phases.size() > 1) facts.emplace_back(Chart::tr("Phases"), listOf(phases));
    const std::vector<Spent> indexes = timeByIndex(span, run.now());
    if (!indexes.empty()) facts.emplace_back(Chart::tr("Indexes"), listOf(indexes));
    std::size_t told = 0;
    for (const events::VacuumOutcome& outcome : run.vacuumed()) {
        constexpr std::size_t kMost = 4;
        if (outcome.span != span.span || ++told > kMost) continue;
        if (outcome.index) {
            facts.emplace_back(shortObject(outcome.relation),
                               Chart::tr("%1 → %2").arg(bytesText(outcome.bytesBefore),
                                                        bytesText(outcome.bytesAfter)));
            continue;
        }
        facts.emplace_back(
            shortObject(outcome.relation),
            Chart::tr("%1 dead rows removed, %2 kept; %3 → %4; age %5 → %6")
                .arg(countText(outcome.rowsRemoved), countText(outcome.rowsKept),
                     bytesText(outcome.bytesBefore), bytesText(outcome.bytesAfter),
                     countText(outcome.xidAgeBefore), countText(outcome.xidAgeAfter)));
    }
}

/// The first of them: the log lists all.
void addPassedOver(const RunState& run, const SpanState& span, Facts& facts) {
    std::size_t count = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < run.ignoredAt().size(); ++i) {
        if (run.ignoredAt()[i].second == span.span && count++ == 0) first = i;
    }
    if (count == 0) return;
    const QString error = describe(run.ignoredErrors()[first]);
    facts.emplace_back(
        Chart::tr("Passed over"),
        count == 1 ? error : Chart::tr("%1 errors, the first: %2").arg(countText(count), error));
}

}  // namespace

Facts factsOf(const RunState& run, const SpanState& span) {
    Facts facts;
    const Duration end = span.end.value_or(run.now());
    const Duration took = end - span.begin;
    facts.emplace_back(Chart::tr("Worker"),
                       span.backendPid == 0
                           ? workerName(span.worker)
                           : Chart::tr("%1, backend %2")
                                 .arg(workerName(span.worker), QString::number(span.backendPid)));
    facts.emplace_back(
        Chart::tr("Time"),
        span.end ? periodText(span.begin, end)
                 : Chart::tr("since %1 (%2)").arg(clockText(span.begin), durationText(took)));
    if (span.running()) {
        QString progress = percentText(run.spanFraction(span));
        if (const auto expected = expectedEnd(run, span)) {
            progress = Chart::tr("%1, until about %2").arg(progress, clockText(*expected));
        }
        facts.emplace_back(Chart::tr("Progress"), progress);
    }
    if (!span.phase.empty()) facts.emplace_back(Chart::tr("Phase"), text(span.phase));
    if (span.rows > 0) facts.emplace_back(Chart::tr("Rows"), countText(span.rows));
    if (span.bytes > 0) {
        QString bytes = bytesText(span.bytes);
        if (span.running() && span.estimatedBytes > 0) {
            bytes = Chart::tr("%1 of about %2").arg(bytes, bytesText(run.expectedBytes(span)));
        }
        facts.emplace_back(Chart::tr("Bytes"), bytes);
        if (took > Duration::zero()) {
            facts.emplace_back(Chart::tr("Rate"), rateText(static_cast<double>(span.bytes) * 1e6 /
                                                           static_cast<double>(took.count())));
        }
    }
    // Parts of a table share its member: what is compressed there is not one part's.
    if (span.compressedBytes > 0 && span.bytes > 0 && !span.span.chunk) {
        facts.emplace_back(
            Chart::tr("Compressed"),
            Chart::tr("%1, %2 to 1")
                .arg(bytesText(span.compressedBytes))
                .arg(static_cast<double>(span.bytes) / static_cast<double>(span.compressedBytes), 0,
                     'f', 1));
    }
    addVacuumFacts(run, span, facts);
    if (span.error) {
        const bool cancelled = span.error->kind == ErrorKind::Cancelled;
        facts.emplace_back(span.begunAgain() ? Chart::tr("Stopped, begun again")
                           : span.retried    ? Chart::tr("Failed, tried again")
                           : cancelled       ? Chart::tr("Cancelled")
                                             : Chart::tr("Failed"),
                           describe(*span.error));
    } else if (span.cutOff) {
        const events::RunFinished& over = *run.finished();
        facts.emplace_back(Chart::tr("Cut off"),
                           over.brokenOff ? Chart::tr("the record ends before this was done")
                           : over.outcome == events::Outcome::Cancelled
                               ? Chart::tr("the run was cancelled before this was done")
                               : Chart::tr("the run failed before this was done"));
    }
    if (span.passedOver && !span.error) addPassedOver(run, span, facts);
    return facts;
}

Facts factsOf(const RunState& run, const SpanState& span, const events::PartState& part) {
    Facts facts;
    facts.emplace_back(Chart::tr("Of"), barLabel(run, span));
    if (part.kind == events::PartKind::Index) {
        facts.emplace_back(Chart::tr("Done by"), part.helper > 0
                                                     ? subLaneName(subLaneOf(part))
                                                     : Chart::tr("the session itself, backend %1")
                                                           .arg(QString::number(span.backendPid)));
    }
    if (!part.phase.empty()) facts.emplace_back(Chart::tr("Phase"), text(part.phase));
    const Duration end = part.end.value_or(span.end.value_or(run.now()));
    facts.emplace_back(Chart::tr("Time"),
                       part.end || span.end
                           ? periodText(part.begin, end)
                           : Chart::tr("since %1 (%2)")
                                 .arg(clockText(part.begin), durationText(end - part.begin)));
    if (part.kind == events::PartKind::Index && part.end) {
        facts.emplace_back(Chart::tr("Rows removed"), countText(part.rows));
    }
    return facts;
}

QString partTitle(const events::PartState& part) {
    switch (part.kind) {
        case events::PartKind::Index:
            return Chart::tr("%1 · index").arg(shortObject(part.object));
        case events::PartKind::Toast:
            return Chart::tr("%1 · TOAST table").arg(shortObject(part.object));
        case events::PartKind::Table:
            return Chart::tr("%1 · table").arg(shortObject(part.object));
    }
    return {};
}

namespace {

QString sentenceOf(QStringList parts, const Facts& facts) {
    for (const auto& [name, value] : facts) parts << Chart::tr("%1: %2").arg(name, value);
    return parts.join(QStringLiteral(", "));
}

QString toolTipOf(const QString& title, const Facts& facts) {
    QString html = title + QStringLiteral("<table cellspacing='0'>");
    for (const auto& [name, value] : facts) {
        html += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                    .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

}  // namespace

QString describeBar(const RunState& run, const SpanState& span) {
    return sentenceOf({barLabel(run, span), kindName(span.kind)}, factsOf(run, span));
}

QString describePart(const RunState& run, const SpanState& span, const events::PartState& part) {
    return sentenceOf({partTitle(part)}, factsOf(run, span, part));
}

QString barToolTip(const RunState& run, const SpanState& span, Duration at) {
    Facts facts = factsOf(run, span);
    for (const events::PhaseState& phase : span.phases) {
        const Duration end = phase.end.value_or(span.end.value_or(run.now()));
        if (at < phase.begin || at >= end) continue;
        facts.emplace(facts.begin(), Chart::tr("Here"),
                      Chart::tr("%1, %2").arg(text(phase.phase), durationText(end - phase.begin)));
        break;
    }
    return toolTipOf(
        QStringLiteral("<b>%1</b> · %2")
            .arg(barLabel(run, span).toHtmlEscaped(), kindName(span.kind).toHtmlEscaped()),
        facts);
}

QString partToolTip(const RunState& run, const SpanState& span, const events::PartState& part) {
    return toolTipOf(QStringLiteral("<b>%1</b>").arg(partTitle(part).toHtmlEscaped()),
                     factsOf(run, span, part));
}

}  // namespace gantry::ui
