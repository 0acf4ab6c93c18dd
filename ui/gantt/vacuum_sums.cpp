// SPDX-License-Identifier: PostgreSQL
#include "ui/gantt/vacuum_sums.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"

namespace gantry::ui {
namespace {

using events::PartKind;
using events::PartState;
using events::SpanState;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Chart)
};

void add(std::vector<Spent>& spent, const std::string& name, Duration time) {
    const auto found = std::find_if(spent.begin(), spent.end(),
                                    [&name](const Spent& one) { return one.name == name; });
    if (found == spent.end()) {
        spent.push_back({.name = name, .time = time});
    } else {
        found->time += time;
    }
}

}  // namespace

std::vector<Spent> timeByPhase(const SpanState& span, Duration now) {
    std::vector<Spent> spent;
    for (const events::PhaseState& phase : span.phases) {
        add(spent, phase.phase, phase.end.value_or(span.end.value_or(now)) - phase.begin);
    }
    return spent;
}

std::vector<Spent> timeByIndex(const SpanState& span, Duration now) {
    std::vector<Spent> spent;
    for (const PartState& part : span.parts) {
        if (part.kind != PartKind::Index) continue;
        add(spent, part.object, part.end.value_or(span.end.value_or(now)) - part.begin);
    }
    return spent;
}

QString vacuumVerdict(const events::RunState& run) {
    if (run.vacuumed().empty()) return {};
    uint64_t removed = 0;
    uint64_t kept = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    uint64_t oldestBefore = 0;
    uint64_t oldestAfter = 0;
    std::size_t tables = 0;
    int indexes = 0;
    uint64_t indexesBefore = 0;
    uint64_t indexesAfter = 0;
    for (const events::VacuumOutcome& outcome : run.vacuumed()) {
        if (outcome.index) {
            ++indexes;
            indexesBefore += outcome.bytesBefore;
            indexesAfter += outcome.bytesAfter;
            continue;
        }
        ++tables;
        removed += outcome.rowsRemoved;
        kept += outcome.rowsKept;
        before += outcome.bytesBefore;
        after += outcome.bytesAfter;
        oldestBefore = std::max(oldestBefore, outcome.xidAgeBefore);
        oldestAfter = std::max(oldestAfter, outcome.xidAgeAfter);
    }
    QString text;
    if (indexes > 0) {
        text =
            Words::tr("%n indexes were built anew or dropped: %1 before, %2 now.", nullptr, indexes)
                .arg(bytesText(indexesBefore), bytesText(indexesAfter));
    }
    if (tables == 0) return text;
    if (!text.isEmpty()) text += u' ';
    const QString rows = removed == 1 ? Words::tr("one dead row")
                                      : Words::tr("%1 dead rows").arg(countText(removed));
    text += after < before
                ? Words::tr("Removed %1 and freed %2.").arg(rows, bytesText(before - after))
                : Words::tr("Removed %1; no table became smaller.").arg(rows);
    if (kept > 0) {
        text += u' ' + Words::tr("%1 more are still seen by older transactions and stay.")
                           .arg(countText(kept));
    }
    if (oldestBefore > 0) {
        text +=
            u' ' + Words::tr("The oldest transaction of these tables: %1 behind before, %2 now.")
                       .arg(countText(oldestBefore), countText(oldestAfter));
    }
    Spent longest;
    for (const SpanState& span : run.spans()) {
        for (const Spent& index : timeByIndex(span, run.now())) {
            if (index.time > longest.time) longest = index;
        }
    }
    if (!longest.name.empty()) {
        text += u' ' + Words::tr("Of the indexes, %1 took longest: %2.")
                           .arg(shortObject(longest.name), durationText(longest.time));
    }
    return text;
}

}  // namespace gantry::ui
