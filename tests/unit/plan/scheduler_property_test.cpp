// SPDX-License-Identifier: PostgreSQL
// Random graphs, random workers: what the scheduler promises holds in any order of events.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/plan/scheduler.h"
#include "tests/unit/plan/random_graph.h"

using namespace gantry;
using namespace gantry::plan;

namespace {

using Key = std::pair<TaskId, std::optional<uint32_t>>;

struct Running {
    Assignment assignment;
    WorkerId worker;
};

/// Plays the workers and checks each assignment that they get.
class Players {
public:
    Players(TaskGraph graph, uint32_t workers, uint32_t seed)
        : random_(seed), scheduler_(std::move(graph), workers), workers_(workers) {}

    /// What is wrong, or an empty string.
    std::string play(bool faults) {
        while (!scheduler_.isDone() && problem_.empty()) {
            const bool handedOut = askAll();
            if (running_.empty()) {
                if (!handedOut) complain("nothing runs and nobody gets anything");
                continue;
            }
            endOne(faults);
        }
        if (problem_.empty()) checkEnd();
        return problem_;
    }

private:
    uint32_t below(std::size_t limit) {
        return std::uniform_int_distribution<uint32_t>(0,
                                                       static_cast<uint32_t>(limit) - 1)(random_);
    }

    void complain(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
    }

    bool busy(WorkerId worker) const {
        return std::any_of(running_.begin(), running_.end(),
                           [&](const Running& r) { return r.worker == worker; });
    }

    bool askAll() {
        bool any = false;
        std::vector<uint32_t> order;
        for (uint32_t worker = 0; worker <= workers_; ++worker) order.push_back(worker);
        std::shuffle(order.begin(), order.end(), random_);
        for (const uint32_t worker : order) {
            if (busy(WorkerId{worker}) || below(4) == 0) continue;
            if (const auto assignment = scheduler_.next(WorkerId{worker})) {
                begin(*assignment, WorkerId{worker});
                any = true;
            }
        }
        if (any || !running_.empty()) return any;
        for (uint32_t worker = 0; worker <= workers_ && !any; ++worker) {
            const auto assignment = scheduler_.next(WorkerId{worker});
            if (!assignment) continue;
            begin(*assignment, WorkerId{worker});
            any = true;
        }
        return any;
    }

    void begin(const Assignment& assignment, WorkerId worker) {
        const Task& task = scheduler_.graph()[assignment.task];
        const Key key{assignment.task, assignment.chunk};
        if (over_.contains(assignment.task)) complain(task.object + " came after its end");
        for (const TaskId before : task.after) {
            if (!over_.contains(before)) complain(task.object + " came before what it waits for");
        }
        const std::optional<WorkerId> pin = pinned_.contains(key) ? pinned_.at(key) : task.pinnedTo;
        if (pin ? *pin != worker : worker.value == 0) complain(task.object + " has another worker");
        for (const Running& other : running_) {
            if (other.assignment.task == assignment.task) {
                if (!task.division) complain(task.object + " runs twice");
                continue;
            }
            if (clash(task, scheduler_.graph()[other.assignment.task])) {
                complain(task.object + " runs beside what it shares a lock with");
            }
        }
        checkRange(assignment, task, key);
        running_.push_back({assignment, worker});
    }

    static bool clash(const Task& a, const Task& b) {
        for (const TaskLock& one : a.locks) {
            for (const TaskLock& other : b.locks) {
                if (one.key == other.key && conflict(one.mode, other.mode)) return true;
            }
        }
        return false;
    }

    void checkRange(const Assignment& assignment, const Task& task, const Key& key) {
        if (const auto before = retried_.find(key); before != retried_.end()) {
            const Assignment& first = before->second;
            if (first.begin != assignment.begin || first.end != assignment.end ||
                first.last != assignment.last) {
                complain(task.object + " is repeated in another range");
            }
            retried_.erase(before);
            return;
        }
        if (!task.division) {
            if (!begun_.insert(assignment.task).second) complain(task.object + " came twice");
            if (assignment.chunk || !assignment.last) complain(task.object + " has a chunk");
            return;
        }
        uint64_t& reached = reached_[assignment.task];
        uint32_t& chunks = chunks_[assignment.task];
        if (assignment.chunk != chunks++) complain(task.object + " skips a chunk's number");
        if (assignment.begin != reached) complain(task.object + " leaves a gap");
        reached = assignment.end;
        const uint64_t size = assignment.end - assignment.begin;
        const uint64_t least = std::max<uint64_t>(task.division->minUnits, 1);
        if (size == 0 || (size < least && !assignment.last)) complain(task.object + ": too small");
        if (size > std::max(task.division->maxUnits, least)) complain(task.object + ": too large");
        if (assignment.last != (reached == task.division->units)) {
            complain(task.object + ": not the one that reaches the end is marked");
        }
    }

