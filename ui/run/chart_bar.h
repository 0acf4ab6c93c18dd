// SPDX-License-Identifier: PostgreSQL
// The bar above the chart: grouping, search, legend, view and export.
#pragma once

#include <QWidget>
#include <array>
#include <map>
#include <vector>

#include "core/events/run_state.h"
#include "ui/gantt/legend.h"

class QHBoxLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QMenu;
class QPushButton;
class QToolButton;

namespace gantry::ui {

class GanttView;

/// Works on the chart by itself; what concerns others it tells.
class ChartBar : public QWidget {
    Q_OBJECT
public:
    explicit ChartBar(GanttView* chart, QWidget* parent = nullptr);

    /// The legend shows the kinds that occur; Follow is for a run that goes on.
    void show(const events::RunState& run);
    void focusSearch();
    /// To be filled by whoever can export.
    QMenu* exportMenu() const { return exports_; }
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addGroupings(QHBoxLayout* row);
    void addSearch(QHBoxLayout* row);
    void addLegend(QLayout* row);
    void showLegend();
    void addView(QHBoxLayout* row);
    void searched();
    void showFilter();
    void tellMatches(std::size_t count);
    void placeLegend();
    void refreshIcons();

    GanttView* chart_;
    QLineEdit* find_ = nullptr;
    QLabel* matches_ = nullptr;
    QToolButton* previous_ = nullptr;
    QToolButton* next_ = nullptr;
    QPushButton* only_ = nullptr;
    QHBoxLayout* row_ = nullptr;
    QWidget* legendBox_ = nullptr;
    std::array<QPushButton*, kCategories> legend_{};
    struct Sign {
        QWidget* whole = nullptr;
        QLabel* icon = nullptr;
    };
    std::map<LegendEntry, Sign> signs_;  ///< behind the kinds
    Legend seen_{Mark::Idle};
    QPushButton* critical_ = nullptr;
    QPushButton* follow_ = nullptr;
    QMenu* exports_ = nullptr;
    std::size_t found_ = 0;
    std::size_t spansSeen_ = 0;
    std::vector<std::size_t> open_;  ///< of these: still running when they were looked at
};

}  // namespace gantry::ui
