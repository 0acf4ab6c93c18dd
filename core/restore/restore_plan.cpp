// SPDX-License-Identifier: PostgreSQL
#include "core/restore/restore_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/archive/entry_statements.h"
#include "core/base/text.h"
#include "core/restore/definition_needs.h"
#include "core/restore/index_cost.h"
#include "core/restore/rewrites.h"

namespace gantry::restore {
namespace {

using archive::Pass;
using archive::Section;
using archive::TocEntry;
using plan::LockMode;
using plan::Task;
using plan::TaskKind;

/// Seconds that a byte of rows and a row cost on one worker.
struct Cost {
    double ofByte = 0;
    double ofRow = 0;
    double operator()(const DataSize& size) const {
        return ofByte * static_cast<double>(size.bytes) + ofRow * static_cast<double>(size.rows);
    }
};

// Measured once on two cores, with rows of 8 to 230 bytes; what matters is their proportion.
constexpr Cost kLoadCost{.ofByte = 1 / 150e6, .ofRow = 1 / 10e6};
constexpr Cost kObjectCost{.ofByte = 1 / 90e6, .ofRow = 1 / 10e3};
constexpr Cost kCheckCost{.ofByte = 1 / 1e9};
constexpr Cost kValidateCost{.ofRow = 1 / 2.5e6};
constexpr Cost kAnalyzeCost{.ofByte = 1 / 1e9};
constexpr double kStatementCost = 0.0005;
// Where the rows were not counted: bytes of COPY text.
constexpr uint64_t kUsualColumn = 12;
constexpr uint64_t kUsualColumns = 8;

constexpr uint64_t kSmallTable = uint64_t{1} << 20;
constexpr uint64_t kBatchBytes = uint64_t{4} << 20;
constexpr std::size_t kBatchEntries = 64;
constexpr std::size_t kDefinitionsPerTask = 500;
/// pg_dump before 9.2 leaves some out; what it wrote is older than this, which came in 2018.
constexpr archive::ArchiveVersion kAllDependencies{1, 13, 0};
constexpr uint64_t kLeastShared = uint64_t{4} << 20;
constexpr uint64_t kBytesPerConnection = uint64_t{8} << 20;  // of a table that several load

bool isLargeObjects(const TocEntry& entry) { return entry.description() == "BLOBS"; }

bool isPartitioned(const TocEntry& table) {
    return table.relkind == 'p' || (table.relkind == 0 && table.defn &&
                                    table.defn->find("\nPARTITION BY ") != std::string::npos);
}

TaskKind kindOf(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (desc == "INDEX") return TaskKind::Index;
    if (isOneOf(desc, {"CONSTRAINT", "CHECK CONSTRAINT"})) return TaskKind::Constraint;
    if (desc == "FK CONSTRAINT") return TaskKind::ForeignKey;
    if (desc == "MATERIALIZED VIEW DATA") return TaskKind::MaterializedView;
    if (isOneOf(desc, {"ACL", "ACL LANGUAGE", "DEFAULT ACL"})) return TaskKind::Acl;
    if (desc == "STATISTICS DATA") return TaskKind::Statistics;
    if (isOneOf(desc, {"BLOB METADATA", "BLOB"})) return TaskKind::LargeObjects;
    return TaskKind::PostData;
}

/// Whether it goes for the heirs and partitions of its table, too. pg_dump names a key's table
/// ONLY; NOT NULL is a constraint of its own from 18 on.
bool reachesHeirs(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (isOneOf(desc, {"TRIGGER", "CHECK CONSTRAINT", "FK CONSTRAINT"})) return true;
    return desc == "CONSTRAINT" && entry.defn && !entry.defn->starts_with("ALTER TABLE ONLY ");
}

/// The lock that an entry's statements take on the tables it depends on.
LockMode lockOf(const TocEntry& entry) {
    const std::string_view desc = entry.description();
    if (desc == "INDEX") return LockMode::Share;
    if (isOneOf(desc, {"FK CONSTRAINT", "TRIGGER"})) return LockMode::ShareRowExclusive;
    if (isOneOf(desc, {"COMMENT", "STATISTICS", "STATISTICS DATA", "SECURITY LABEL"})) {
        return LockMode::ShareUpdateExclusive;
    }
    if (isOneOf(desc, {"SEQUENCE SET", "BLOB", "BLOB METADATA"})) return LockMode::AccessShare;
    return LockMode::AccessExclusive;
}

class Planner {
public:
    Planner(const Choice& choice, const DataSizes& sizes, const RestorePlanSettings& settings)
        : order_(choice.order),
          wanted_(choice.wanted),
          sizes_(sizes),
          settings_(settings),
          disablesTriggers_(settings.disableTriggers && choice.dataOnly),
          inOrder_(settings.inOrder || (settings.jobs == 1 && choice.dataOnly)) {
        tasksOf_.resize(order_.size());
        levels_.assign(order_.size(), kUnknown);
        for (std::size_t i = 0; i < order_.size(); ++i) index_.emplace(order_[i]->dumpId, i);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (order_[i]->description() != "TABLE DATA") continue;
            for (const DumpId table : order_[i]->dependencies) rowsOf_.emplace(table, i);
        }
        gatherChildren();
        gatherIndexes();
        uint64_t all = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (loadsData(i) && !isLargeObjects(*order_[i])) all += rowBytes(i);
        }
        const uint64_t halfOfAShare = all / (uint64_t{2} * std::max(settings.jobs, 1U));
        worthSharing_ = std::min(settings.worthSharing, std::max(halfOfAShare, kLeastShared));
    }

