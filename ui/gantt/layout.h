// SPDX-License-Identifier: PostgreSQL
// A run as lanes of bars, before any pixel is drawn: which bar lies in which row, where workers did
// nothing, what is too narrow to be seen alone. Pure; grows with the run instead of being made
// anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_state.h"
#include "ui/gantt/time_scale.h"

namespace gantry::ui {

enum class Grouping { Worker, Table, Kind };

/// What keeps a span from having come out as it should, the worst of it.
enum class Flaw {
    None,
    PassedOver,  ///< errors within it
    CutOff,      ///< the run ended before it did
    Failed
};
Flaw flawOf(const events::SpanState& span);

struct Bar {
    Duration begin{};
    Duration end{};     ///< now while it runs
    uint32_t span = 0;  ///< index into RunState::spans()
    TaskId task;
    plan::TaskKind kind = plan::TaskKind::TableData;
    bool running = false;
    Flaw flaw = Flaw::None;
    bool chunk = false;  ///< of a task that several share: one of a family
};

/// A stretch in which a worker did nothing.
struct Gap {
    Duration begin{};
    Duration end{};
    uint32_t idle = 0;  ///< index into RunState::idles()
    events::IdleCause cause = events::IdleCause::Tail;
};

/// A strip beneath a row's bars, for what of them has a place of its own: tables of a statement
/// that has several, TOAST tables, and the indexes that one process works on.
struct SubLane {
    events::PartKind kind = events::PartKind::Index;
    uint32_t helper = 0;  ///< of indexes: 0 is the session itself
    friend bool operator==(const SubLane&, const SubLane&) = default;
};
SubLane subLaneOf(const events::PartState& part);

/// Bars, and gaps, that follow one another without overlap, in order of time.
struct Row {
    std::size_t lane = 0;
    std::vector<SubLane> below;  ///< from top to bottom
    std::vector<Bar> bars;
    std::vector<Gap> gaps;
    std::vector<uint32_t> flawed;  ///< indexes of bars, so that no merging hides them
};

struct Lane {
    std::string name;  ///< of the table; empty for the other groupings
    WorkerId worker;
    plan::TaskKind kind = plan::TaskKind::TableData;
    std::vector<std::size_t> rows;  ///< tasks of a table or kind that overlap lie side by side
};

/// Items [first, last) of a row, seen as one thing at pixels x0 … x1.
struct Piece {
    std::size_t first = 0;
    std::size_t last = 0;
    double x0 = 0;
    double x1 = 0;
    std::size_t count() const { return last - first; }
};

/// The first item of a row, not before `from`, that ends after `at`, by binary search in steps that
/// grow: mostly it is near.
template <class Item>
std::size_t firstEndingAfter(const std::vector<Item>& items, Duration at, std::size_t from = 0) {
    std::size_t step = 1;
    while (from + step <= items.size() && items[from + step - 1].end <= at) {
        from += step;
        step *= 2;
    }
    const auto begin = items.begin();
    const auto found =
        std::upper_bound(begin + static_cast<std::ptrdiff_t>(from),
                         begin + static_cast<std::ptrdiff_t>(std::min(from + step, items.size())),
                         at, [](Duration time, const Item& item) { return time < item.end; });
    return static_cast<std::size_t>(found - begin);
}

/// What of a row is seen, left to right. Items of less than `least` pixels that share so many
/// pixels become one piece: the number of pieces is bounded by the width of the axis, the work by
/// that and the logarithm of the row's length.
template <class Item, class Visit>
void forEachPiece(const std::vector<Item>& items, const TimeScale& scale, double least,
                  Visit visit) {
    const Duration stop = scale.end();
    const auto span = Duration(static_cast<int64_t>(least * scale.microsPerPixel()));
    std::size_t i = firstEndingAfter(items, scale.begin());
    while (i < items.size() && items[i].begin < stop) {
        const Item& item = items[i];
        std::size_t next = i + 1;
        Duration end = item.end;
        if (item.end - item.begin < span) {
            next = std::max(firstEndingAfter(items, item.begin + span, i), next);
            end = items[next - 1].end;
        }
        visit(Piece{.first = i, .last = next, .x0 = scale.x(item.begin), .x1 = scale.x(end)});
        i = next;
    }
}

class Layout {
public:
    /// Begins anew; the next update() fills it.
    void setGrouping(Grouping grouping);
    Grouping grouping() const { return grouping_; }
    /// Only spans that are true here are laid out; null: all. Outlives the layout or is replaced,
    /// has a value for every span whenever update() is called, and begins anew.
    void setShown(const std::vector<bool>* shown);
    /// For a copy that stays as it is.
    void forgetShown() { shown_ = nullptr; }

