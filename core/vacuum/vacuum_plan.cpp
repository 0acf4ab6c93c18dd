// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/vacuum_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/format.h"

namespace gantry::vacuum {
namespace {

constexpr int kSeveralTables = 11;  // in one statement
constexpr int kToastApart = 14;     // PROCESS_TOAST
constexpr int kDatabaseApart = 16;  // SKIP_DATABASE_STATS
constexpr uint32_t kStages = 3;

// What a usual machine does in a second; only their ratios decide the order, and a run corrects
// them by what its first tables took.
constexpr double kScan = 500e6;     // bytes of heap read
constexpr double kClean = 275e6;    // bytes of heap changed
constexpr double kIndex = 150e6;    // bytes of index read and changed
constexpr double kFreeze = 250e6;   // bytes of heap frozen
constexpr double kRewrite = 100e6;  // bytes of heap written anew
constexpr double kBuild = 50e6;     // bytes of index built
constexpr double kSampleBlock = 20e-6;
constexpr double kPerTable = 0.0008;
constexpr double kBlock = 8192;
constexpr double kChunksOfBlock = 4;  // of TOAST
constexpr auto kSample = static_cast<double>(kSampledBlocks);
constexpr double kSkipped = 32;  // blocks in a row that need nothing, or VACUUM reads them too

/// Tables of fewer bytes share statements.
constexpr uint64_t kSmall = uint64_t{4} << 20;
constexpr std::size_t kMostTogether = 50;
constexpr std::size_t kStatementsPerJob = 8;
/// A TOAST table of so many bytes is worth a task of its own.
constexpr uint64_t kLargeToast = uint64_t{32} << 20;

/// Blocks with dead rows. Those of one table lie together, those of another are strewn all over
/// it: halfway between the fewest blocks that have room for them and one for each.
double blocksChanged(const TableFacts& table) {
    const auto dead = static_cast<double>(table.deadRows);
    const double blocks = std::max(static_cast<double>(table.blocks), 1.0);
    const double perBlock =
        std::max(static_cast<double>(table.liveRows + table.deadRows) / blocks, 1.0);
    return std::sqrt(dead / perBlock * std::min(dead, blocks));
}

/// Without freezing: what the last vacuum left, and what came since.
double blocksToRead(const TableFacts& table) {
    const auto blocks = static_cast<double>(table.blocks);
    const double changed = blocksChanged(table);
    if (changed * kSkipped > blocks) return blocks;
    const double perBlock =
        std::max(static_cast<double>(table.liveRows) / std::max(blocks, 1.0), 1.0);
    const double added = static_cast<double>(table.insertedRows) / perBlock;
    return std::min(blocks - static_cast<double>(table.allVisible) + changed + added, blocks);
}

/// Bytes that a vacuum reads and those that it changes, which is what a throttle counts.
struct Touched {
    double read = 0;
    double changed = 0;

    Touched& operator+=(const Touched& other) {
        read += other.read;
        changed += other.changed;
        return *this;
    }
};

Touched heapTouched(const TableFacts& table, const VacuumEffort& effort) {
    const auto heap = static_cast<double>(table.heapBytes);
    return {.read = effort.everyBlock ? heap : std::min(blocksToRead(table) * kBlock, heap),
            .changed = std::min(blocksChanged(table) * kBlock, heap)};
}

VacuumEffort effortOf(const Step& step, bool everyBlock) {
    return {.freeze = step.freeze,
            .everyBlock = everyBlock || step.freeze,
            .toast = step.withToast,
            .passes = step.passes,
            .helpers = step.helpers};
}

/// Its chunks lie together as their rows came.
Touched toastTouched(const TableFacts& table, const VacuumEffort& effort) {
    const auto all = static_cast<double>(table.toastBytes);
    const double changed =
        std::min(static_cast<double>(table.toastDead) / kChunksOfBlock * kBlock, all);
    const double unseen = all - static_cast<double>(table.toastVisible) * kBlock;
    return {.read = effort.everyBlock ? all : std::clamp(unseen + changed, 0.0, all),
            .changed = changed};
}

double estimateToast(const TableFacts& table, const VacuumEffort& effort) {
    const Touched touched = toastTouched(table, effort);
    double seconds = touched.read / kScan + touched.changed / kClean;
    if (effort.freeze) seconds += static_cast<double>(table.toastBytes) / kFreeze;
    return seconds;
}

plan::TaskKind kindOf(const Step& step) {
    if (step.full) return plan::TaskKind::VacuumFull;
    return step.vacuum ? plan::TaskKind::Vacuum : plan::TaskKind::Analyze;
}

class Planner {
public:
    Planner(const Survey& survey, const options::VacuumOptions& options)
        : survey_(survey), options_(options) {
        plan_.proposals = propose(survey, options);
    }