    RestorePlan run() {
        addDefinitions();
        std::vector<std::size_t> main;
        std::vector<std::size_t> acl;
        std::vector<std::size_t> postAcl;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (!isNode(i)) continue;
            const Pass pass = archive::passOf(*order_[i]);
            (pass == Pass::Main ? main : pass == Pass::Acl ? acl : postAcl).push_back(i);
        }
        for (const std::size_t i : main) (void)levelOf(i);
        addMain(main);
        linkMain(main);
        addAfterwards(acl, postAcl);
        return std::move(plan_);
    }

private:
    static constexpr int kUnknown = -1;
    static constexpr int kVisiting = -2;

    // What runs in the graph, behind the definitions.
    bool isNode(std::size_t i) const {
        return wanted_[i].any() && !archive::isOfDatabase(*order_[i]) &&
               !inDefinitions_.contains(i);
    }

    DataSize sizeOf(std::size_t i) const {
        DataSize size = restore::sizeOf(sizes_, order_[i]->dumpId);
        if (size.rows == 0 && !isLargeObjects(*order_[i])) {
            const std::string copy = order_[i]->copyStmt.value_or("");
            const auto commas = static_cast<uint64_t>(std::count(copy.begin(), copy.end(), ','));
            const bool listed = copy.find('(') != std::string::npos;
            size.rows = size.bytes / (kUsualColumn * (listed ? commas + 1 : kUsualColumns));
        }
        return size;
    }

    uint64_t rowBytes(std::size_t i) const { return sizeOf(i).bytes; }

    bool loadsData(std::size_t i) const { return wanted_[i].data && order_[i]->hadDumper; }

    /// Entries of the section before the data, one after the other in the archive's order.
    void addDefinitions() {
        Section section = Section::PreData;
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const TocEntry& entry = *order_[i];
            if (entry.section != Section::None) section = entry.section;
            if (section != Section::PreData || !wanted_[i].any() || archive::isOfDatabase(entry) ||
                entry.hadDumper || archive::passOf(entry) != Pass::Main) {
                continue;
            }
            inDefinitions_.insert(i);
            all.push_back(i);
        }
        // Rows of the first tables are loaded while the last ones are made.
        const bool early = settings_.earlyRows && settings_.batches && settings_.jobs > 1;
        if (early) {
            needs_.emplace(order_, all);
            all = needs_->sequence();
        }
        const std::size_t most = early ? kDefinitionsPerTask : std::max<std::size_t>(all.size(), 1);
        for (std::size_t first = 0; first < all.size(); first += most) {
            Step step;
            for (std::size_t at = first; at < std::min(first + most, all.size()); ++at) {
                step.entries.push_back(order_[all[at]]);
            }
            Task task;
            task.kind = TaskKind::Schema;
            task.object = all.size() <= most ? "definitions"
                                             : fmt::format("definitions {} to {} of {}", first + 1,
                                                           first + step.entries.size(), all.size());
            task.cost = kStatementCost * static_cast<double>(step.entries.size());
            if (!definitions_.empty()) task.after.push_back(definitions_.back());
            definitions_.push_back(add(std::move(task), std::move(step)));
        }
    }

    /// The last of the definitions that an entry behind them waits for.
    std::optional<TaskId> definitionsFor(std::size_t i) const {
        if (definitions_.empty()) return std::nullopt;
        // Of an extension's table the archive says neither where it stands nor what it needs.
        if (!needs_ || isOfExtension(i)) return definitions_.back();
        const std::size_t count = needs_->before(*order_[i]);
        if (count == 0) return std::nullopt;
        return definitions_[(count - 1) / kDefinitionsPerTask];
    }

    /// Heirs and partitions depend on their parents, or what attaches them does.
    void gatherChildren() {
        std::map<std::pair<std::optional<std::string>, std::string_view>, DumpId> tables;
        const auto nameOf = [](const TocEntry* entry) {
            return std::pair(entry->namespaceName, entry->name());
        };
        for (const TocEntry* entry : order_) {
            if (entry->description() == "TABLE") tables.emplace(nameOf(entry), entry->dumpId);
        }
        for (const TocEntry* entry : order_) {
            if (!isOneOf(entry->description(), {"TABLE", "TABLE ATTACH"})) continue;
            const auto child = tables.find(nameOf(entry));
            if (child == tables.end()) continue;
            for (const DumpId parent : entry->dependencies) {
                if (parent != child->second) childrenOf_[parent].push_back(child->second);
            }
        }
    }

    void gatherIndexes() {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (!wanted_[i].any() || !isOneOf(order_[i]->description(), {"INDEX", "CONSTRAINT"})) {
                continue;
            }
            for (const std::size_t table : tablesOf(i)) indexesOf_[table].push_back(i);
        }
    }

    /// The tables (their TABLE DATA, or else TABLE entries) that an entry names as dependencies.
    std::vector<std::size_t> tablesOf(std::size_t i) const {
        std::vector<std::size_t> tables;
        for (const DumpId id : order_[i]->dependencies) {
            const auto found = index_.find(id);
            if (found == index_.end()) continue;
            const std::string_view desc = order_[found->second]->description();
            if (desc == "TABLE DATA") tables.push_back(found->second);
            if (desc == "TABLE") {
                const auto rows = rowsOf_.find(id);
                tables.push_back(rows == rowsOf_.end() ? found->second : rows->second);
            }
        }
        return tables;
    }

    /// Rows that an entry would change or refuse if it came before them, though it does not name
    /// them: those of heirs and partitions, or, for a domain's constraint, of any table.
    std::vector<std::size_t> furtherRowsOf(std::size_t i) const {
        std::vector<std::size_t> rows;
        if (!reachesHeirs(*order_[i])) return rows;
        if (tablesOf(i).empty()) {
            for (const auto& [table, j] : rowsOf_) rows.push_back(j);
            return rows;
        }
        std::vector<DumpId> open = order_[i]->dependencies;
        std::set<DumpId> seen(open.begin(), open.end());
        while (!open.empty()) {
            const DumpId id = open.back();
            open.pop_back();
            if (const auto found = rowsOf_.find(id); found != rowsOf_.end()) {
                rows.push_back(found->second);
            }
            const auto children = childrenOf_.find(id);
            if (children == childrenOf_.end()) continue;
            for (const DumpId child : children->second) {
                if (seen.insert(child).second) open.push_back(child);
            }
        }
        return rows;
    }

    /// What an entry has to wait for: entries behind the definitions. What is not wanted hands on
    /// what it would have waited for.
    std::vector<std::size_t> dependenciesOf(std::size_t i) const {
        std::vector<std::size_t> found;
        std::set<std::size_t> seen{i};
        std::vector<std::size_t> open{i};
        // It is not checked while an index of its table is built: as a dependency this counts in
        // the length of the path.
        if (order_[i]->description() == "FK CONSTRAINT") {
            for (const std::size_t table : tablesOf(i)) {
                const auto indexes = indexesOf_.find(table);
                if (indexes == indexesOf_.end() || !isTableOf(*order_[table], *order_[i])) continue;
                for (const std::size_t j : indexes->second) {
                    if (isNode(j) && seen.insert(j).second) found.push_back(j);
                }
            }
        }
        for (const std::size_t j : furtherRowsOf(i)) {
            if (isNode(j) && seen.insert(j).second) found.push_back(j);
        }
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            const bool postData = order_[at]->section == Section::PostData;
            for (const DumpId id : order_[at]->dependencies) {
                auto target = index_.find(id);
                if (target == index_.end()) continue;
                std::size_t j = target->second;
                // After the data, "needs the table" means its rows.
                if (postData && order_[j]->description() == "TABLE") {
                    if (const auto rows = rowsOf_.find(id); rows != rowsOf_.end()) j = rows->second;
                }
                if (!seen.insert(j).second) continue;
                if (isNode(j)) {
                    found.push_back(j);
                } else if (!inDefinitions_.contains(j)) {
                    open.push_back(j);
                }
            }
        }
        return found;
    }

    /// Entries of a level do not wait for each other. A circle is cut where it closes.
    int levelOf(std::size_t i) {
        if (levels_[i] != kUnknown) return levels_[i];
        levels_[i] = kVisiting;
        int level = 0;
        for (const std::size_t j : dependenciesOf(i)) {
            if (archive::passOf(*order_[j]) != Pass::Main || levels_[j] == kVisiting) continue;
            level = std::max(level, levelOf(j) + 1);
        }
        return levels_[i] = level;
    }

    bool isSmall(std::size_t i) const {
        if (!settings_.batches || inOrder_) return false;
        if (loadsData(i)) {
            return !isLargeObjects(*order_[i]) && !isOfExtension(i) && order_[i]->copyStmt &&
                   rowBytes(i) < kSmallTable;
        }
        if (isOneOf(order_[i]->description(), {"BLOB METADATA", "BLOB"})) return false;
        const auto tables = tablesOf(i);
        return std::all_of(tables.begin(), tables.end(),
                           [&](std::size_t table) { return rowBytes(table) < kSmallTable; });
    }

    void addMain(const std::vector<std::size_t>& entries) {
        // Small ones of one level and kind, neighbours in the archive, share tasks.
        std::map<std::tuple<int, bool, TaskKind>, std::vector<std::size_t>> small;
        for (const std::size_t i : entries) {
            if (isSmall(i)) {
                small[{levels_[i], !loadsData(i), kindOf(*order_[i])}].push_back(i);
            } else if (loadsData(i)) {
                addData(i);
            } else {
                addStatements(i);
            }
        }
        for (const auto& [key, members] : small) addBatches(members, !std::get<1>(key));
    }

    void addBatches(const std::vector<std::size_t>& members, bool rows) {
        std::size_t next = 0;
        while (next < members.size()) {
            Step step;
            step.kind = rows ? Step::Kind::Rows : Step::Kind::Define;
            Task task;
            task.kind = rows ? TaskKind::TableData : kindOf(*order_[members[next]]);
            const std::size_t first = next;
            task.relation = relationOf(members[first]);
            for (; next < members.size() && step.entries.size() < kBatchEntries &&
                   task.bytes < kBatchBytes;
                 ++next) {
                const std::size_t i = members[next];
                step.entries.push_back(order_[i]);
                task.bytes += rows ? rowBytes(i) : 0;
                task.cost += kStatementCost + (rows ? kLoadCost(sizeOf(i)) : 0);
                addLocks(task, i, rows ? LockMode::RowExclusive : lockOf(*order_[i]));
                if (relationOf(i) != task.relation) task.relation.clear();
            }
            task.object = displayName(*order_[members[first]]);
            if (next - first > 1) task.object += fmt::format(" and {} more", next - first - 1);
            const TaskId id = add(std::move(task), std::move(step));
            for (std::size_t at = first; at < next; ++at) tasksOf_[members[at]] = {id, id};
        }
    }

    void addLocks(Task& task, std::size_t i, LockMode mode) {
        const auto tables = loadsData(i) ? std::vector<std::size_t>{i} : tablesOf(i);
        for (const std::size_t table : tables) {
            // Keys are places in the archive's order, the same for a table's entry and its rows.
            task.locks.push_back({.key = table, .mode = mode});
        }
    }

    void addData(std::size_t i) {
        const TocEntry& entry = *order_[i];
        Step step{.kind = isLargeObjects(entry) ? Step::Kind::LargeObjects : Step::Kind::Rows,
                  .entries = {&entry}};
        Task task;
        task.kind = isLargeObjects(entry) ? TaskKind::LargeObjects : TaskKind::TableData;
        task.object = displayName(entry);
        task.bytes = rowBytes(i);
        task.cost = kStatementCost + (isLargeObjects(entry) ? kObjectCost : kLoadCost)(sizeOf(i));
        if (!isLargeObjects(entry)) {
            if (isShared(i)) {
                step.shared = true;
                const uint64_t units =
                    std::clamp<uint64_t>(task.bytes / kBytesPerConnection, 2, settings_.jobs);
                task.division = plan::Division{.units = units, .maxUnits = 1, .shared = true};
            }
            addLocks(task, i,
                     disablesTriggers_ ? LockMode::ShareRowExclusive : LockMode::RowExclusive);
        }
        const TaskId id = add(std::move(task), std::move(step));
        tasksOf_[i] = {id, id};
    }

    /// In a table that was there before, keys, foreign keys and triggers may make one connection
    /// wait for the other, or miss its rows.
    bool isShared(std::size_t i) const {
        return settings_.share && settings_.jobs > 1 && !disablesTriggers_ && order_[i]->copyStmt &&
               rowBytes(i) >= worthSharing_ && isMadeHere(i) && !archive::isViaRoot(*order_[i]);
    }

    bool isMadeHere(std::size_t i) const {
        const TocEntry* definition = tableOf(i);
        return definition != nullptr && (wanted_[index_.at(definition->dumpId)].definition ||
                                         settings_.standing.contains(definition->dumpId));
    }

    void addStatements(std::size_t i) {
        const TocEntry& entry = *order_[i];
        const auto tables = tablesOf(i);
        if (settings_.rewrites && addInTwoSteps(i, tables)) return;
        Task task;
        task.kind = kindOf(entry);
        task.object = displayName(entry);
        task.relation = relationOf(i);
        double work = 0;
        for (const std::size_t table : tables) work = std::max(work, workOf(i, table));
        task.cost = kStatementCost + work;
        addLocks(task, i, lockOf(entry));
        const TaskId id =
            add(std::move(task), Step{.kind = Step::Kind::Define, .entries = {&entry}});
        tasksOf_[i] = {id, id};
    }

    /// Seconds that an entry's statements take beyond their beginning, of the rows of this table.
    double workOf(std::size_t i, std::size_t table) const {
        const std::string_view desc = order_[i]->description();
        if (isOneOf(desc, {"INDEX", "CONSTRAINT"})) return buildOf(i, table);
        if (desc == "FK CONSTRAINT") return kValidateCost(sizeOf(table));
        return desc == "CHECK CONSTRAINT" ? kCheckCost(sizeOf(table)) : 0;
    }

    double buildOf(std::size_t i, std::size_t table) const {
        const TocEntry* definition = tableOf(table);
        return indexSeconds(viewOf(order_[i]->defn),
                            definition == nullptr ? std::string_view() : viewOf(definition->defn),
                            sizeOf(table));
    }

    /// A key or foreign key of a large table; false if it stays as it is.
    bool addInTwoSteps(std::size_t i, const std::vector<std::size_t>& tables) {
        const TocEntry& entry = *order_[i];
        const bool key = entry.description() == "CONSTRAINT";
        if (!key && entry.description() != "FK CONSTRAINT") return false;
        const auto own = ownTable(entry, tables);
        if (own == tables.end() || rowBytes(*own) < std::min(kSmallTable, settings_.worthSharing)) {
            return false;
        }
        for (const std::size_t table : tables) {
            const TocEntry* definition = tableOf(table);
            if (definition != nullptr && isPartitioned(*definition)) return false;
        }
        const std::string text = entry.defn.value_or("");
        // A key alone gains nothing from an index first.
        if (key ? indexesOf_[*own].size() < 2 || !splitKey(text) : !splitForeignKey(text)) {
            return false;
        }

        Task first;
        first.kind = key ? TaskKind::Index : TaskKind::ForeignKey;
        first.object = displayName(entry);
        first.relation = order_[*own]->qualifiedName();
        Task second = first;
        second.kind = key ? TaskKind::Constraint : TaskKind::ForeignKey;
        first.cost = kStatementCost + (key ? buildOf(i, *own) : 0);
        second.cost = kStatementCost + (key ? 0 : kValidateCost(sizeOf(*own)));
        if (key) {
            first.locks.push_back({.key = *own, .mode = LockMode::Share});
            second.locks.push_back({.key = *own, .mode = LockMode::AccessExclusive});
        } else {
            addLocks(first, i, LockMode::ShareRowExclusive);
            for (const std::size_t table : tables) {
                second.locks.push_back(
                    {.key = table,
                     .mode = table == *own ? LockMode::ShareUpdateExclusive : LockMode::RowShare});
            }
        }
        const TaskId a = add(std::move(first),
                             Step{.kind = key ? Step::Kind::BuildIndex : Step::Kind::AddForeignKey,
                                  .entries = {&entry}});
        second.after.push_back(a);
        const TaskId b = add(std::move(second), Step{.kind = key ? Step::Kind::AttachKey
                                                                 : Step::Kind::ValidateForeignKey,
                                                     .entries = {&entry}});
        tasksOf_[i] = {a, b};
        return true;
    }

    /// A constraint's tag is "table constraint".
    static bool isTableOf(const TocEntry& table, const TocEntry& constraint) {
        return table.namespaceName == constraint.namespaceName &&
               constraint.name().starts_with(std::string(table.name()) + " ");
    }

    /// Of the tables that a constraint names the one that it belongs to.
    std::vector<std::size_t>::const_iterator ownTable(
        const TocEntry& constraint, const std::vector<std::size_t>& tables) const {
        return std::find_if(tables.begin(), tables.end(), [&](std::size_t table) {
            return isTableOf(*order_[table], constraint);
        });
    }

    /// Whose index or constraint an entry is.
    std::string relationOf(std::size_t i) const {
        const TocEntry& entry = *order_[i];
        const auto tables = tablesOf(i);
        auto own = tables.end();
        if (entry.description() == "INDEX") own = tables.begin();
        if (isOneOf(entry.description(), {"CONSTRAINT", "FK CONSTRAINT"})) {
            own = ownTable(entry, tables);
        }
        return own == tables.end() ? std::string() : order_[*own]->qualifiedName();
    }

    const TocEntry* tableOf(std::size_t i) const {
        if (order_[i]->description() == "TABLE") return order_[i];
        for (const DumpId id : order_[i]->dependencies) {
            const auto found = index_.find(id);
            if (found != index_.end() && order_[found->second]->description() == "TABLE") {
                return order_[found->second];
            }
        }
        return nullptr;
    }

    /// Rows of a table that an extension makes. Foreign keys between such tables are there from the
    /// beginning, and only the archive's order says which comes first.
    bool isOfExtension(std::size_t i) const {
        return loadsData(i) && order_[i]->description() == "TABLE DATA" && tableOf(i) == nullptr;
    }

    void linkMain(const std::vector<std::size_t>& entries) {
        if (inOrder_) return linkInOrder(entries);
        std::map<TaskId, std::set<TaskId>> after;
        std::optional<TaskId> ofExtension;
        for (const std::size_t i : entries) {
            auto& waitsFor = after[tasksOf_[i].first];
            if (const auto before = definitionsFor(i)) waitsFor.insert(*before);
            if (isOfExtension(i)) {
                if (ofExtension) waitsFor.insert(*ofExtension);
                ofExtension = tasksOf_[i].last;
            }
            for (const std::size_t j : dependenciesOf(i)) {
                // Only what lies lower: circles are cut, and what comes in a later pass is later.
                if (archive::passOf(*order_[j]) != Pass::Main || levels_[j] >= levels_[i]) continue;
                waitsFor.insert(tasksOf_[j].last);
            }
        }
        for (auto& [task, waitsFor] : after) {
            auto& edges = plan_.graph.tasks[task.value].after;
            edges.insert(edges.end(), waitsFor.begin(), waitsFor.end());
        }
    }

    /// Dependencies give way: whoever reorders a list means its order.
    void linkInOrder(const std::vector<std::size_t>& entries) {
        std::optional<TaskId> previous;
        if (!definitions_.empty()) previous = definitions_.back();
        for (const std::size_t i : entries) {
            if (previous) plan_.graph.tasks[tasksOf_[i].first.value].after.push_back(*previous);
            previous = tasksOf_[i].last;
        }
    }

    void addAfterwards(const std::vector<std::size_t>& acl,
                       const std::vector<std::size_t>& postAcl) {
        if (acl.empty() && postAcl.empty() && !settings_.analyze) return;
        Task barrier;
        barrier.kind = TaskKind::PostData;
        barrier.object = "all before privileges";
        for (uint32_t i = 0; i < plan_.graph.tasks.size(); ++i) barrier.after.push_back(TaskId{i});
        TaskId last = add(std::move(barrier), Step{.kind = Step::Kind::Barrier, .entries = {}});
        // One after the other: two sessions must not change one object's privileges at once.
        for (std::size_t next = 0; next < acl.size();) {
            Step step;
            Task task;
            task.kind = TaskKind::Acl;
            task.object = displayName(*order_[acl[next]]);
            const std::size_t first = next;
            const std::size_t most = settings_.batches ? kBatchEntries : 1;
            for (; next < acl.size() && step.entries.size() < most; ++next) {
                step.entries.push_back(order_[acl[next]]);
            }
            if (next - first > 1) task.object += fmt::format(" and {} more", next - first - 1);
            task.cost = kStatementCost * static_cast<double>(next - first);
            task.after.push_back(last);
            last = add(std::move(task), std::move(step));
        }
        std::vector<TaskId> ends{last};
        for (const std::size_t i : postAcl) {
            Task task;
            task.kind = kindOf(*order_[i]);
            task.object = displayName(*order_[i]);
            task.cost = kStatementCost;
            task.after.push_back(last);
            for (const std::size_t j : dependenciesOf(i)) {
                if (tasksOf_[j].isSet && archive::passOf(*order_[j]) == Pass::PostAcl) {
                    task.after.push_back(tasksOf_[j].last);
                }
            }
            const TaskId id =
                add(std::move(task), Step{.kind = Step::Kind::Define, .entries = {order_[i]}});
            tasksOf_[i] = {id, id};
            ends.push_back(id);
        }
        if (settings_.analyze) addAnalyze(ends);
    }

    void addAnalyze(const std::vector<TaskId>& after) {
        std::vector<std::size_t> small;
        const auto put = [&](const std::vector<std::size_t>& tables) {
            Task task;
            task.kind = TaskKind::Analyze;
            task.object = displayName(*order_[tables.front()]);
            if (tables.size() > 1) task.object += fmt::format(" and {} more", tables.size() - 1);
            Step step{.kind = Step::Kind::Analyze, .entries = {}};
            task.cost = kStatementCost;
            for (const std::size_t i : tables) {
                step.entries.push_back(order_[i]);
                task.cost += kAnalyzeCost(sizeOf(i));
            }
            task.after = after;
            add(std::move(task), std::move(step));
        };
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (!loadsData(i) || order_[i]->description() != "TABLE DATA") continue;
            if (rowBytes(i) >= kSmallTable) {
                put({i});
                continue;
            }
            small.push_back(i);
            if (small.size() == kBatchEntries) put(std::exchange(small, {}));
        }
        if (!small.empty()) put(small);
    }

    TaskId add(Task task, Step step) {
        plan_.steps.push_back(std::move(step));
        return plan_.graph.add(std::move(task));
    }

    /// The first task of an entry waits, on the last others wait.
    struct Tasks {
        Tasks() = default;
        Tasks(TaskId f, TaskId l) : first(f), last(l), isSet(true) {}
        TaskId first;
        TaskId last;
        bool isSet = false;
    };

    const std::vector<const TocEntry*>& order_;
    const std::vector<Wanted>& wanted_;
    const DataSizes& sizes_;
    const RestorePlanSettings& settings_;
    const bool disablesTriggers_;
    /// Foreign keys that are there already want referenced rows first, which the archive's order
    /// alone may tell.
    const bool inOrder_;
    uint64_t worthSharing_ = 0;  ///< bytes of rows
    std::unordered_map<DumpId, std::size_t> index_;
    std::unordered_map<DumpId, std::size_t> rowsOf_;  ///< TABLE DATA by its TABLE
    std::unordered_map<DumpId, std::vector<DumpId>> childrenOf_;
    std::map<std::size_t, std::vector<std::size_t>> indexesOf_;  ///< and keys, by their table
    std::set<std::size_t> inDefinitions_;
    std::vector<int> levels_;
    std::vector<Tasks> tasksOf_;
    std::vector<TaskId> definitions_;  ///< one after the other
    std::optional<DefinitionNeeds> needs_;
    RestorePlan plan_;
};

}  // namespace

