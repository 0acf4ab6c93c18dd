// SPDX-License-Identifier: PostgreSQL
// Archives' entries as graphs: what waits for what, what is divided, rewritten and put together.
#include "core/restore/restore_plan.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "core/plan/simulator.h"

using namespace gantry;
using namespace gantry::restore;
using archive::Section;
using archive::Toc;
using archive::TocEntry;

namespace {

constexpr uint64_t kLarge = uint64_t{1} << 30;

/// Builds contents entry by entry.
struct PlannedContents {
    Toc toc;

    DumpId add(std::string desc, std::string tag, Section section, std::vector<DumpId> after = {},
               std::string defn = "SELECT 1;") {
        TocEntry entry;
        entry.dumpId = DumpId{static_cast<int32_t>(toc.entries.size()) + 1};
        entry.desc = std::move(desc);
        entry.tag = std::move(tag);
        entry.namespaceName = "public";
        entry.section = section;
        entry.dependencies = std::move(after);
        entry.defn = std::move(defn);
        toc.entries.push_back(std::move(entry));
        return toc.entries.back().dumpId;
    }
    DumpId table(const std::string& name) { return add("TABLE", name, Section::PreData); }
    DumpId rows(const std::string& name, DumpId table) {
        const DumpId id = add("TABLE DATA", name, Section::Data, {table}, "");
        toc.entries.back().hadDumper = true;
        toc.entries.back().copyStmt = "COPY public." + name + " (id) FROM stdin;\n";
        return id;
    }
    DumpId key(const std::string& name, DumpId table) {
        return add("CONSTRAINT", name + " " + name + "_pkey", Section::PostData, {table},
                   "ALTER TABLE ONLY public." + name + "\n    ADD CONSTRAINT " + name +
                       "_pkey PRIMARY KEY (id);\n");
    }
};

RestorePlan planOf(const PlannedContents& contents, const DataSizes& sizes,
                   RestorePlanSettings settings = {.jobs = 4}) {
    const Choice choice = choose(contents.toc, {});
    return planRestore(choice, sizes, settings);
}

/// The first task that does this to the entry.
TaskId taskOf(const RestorePlan& plan, Step::Kind kind, DumpId id) {
    for (uint32_t task = 0; task < plan.steps.size(); ++task) {
        if (plan.steps[task].kind != kind) continue;
        for (const TocEntry* entry : plan.steps[task].entries) {
            if (entry->dumpId == id) return TaskId{task};
        }
    }
    FAIL("no such task");
    return {};
}

/// True if `task` cannot begin before `other` is done.
bool waitsFor(const RestorePlan& plan, TaskId task, TaskId other) {
    for (const TaskId before : plan.graph[task].after) {
        if (before == other || waitsFor(plan, before, other)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("definitions first, rows next, what needs the table after its rows") {
    PlannedContents contents;
    const DumpId table = contents.table("t");
    const DumpId rows = contents.rows("t", table);
    const DumpId index = contents.add("INDEX", "t_idx", Section::PostData, {table});
    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge}}});

    const TaskId definitions = taskOf(plan, Step::Kind::Define, table);
    const TaskId load = taskOf(plan, Step::Kind::Rows, rows);
    const TaskId build = taskOf(plan, Step::Kind::Define, index);
    CHECK(waitsFor(plan, load, definitions));
    CHECK(waitsFor(plan, build, load));
    REQUIRE(plan.graph[load].division);
    CHECK(plan.graph[load].division->units == 4);
    CHECK(plan.graph[load].bytes == kLarge);
}

