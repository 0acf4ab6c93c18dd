// SPDX-License-Identifier: PostgreSQL
#include "core/advise/restore_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/advise/plan_reason.h"
#include "core/advise/prediction.h"
#include "core/advise/wording.h"
#include "core/base/format.h"
#include "core/pg/connection.h"
#include "core/restore/restore_plan.h"

namespace gantry::advise {
namespace {

constexpr uint32_t kBesideRestore = 0;      // the coordinator is the connection that asked
constexpr double kDecodePerSecond = 600e6;  // bytes of rows, of one local core
constexpr int kStatisticsInArchives = 18;
constexpr int kHelpers = 11;

uint64_t rowBytes(const RestoreQuestion& question) {
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < question.choice.order.size(); ++i) {
        if (!question.choice.wanted[i].data) continue;
        bytes += restore::sizeOf(question.sizes, question.choice.order[i]->dumpId).bytes;
    }
    return bytes;
}

std::size_t count(const RestoreQuestion& question, std::string_view description) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < question.choice.order.size(); ++i) {
        if (question.choice.wanted[i].any() &&
            question.choice.order[i]->description() == description) {
            ++found;
        }
    }
    return found;
}

bool oneConnection(const options::RestoreOptions& options) {
    return options.singleTransaction || options.transactionSize.has_value();
}

PlannedRun runOf(const RestoreQuestion& question) {
    return {.where = question.surroundings,
            .factors = question.factors,
            .plan =
                [&question](uint32_t jobs) {
                    return restore::planRestore(
                               question.choice, question.sizes,
                               restore::planSettings(question.options, *question.toc, jobs))
                        .graph;
                },
            .beside = kBesideRestore,
            .oneConnection = oneConnection(question.options)};
}

Prediction predictionOf(const RestoreQuestion& question) {
    const Surroundings& where = question.surroundings;
    Prediction prediction = runOf(question).prediction();
    const double work = workOf(prediction.plan(2));
    const auto bytes = static_cast<double>(rowBytes(question));
    const double decoding = bytes / kDecodePerSecond;
    const double server = where.serverCoresLeft();
    prediction.demands.push_back({decoding / std::max(where.localCores, 1U), Limit::LocalCpu});
    if (where.sameMachine) {
        // What past runs took has the decoding in it.
        const double all = question.factors.measured() ? work : work + decoding;
        prediction.demands.push_back({all / where.sharedCoresLeft(), Limit::SharedCpu});
    } else {
        prediction.demands.push_back({work / server, Limit::ServerCpu});
    }
    if (question.networkPerSecond) {
        prediction.demands.push_back({bytes / *question.networkPerSecond, Limit::Network});
    }
    return prediction;
}

std::string jobsReason(const RestoreQuestion& question, const Curve& curve) {
    if (oneConnection(question.options)) {
        return "a transaction that spans entries belongs to one connection";
    }
    const Prediction prediction = predictionOf(question);
    return reasonFor({.where = question.surroundings,
                      .prediction = prediction,
                      .curve = curve,
                      .beside = kBesideRestore}) +
           runOf(question).learnt("restore on this server");
}

Recommendation sortMemory(const RestoreQuestion& question, uint32_t jobs) {
    const Surroundings& where = question.surroundings;
    const auto more =
        restore::maintenanceMemory(where.sharedBuffers, where.maintenanceWorkMem, jobs);
    const uint64_t each = more.value_or(where.maintenanceWorkMem);
    const std::size_t builds = count(question, "INDEX") + count(question, "CONSTRAINT");
    Recommendation memory{
        .setting = "maintenance_work_mem", .value = formatSetting(each >> 20 << 20), .reason = {}};
    if (where.sharedBuffers == 0) {
        memory.value = "the server's own";
        memory.reason = "how much memory the server was given is not to be seen";
        return memory;
    }
    memory.reason =
        more ? fmt::format(
                   "{} indexes and keys are sorted in it, and a quarter of shared_buffers "
                   "({}) is shared by {} jobs",
                   builds, formatSetting(where.sharedBuffers), jobs)
             : fmt::format(
                   "it is the server's own, and more than a quarter of shared_buffers ({}) "
                   "shared by {} jobs",
                   formatSetting(where.sharedBuffers), jobs);
    if (where.serverMemory && each * jobs > where.serverMemory->available / 2) {
        memory.warning =
            fmt::format("{} jobs may take {} in all, of {} that the server has free.", jobs,
                        formatBytes(each * jobs), formatBytes(where.serverMemory->available));
    }
    return memory;
}

