// SPDX-License-Identifier: PostgreSQL
#include "ui/run/chart_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <iterator>

#include "ui/forms/flow_layout.h"
#include "ui/forms/label.h"
#include "ui/gantt/gantt_view.h"
#include "ui/shell/page.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr QSize kSwatch(14, 12);
constexpr int kBeforeStretch = 6;  ///< groupings, search, matches, two arrows, only these

/// Drawn twice as fine for dense screens.
QPixmap swatchOf(const LegendEntry& entry, bool on = true) {
    QPixmap pixmap(kSwatch * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintSwatch(painter, QRectF(0.5, 0.5, kSwatch.width() - 1, kSwatch.height() - 1), entry, on);
    return pixmap;
}

QPushButton* legendButton(const QString& name) {
    auto* button = new QPushButton(name);
    button->setProperty("look", QStringLiteral("legend"));
    button->setIconSize(kSwatch);
    button->setCheckable(true);
    button->setChecked(true);
    return button;
}

}  // namespace

ChartBar::ChartBar(GanttView* chart, QWidget* parent) : QWidget(parent), chart_(chart) {
    setObjectName(QStringLiteral("chartBar"));
    setAttribute(Qt::WA_StyledBackground);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(14, 6, 14, 6);
    rows->setSpacing(2);
    row_ = new QHBoxLayout;
    row_->setSpacing(6);
    rows->addLayout(row_);
    addGroupings(row_);
    addSearch(row_);
    legendBox_ = new QWidget;
    auto* legend = new FlowLayout(legendBox_);
    legend->setContentsMargins(0, 0, 0, 0);
    legend->setSpacing(2);
    addLegend(legend);
    row_->addStretch(1);
    addView(row_);
    rows->addWidget(legendBox_);
    refreshIcons();
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, &ChartBar::refreshIcons);
}

void ChartBar::addGroupings(QHBoxLayout* row) {
    auto* group = new QButtonGroup(this);
    auto* box = new QHBoxLayout;
    box->setSpacing(0);
    const std::pair<Grouping, QString> groupings[] = {{Grouping::Worker, tr("Workers")},
                                                      {Grouping::Table, tr("Tables")},
                                                      {Grouping::Kind, tr("Kinds")}};
    for (const auto& [grouping, name] : groupings) {
        auto* button = new QPushButton(name);
        button->setProperty("look", QStringLiteral("segment"));
        if (grouping == std::begin(groupings)->first) {
            button->setProperty("end", QStringLiteral("left"));
        } else if (grouping == std::prev(std::end(groupings))->first) {
            button->setProperty("end", QStringLiteral("right"));
        }
        button->setCheckable(true);
        button->setChecked(grouping == chart_->grouping());
        button->setToolTip(tr("One lane for each: %1").arg(name));
        group->addButton(button);
        box->addWidget(button);
        connect(button, &QPushButton::clicked, this,
                [this, wanted = grouping] { chart_->setGrouping(wanted); });
    }
    row->addLayout(box);
}

void ChartBar::addSearch(QHBoxLayout* row) {
    find_ = new QLineEdit;
    find_->setPlaceholderText(tr("Find relation, kind, state…"));
    find_->setAccessibleName(tr("Find in the run"));
    find_->setToolTip(
        tr("Words that all fit: part of a name, a schema, a kind (index), a state (failed), "
           "worker:2, or a time (>10s, <1m). Enter goes to the next."));
    find_->setClearButtonEnabled(true);
    find_->setFixedWidth(210);
    row->addWidget(find_);
    matches_ = makeLabel({}, "muted");
    row->addWidget(matches_);
    const auto arrow = [&](Qt::ArrowType type, const QString& name) {
        auto* button = new QToolButton;
        button->setArrowType(type);
        button->setToolTip(name);
        button->setAccessibleName(name);
        button->hide();
        row->addWidget(button);
        return button;
    };
    previous_ = arrow(Qt::UpArrow, tr("Previous match"));
    next_ = arrow(Qt::DownArrow, tr("Next match"));
    only_ = new QPushButton(tr("Only these"));
    only_->setCheckable(true);
    only_->setToolTip(
        tr("Shows nothing else in chart and table; Backspace in the chart goes back"));
    only_->hide();
    row->addWidget(only_);
    connect(only_, &QPushButton::toggled, chart_, &GanttView::setOnlyMatches);
    connect(chart_, &GanttView::filterChanged, this, &ChartBar::showFilter);
    connect(find_, &QLineEdit::textChanged, this, &ChartBar::searched);
    const auto step = [this](void (GanttView::*go)()) {
        (chart_->*go)();
        tellMatches(found_);
    };
    connect(find_, &QLineEdit::returnPressed, this, [step] { step(&GanttView::findNext); });
    connect(next_, &QToolButton::clicked, this, [step] { step(&GanttView::findNext); });
    connect(previous_, &QToolButton::clicked, this, [step] { step(&GanttView::findPrevious); });
    connect(chart_, &GanttView::searchAsked, this, &ChartBar::focusSearch);
}