    /// Takes in what has come since the last call: time for new spans and for those that run.
    /// A run with fewer spans than before is taken for another one.
    void update(const events::RunState& run);

    /// In the order in which they are shown.
    const std::vector<Lane>& lanes() const { return lanes_; }
    const std::vector<std::size_t>& order() const { return order_; }  ///< of rows, by index
    const Row& row(std::size_t index) const { return rows_[index]; }
    /// Of all rows above that one, by its place in the order; the last value is of all rows.
    const std::vector<uint32_t>& subLanesAbove() const { return subLanesAbove_; }

    struct Place {
        std::size_t row = 0;
        std::size_t bar = 0;
    };
    /// Where a span is; empty if it has no bar.
    std::optional<Place> placeOf(std::size_t span) const;
    /// The bar, else the gap, at a time in a row, within `tolerance` of it.
    std::optional<std::size_t> barAt(std::size_t row, Duration at, Duration tolerance) const;
    std::optional<std::size_t> gapAt(std::size_t row, Duration at) const;
    /// What of a bar lies in a sub-lane of its row at a time, by number in SpanState::parts.
    std::optional<std::size_t> partAt(const events::RunState& run, std::size_t row, std::size_t bar,
                                      std::size_t subLane, Duration at, Duration tolerance) const;

private:
    struct OpenGap {
        std::size_t row;
        std::size_t gap;
    };

    void reset();
    void addLanesOfWorkers(const events::RunState& run);
    std::size_t laneFor(const events::RunState& run, const events::SpanState& span);
    std::size_t rowFor(std::size_t lane, Duration begin);
    std::size_t addRow(std::size_t lane);
    void addSpans(const events::RunState& run);
    void addGaps(const events::RunState& run);
    void refreshOpen(const events::RunState& run);
    static void noteFlaw(const events::SpanState& span, Row& row, std::size_t bar);
    void addSubLanes(const events::SpanState& span, Row& row);
    void sortLanes();
    void countSubLanes();

    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

    Grouping grouping_ = Grouping::Worker;
    const std::vector<bool>* shown_ = nullptr;
    std::vector<Lane> lanes_;
    std::vector<Row> rows_;
    std::vector<std::size_t> order_;
    std::vector<uint32_t> subLanesAbove_{0};
    std::map<WorkerId, std::size_t> laneOfWorker_;
    std::map<std::string, std::size_t, std::less<>> laneOfTable_;
    std::map<plan::TaskKind, std::size_t> laneOfKind_;
    std::map<TaskId, std::size_t> laneOfTask_;
    std::vector<Place> places_;      ///< by span
    std::vector<std::size_t> open_;  ///< spans that run
    std::size_t idlesSeen_ = 0;
    std::vector<OpenGap> openGaps_;
    bool lanesChanged_ = false;
    bool subLanesChanged_ = false;
};

/// What an archive's entry that fills a materialized view is called, before the view's name.
inline constexpr std::string_view kMatviewEntry = "MATERIALIZED VIEW DATA ";

/// The table that a task is about, of several together all that is told of them.
std::string relationOf(const events::RunState& run, TaskId task);

/// When a span that runs will end as it goes on so far; empty while that is a mere guess.
std::optional<Duration> expectedEnd(const events::RunState& run, const events::SpanState& span);
/// When the run will end, its own end once it is over; now while nothing is known.
Duration expectedRunEnd(const events::RunState& run);

}  // namespace gantry::ui
