// SPDX-License-Identifier: PostgreSQL
// What a restore would take with more workers: simulate_restore ARCHIVE EVENTS WORKERS...
//
// EVENTS is what a real run of this archive recorded; its durations become the costs of the
// entries. For each number of workers a line of JSON: the makespan of the engine's own plan and
// scheduler, the lower bound max(longest path, work / workers), and the makespan of pg_restore's
// order on the same costs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/archive/entry_statements.h"
#include "core/events/event_json.h"
#include "core/plan/lower_bound.h"
#include "core/plan/simulator.h"
#include "core/restore/restore_plan.h"

namespace {

using namespace gantry;
using archive::Pass;
using archive::Section;
using archive::TocEntry;
using restore::Step;

/// Seconds, by what is done to which entry.
using Costs = std::map<std::pair<const TocEntry*, Step::Kind>, double>;

double number(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

struct Measured {
    uint32_t jobs = 1;
    std::map<TaskId, double> seconds;
};

Measured readRun(const std::string& path) {
    std::ifstream lines(path);
    Measured measured;
    std::map<events::Span, Duration> begun;
    for (const events::Event& event : events::readEvents(lines)) {
        if (const auto* run = std::get_if<events::RunStarted>(&event.payload)) {
            measured.jobs = run->workers;
        } else if (const auto* start = std::get_if<events::TaskStarted>(&event.payload)) {
            begun[start->span] = event.at;
        } else if (const auto* end = std::get_if<events::TaskFinished>(&event.payload)) {
            measured.seconds[end->span.task] +=
                std::chrono::duration<double>(event.at - begun[end->span]).count();
        }
    }
    return measured;
}

/// A task's seconds go to its entries in proportion to their bytes, or else evenly.
Costs costsOf(const restore::RestorePlan& plan, const Measured& measured,
              const restore::DataSizes& sizes) {
    Costs costs;
    for (const auto& [task, seconds] : measured.seconds) {
        const Step& step = plan.steps.at(task.value);
        const auto weight = [&](const TocEntry* entry) {
            return 1.0 + static_cast<double>(restore::sizeOf(sizes, entry->dumpId).bytes);
        };
        double all = 0;
        for (const TocEntry* entry : step.entries) all += weight(entry);
        for (const TocEntry* entry : step.entries) {
            costs[{entry, step.kind}] += seconds * weight(entry) / all;
        }
    }
    return costs;
}

void setCosts(restore::RestorePlan& plan, const Costs& costs) {
    for (std::size_t task = 0; task < plan.steps.size(); ++task) {
        double& cost = plan.graph.tasks[task].cost;
        cost = 0;
        for (const TocEntry* entry : plan.steps[task].entries) {
            const auto found = costs.find({entry, plan.steps[task].kind});
            if (found != costs.end()) cost += found->second;
        }
    }
}

/// pg_restore -j: definitions by the leader, then whatever is ready, by the size of its table's
/// data, then by its number, each over one connection, and never two that lock the same table;
/// the rest by the leader again.
class StockOrder {
public:
    StockOrder(const restore::Choice& choice, const Costs& costs, const restore::DataSizes& sizes)
        : sizes_(sizes) {
        for (const auto& [key, seconds] : costs) seconds_[key.first] += seconds;
        for (std::size_t i = 0; i < choice.order.size(); ++i) {
            const TocEntry& entry = *choice.order[i];
            known_.emplace(entry.dumpId, &entry);
            if (entry.description() != "TABLE DATA") continue;
            for (const DumpId table : entry.dependencies) rowsOf_.emplace(table, &entry);
        }
        for (std::size_t i = 0; i < choice.order.size(); ++i) {
            const TocEntry& entry = *choice.order[i];
            const bool early = entry.section == Section::PreData || entry.section == Section::None;
            if (early || archive::passOf(entry) != Pass::Main) {
                (early ? before_ : after_) += seconds_[&entry];
            } else {
                add(entry);
            }
        }
        for (Item& item : items_) {
            for (const DumpId id : item.needs) {
                const auto found = itemOf_.find(id);
                if (found != itemOf_.end()) {
                    items_[found->second].frees.push_back(itemOf_[item.entry->dumpId]);
                    ++item.unmet;
                }
            }
        }
    }

    double makespan(uint32_t workers) {
        std::vector<std::size_t> unmet;
        std::set<Ready> ready;
        for (const Item& item : items_) unmet.push_back(item.unmet);
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (unmet[i] == 0) ready.insert(rank(i));
        }
        double now = 0;
        std::map<std::size_t, double> running;
        std::priority_queue<std::pair<double, std::size_t>,
                            std::vector<std::pair<double, std::size_t>>, std::greater<>>
            ends;
        for (;;) {
            for (auto next = ready.begin(); next != ready.end() && running.size() < workers;) {
                const std::size_t i = std::get<2>(*next);
                const bool blocked = std::any_of(
                    running.begin(), running.end(),
                    [&](const auto& other) { return conflict(items_[i], items_[other.first]); });
                if (blocked) {
                    ++next;
                    continue;
                }
                ends.emplace(now + items_[i].seconds, i);
                running.emplace(i, now);
                next = ready.erase(next);
            }
            if (ends.empty()) return before_ + now + after_;
            now = ends.top().first;
            const std::size_t done = ends.top().second;
            ends.pop();
            running.erase(done);
            for (const std::size_t i : items_[done].frees) {
                if (--unmet[i] == 0) ready.insert(rank(i));
            }
        }
    }

private:
    struct Item {
        const TocEntry* entry = nullptr;
        double seconds = 0;
        uint64_t bytes = 0;
        std::vector<DumpId> needs;
        std::vector<DumpId> locks;
        std::vector<std::size_t> frees;
        std::size_t unmet = 0;
    };
    using Ready = std::tuple<uint64_t, DumpId, std::size_t>;

    void add(const TocEntry& entry) {
        Item item;
        item.entry = &entry;
        item.seconds = seconds_[&entry];
        item.bytes = restore::sizeOf(sizes_, entry.dumpId).bytes;
        for (DumpId id : entry.dependencies) {
            const auto rows = rowsOf_.find(id);
            if (entry.section == Section::PostData && rows != rowsOf_.end()) {
                id = rows->second->dumpId;
                item.bytes = std::max(item.bytes, restore::sizeOf(sizes_, id).bytes);
            }
            item.needs.push_back(id);
            const auto target = known_.find(id);
            if (target == known_.end() || entry.section != Section::PostData) continue;
            const std::string_view kind = target->second->description();
            if (entry.description() != "INDEX" && (kind == "TABLE" || kind == "TABLE DATA")) {
                item.locks.push_back(id);
            }
        }
        itemOf_.emplace(entry.dumpId, items_.size());
        items_.push_back(std::move(item));
    }

    Ready rank(std::size_t i) const {
        return {UINT64_MAX - items_[i].bytes, items_[i].entry->dumpId, i};
    }

    static bool conflict(const Item& one, const Item& other) {
        const auto touches = [](const Item& a, const Item& b) {
            return std::any_of(a.locks.begin(), a.locks.end(), [&](DumpId id) {
                return std::find(b.needs.begin(), b.needs.end(), id) != b.needs.end();
            });
        };
        return touches(one, other) || touches(other, one);
    }

    const restore::DataSizes& sizes_;
    std::unordered_map<const TocEntry*, double> seconds_;
    std::unordered_map<DumpId, const TocEntry*> known_;
    std::unordered_map<DumpId, const TocEntry*> rowsOf_;
    std::unordered_map<DumpId, std::size_t> itemOf_;
    std::vector<Item> items_;
    double before_ = 0;
    double after_ = 0;
};

int simulateAll(const std::vector<std::string>& arguments) {
    const auto reader = archive::openArchive(arguments[1]);
    const restore::Choice choice = restore::choose(reader->toc(), {});
    const restore::DataSizes sizes = restore::measureData(*reader);
    const Measured measured = readRun(arguments[2]);
    const Costs costs =
        costsOf(restore::planRestore(choice, sizes, {.jobs = measured.jobs}), measured, sizes);
    StockOrder stock(choice, costs, sizes);
    for (std::size_t i = 3; i < arguments.size(); ++i) {
        const auto workers = static_cast<uint32_t>(number(arguments[i]));
        restore::RestorePlan plan = restore::planRestore(choice, sizes, {.jobs = workers});
        setCosts(plan, costs);
        const plan::Weights weights =
            plan::bestWeights(plan.graph, workers, plan::kThoroughSearch);  // as the engine
        const double makespan =
            plan::simulate(plan.graph, {.workers = workers, .weights = weights, .duration = {}})
                .makespan;
        // What locks exclude counts as a loss here.
        for (plan::Task& task : plan.graph.tasks) task.locks.clear();
        std::cout
            << fmt::format(
                   R"({{"workers": {}, "bound": {:.4f}, "makespan": {:.4f}, "stock": {:.4f}}})",
                   workers, plan::lowerBound(plan.graph, workers).seconds, makespan,
                   stock.makespan(workers))
            << '\n';
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv, argv + argc);
    if (arguments.size() < 4) {
        std::cerr << "usage: simulate_restore ARCHIVE EVENTS WORKERS...\n";
        return 2;
    }
    try {
        return simulateAll(arguments);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