Recommendation indexHelpers(const RestoreQuestion& question, const Curve& curve) {
    const Surroundings& where = question.surroundings;
    Recommendation helpers{
        .setting = "max_parallel_maintenance_workers", .value = "0", .reason = {}};
    if (where.serverMajor < kHelpers || where.mostHelpers == 0) {
        helpers.reason =
            where.serverMajor < kHelpers
                ? fmt::format("server {} builds an index with one process", where.serverMajor)
                : "the server allows none";
        return helpers;
    }
    const double idle = std::max(0.0, where.serverCoresLeft() - curve.knee);
    const auto most = std::max(1U, std::min(where.mostHelpers, std::max(curve.knee, 2U) - 1 +
                                                                   static_cast<uint32_t>(idle)));
    helpers.value = std::to_string(most);
    helpers.reason = fmt::format(
        "the last large indexes get the processes of jobs that are done; {} of {} cores have a job "
        "while rows are loaded",
        std::min<uint32_t>(curve.knee, static_cast<uint32_t>(where.serverCoresLeft())),
        static_cast<uint32_t>(where.serverCoresLeft()));
    return helpers;
}

Recommendation commits(const RestoreQuestion& question) {
    return {.setting = "synchronous_commit",
            .value = "off",
            .reason = fmt::format(
                "commits of {} tables, {} indexes and keys need not wait for the disk one by one: "
                "the last commit of the run makes all of them durable",
                count(question, "TABLE DATA"),
                count(question, "INDEX") + count(question, "CONSTRAINT"))};
}

Recommendation statistics(const RestoreQuestion& question) {
    const std::size_t there = count(question, "STATISTICS DATA");
    if (there > 0 && question.surroundings.serverMajor >= kStatisticsInArchives) {
        return {.setting = "analyze",
                .value = "off",
                .reason = fmt::format("the archive brings {} statistics along", there)};
    }
    return {.setting = "analyze",
            .value = "on",
            .reason = fmt::format("without statistics of its {} tables the planner is in the dark "
                                  "until autovacuum comes by",
                                  count(question, "TABLE DATA"))};
}

std::vector<std::string> warningsOf(const RestoreQuestion& question) {
    const Surroundings& where = question.surroundings;
    std::vector<std::string> warnings = cautionsOf(where);
    if (where.standby) {
        warnings.insert(warnings.begin(),
                        "The server is a standby, which takes nothing: restore into its primary.");
    }
    if (where.replicationLag && !where.standby) {
        warnings.push_back(fmt::format(
            "All of it goes to the server's standbys as well, about {}: they will fall behind.",
            formatBytes(rowBytes(question))));
    }
    return warnings;
}

}  // namespace

CurvePoint predictRestore(const RestoreQuestion& question, uint32_t jobs) {
    return predict(predictionOf(question), jobs);
}

