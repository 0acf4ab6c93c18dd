// SPDX-License-Identifier: PostgreSQL
#include "core/advise/vacuum_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/advise/plan_reason.h"
#include "core/advise/prediction.h"
#include "core/advise/wording.h"
#include "core/base/format.h"
#include "core/vacuum/vacuum_plan.h"

namespace gantry::advise {
namespace {

constexpr uint32_t kBesideVacuum = 1;  // what watches the progress of the others

vacuum::VacuumPlan planFor(const VacuumQuestion& question, uint32_t jobs) {
    options::VacuumOptions options = question.options;
    options.jobs = jobs;
    vacuum::Survey survey = question.survey;
    survey.server.cores = question.surroundings.serverCores;
    return vacuum::planVacuum(survey, options);
}

PlannedRun runOf(const VacuumQuestion& question) {
    return {.where = question.surroundings,
            .factors = question.factors,
            .plan = [&question](uint32_t jobs) { return planFor(question, jobs).graph; },
            .beside = kBesideVacuum};
}

Prediction predictionOf(const VacuumQuestion& question) {
    VacuumQuestion alone = question;
    alone.options.parallel = 0;  // helpers make a table's time shorter, not its work less
    const plan::TaskGraph graph = runOf(alone).prediction().plan(1);
    double work = workOf(graph);
    for (const plan::Task& task : graph.tasks) work -= task.asleep;
    Prediction prediction = runOf(question).prediction();
    prediction.weights.emplace();
    prediction.demands.push_back(
        {work / question.surroundings.serverCoresLeft(), Limit::ServerCpu});
    return prediction;
}

std::string jobsReason(const VacuumQuestion& question, const Curve& curve) {
    const std::size_t tables = question.survey.tables.size();
    if (tables <= 1) return tables == 1 ? "there is one table" : "there is no table";
    const Prediction prediction = predictionOf(question);
    return reasonFor({.where = question.surroundings,
                      .prediction = prediction,
                      .curve = curve,
                      .beside = kBesideVacuum}) +
           runOf(question).learnt("vacuum of this server");
}

Recommendation indexWorkers(const VacuumQuestion& question, const vacuum::VacuumPlan& plan) {
    const vacuum::Step* most = nullptr;
    for (const vacuum::Step& step : plan.steps) {
        if (step.helpers > 0 && (most == nullptr || step.helpers > most->helpers)) most = &step;
    }
    Recommendation workers{.setting = "parallel", .value = "0", .reason = {}};
    if (most == nullptr) {
        uint32_t shared = 0;
        for (const vacuum::TableFacts& table : question.survey.tables) {
            shared = std::max(shared, vacuum::sharedIndexes(table, question.survey.server));
        }
        workers.reason =
            question.survey.server.mostHelpers == 0
                ? "the server allows no process beside the one that vacuums a table"
            : shared < 2 ? fmt::format(
                               "no table has two indexes of {} or more, which processes could "
                               "share",
                               formatSetting(question.survey.server.leastParallelIndex))
            : plan.proposals.jobs == 1
                ? std::string("no table takes long enough for more than one process")
                : fmt::format("tables keep the {} jobs busy until the end", plan.proposals.jobs);
        return workers;
    }
    const vacuum::TableFacts& table = question.survey.tables[most->tables.front()];
    workers.value = std::to_string(most->helpers);
    workers.reason = fmt::format(
        "{} has {} indexes of {} in all, and cores are idle while it goes on; other tables get "
        "fewer",
        table.displayName(), table.indexes.size(), formatBytes(table.indexBytes()));
    return workers;
}

void addMemory(const VacuumQuestion& question, const vacuum::Proposals& proposals,
               std::vector<Recommendation>& found) {
    if (proposals.ring) {
        found.push_back(
            {.setting = "buffer-usage-limit",
             .value = *proposals.ring == 0 ? "0" : fmt::format("{}MB", *proposals.ring >> 20),
             .reason = proposals.ringWhy});
    }
    Recommendation memory{.setting = "maintenance-work-mem", .value = {}, .reason = {}};
    if (proposals.memory) {
        memory.value = fmt::format("{}MB", *proposals.memory >> 20);
        memory.reason = proposals.memoryWhy;
    } else {
        memory.value = fmt::format("{}MB", question.survey.server.maintenanceWorkMem >> 20);
        memory.reason = "it is the server's own, and holds the dead rows of any table";
    }
    const auto& server = question.surroundings.serverMemory;
    const uint64_t all = proposals.memory.value_or(0) * proposals.jobs;
    if (server && all > server->available / 2) {
        memory.warning =
            fmt::format("{} tables at a time may take {}, of {} that the server has free.",
                        proposals.jobs, formatBytes(all), formatBytes(server->available));
    }
    found.push_back(std::move(memory));
}

}  // namespace

CurvePoint predictVacuum(const VacuumQuestion& question, uint32_t jobs) {
    return predict(predictionOf(question), jobs);
}

Advice adviseVacuum(const VacuumQuestion& question) {
    const Surroundings& where = question.surroundings;
    Advice advice;
    advice.curve = runOf(question).curve(predictionOf(question), false);
    const Curve& curve = advice.curve;
    const auto curveWith = [&](const Surroundings& other) {
        VacuumQuestion asked = question;
        asked.surroundings = other;
        return runOf(asked).curve(predictionOf(asked), true);
    };
    const vacuum::VacuumPlan plan = planFor(question, curve.knee);
    advice.recommendations.push_back({.setting = "jobs",
                                      .value = std::to_string(curve.knee),
                                      .range = jobsRange(where, curve, curveWith),
                                      .reason = jobsReason(question, curve),
                                      .warning = roomWarning(where, curve, kBesideVacuum)});
    advice.recommendations.push_back(indexWorkers(question, plan));
    addMemory(question, plan.proposals, advice.recommendations);
    advice.warnings = cautionsOf(where);
    if (where.standby) {
        advice.warnings.insert(
            advice.warnings.begin(),
            "The server is a standby: it takes over what is vacuumed on its primary.");
    }
    advice.facts = factsOf(where);
    uint64_t heap = 0;
    uint64_t toast = 0;
    uint64_t indexes = 0;
    for (const vacuum::TableFacts& table : question.survey.tables) {
        heap += table.heapBytes;
        toast += table.toastBytes;
        indexes += table.indexBytes();
    }
    advice.facts.push_back(fmt::format(
        "To be looked after: {}.", sizesText(question.survey.tables.size(), heap, toast, indexes)));
    return advice;
}

}  // namespace gantry::advise