TEST_CASE("what holds for a parent's partitions and heirs comes after their rows") {
    PlannedContents contents;
    const DumpId parent = contents.table("parent");
    const DumpId partition = contents.table("partition");
    const DumpId heir = contents.add("TABLE", "heir", Section::PreData, {partition});
    contents.add("TABLE ATTACH", "partition", Section::PreData, {parent, partition});
    const DumpId rows[] = {contents.rows("partition", partition), contents.rows("heir", heir)};
    const std::pair<const char*, const char*> kinds[] = {
        {"TRIGGER", "CREATE TRIGGER x"},
        {"CHECK CONSTRAINT", "ALTER TABLE parent\n    ADD CONSTRAINT x CHECK (a > 0) NOT VALID;\n"},
        {"FK CONSTRAINT", "ALTER TABLE parent\n    ADD CONSTRAINT x FOREIGN KEY (a)"},
        {"CONSTRAINT", "ALTER TABLE parent\n    ADD CONSTRAINT x NOT NULL a NOT VALID;\n"}};
    for (const auto& [kind, text] : kinds) {
        CAPTURE(kind);
        const DumpId entry = contents.add(kind, "parent x", Section::PostData, {parent}, text);
        contents.add("COMMENT", "of x", Section::None, {entry});  // makes its path the longer one
        const RestorePlan plan = planOf(contents, {});
        for (const DumpId id : rows) {
            CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Define, entry),
                           taskOf(plan, Step::Kind::Rows, id)));
        }
    }
}

TEST_CASE("a key holds for its table only, and waits for no heir's rows") {
    PlannedContents contents;
    const DumpId parent = contents.table("parent");
    const DumpId heir = contents.add("TABLE", "heir", Section::PreData, {parent});
    const DumpId rows = contents.rows("heir", heir);
    const DumpId key = contents.key("parent", parent);
    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge}}});
    CHECK_FALSE(waitsFor(plan, taskOf(plan, Step::Kind::Define, key),
                         taskOf(plan, Step::Kind::Rows, rows)));
}

TEST_CASE("a domain's constraint comes after all rows, which need not comply") {
    PlannedContents contents;
    const DumpId domain = contents.add("DOMAIN", "d", Section::PreData);
    const DumpId rows = contents.rows("t", contents.table("t"));
    const DumpId check =
        contents.add("CHECK CONSTRAINT", "d c", Section::PostData, {domain},
                     "ALTER DOMAIN public.d\n    ADD CONSTRAINT c CHECK (VALUE > 0) NOT VALID;\n");
    const RestorePlan plan = planOf(contents, {});
    CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Define, check),
                   taskOf(plan, Step::Kind::Rows, rows)));
}

TEST_CASE("one transaction, and rows alone over one connection, go by the archive's order") {
    PlannedContents contents;
    const DumpId small = contents.table("small");
    const DumpId large = contents.table("large");
    const DumpId rows[] = {contents.rows("small", small), contents.rows("large", large)};
    const DumpId index = contents.add("INDEX", "i", Section::PostData, {small});
    const DumpId key = contents.key("large", large);
    const DataSizes sizes{{rows[1], {.bytes = kLarge}}};
    SECTION("one transaction") {
        const RestorePlan plan = planOf(
            contents, sizes, {.jobs = 1, .rewrites = false, .batches = false, .inOrder = true});
        const TaskId tasks[] = {
            taskOf(plan, Step::Kind::Rows, rows[0]), taskOf(plan, Step::Kind::Rows, rows[1]),
            taskOf(plan, Step::Kind::Define, index), taskOf(plan, Step::Kind::Define, key)};
        for (std::size_t i = 1; i < std::size(tasks); ++i) {
            CHECK(waitsFor(plan, tasks[i], tasks[i - 1]));
        }
    }
    SECTION("rows alone") {
        options::RestoreOptions options;
        options.content.dataOnly = true;
        const Choice choice = choose(contents.toc, options);
        const RestorePlan plan = planRestore(choice, sizes, {.jobs = 1});
        CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Rows, rows[1]),
                       taskOf(plan, Step::Kind::Rows, rows[0])));
    }
}