Advice adviseRestore(const RestoreQuestion& question) {
    const Surroundings& where = question.surroundings;
    Advice advice;
    advice.curve = runOf(question).curve(predictionOf(question), false);
    const Curve& curve = advice.curve;
    const auto curveWith = [&](const Surroundings& other) {
        RestoreQuestion asked = question;
        asked.surroundings = other;
        return runOf(asked).curve(predictionOf(asked), true);
    };
    advice.recommendations = {
        {.setting = "jobs",
         .value = std::to_string(curve.knee),
         .range = oneConnection(question.options) ? "" : jobsRange(where, curve, curveWith),
         .reason = jobsReason(question, curve),
         .warning = roomWarning(where, curve, kBesideRestore)},
        sortMemory(question, curve.knee),
        indexHelpers(question, curve),
        commits(question),
        statistics(question)};
    advice.warnings = warningsOf(question);
    advice.facts = factsOf(where);
    advice.facts.push_back(
        fmt::format("To be loaded: {} of rows into {} tables; to be built: {} indexes and keys.",
                    formatBytes(rowBytes(question)), formatCount(count(question, "TABLE DATA")),
                    formatCount(count(question, "INDEX") + count(question, "CONSTRAINT"))));
    return advice;
}

std::shared_ptr<const archive::Toc> contentsOf(const std::vector<StandingTable>& tables,
                                               double rowsPerByte, uint64_t largeObjectBytes,
                                               restore::DataSizes& sizes) {
    auto toc = std::make_shared<archive::Toc>();
    const auto add = [&](const StandingTable& table, std::string tag, const char* kind,
                         archive::Section section, std::vector<DumpId> needs) {
        archive::TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc->entries.size() + 1)};
        entry.namespaceName = table.schema;
        entry.tag = std::move(tag);
        entry.desc = kind;
        entry.section = section;
        entry.dependencies = std::move(needs);
        toc->entries.push_back(std::move(entry));
        return toc->entries.back().dumpId;
    };
    const auto definition = [&](const StandingTable& table, const std::string& name,
                                const std::string& what) {
        toc->entries.back().defn = fmt::format("ALTER TABLE ONLY {}\n    ADD CONSTRAINT {} {};\n",
                                               pg::quoteQualified(table.schema, table.name),
                                               pg::quoteIdentifier(name), what);
    };
    std::vector<DumpId> ids;
    for (const StandingTable& table : tables) {
        ids.push_back(add(table, table.name, "TABLE", archive::Section::PreData, {}));
        toc->entries.back().relkind = 'r';
        toc->entries.back().defn =
            fmt::format("CREATE TABLE {} (\n{}\n);\n", pg::quoteQualified(table.schema, table.name),
                        table.columns);
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const DumpId rows =
            add(tables[i], tables[i].name, "TABLE DATA", archive::Section::Data, {ids[i]});
        toc->entries.back().hadDumper = true;
        toc->entries.back().copyStmt = fmt::format(
            "COPY {} FROM stdin;\n", pg::quoteQualified(tables[i].schema, tables[i].name));
        sizes[rows] = {
            .bytes = static_cast<uint64_t>(static_cast<double>(tables[i].bytes) * rowsPerByte),
            .rows = tables[i].rows};
    }
    if (largeObjectBytes > 0) {
        const DumpId objects = add({}, "BLOBS", "BLOBS", archive::Section::Data, {});
        toc->entries.back().hadDumper = true;
        sizes[objects] = {.bytes = largeObjectBytes};
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
        for (const StandingTable::Index& key : tables[i].keys) {
            add(tables[i], tables[i].name + " " + key.name, "CONSTRAINT",
                archive::Section::PostData, {ids[i]});
            definition(tables[i], key.name, fmt::format("UNIQUE ({})", key.columns));
        }
        for (const StandingTable::Index& index : tables[i].indexes) {
            add(tables[i], index.name, "INDEX", archive::Section::PostData, {ids[i]});
            toc->entries.back().defn = fmt::format(
                "CREATE INDEX {} ON {} USING {} ({});\n", pg::quoteIdentifier(index.name),
                pg::quoteQualified(tables[i].schema, tables[i].name), index.method, index.columns);
        }
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
        for (const StandingTable::ForeignKey& key : tables[i].foreignKeys) {
            add(tables[i], tables[i].name + " " + key.name, "FK CONSTRAINT",
                archive::Section::PostData, {ids[i], ids[key.target]});
            definition(tables[i], key.name, "FOREIGN KEY (id) REFERENCES t(id)");
        }
    }
    return toc;
}

}  // namespace gantry::advise