    VacuumPlan plan() {
        for (const TableFacts& table : survey_.tables) {
            plan_.decisions.push_back(decide(table, survey_.server, options_.work.full));
        }
        if (options_.work.reindexConcurrently) {
            planIndexes();
        } else if (options_.work.analyzeInStages) {
            planStages();
        } else {
            planTables();
        }
        planDatabases();
        // Each is a session on the server, whether it finds work or not.
        const auto most = static_cast<uint32_t>(std::max<std::size_t>(plan_.steps.size(), 1));
        if (plan_.proposals.jobs > most) {
            plan_.proposals.jobs = most;
            plan_.proposals.jobsWhy = "there is no more to do";
        }
        const auto tables = std::count_if(plan_.steps.begin(), plan_.steps.end(),
                                          [](const Step& step) { return step.vacuum; });
        plan_.proposals.sessionsRead = sessionsShouldRead(
            survey_, std::min(plan_.proposals.jobs, static_cast<uint32_t>(tables)));
        return std::move(plan_);
    }

private:
    int major() const { return survey_.server.major(); }
    uint64_t memory() const {
        return plan_.proposals.memory.value_or(survey_.server.maintenanceWorkMem);
    }

    TaskId add(Step step, plan::Task task) {
        task.cost = step.seconds;
        task.asleep = step.asleep;
        plan_.steps.push_back(std::move(step));
        return plan_.graph.add(std::move(task));
    }

    Step stepFor(std::size_t index) const {
        const options::VacuumWork& w = options_.work;
        const TableFacts& table = survey_.tables[index];
        const Decision& decision = plan_.decisions[index];
        Step step;
        step.database = table.database;
        step.tables = {index};
        if (options_.plansItself()) {
            step.full = decision.action == Action::Full;
            step.vacuum =
                step.full || decision.action == Action::Vacuum || decision.action == Action::Freeze;
            step.freeze = step.vacuum && (w.freeze || decision.action == Action::Freeze);
            step.analyze = decision.action == Action::Analyze || decision.analyze ||
                           (step.vacuum && w.analyze);
        } else {
            step.full = w.full;
            step.vacuum = !w.analyzesAlone();
            step.freeze = step.vacuum && w.freeze;
            step.analyze = w.analyze || w.analyzesAlone();
        }
        if (table.relkind == 'p') step.vacuum = step.full = step.freeze = false;
        // Before 18 the server does that along with the whole.
        if (table.underWhole && !options_.plansItself() && major() < kAnalyzeOnlyParent) {
            step.analyze = false;
        }
        step.withToast = !w.noProcessToast && !passesOverToast(step, table);
        if (options_.parallel && step.vacuum && !step.full) {
            step.helpers = std::min(*options_.parallel, survey_.server.mostHelpers);
        }
        return step;
    }

    /// A vacuum of an empty TOAST table takes nearly as long as that of its small table. Who asks
    /// for more than dead rows to be removed gets it.
    bool passesOverToast(const Step& step, const TableFacts& table) const {
        const options::VacuumWork& w = options_.work;
        const options::VacuumSelection& s = options_.selection;
        return table.toastEmpty && major() >= kToastApart && step.vacuum && !step.full &&
               !step.freeze && !w.noProcessMain && !w.disablePageSkipping && !s.minXidAge &&
               !s.minMxidAge;
    }