TEST_CASE("a table is loaded over several connections only where the restore makes it") {
    PlannedContents contents;
    const DumpId table = contents.table("t");
    const DumpId rows = contents.rows("t", table);
    const DumpId part = contents.rows("part", table);
    contents.toc.entries.back().defn = "-- load via partition root public.t";
    const DataSizes sizes{{rows, {.bytes = kLarge}}, {part, {.bytes = kLarge}}};
    const auto isDivided = [&](const std::vector<std::string>& sections, DumpId id,
                               std::set<DumpId> standing = {}) {
        options::RestoreOptions options;
        options.content.sections = sections;
        const Choice choice = choose(contents.toc, options);
        const RestorePlan plan =
            planRestore(choice, sizes, {.jobs = 4, .standing = std::move(standing)});
        return plan.graph[taskOf(plan, Step::Kind::Rows, id)].division.has_value();
    };
    CHECK(isDivided({}, rows));
    CHECK_FALSE(isDivided({}, part));
    CHECK_FALSE(isDivided({"data"}, rows));
    CHECK(isDivided({"data"}, rows, {table}));
}

TEST_CASE("triggers are disabled where nothing but rows is restored") {
    PlannedContents contents;
    const DumpId table = contents.table("t");
    const DumpId rows = contents.rows("t", table);
    const auto lockOf = [&](const std::vector<std::string>& sections) {
        options::RestoreOptions options;
        options.content.sections = sections;
        const Choice choice = choose(contents.toc, options);
        const RestorePlan plan =
            planRestore(choice, {{rows, {.bytes = kLarge}}}, {.jobs = 2, .disableTriggers = true});
        return plan.graph[taskOf(plan, Step::Kind::Rows, rows)].locks.at(0).mode;
    };
    CHECK(lockOf({"data"}) == plan::LockMode::ShareRowExclusive);
    CHECK(lockOf({}) == plan::LockMode::RowExclusive);
}

TEST_CASE("a key of a large table is built beside its siblings, then attached") {
    PlannedContents contents;
    const DumpId table = contents.table("t");
    const DumpId rows = contents.rows("t", table);
    const DumpId key = contents.key("t", table);
    const DumpId index = contents.add("INDEX", "t_idx", Section::PostData, {table});

    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge}}});
    const TaskId build = taskOf(plan, Step::Kind::BuildIndex, key);
    const TaskId attach = taskOf(plan, Step::Kind::AttachKey, key);
    const TaskId sibling = taskOf(plan, Step::Kind::Define, index);
    CHECK(waitsFor(plan, attach, build));
    CHECK_FALSE(waitsFor(plan, sibling, build));
    const auto lock = [&](TaskId task) { return plan.graph[task].locks.at(0); };
    CHECK_FALSE(plan::conflict(lock(build).mode, lock(sibling).mode));
    CHECK(plan::conflict(lock(attach).mode, lock(sibling).mode));
    CHECK(lock(attach).key == lock(sibling).key);
    for (const TaskId task : {build, attach, sibling}) {
        CHECK(plan.graph[task].relation == "public.t");
    }

    SECTION("unless it is told not to") {
        const RestorePlan plain =
            planOf(contents, {{rows, {.bytes = kLarge}}}, {.jobs = 4, .rewrites = false});
        (void)taskOf(plain, Step::Kind::Define, key);
        for (const Step& step : plain.steps) CHECK(step.kind != Step::Kind::BuildIndex);
    }
    SECTION("unless the table is small") {
        const RestorePlan small = planOf(contents, {{rows, {.bytes = 1000}}});
        for (const Step& step : small.steps) CHECK(step.kind != Step::Kind::BuildIndex);
    }
}

