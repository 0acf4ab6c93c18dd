// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/telling.h"

#include <algorithm>

#include "core/vacuum/statement.h"

namespace gantry::vacuum {
namespace {

constexpr const char* kScanning = "scanning heap";
constexpr const char* kVacuumingIndexes = "vacuuming indexes";
constexpr const char* kVacuumingHeap = "vacuuming heap";
constexpr const char* kCleaningUp = "cleaning up indexes";
/// Clean-up that only looks at an index is not worth a place on the chart.
constexpr Duration kWorthShowing{100'000};

bool isToast(const std::string& name) {
    return name.find("pg_toast.pg_toast_") != std::string::npos || name.starts_with("pg_toast_");
}

}  // namespace

Telling::Telling(const Step& step, const Survey& survey, events::Span span,
                 events::EventSink& events, const Clock& clock)
    : step_(step),
      survey_(survey),
      span_(span),
      events_(events),
      clock_(clock),
      several_(step.tables.size() > 1),
      since_(clock.now()) {
    const std::string& database = survey.databases[step.database];
    for (const std::size_t place : step.tables) {
        const TableFacts& table = survey.tables[place];
        // As versions 15 and later name it, as those before do, and as some of their messages do.
        names_[database + "." + table.displayName()] = place;
        names_[table.displayName()] = place;
        if (!several_) names_[table.name] = place;
    }
    if (!several_ && !step.tables.empty()) beginTable(step.tables.front());
}

void Telling::hear(const pg::ServerNotice& notice) {
    const std::optional<Told> told = understand(notice);
    if (!told) return;
    const MutexLock lock(mutex_);
    std::visit([this](const auto& one) REQUIRES(mutex_) { on(one); }, *told);
}

void Telling::found(const std::string& phase, bool ofTable, Duration asked) {
    const MutexLock lock(mutex_);
    if (asked < entered_) return;  // a message has told of a later one since
    const bool stays = phase == phase_;
    enter(phase);
    if (!ofTable) return;
    const Duration now = clock_.now();
    if (stays) {
        if (phase == kScanning && (!passes_ || !passes_->underWay())) since_ = now;
        return;
    }
    since_ = now;
    // Where helpers take part, a message says so when they begin.
    if (phase != kVacuumingIndexes || inToast_ || step_.helpers > 0 || !passes_) return;
    post(passes_->begin(0, since_), 0, "vacuuming");
}

void Telling::enter(const std::string& phase) {
    if (phase == phase_) return;
    phase_ = phase;
    entered_ = clock_.now();
    events_.post(events::TaskPhase{.span = span_, .phase = phase});
}

void Telling::beginTable(std::size_t table) {
    current_ = table;
    inToast_ = false;
    std::vector<IndexPasses::Index> indexes;
    for (const IndexFacts& index : survey_.tables[table].indexes) {
        indexes.push_back(
            {.name = index.name,
             .shared = step_.helpers > 0 && index.bytes >= survey_.server.leastParallelIndex});
    }
    passes_.emplace(std::move(indexes));
    partOf_.clear();
    if (!several_) return;
    const auto place = std::find(step_.tables.begin(), step_.tables.end(), table);
    next_ = static_cast<std::size_t>(place - step_.tables.begin()) + 1;
    endPart();
    openPart_ = nextPart_++;
    events_.post(events::PartStarted{.span = span_,
                                     .part = *openPart_,
                                     .kind = events::PartKind::Table,
                                     .object = survey_.tables[table].shownName(),
                                     .phase = {},
                                     .helper = 0});
}

void Telling::beginToast(const std::string& name) {
    inToast_ = true;
    since_ = clock_.now();
    passes_.reset();
    if (several_ || step_.toastAlone) return;
    endPart();
    openPart_ = nextPart_++;
    events_.post(events::PartStarted{.span = span_,
                                     .part = *openPart_,
                                     .kind = events::PartKind::Toast,
                                     .object = name,
                                     .phase = "vacuuming",
                                     .helper = 0});
}

void Telling::endPart() {
    if (!openPart_) return;
    events_.post(events::PartFinished{.span = span_, .part = *openPart_});
    openPart_.reset();
}

std::optional<std::size_t> Telling::tableNamed(const std::string& name) const {
    const auto found = names_.find(name);
    if (found == names_.end()) return std::nullopt;
    return found->second;
}

void Telling::on(const TableBegun& told) {
    // Sooner than the next look at its progress, which a short one does not live to see.
    if (!several_ && told.analyze) {
        enter("analyzing");
    } else if (!several_ && !step_.full) {
        enter(isToast(told.table) ? std::string("TOAST: ") + kScanning : kScanning);
    }
    if (isToast(told.table)) {
        beginToast(told.table);
        return;
    }
    const auto table = tableNamed(told.table);
    if (table && (table != current_ || inToast_)) {
        if (inToast_) endPart();
        beginTable(*table);
    }
    since_ = clock_.now();
}

void Telling::on(const TableDone& told) {
    const bool toast = isToast(told.table);
    // Before 15 the message has no schema: it is about the table that was begun last.
    const auto named = toast ? std::nullopt : tableNamed(told.table);
    const auto table = named ? named : current_;
    if (!table) return;
    Removed& sum = removed_[*table];
    sum.table = *table;
    sum.rows += told.removed;
    sum.kept += told.kept;
    if (!toast) {
        sum.indexPasses = told.indexPasses.value_or(passes_ ? passes_->passes() : 0);
    }
    if (toast && !several_) endPart();
}

void Telling::on(const IndexDone& told) {
    const Duration now = clock_.now();
    if (inToast_ || !passes_ || several_) return;
    if (!told.cleanUp) {
        post(passes_->done(told.index, told.byHelper, told.took, since_, now), told.rows,
             "vacuuming");
        if (passes_->underWay()) return;
        since_ = now;
        enter(kVacuumingHeap);  // which follows each pass
        return;
    }
    // Where nobody says how long it took, it began with its phase, or was over before that was
    // seen.
    const bool known = told.took || phase_ == kCleaningUp;
    const Duration took = told.took.value_or(now - since_);
    since_ = now;
    if (!known || took < kWorthShowing) return;
    const uint32_t part = nextPart_++;
    const uint32_t helper = told.byHelper ? 1 : 0;
    events_.post(events::PartStarted{.span = span_,
                                     .part = part,
                                     .kind = events::PartKind::Index,
                                     .object = told.index,
                                     .phase = "cleaning up",
                                     .helper = helper});
    events_.post(events::PartFinished{
        .span = span_, .part = part, .rows = told.rows, .took = took, .helper = helper});
}

void Telling::on(const HelpersBegun& told) {
    events_.post(events::HelpersLaunched{.span = span_,
                                         .launched = told.launched,
                                         .planned = told.planned,
                                         .phase = told.cleanUp ? "cleaning up" : "vacuuming"});
    since_ = clock_.now();
    if (told.cleanUp && !inToast_ && !several_) enter(kCleaningUp);
    if (!told.cleanUp && passes_ && !inToast_) {
        enter(kVacuumingIndexes);
        post(passes_->begin(told.launched, since_), 0, "vacuuming");
    }
}

void Telling::on(const Skipped& told) {
    skipped_.push_back({.said = told, .table = whichIsMeant(told)});
}

/// The message names no schema, but the server takes the tables in their order.
std::optional<std::size_t> Telling::whichIsMeant(const Skipped& told) {
    if (!several_) return step_.tables.front();
    const auto isMeant = [&](std::size_t place) {
        return survey_.tables[place].name == told.table;
    };
    if (!told.leftOut()) return current_ && isMeant(*current_) ? current_ : std::nullopt;
    const auto begin = step_.tables.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto found = std::find_if(begin, step_.tables.end(), isMeant);
    if (found == step_.tables.end()) return std::nullopt;
    // Only VERBOSE tells which tables are over.
    const bool known = isVerbose(step_, survey_.server.major());
    if (!known && std::any_of(found + 1, step_.tables.end(), isMeant)) return std::nullopt;
    next_ = static_cast<std::size_t>(found - step_.tables.begin()) + 1;
    return *found;
}

void Telling::post(const std::vector<IndexPasses::Stretch>& stretches, uint64_t rows,
                   const std::string& phase) {
    for (const IndexPasses::Stretch& stretch : stretches) {
        if (stretch.isNew) partOf_[stretch.number] = nextPart_++;
        if (stretch.isNew || !stretch.over) {
            events_.post(events::PartStarted{.span = span_,
                                             .part = partOf_[stretch.number],
                                             .kind = events::PartKind::Index,
                                             .object = stretch.index,
                                             .phase = phase,
                                             .helper = stretch.helper});
        }
        if (stretch.over) {
            events_.post(events::PartFinished{.span = span_,
                                              .part = partOf_[stretch.number],
                                              .rows = rows,
                                              .took = clock_.now() - stretch.begin,
                                              .helper = stretch.helper});
        }
    }
}

std::optional<std::pair<std::size_t, std::size_t>> Telling::indexesDone() const {
    const MutexLock lock(mutex_);
    if (!passes_ || !passes_->underWay()) return std::nullopt;
    return std::pair(passes_->indexesDone(), passes_->indexes());
}

std::vector<Removed> Telling::removed() const {
    const MutexLock lock(mutex_);
    std::vector<Removed> all;
    for (const auto& [table, sum] : removed_) all.push_back(sum);
    return all;
}

std::vector<SkippedTable> Telling::skipped() const {
    const MutexLock lock(mutex_);
    return skipped_;
}

}  // namespace gantry::vacuum