    /// In a window that may be too short, age comes before size.
    bool isUrgent(std::size_t place) const {
        return !options_.budget.empty() && plan_.decisions[place].action == Action::Freeze;
    }

    bool isTaken(std::size_t place) const {
        const TableFacts& table = survey_.tables[place];
        return table.permitted && !isLeftToPartitions(table, options_, major());
    }

    /// Estimates what is known once the helpers are.
    void estimate(Step& step) const {
        const TableFacts& table = survey_.tables[step.tables.front()];
        step.seconds = 0;
        step.asleep = 0;
        if (step.full) {
            step.seconds += estimateFull(table);
        } else if (step.vacuum) {
            const VacuumEffort effort = effortOf(step, options_.work.disablePageSkipping);
            step.seconds += estimateVacuum(table, effort);
            step.asleep += vacuumPauses(table, effort);
        }
        if (step.analyze) {
            const double sample = std::min(static_cast<double>(table.blocks), kSample) * kBlock;
            step.seconds += estimateAnalyze(table);
            step.asleep += pauses({.read = sample});
        }
        step.seconds += step.asleep;
    }

    /// What the throttle makes of pages that are read and changed; no part of it is done by
    /// helpers, who share one balance.
    double pauses(const Touched& touched) const {
        const ServerFacts& server = survey_.server;
        const double delay = options_.costDelay ? *options_.costDelay : server.costDelay;
        const double limit = options_.costLimit ? *options_.costLimit : server.costLimit;
        if (delay <= 0 || limit <= 0) return 0;
        constexpr double kMillisecond = 1e-3;
        const double cost = touched.read / kBlock * server.costPageMiss +
                            touched.changed / kBlock * server.costPageDirty;
        return cost / limit * delay * kMillisecond;
    }

    double vacuumPauses(const TableFacts& table, const VacuumEffort& effort) const {
        Touched touched = heapTouched(table, effort);
        // What the rows' share of the heap is, their entries' is of the indexes; then the heap's
        // pages are visited again.
        const double indexes = effort.passes * static_cast<double>(table.indexBytes());
        const double share = touched.changed / std::max(static_cast<double>(table.heapBytes), 1.0);
        touched.read += indexes + (effort.passes > 0 ? touched.changed : 0);
        if (effort.freeze) touched.changed = static_cast<double>(table.heapBytes);
        touched.changed += indexes * share;
        if (effort.toast) touched += toastTouched(table, effort);
        return pauses(touched);
    }

    uint64_t bytesOf(const Step& step) const {
        const TableFacts& table = survey_.tables[step.tables.front()];
        if (step.full) return table.heapBytes;
        if (!step.vacuum) return std::min<uint64_t>(table.heapBytes, uint64_t{30000} * 8192);
        uint64_t bytes = table.heapBytes + step.passes * table.indexBytes();
        bytes += bytesVisitedAgain(step, table);
        if (step.withToast) bytes += table.toastBytes;
        return bytes;
    }

    std::string noteOf(const Step& step) const {
        const Decision& decision = plan_.decisions[step.tables.front()];
        std::string text = options_.plansItself() ? decision.what() + ": " + decision.why()
                           : options_.selection.missingStatsOnly ? "statistics are missing"
                                                                 : decision.why();
        if (step.helpers > 0) {
            text += fmt::format("; {} for its indexes",
                                step.helpers == 1 ? "one more process"
                                                  : fmt::format("{} more processes", step.helpers));
        }
        if (passesOverToast(step, survey_.tables[step.tables.front()])) {
            text += "; nothing is in its TOAST table";
        }
        if (step.passes > 1) text += fmt::format("; {} passes over its indexes", step.passes);
        if (step.full) {
            const TableFacts& table = survey_.tables[step.tables.front()];
            text +=
                fmt::format("; locked against everybody for about {}, {} of disk needed meanwhile",
                            formatDuration(std::chrono::duration_cast<Duration>(
                                std::chrono::duration<double>(step.seconds))),
                            formatBytes(extraDisk(table)));
        }
        return text;
    }