void ChartBar::addLegend(QLayout* row) {
    for (std::size_t i = 0; i < kCategories; ++i) {
        const auto category = static_cast<Category>(i);
        QPushButton* button = legendButton(categoryName(category));
        button->setToolTip(tr("Show or dim: %1").arg(categoryName(category)));
        button->hide();
        legend_[i] = button;
        row->addWidget(button);
        connect(button, &QPushButton::toggled, this, [this, category](bool on) {
            chart_->setHidden(category, !on);
            refreshIcons();
        });
    }
    const auto add = [this, row](const LegendEntry& entry) {
        auto* icon = new QLabel;
        auto* whole = new QWidget;
        auto* box = new QHBoxLayout(whole);
        box->setContentsMargins(4, 0, 4, 0);
        box->setSpacing(5);
        box->addWidget(icon);
        box->addWidget(makeLabel(legendName(entry), "muted"));
        row->addWidget(whole);
        whole->hide();
        signs_[entry] = {.whole = whole, .icon = icon};
    };
    for (std::size_t i = 0; i < kPhases; ++i) add(static_cast<Phase>(i));
    for (std::size_t i = 0; i < kPartLooks; ++i) add(static_cast<PartLook>(i));
    for (const Mark mark : {Mark::Failed, Mark::CutOff, Mark::PassedOver, Mark::Idle}) add(mark);
    critical_ = legendButton(legendName(Mark::Critical));
    critical_->setToolTip(tr("What decided, or will decide, how long the run takes"));
    row->addWidget(critical_);
    connect(critical_, &QPushButton::toggled, chart_, &GanttView::setCriticalShown);
    showLegend();
}

void ChartBar::showLegend() {
    for (std::size_t i = 0; i < kCategories; ++i) {
        legend_[i]->setVisible(isShown(static_cast<Category>(i), seen_));
    }
    for (const auto& [entry, sign] : signs_) sign.whole->setVisible(isShown(entry, seen_));
}

void ChartBar::addView(QHBoxLayout* row) {
    auto* back = new QPushButton(tr("Back"));
    back->setToolTip(tr("To the view and the filter before (Backspace)"));
    back->setEnabled(false);
    connect(back, &QPushButton::clicked, chart_, &GanttView::back);
    connect(chart_, &GanttView::modeChanged, back,
            [this, back] { back->setEnabled(chart_->canGoBack()); });
    connect(chart_, &GanttView::filterChanged, back,
            [this, back] { back->setEnabled(chart_->canGoBack()); });
    row->addWidget(back);
    auto* fit = new QPushButton(tr("Fit"));
    fit->setToolTip(tr("The whole run (F)"));
    connect(fit, &QPushButton::clicked, chart_, &GanttView::fit);
    row->addWidget(fit);
    follow_ = new QPushButton(tr("Follow"));
    follow_->setCheckable(true);
    follow_->setToolTip(tr("Moves along with the run; panning pauses it (Shift+F)"));
    connect(follow_, &QPushButton::clicked, chart_, &GanttView::setFollowing);
    connect(chart_, &GanttView::modeChanged, this,
            [this] { follow_->setChecked(chart_->following()); });
    row->addWidget(follow_);
    auto* exportButton = new QPushButton(tr("Export ▾"));
    exports_ = new QMenu(exportButton);
    exportButton->setMenu(exports_);
    row->addWidget(exportButton);
}

QSize ChartBar::minimumSizeHint() const {
    return {legendBox_->minimumSizeHint().width() + 28, QWidget::minimumSizeHint().height()};
}

void ChartBar::resizeEvent(QResizeEvent*) { placeLegend(); }

/// Beside the rest where there is room for it, else below.
void ChartBar::placeLegend() {
    const bool beside = row_->indexOf(legendBox_) >= 0;
    const int rest = row_->sizeHint().width() - (beside ? legendBox_->sizeHint().width() : 0);
    constexpr int kMargins = 48;
    const bool fits = rest + legendBox_->sizeHint().width() + kMargins <= width();
    if (fits == beside) return;
    if (fits) {
        layout()->removeWidget(legendBox_);
        row_->insertWidget(kBeforeStretch, legendBox_);
    } else {
        row_->removeWidget(legendBox_);
        layout()->addWidget(legendBox_);
    }
}

void ChartBar::refreshIcons() {
    for (std::size_t i = 0; i < kCategories; ++i) {
        legend_[i]->setIcon(swatchOf(static_cast<Category>(i), legend_[i]->isChecked()));
    }
    for (const auto& [entry, sign] : signs_) sign.icon->setPixmap(swatchOf(entry));
    critical_->setIcon(swatchOf(Mark::Critical));
}

/// What the chart went back to.
void ChartBar::showFilter() {
    const QSignalBlocker quietField(find_);
    const QSignalBlocker quietButton(only_);
    if (find_->text().trimmed() != chart_->search()) find_->setText(chart_->search());
    only_->setChecked(chart_->onlyMatches());
    only_->setVisible(only_->isChecked() || !chart_->search().isEmpty());
}

void ChartBar::searched() {
    found_ = chart_->setSearch(find_->text());
    if (found_ > 0) chart_->findNext();
    if (find_->text().trimmed().isEmpty()) only_->setChecked(false);
    tellMatches(found_);
    placeLegend();
}

void ChartBar::tellMatches(std::size_t count) {
    const bool searching = !find_->text().trimmed().isEmpty();
    previous_->setVisible(searching && count > 0);
    next_->setVisible(searching && count > 0);
    if (!searching) {
        matches_->clear();
    } else if (count == 0) {
        matches_->setText(tr("none"));
    } else {
        matches_->setText(tr("%1 of %2").arg(chart_->matchNumber()).arg(count));
    }
}

void ChartBar::focusSearch() {
    find_->setFocus(Qt::ShortcutFocusReason);
    find_->selectAll();
}

void ChartBar::show(const events::RunState& run) {
    const auto& spans = run.spans();
    if (spans.size() < spansSeen_) {
        spansSeen_ = 0;
        open_.clear();
    }
    const std::size_t before = seen_.size();
    for (; spansSeen_ < spans.size(); ++spansSeen_) open_.push_back(spansSeen_);
    std::erase_if(open_, [&](std::size_t span) {
        addLooks(spans[span], seen_);
        return !spans[span].running();
    });
    if (seen_.size() != before) {
        showLegend();
        placeLegend();
    }
    follow_->setVisible(!run.finished());
    follow_->setChecked(chart_->following());
}

}  // namespace gantry::ui
