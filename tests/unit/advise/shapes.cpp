// SPDX-License-Identifier: PostgreSQL
#include "tests/unit/advise/shapes.h"

#include <fmt/format.h>

namespace gantry::test {
namespace {

constexpr uint64_t kMegabyte = 1'000'000;
constexpr uint64_t kGigabyte = 1'000 * kMegabyte;
constexpr uint64_t kBlock = 8192;

struct Table {
    std::string name;
    uint64_t heap = 0;
    uint64_t toast = 0;
    uint32_t indexes = 2;
    uint64_t indexBytes = 0;  ///< of each
};

std::vector<Table> tablesOf(Shape shape) {
    std::vector<Table> tables;
    const auto add = [&](int count, uint64_t heap, uint64_t toast, uint32_t indexes) {
        for (int i = 0; i < count; ++i) {
            tables.push_back({.name = fmt::format("t{}", tables.size()),
                              .heap = heap,
                              .toast = toast,
                              .indexes = indexes,
                              .indexBytes = heap / 5});
        }
    };
    switch (shape) {
        case Shape::Even:
            add(24, 1250 * kMegabyte, 0, 2);
            break;
        case Shape::Skewed:
            add(1, 25 * kGigabyte, 0, 2);
            add(30, 170 * kMegabyte, 0, 2);
            break;
        case Shape::ManySmall:
            add(150, 20 * kMegabyte, 0, 1);
            break;
        case Shape::ToastHeavy:
            add(10, 300 * kMegabyte, 2700 * kMegabyte, 1);
            break;
        case Shape::IndexHeavy:
            add(5, 6 * kGigabyte, 0, 8);
            break;
        case Shape::LargeObjects:
            add(10, 200 * kMegabyte, 0, 1);
            break;
    }
    return tables;
}

}  // namespace

std::string_view nameOf(Shape shape) {
    switch (shape) {
        case Shape::Even:
            return "even";
        case Shape::Skewed:
            return "skewed";
        case Shape::ManySmall:
            return "many small";
        case Shape::ToastHeavy:
            return "TOAST-heavy";
        case Shape::IndexHeavy:
            return "index-heavy";
        case Shape::LargeObjects:
            return "large objects";
    }
    return "";
}

advise::Surroundings roomyServer() {
    advise::Surroundings where;
    where.serverMajor = 17;
    where.serverVersion = "17.2";
    where.localCores = 8;
    where.processors = {.logical = 8, .physical = 8, .allowed = 8, .quota = {}};
    where.memory = Memory{.total = 32 * kGigabyte, .available = 24 * kGigabyte, .limit = {}};
    where.serverCores = 16;
    where.serverMemory = Memory{.total = 64 * kGigabyte, .available = 40 * kGigabyte, .limit = {}};
    where.busySessions = 0;
    where.freeConnections = 90;
    where.maxConnections = 100;
    where.server = "db1:5432";
    where.cluster = "7001";
    where.sharedBuffers = 16ULL << 30;
    where.maintenanceWorkMem = 64ULL << 20;
    where.mostHelpers = 2;
    where.maxWorkerProcesses = 16;
    where.roundTrip = 0.0003;
    where.walLevel = "replica";
    return where;
}

advise::DumpQuestion dumpOf(Shape shape) {
    advise::DumpQuestion question;
    for (const Table& table : tablesOf(shape)) {
        question.workload.tables.push_back({.object = "public." + table.name,
                                            .heapBlocks = table.heap / kBlock,
                                            .bytes = table.heap + table.toast,
                                            .divisible = true});
    }
    question.workload.relations = question.workload.tables.size();
    if (shape == Shape::LargeObjects) {
        question.workload.largeObjects = 200'000;
        question.workload.largeObjectBytes = 28 * kGigabyte;
    }
    question.surroundings = roomyServer();
    return question;
}

advise::RestoreQuestion restoreOf(Shape shape) {
    std::vector<advise::StandingTable> tables;
    for (const Table& table : tablesOf(shape)) {
        advise::StandingTable standing{.schema = "public",
                                       .name = table.name,
                                       .bytes = table.heap + table.toast,
                                       .columns = "    id bigint,\n    amount integer"};
        standing.keys.push_back({.name = table.name + "_pkey", .columns = "id"});
        for (uint32_t i = 1; i < table.indexes; ++i) {
            standing.indexes.push_back(
                {.name = fmt::format("{}_idx{}", table.name, i), .columns = "amount"});
        }
        if (!tables.empty()) standing.foreignKeys.push_back({table.name + "_fkey", 0});
        tables.push_back(std::move(standing));
    }
    advise::RestoreQuestion question;
    question.toc = advise::contentsOf(
        tables, 0.8, shape == Shape::LargeObjects ? 28 * kGigabyte : 0, question.sizes);
    question.choice = restore::choose(*question.toc, question.options);
    question.surroundings = roomyServer();
    return question;
}

advise::VacuumQuestion vacuumOf(Shape shape) {
    advise::VacuumQuestion question;
    question.surroundings = roomyServer();
    vacuum::ServerFacts& server = question.survey.server;
    server.version = 170002;
    server.sharedBuffers = question.surroundings.sharedBuffers;
    server.maintenanceWorkMem = question.surroundings.maintenanceWorkMem;
    server.mostHelpers = question.surroundings.mostHelpers;
    server.leastParallelIndex = 512 * 1024;
    server.freeConnections = question.surroundings.freeConnections;
    question.survey.databases = {"shop"};
    uint32_t oid = 20000;
    for (const Table& table : tablesOf(shape)) {
        vacuum::TableFacts facts;
        facts.oid = Oid{oid++};
        facts.schema = "public";
        facts.name = table.name;
        facts.heapBytes = table.heap;
        facts.blocks = table.heap / kBlock;
        facts.toastBytes = table.toast;
        facts.rows = static_cast<double>(table.heap) / 200;
        facts.liveRows = table.heap / 200;
        facts.deadRows = facts.liveRows / 5;
        for (uint32_t i = 0; i < table.indexes; ++i) {
            facts.indexes.push_back({.oid = Oid{oid++},
                                     .name = fmt::format("{}_idx{}", table.name, i),
                                     .accessMethod = "btree",
                                     .bytes = table.indexBytes,
                                     .rows = facts.rows});
        }
        question.survey.tables.push_back(std::move(facts));
    }
    return question;
}

}  // namespace gantry::test