    void planTables() {
        std::vector<Step> steps;
        double all = 0;
        for (std::size_t i = 0; i < survey_.tables.size(); ++i) {
            if (!isTaken(i)) continue;
            Step step = stepFor(i);
            if (!step.vacuum && !step.analyze) {
                if (plan_.decisions[i].action == Action::Reindex) addReindexes(i, {});
                continue;
            }
            if (step.vacuum && !step.full && !options_.work.noIndexCleanup) {
                step.passes = indexPasses(survey_.tables[i], memory(), major());
            }
            estimate(step);
            all += step.seconds;
            steps.push_back(std::move(step));
        }
        std::vector<Step> small;
        std::vector<TaskId> before;
        std::vector<Step> catalogs;
        std::vector<Step> wholes;
        for (Step& step : steps) {
            const TableFacts& table = survey_.tables[step.tables.front()];
            if (step.full && table.catalog) {
                catalogs.push_back(std::move(step));
            } else if (table.relkind == 'p' && (major() < kAnalyzeOnlyParent || table.named)) {
                wholes.push_back(std::move(step));
            } else if (isSmall(step)) {
                small.push_back(std::move(step));
            } else {
                before.push_back(addTable(std::move(step), all));
            }
        }
        addTogether(std::move(small), before);
        addWholes(std::move(wholes), before);
        addCatalogs(std::move(catalogs), before);
    }

    /// The server analyzes each partition along with the whole, or at least reads it, and so waits
    /// for who is at one; who rebuilds it or an index of it waits for that in turn.
    void addWholes(std::vector<Step> wholes, std::vector<TaskId>& before) {
        std::vector<TaskId> after = before;
        for (uint32_t i = 0; i < plan_.steps.size(); ++i) {
            if (plan_.steps[i].kind == Step::Kind::Reindex) after.push_back(TaskId{i});
        }
        for (Step& step : wholes) {
            const TaskId id = addTable(std::move(step), 0);
            plan_.graph.tasks[id.value].after = std::move(after);
            before.push_back(id);
            after = {id};
        }
    }

    bool isSmall(const Step& step) const {
        const TableFacts& table = survey_.tables[step.tables.front()];
        // Who asks what would be done wants to know it of each.
        if (options_.dryRun) return false;
        if (table.relkind == 'p') return false;  // as large as all that is below it
        return major() >= kSeveralTables && !step.full && table.columns.empty() &&
               table.bytes() < kSmall && plan_.decisions[step.tables.front()].reindex.empty();
    }

    TaskId addTable(Step step, double all) {
        const std::size_t place = step.tables.front();
        const TableFacts& table = survey_.tables[place];
        if (step.vacuum && !step.full) {
            if (!options_.parallel) {
                step.helpers =
                    proposeHelpers(table, survey_.server, step.seconds, all, plan_.proposals.jobs);
            }
            estimate(step);
            splitToast(step, table);
        }
        step.note = noteOf(step);
        plan::Task task;
        task.kind = kindOf(step);
        task.object = table.shownName();
        task.bytes = bytesOf(step);
        task.urgent = isUrgent(place);
        const bool full = step.full;
        const TaskId id = add(std::move(step), std::move(task));
        if (options_.plansItself() && !full) addReindexes(place, {id});
        return id;
    }

    /// A large TOAST table is vacuumed beside its table, not after it.
    void splitToast(Step& step, const TableFacts& table) {
        const options::VacuumWork& w = options_.work;
        if (major() < kToastApart || plan_.proposals.jobs < 2 || w.noProcessToast ||
            w.noProcessMain || !table.toastPermitted || table.toastBytes < kLargeToast) {
            return;
        }
        step.withToast = false;
        Step toast = step;
        toast.toastAlone = true;
        toast.analyze = false;
        toast.helpers = 0;
        const VacuumEffort effort = effortOf(toast, w.disablePageSkipping);
        toast.asleep = pauses(toastTouched(table, effort));
        toast.seconds = kPerTable + estimateToast(table, effort) + toast.asleep;
        toast.note = "the TOAST table of " + table.shownName();
        plan::Task task;
        task.kind = plan::TaskKind::Vacuum;
        task.object = table.shownName() + " (TOAST)";
        task.bytes = table.toastBytes;
        task.urgent = isUrgent(step.tables.front());
        add(std::move(toast), std::move(task));
        estimate(step);
    }

