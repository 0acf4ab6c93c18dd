// SPDX-License-Identifier: PostgreSQL
#include "core/vacuum/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/base/format.h"

namespace gantry::vacuum {
namespace {

/// In a window of time one vacuums what is worth it, before autovacuum has to.
constexpr double kDeadShare = 0.05;
constexpr uint64_t kDeadRows = 1000;
constexpr double kInvisibleShare = 0.10;
constexpr uint64_t kInvisibleBlocks = 128;
/// Whatever is in need of statistics comes behind what is full of dead rows, and that behind what
/// is too old; from there on the larger table is the more urgent one.
constexpr double kMostUrgentPages = 1.5;
constexpr double kMostUrgentRows = 2;
/// Transaction IDs that a server hands out before it refuses to.
double mostXids(int major) {
    constexpr int kLargerReserve = 14;
    return 2147483648.0 - (major >= kLargerReserve ? 3'000'000 : 1'000'000);
}

constexpr double kSecondsPerDay = 86400;

constexpr uint64_t kRewriteWorthIt = uint64_t{64} << 20;
constexpr uint64_t kRewriteToldOf = uint64_t{1} << 20;
constexpr double kRewriteShare = 0.4;
constexpr double kPage = 8192;
constexpr uint64_t kToastChunk = 2032;
constexpr int kCountsWholes = 14;    // ANALYZE remembers how many rows a partitioned table had
constexpr int kTellsUncounted = 14;  // what was never counted from what is empty
constexpr double kIndexWasteShare = 0.5;
constexpr double kRowOverhead = 28;  // tuple header and line pointer
constexpr double kEntryOverhead = 12;
constexpr double kPageShare = 0.99;  // what is not the page's own header
constexpr double kBtreeFillfactor = 0.9;

double aligned(double bytes) { return std::ceil(bytes / 8) * 8; }

/// "fillfactor=70" of its storage parameters; 0 if it has none of that name.
double storageParameter(const TableFacts& table, std::string_view name) {
    const std::string mark = std::string(name) + "=";
    const std::size_t at = table.options.find(mark);
    // Not that of its TOAST table, nor a longer name's end.
    if (at == std::string::npos || (at > 0 && table.options[at - 1] != ' ')) return 0;
    return std::atof(table.options.c_str() + at + mark.size());
}

double fillfactorOf(const TableFacts& table) {
    constexpr double kPercent = 100;
    const double told = storageParameter(table, "fillfactor") / kPercent;
    return told > 0 && told <= 1 ? told : 1;
}

/// When autovacuum comes by itself: a table may ask for that earlier than the server does.
uint64_t freezeMaxAgeOf(const TableFacts& table, const ServerFacts& server) {
    const auto own = static_cast<uint64_t>(storageParameter(table, "autovacuum_freeze_max_age"));
    return own > 0 ? std::min(own, server.freezeMaxAge) : server.freezeMaxAge;
}

/// That live rows take in a heap that was just written; 0 if nobody knows how wide they are.
double heapNeeded(const TableFacts& table) {
    if (table.rowBytes <= 0) return 0;
    const double row = aligned(table.rowBytes) + kRowOverhead;
    const double room = kPage * kPageShare * fillfactorOf(table);
    // No row lies in two pages.
    const double rowsOfPage = std::max(std::floor(room / row), 1.0);
    return std::ceil(table.rowsLeft() / rowsOfPage) * kPage;
}

int percent(double share) { return static_cast<int>(std::lround(share * 100)); }

/// Collects reasons; the most pressing sets the urgency.
class Judge {
public:
    Judge(const TableFacts& table, const ServerFacts& server, bool allowFull)
        : table_(table), server_(server), allowFull_(allowFull) {}