TEST_CASE("an index costs by its rows more than by its table's bytes") {
    PlannedContents contents;
    const DumpId narrow = contents.table("narrow");
    const DumpId wide = contents.table("wide");
    const DumpId narrowRows = contents.rows("narrow", narrow);
    const DumpId wideRows = contents.rows("wide", wide);
    const DumpId narrowKey = contents.key("narrow", narrow);
    const DumpId wideKey = contents.key("wide", wide);
    const auto costs = [&](const DataSizes& sizes) {
        const RestorePlan plan = planOf(contents, sizes);
        return std::pair(plan.graph[taskOf(plan, Step::Kind::Define, narrowKey)].cost,
                         plan.graph[taskOf(plan, Step::Kind::Define, wideKey)].cost);
    };
    const auto [ofNarrow, ofWide] = costs({{narrowRows, {.bytes = kLarge, .rows = kLarge / 8}},
                                           {wideRows, {.bytes = kLarge, .rows = kLarge / 800}}});
    CHECK(ofNarrow > 10 * ofWide);
    SECTION("or else by what its columns usually take") {
        contents.toc.entries[static_cast<std::size_t>(wideRows.value) - 1].copyStmt =
            "COPY public.wide (a, b, c, d, e, f, g, h, i, j) FROM stdin;\n";
        const auto [narrowGuess, wideGuess] =
            costs({{narrowRows, {.bytes = kLarge}}, {wideRows, {.bytes = kLarge}}});
        CHECK(narrowGuess > 5 * wideGuess);
    }
}

TEST_CASE("an index costs by what its table says of its columns") {
    PlannedContents contents;
    const DumpId table =
        contents.add("TABLE", "t", Section::PreData, {},
                     "CREATE TABLE public.t (\n    id integer,\n    name text\n);\n");
    const DumpId rows = contents.rows("t", table);
    const auto index = [&](const std::string& column) {
        return contents.add(
            "INDEX", "t_" + column, Section::PostData, {table},
            "CREATE INDEX t_" + column + " ON public.t USING btree (" + column + ");\n");
    };
    const DumpId number = index("id");
    const DumpId text = index("name");
    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge, .rows = kLarge / 8}}});
    CHECK(plan.graph[taskOf(plan, Step::Kind::Define, text)].cost >
          1.2 * plan.graph[taskOf(plan, Step::Kind::Define, number)].cost);
}

TEST_CASE("large objects cost by their bytes as rows do, small ones by their number") {
    PlannedContents contents;
    const DumpId rows = contents.rows("t", contents.table("t"));
    const DumpId objects = contents.add("BLOBS", "BLOBS", Section::Data, {}, "");
    contents.toc.entries.back().hadDumper = true;
    const auto cost = [&](const DataSize& size) {
        const RestorePlan plan = planOf(contents, {{objects, size}, {rows, {.bytes = kLarge}}});
        return plan.graph[taskOf(plan, Step::Kind::LargeObjects, objects)].cost;
    };
    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge, .rows = 1}}});
    const double ofRows = plan.graph[taskOf(plan, Step::Kind::Rows, rows)].cost;
    const double few = cost({.bytes = kLarge, .rows = 100});
    CHECK(few > ofRows);
    CHECK(few < 2 * ofRows);
    CHECK(cost({.bytes = 100, .rows = 100'000}) > 0.5 * few);
}

TEST_CASE("children of one parent are validated side by side") {
    PlannedContents contents;
    const DumpId parent = contents.table("p");
    const DumpId first = contents.table("a");
    const DumpId second = contents.table("b");
    DataSizes sizes;
    for (const auto& [name, table] : {std::pair{"p", parent}, {"a", first}, {"b", second}}) {
        sizes[contents.rows(name, table)] = {.bytes = kLarge};
    }
    const DumpId key = contents.key("p", parent);
    const auto foreignKey = [&](const std::string& name, DumpId table) {
        return contents.add(
            "FK CONSTRAINT", name + " fk", Section::PostData, {table, parent, key},
            "ALTER TABLE ONLY public." + name +
                "\n    ADD CONSTRAINT fk FOREIGN KEY (p) REFERENCES public.p(id);\n");
    };
    const DumpId fkA = foreignKey("a", first);
    const DumpId fkB = foreignKey("b", second);
    const RestorePlan plan = planOf(contents, sizes);
    const TaskId validateA = taskOf(plan, Step::Kind::ValidateForeignKey, fkA);
    const TaskId validateB = taskOf(plan, Step::Kind::ValidateForeignKey, fkB);
    CHECK(waitsFor(plan, validateA, taskOf(plan, Step::Kind::AddForeignKey, fkA)));
    CHECK(waitsFor(plan, validateA, taskOf(plan, Step::Kind::Define, key)));
    for (const plan::TaskLock& a : plan.graph[validateA].locks) {
        for (const plan::TaskLock& b : plan.graph[validateB].locks) {
            CHECK((a.key != b.key || !plan::conflict(a.mode, b.mode)));
        }
    }
}

TEST_CASE("what is small shares tasks, what is left out hands its dependencies on") {
    PlannedContents contents;
    std::vector<DumpId> tables;
    std::vector<DumpId> rows;
    DataSizes sizes;
    for (int i = 0; i < 200; ++i) {
        tables.push_back(contents.table("t" + std::to_string(i)));
    }
    for (int i = 0; i < 200; ++i) {
        const auto at = static_cast<std::size_t>(i);
        rows.push_back(contents.rows("t" + std::to_string(i), tables[at]));
        sizes[rows.back()] = {.bytes = 1000};
    }
    std::vector<DumpId> keys;
    for (int i = 0; i < 200; ++i) {
        keys.push_back(contents.key("t" + std::to_string(i), tables[static_cast<std::size_t>(i)]));
    }
    const RestorePlan plan = planOf(contents, sizes);
    CHECK(plan.steps.size() < 12);
    for (std::size_t i = 0; i < 200; ++i) {
        CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Define, keys[i]),
                       taskOf(plan, Step::Kind::Rows, rows[i])));
    }
    CHECK(plan.graph[taskOf(plan, Step::Kind::Define, keys[0])].relation.empty());
    const RestorePlan single = planOf(contents, sizes, {.jobs = 4, .batches = false});
    CHECK(single.steps.size() == 401);
    CHECK(single.graph[taskOf(single, Step::Kind::Define, keys[7])].relation == "public.t7");
}