    /// Small tables of one database that are to have the same done to them, in one statement.
    void addTogether(std::vector<Step> small, std::vector<TaskId>& before) {
        const auto visitsToast = [this](const Step& s) {
            return s.withToast && survey_.tables[s.tables.front()].toast.value != 0;
        };
        const auto likeness = [this, visitsToast](const Step& s) {
            return std::tuple(s.database, s.vacuum, s.freeze, s.analyze, s.stage,
                              isUrgent(s.tables.front()), visitsToast(s));
        };
        std::map<decltype(likeness(Step{})), std::vector<Step>> groups;
        for (Step& step : small) groups[likeness(step)].push_back(std::move(step));
        const std::size_t share =
            std::clamp(small.size() / (kStatementsPerJob * plan_.proposals.jobs), std::size_t{1},
                       kMostTogether);
        for (auto& [key, group] : groups) {
            for (std::size_t begin = 0; begin < group.size(); begin += share) {
                const std::size_t end = std::min(begin + share, group.size());
                Step together = group[begin];
                uint64_t bytes = 0;
                together.seconds = 0;
                together.asleep = 0;
                if (end - begin > 1) together.withToast = visitsToast(together);
                together.tables.clear();
                for (std::size_t i = begin; i < end; ++i) {
                    together.tables.push_back(group[i].tables.front());
                    together.seconds += group[i].seconds;
                    together.asleep += group[i].asleep;
                    bytes += bytesOf(group[i]);
                }
                const TableFacts& first = survey_.tables[together.tables.front()];
                together.note =
                    together.tables.size() == 1 ? noteOf(together)
                    : together.vacuum && !together.withToast && !options_.work.noProcessToast
                        ? "small tables in one statement; none has rows in TOAST"
                        : "small tables in one statement";
                plan::Task task;
                task.kind = kindOf(together);
                task.object = first.shownName();
                if (together.tables.size() > 1) {
                    task.object += fmt::format(" and {} more", together.tables.size() - 1);
                }
                task.bytes = bytes;
                task.urgent = isUrgent(together.tables.front());
                before.push_back(add(std::move(together), std::move(task)));
            }
        }
    }

    /// Every session reads the catalogs: two that are locked at a time would be a deadlock.
    void addCatalogs(std::vector<Step> catalogs, const std::vector<TaskId>& before) {
        if (catalogs.empty()) return;
        std::vector<TaskId> after = before;
        for (Step& step : catalogs) {
            const TableFacts& table = survey_.tables[step.tables.front()];
            step.note = noteOf(step);
            plan::Task task;
            task.kind = kindOf(step);
            task.object = table.shownName();
            task.bytes = bytesOf(step);
            task.after = std::move(after);
            after = {add(std::move(step), std::move(task))};
        }
    }

    void planStages() {
        std::vector<TaskId> before;
        for (uint32_t stage = 1; stage <= kStages; ++stage) {
            std::vector<TaskId> these;
            std::vector<Step> small;
            const std::size_t first = plan_.steps.size();
            for (std::size_t i = 0; i < survey_.tables.size(); ++i) {
                if (!isTaken(i)) continue;
                Step step = stepFor(i);
                step.stage = stage;
                estimate(step);
                if (isSmall(step)) {
                    small.push_back(std::move(step));
                } else {
                    these.push_back(addTable(std::move(step), 0));
                }
            }
            addTogether(std::move(small), these);
            for (std::size_t i = first; i < plan_.steps.size(); ++i) {
                plan::Task& task = plan_.graph.tasks[i];
                task.after = before;
                task.object += fmt::format(", stage {}", stage);
                plan_.steps[i].note = fmt::format("stage {} of {}", stage, kStages);
            }
            if (stage == kStages || these.empty()) return;
            plan::Task barrier;
            barrier.kind = plan::TaskKind::Finish;
            barrier.object = fmt::format("stage {}", stage);
            barrier.after = std::move(these);
            Step nothing;
            nothing.kind = Step::Kind::Barrier;
            before = {add(std::move(nothing), std::move(barrier))};
        }
    }