    Decision decide() {
        if (table_.relkind == 'p') {
            statisticsOfAll();
        } else {
            age();
            deadRows();
            invisiblePages();
            statistics();
            waste();
        }
        if (reasons_.empty()) none();
        std::stable_sort(reasons_.begin(), reasons_.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (auto& [urgency, text] : reasons_) found_.reasons.push_back(std::move(text));
        return std::move(found_);
    }

private:
    void need(Action action, double urgency, std::string reason) {
        if (action == Action::Analyze && found_.action > Action::Reindex) found_.analyze = true;
        if (found_.action == Action::Analyze && action > Action::Analyze) found_.analyze = true;
        found_.action = std::max(found_.action, action);
        found_.urgency = std::max(found_.urgency, urgency);
        reasons_.emplace_back(urgency, std::move(reason));
    }

    void age() {
        const auto share = [](uint64_t age, uint64_t most) {
            return static_cast<double>(age) / static_cast<double>(std::max<uint64_t>(most, 1));
        };
        const double xids = share(table_.xidAge, freezeMaxAgeOf(table_, server_));
        const double multis = share(table_.mxidAge, server_.multixactFreezeMaxAge);
        const double left = mostXids(server_.major()) - static_cast<double>(table_.xidAge);
        if (server_.xidsPerSecond > 0) {
            found_.daysToWraparound = left / server_.xidsPerSecond / kSecondsPerDay;
        }
        if (xids >= kOldShare) {
            std::string text = fmt::format(
                "its oldest row is {} transactions behind, {}% of autovacuum_freeze_max_age; {} "
                "more until the server stops writing",
                formatCount(table_.xidAge), percent(xids),
                formatCount(static_cast<uint64_t>(std::max(left, 0.0))));
            if (found_.daysToWraparound > 0) {
                text += fmt::format(", {:.0f} days at the present rate", found_.daysToWraparound);
            }
            need(Action::Freeze, 1 + xids, std::move(text));
        }
        if (multis >= kOldShare) {
            need(Action::Freeze, 1 + multis,
                 fmt::format("its oldest row lock is {} multixacts behind, {}% of "
                             "autovacuum_multixact_freeze_max_age",
                             formatCount(table_.mxidAge), percent(multis)));
        }
    }

    void deadRows() {
        const uint64_t dead = table_.deadRows;
        const double live = std::max(table_.rowsLeft(), 1.0);
        const double share = static_cast<double>(dead) / (static_cast<double>(dead) + live);
        const double trigger = std::max(server_.vacuumThreshold + server_.vacuumScale * live, 1.0);
        const double urgency = std::min(static_cast<double>(dead) / trigger, kMostUrgentRows);
        if (urgency >= 1 || (dead >= kDeadRows && share >= kDeadShare)) {
            need(Action::Vacuum, urgency,
                 fmt::format("{} dead rows, {}% of all", formatCount(dead), percent(share)));
        }
        if (table_.toastDead >= kDeadRows &&
            static_cast<double>(table_.toastDead) > live * kDeadShare) {
            need(Action::Vacuum, urgency,
                 fmt::format("{} dead rows in its TOAST table", formatCount(table_.toastDead)));
        }
    }

    void invisiblePages() {
        const uint64_t invisible = table_.blocks - std::min(table_.allVisible, table_.blocks);
        if (table_.blocks == 0 || invisible < kInvisibleBlocks) return;
        const double share = static_cast<double>(invisible) / static_cast<double>(table_.blocks);
        if (share < kInvisibleShare || found_.action >= Action::Vacuum) return;
        const double trigger =
            server_.insertThreshold + server_.insertScale * std::max(table_.rows, 0.0);
        const double urgency = static_cast<double>(table_.insertedRows) / std::max(trigger, 1.0);
        need(Action::Vacuum, std::min(urgency, kMostUrgentPages),
             fmt::format("{}% of its pages are not marked all-visible: index-only scans have to "
                         "read them, and so will the next freeze",
                         percent(share)));
    }

    void statistics() {
        // The server keeps none of its statistics, and passes over who asks for them.
        if (table_.catalog && table_.name == "pg_statistic") return;
        if (table_.relkind == 'm' && table_.lastAnalyze.empty() && table_.blocks == 0) return;
        const double trigger = std::max(
            server_.analyzeThreshold + server_.analyzeScale * std::max(table_.rows, 0.0), 1.0);
        const double urgency =
            std::min(static_cast<double>(table_.modifiedRows) / trigger, kMostUrgentPages);
        if (urgency >= 1) {
            need(Action::Analyze, urgency,
                 fmt::format("{} rows changed since its statistics were gathered",
                             formatCount(table_.modifiedRows)));
        } else if (table_.lastAnalyze.empty() && !table_.catalog && table_.rowBytes == 0 &&
                   !table_.hasStatistics && mayHaveRows()) {
            need(Action::Analyze, 1, "its statistics were never gathered");
        }
    }

    /// The counters may be lost, in a crash or on request; then the catalog has the last word,
    /// which says so of a table that was never counted.
    bool mayHaveRows() const {
        if (table_.blocks == 0) return false;
        const bool neverCounted =
            server_.major() < kTellsUncounted ? table_.rows == 0 : table_.rows < 0;
        return neverCounted || table_.rowsLeft() > 0;
    }

    /// Of a partitioned table: how often its rows change is counted for the partitions alone.
    void statisticsOfAll() {
        if (server_.major() < kCountsWholes) return;
        const auto now = static_cast<double>(table_.liveRows);
        if (table_.rows < 0 && now > 0) {
            need(Action::Analyze, 1,
                 "the statistics of its partitions together were never gathered, which autovacuum "
                 "leaves to you");
        }
        if (table_.rows < 0) return;
        const double trigger =
            std::max(server_.analyzeThreshold + server_.analyzeScale * table_.rows, 1.0);
        const double urgency = std::min(std::abs(now - table_.rows) / trigger, kMostUrgentPages);
        if (urgency < 1) return;
        need(Action::Analyze, urgency,
             fmt::format("its partitions have {} rows, and had {} when the statistics of all "
                         "together were gathered, which autovacuum leaves to you",
                         formatCount(table_.liveRows),
                         formatCount(static_cast<uint64_t>(table_.rows))));
    }

    void waste() {
        if (table_.catalog) return;  // nothing is rebuilt beside it
        for (std::size_t i = 0; i < table_.indexes.size(); ++i) {
            const IndexFacts& index = table_.indexes[i];
            if (!index.valid && !index.workedOn && !isLeftover(table_, index)) {
                reasons_.emplace_back(
                    0, fmt::format("index {} was never built to its end: no query uses it, and "
                                   "writes may have to keep it all the same",
                                   index.name));
            }
            if (!isBloated(index)) continue;
            const double share = wasteOf(index);
            found_.reindex.push_back(i);
            need(Action::Reindex, share,
                 fmt::format("about {}% of the {} of index {} are waste", percent(share),
                             formatBytes(index.bytes), index.name));
        }
        found_.rewriteGain = rewriteGain(table_);
        const auto gain = static_cast<double>(found_.rewriteGain);
        const double share = gain / static_cast<double>(std::max<uint64_t>(table_.bytes(), 1));
        if (found_.rewriteGain < kRewriteToldOf || share < kRewriteShare) return;
        const std::string text = fmt::format("about {}% of its {} are waste", percent(share),
                                             formatBytes(table_.bytes()));
        if (found_.rewriteGain < kRewriteWorthIt) {
            if (!allowFull_) return;
            reasons_.emplace_back(
                0, fmt::format("{}, less than the {} from which on it is locked to be written anew",
                               text, formatBytes(kRewriteWorthIt)));
            return;
        }
        if (allowFull_) {
            need(Action::Full, 0.5, text);
        } else {
            reasons_.emplace_back(
                0, text +
                       "; VACUUM FULL would give them back, and lock everybody out meanwhile "
                       "(--full)");
        }
    }

    void none() {
        if (table_.relkind == 'p') {
            reasons_.emplace_back(
                0, server_.major() < kCountsWholes
                       ? "how old the statistics of all its partitions together are is not known "
                         "before version 14"
                       : "statistics of all its partitions together are up to date");
            return;
        }
        const auto dead = static_cast<double>(table_.deadRows);
        const double all = dead + std::max(table_.rowsLeft(), 1.0);
        const double age =
            static_cast<double>(table_.xidAge) /
            static_cast<double>(std::max<uint64_t>(freezeMaxAgeOf(table_, server_), 1));
        const bool empty = table_.blocks == 0 && table_.rowsLeft() <= 0;
        reasons_.emplace_back(
            0, fmt::format("{}% dead rows, age {}% of the limit, {}", percent(dead / all),
                           percent(age),
                           !table_.lastAnalyze.empty() ? "statistics are up to date"
                           : empty                     ? "no rows to have statistics of"
                                   : "how old its statistics are is not known"));
    }

    const TableFacts& table_;
    const ServerFacts& server_;
    const bool allowFull_;
    Decision found_;
    std::vector<std::pair<double, std::string>> reasons_;
};

}  // namespace

std::string_view toString(Action action) {
    switch (action) {
        case Action::Nothing:
            return "nothing";
        case Action::Analyze:
            return "analyze";
        case Action::Reindex:
            return "reindex";
        case Action::Vacuum:
            return "vacuum";
        case Action::Freeze:
            return "freeze";
        case Action::Full:
            return "full";
    }
    return "";
}

std::string Decision::what() const {
    std::string text(toString(action));
    if (analyze && action != Action::Analyze) text += ", analyze";
    if (!reindex.empty() && action != Action::Reindex && action != Action::Full)
        text += ", reindex";
    return text;
}

std::string Decision::why() const { return fmt::format("{}", fmt::join(reasons, "; ")); }

Decision decide(const TableFacts& table, const ServerFacts& server, bool allowFull) {
    return Judge(table, server, allowFull).decide();
}

uint64_t deadToastBytes(const TableFacts& table) {
    return std::min(table.toastDead * kToastChunk, table.toastBytes);
}

uint64_t rewriteGain(const TableFacts& table) {
    const auto heap = static_cast<double>(table.heapBytes);
    const auto dead = static_cast<double>(table.deadRows);
    const double needed = heapNeeded(table);
    // Of rows of unknown width the dead ones are as wide as the others.
    double gain = needed > 0 ? std::max(heap - needed, 0.0)
                             : heap * dead / (dead + std::max(table.rowsLeft(), 1.0));
    gain += static_cast<double>(deadToastBytes(table));
    for (const IndexFacts& index : table.indexes) {
        gain += wasteOf(index) * static_cast<double>(index.bytes);
    }
    return static_cast<uint64_t>(gain);
}

double wasteOf(const IndexFacts& index) {
    // Only of a B-tree is it known what a new one would take.
    if (index.accessMethod != "btree" || index.entryBytes <= 0 || index.rows < 0 ||
        index.bytes == 0) {
        return 0;
    }
    // The first page is about the others.
    const double leaves = std::ceil(index.rows * (aligned(index.entryBytes) + kEntryOverhead) /
                                    (kPage * kPageShare * kBtreeFillfactor));
    const double needed = kPage * (1 + leaves);
    return std::max(0.0, 1 - needed / static_cast<double>(index.bytes));
}

bool isMostlyWaste(const IndexFacts& index) { return wasteOf(index) >= kIndexWasteShare; }

bool isBloated(const IndexFacts& index) {
    return index.valid && !index.exclusion && isMostlyWaste(index) &&
           wasteOf(index) * static_cast<double>(index.bytes) >=
               static_cast<double>(kIndexWasteWorthIt);
}

bool isLeftover(const TableFacts& table, const IndexFacts& index) {
    constexpr std::size_t kShortened = 50;  // so long are names that the server may have cut
    if (index.valid || index.constraint) return false;
    // Whoever called an index of his own so has none that it could be the copy of.
    const auto isCopy = [&](std::string_view mark) {
        const std::size_t at = index.name.rfind(mark);
        if (at == std::string::npos ||
            index.name.find_first_not_of("0123456789", at + mark.size()) != std::string::npos) {
            return false;
        }
        const std::string_view of = std::string_view(index.name).substr(0, at);
        if (index.ofToast) return of == table.toastName + "_index";
        return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const IndexFacts& one) {
            return one.name == of || (at >= kShortened && one.name.starts_with(of));
        });
    };
    return isCopy("_ccnew") || isCopy("_ccold");
}

std::vector<std::size_t> rank(const std::vector<TableFacts>& tables,
                              const std::vector<Decision>& decisions) {
    std::vector<std::size_t> order(tables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (decisions[a].urgency != decisions[b].urgency) {
            return decisions[a].urgency > decisions[b].urgency;
        }
        return tables[a].bytes() > tables[b].bytes();
    });
    return order;
}

}  // namespace gantry::vacuum