std::string displayName(const TocEntry& entry) {
    const std::string name = entry.qualifiedName();
    if (isOneOf(entry.description(), {"TABLE DATA", "INDEX", "CONSTRAINT", "FK CONSTRAINT"})) {
        return name;
    }
    if (isLargeObjects(entry)) return "large objects";
    return fmt::format("{} {}", entry.description(), name);
}

RestorePlanSettings planSettings(const options::RestoreOptions& options, const archive::Toc& toc,
                                 uint32_t jobs) {
    // Where transactions span entries there is one connection, which goes by the archive's words.
    const bool spans = options.singleTransaction || (options.transactionSize && jobs == 1);
    return {.jobs = jobs,
            .share = !options.noShare && !spans,
            .rewrites = !options.noRewrites && !spans,
            .batches = !options.noBatches && !spans,
            .inOrder = spans,
            .earlyRows = toc.version >= kAllDependencies,
            .analyze = options.analyze,
            .disableTriggers = options.content.disableTriggers,
            .worthSharing = options.worthSharing,
            .standing = {}};
}

std::optional<uint64_t> maintenanceMemory(uint64_t sharedBuffers, uint64_t own, uint32_t jobs) {
    constexpr uint64_t kMost = uint64_t{1} << 30;
    const uint64_t wanted = std::min(sharedBuffers / (uint64_t{4} * std::max(jobs, 1U)), kMost);
    return wanted > own ? std::optional(wanted) : std::nullopt;
}

RestorePlan planRestore(const Choice& choice, const DataSizes& sizes,
                        const RestorePlanSettings& settings) {
    return Planner(choice, sizes, settings).run();
}

}  // namespace gantry::restore