    void planIndexes() {
        for (std::size_t i = 0; i < survey_.tables.size(); ++i) {
            const TableFacts& table = survey_.tables[i];
            if (!table.permitted || table.catalog) continue;
            std::vector<TaskId> after;
            for (std::size_t x = 0; x < table.indexes.size(); ++x) {
                if (isLeftover(table, table.indexes[x])) after.push_back(addDrop(i, x, false));
            }
            for (std::size_t x = 0; table.toastPermitted && x < table.toastCopies.size(); ++x) {
                if (isLeftover(table, table.toastCopies[x])) after.push_back(addDrop(i, x, true));
            }
            addReindexes(i, after);
        }
    }

    plan::Task indexTask(const Step& step) const {
        const TableFacts& table = survey_.tables[step.tables.front()];
        plan::Task task;
        task.kind = plan::TaskKind::Index;
        task.object = indexSchema(step, table) + "." + indexOf(step, table).name + table.where;
        task.relation = table.shownName();
        task.bytes = indexOf(step, table).bytes;
        // Two of one table would wait for each other inside the server.
        task.locks = {{.key = table.oid.value | uint64_t{table.database} << 32,
                       .mode = plan::LockMode::ShareUpdateExclusive}};
        return task;
    }

    TaskId addDrop(std::size_t place, std::size_t index, bool ofToast) {
        Step step;
        step.kind = Step::Kind::DropIndex;
        step.database = survey_.tables[place].database;
        step.tables = {place};
        step.index = index;
        step.toastAlone = ofToast;
        step.seconds = kPerTable;
        step.note = indexOf(step, survey_.tables[place]).workedOn
                        ? "drop, unless the session that is at work on its table is building it"
                        : "drop: an interrupted rebuild left it, and it cannot be used";
        plan::Task task = indexTask(step);
        return add(std::move(step), std::move(task));
    }

    void addReindexes(std::size_t place, const std::vector<TaskId>& after) {
        constexpr int kReindexConcurrently = 12;
        // Which waits for locks, however it is told.
        if (major() < kReindexConcurrently || options_.work.skipLocked) return;
        const TableFacts& table = survey_.tables[place];
        if (table.relkind != 'r' && table.relkind != 'm') return;
        for (const std::size_t index : plan_.decisions[place].reindex) {
            Step step;
            step.kind = Step::Kind::Reindex;
            step.database = table.database;
            step.tables = {place};
            step.index = index;
            step.seconds = estimateReindex(table.indexes[index]);
            step.note = fmt::format("reindex: about {}% of its {} are waste",
                                    static_cast<int>(wasteOf(table.indexes[index]) * 100),
                                    formatBytes(table.indexes[index].bytes));
            plan::Task task = indexTask(step);
            task.after = after;
            add(std::move(step), std::move(task));
        }
    }

    /// From 16 on each statement leaves this to a last one, which reads pg_class but once.
    void planDatabases() {
        if (major() < kDatabaseApart) return;
        std::map<uint32_t, std::vector<TaskId>> vacuums;
        for (uint32_t i = 0; i < plan_.steps.size(); ++i) {
            if (plan_.steps[i].vacuum) vacuums[plan_.steps[i].database].push_back(TaskId{i});
        }
        for (auto& [database, tasks] : vacuums) {
            Step step;
            step.kind = Step::Kind::Database;
            step.database = database;
            step.seconds = kPerTable;
            step.note = "brings the age of the database up to date";
            plan::Task task;
            task.kind = plan::TaskKind::Statistics;
            task.object = "database " + survey_.databases[database];
            task.after = std::move(tasks);
            add(std::move(step), std::move(task));
        }
    }