    void endOne(bool faults) {
        const std::size_t index = below(running_.size());
        const Running ended = running_[index];
        const TaskId id = ended.assignment.task;
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
        const uint32_t luck = faults ? below(20) : 19;
        if (luck < 3) {
            const Key key{id, ended.assignment.chunk};
            std::optional<WorkerId> pin;
            pinned_.erase(key);
            if (luck == 0) pinned_[key] = pin = WorkerId{0};
            scheduler_.retry(ended.assignment, pin);
            if (!abandoned_.contains(id)) retried_[key] = ended.assignment;
        } else if (luck == 3) {
            scheduler_.givenUp(ended.assignment);
            abandoned_.insert(id);
            std::erase_if(retried_, [&](const auto& entry) { return entry.first.first == id; });
        } else {
            scheduler_.finished(ended.assignment);
        }
        noteEnd(id);
    }

    void noteEnd(TaskId id) {
        const Task& task = scheduler_.graph()[id];
        const bool runs = std::any_of(running_.begin(), running_.end(),
                                      [&](const Running& r) { return r.assignment.task == id; });
        const bool repeats = std::any_of(retried_.begin(), retried_.end(), [&](const auto& entry) {
            return entry.first.first == id;
        });
        const bool handedOut = !task.division || reached_[id] == task.division->units;
        const bool over = !runs && (abandoned_.contains(id) || (!repeats && handedOut));
        if (over) over_.insert(id);
        if (scheduler_.isFinished(id) != (over && !abandoned_.contains(id))) {
            complain(task.object + " is said to be finished, or not, and is the other");
        }
    }

    void checkEnd() {
        if (!running_.empty()) complain("done while something runs");
        for (uint32_t i = 0; i < scheduler_.graph().tasks.size(); ++i) {
            if (!over_.contains(TaskId{i})) complain(fmt::format("task {} never came", i));
        }
        for (uint32_t worker = 0; worker <= workers_; ++worker) {
            if (scheduler_.next(WorkerId{worker})) complain("there is work after the end");
        }
    }

    std::mt19937 random_;
    Scheduler scheduler_;
    uint32_t workers_;
    std::vector<Running> running_;
    std::set<TaskId> begun_;
    std::set<TaskId> over_;
    std::set<TaskId> abandoned_;
    std::map<TaskId, uint64_t> reached_;
    std::map<TaskId, uint32_t> chunks_;
    std::map<Key, Assignment> retried_;
    std::map<Key, std::optional<WorkerId>> pinned_;
    std::string problem_;
};

/// Takes tasks with `lanes` workers until none is left; how many there were.
std::size_t drain(Scheduler& scheduler, uint32_t lanes) {
    std::size_t count = 0;
    std::vector<Assignment> running;
    while (!scheduler.isDone()) {
        for (uint32_t lane = 1; running.size() < lanes && lane <= lanes; ++lane) {
            if (const auto assignment = scheduler.next(WorkerId{lane})) {
                running.push_back(*assignment);
            }
        }
        if (running.empty()) return count;
        scheduler.finished(running.back());
        running.pop_back();
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("random graphs: every task once, in order, under its locks, in whole chunks") {
    for (uint32_t seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const uint32_t workers = 1 + seed % 7;
        Players players(test::randomGraph({.tasks = 60, .workers = workers}, random), workers,
                        seed);
        INFO("seed " << seed);
        REQUIRE(players.play(false) == "");
    }
}

TEST_CASE("random graphs with retries, tasks given up and pins to the coordinator") {
    for (uint32_t seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed + 1000);
        const uint32_t workers = 1 + seed % 7;
        Players players(test::randomGraph({.tasks = 60, .workers = workers}, random), workers,
                        seed);
        INFO("seed " << seed);
        REQUIRE(players.play(true) == "");
    }
}

TEST_CASE("a hundred thousand tasks are handed out without a scan of those that are left") {
    constexpr uint32_t kTasks = 100'000;
    enum Shape { Flat, OneLock, Chain, Star };
    const Shape shape = GENERATE(Flat, OneLock, Chain, Star);
    std::mt19937 random(7);
    TaskGraph graph;
    for (uint32_t i = 0; i < kTasks; ++i) {
        Task task;
        task.cost = static_cast<double>(random() % 1000);
        if (shape == OneLock) task.locks = {{.key = i % 2}};
        if (shape == Chain && i > 0) task.after = {TaskId{i - 1}};
        if (shape == Star && i > 0) task.after = {TaskId{0}};
        graph.add(std::move(task));
    }
    // The time this process was given: a busy machine is no slow scheduler.
    const std::clock_t begin = std::clock();
    Scheduler scheduler(std::move(graph), 8);
    CHECK(drain(scheduler, 8) == kTasks);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    // A scan would take minutes; this leaves room for slow machines and sanitizers.
    CHECK(seconds < 20);
}