TEST_CASE("privileges after all else, one after the other, then the rows of materialized views") {
    PlannedContents contents;
    const DumpId table = contents.table("t");
    const DumpId rows = contents.rows("t", table);
    const DumpId view = contents.add("MATERIALIZED VIEW DATA", "v", Section::PostData, {table});
    std::vector<DumpId> acls;
    for (int i = 0; i < 100; ++i) {
        acls.push_back(contents.add("ACL", "TABLE t", Section::None, {table}));
    }
    const DumpId index = contents.add("INDEX", "i", Section::PostData, {table});
    const RestorePlan plan = planOf(contents, {{rows, {.bytes = kLarge}}});
    const TaskId first = taskOf(plan, Step::Kind::Define, acls.front());
    const TaskId last = taskOf(plan, Step::Kind::Define, acls.back());
    CHECK(waitsFor(plan, first, taskOf(plan, Step::Kind::Define, index)));
    CHECK(waitsFor(plan, last, first));
    CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Define, view), last));
}

TEST_CASE("a circle of dependencies is cut, and the plan can be carried out") {
    PlannedContents contents;
    const DumpId a = contents.add("RULE", "a", Section::PostData, {DumpId{2}});
    const DumpId b = contents.add("RULE", "b", Section::PostData, {a});
    const RestorePlan plan = planOf(contents, {}, {.jobs = 2, .batches = false});
    const plan::Simulation simulation = plan::simulate(plan.graph, {.workers = 2, .duration = {}});
    CHECK(simulation.spans.size() == 2);
    (void)b;
}

TEST_CASE("rows of extensions' tables come one after the other, in the archive's order") {
    PlannedContents contents;
    (void)contents.add("EXTENSION", "e", Section::PreData);
    const DumpId parent = contents.rows("config_parent", DumpId{900});
    const DumpId child = contents.rows("config_child", DumpId{901});
    const RestorePlan plan = planOf(contents, {});
    CHECK(waitsFor(plan, taskOf(plan, Step::Kind::Rows, child),
                   taskOf(plan, Step::Kind::Rows, parent)));
    CHECK_FALSE(waitsFor(plan, taskOf(plan, Step::Kind::Rows, parent),
                         taskOf(plan, Step::Kind::Rows, child)));
}