    const Survey& survey_;
    const options::VacuumOptions& options_;
    VacuumPlan plan_;
};

}  // namespace

std::map<std::string, std::string> toldOptions(const options::VacuumOptions& options) {
    const options::VacuumWork& w = options.work;
    std::map<std::string, std::string> told;
    const auto flag = [&](bool given, const char* name) {
        if (given) told[name] = "";
    };
    flag(options.allDatabases, "all");
    flag(w.analyze, "analyze");
    flag(w.analyzeOnly, "analyze-only");
    flag(w.analyzeInStages, "analyze-in-stages");
    flag(w.full, "full");
    flag(w.freeze, "freeze");
    flag(w.reindexConcurrently, "reindex-concurrently");
    flag(w.skipLocked, "skip-locked");
    if (options.plansItself()) told["plan"] = options.plan;
    if (options.costDelay) told["cost-delay"] = std::to_string(*options.costDelay);
    if (options.costLimit) told["cost-limit"] = std::to_string(*options.costLimit);
    if (!options.budget.empty()) told["for"] = options.budget;
    return told;
}

VacuumPlan planVacuum(const Survey& survey, const options::VacuumOptions& options) {
    return Planner(survey, options).plan();
}

const IndexFacts& indexOf(const Step& step, const TableFacts& table) {
    return (step.toastAlone ? table.toastCopies : table.indexes).at(step.index);
}

std::string indexSchema(const Step& step, const TableFacts& table) {
    return step.toastAlone ? "pg_toast" : table.schema;
}

bool takesPartitionsApart(const options::VacuumOptions& options) {
    return options.plansItself() || !options.work.analyzesAlone();
}

bool isLeftToPartitions(const TableFacts& table, const options::VacuumOptions& options, int major) {
    if (table.relkind != 'p' || table.named || options.plansItself()) return false;
    return !options.work.analyzesAlone() || major < kAnalyzeOnlyParent;
}

double estimateVacuum(const TableFacts& table, const VacuumEffort& effort) {
    const auto heap = static_cast<double>(table.heapBytes);
    const Touched touched = heapTouched(table, effort);
    uint64_t largest = 0;
    for (const IndexFacts& index : table.indexes) largest = std::max(largest, index.bytes);
    const double indexes =
        std::max(static_cast<double>(table.indexBytes()) / (1.0 + effort.helpers),
                 static_cast<double>(largest));
    double seconds = kPerTable + touched.read / kScan + touched.changed / kClean +
                     effort.passes * indexes / kIndex;
    if (effort.freeze) seconds += heap / kFreeze;
    if (effort.toast) seconds += estimateToast(table, effort);
    return seconds;
}

double estimateFull(const TableFacts& table) {
    const double kept = static_cast<double>(table.heapBytes + table.toastBytes);
    return kPerTable + kept / kRewrite + static_cast<double>(table.indexBytes()) / kBuild;
}

double estimateAnalyze(const TableFacts& table) {
    const auto blocks = static_cast<double>(table.blocks);
    const bool whole = table.relkind == 'p';
    return kPerTable + (whole ? blocks : std::min(blocks, kSample)) * kSampleBlock;
}

double estimateReindex(const IndexFacts& index) {
    return kPerTable + 2 * static_cast<double>(index.bytes) / kBuild;  // two looks at the table
}

uint64_t bytesVisitedAgain(const Step& step, const TableFacts& table) {
    if (step.passes == 0 || step.toastAlone || table.indexes.empty()) return 0;
    const double again =
        std::min(blocksChanged(table) * kBlock, static_cast<double>(table.heapBytes));
    return static_cast<uint64_t>(again);
}

uint64_t extraDisk(const TableFacts& table) { return table.bytes(); }

}  // namespace gantry::vacuum
