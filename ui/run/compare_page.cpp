// SPDX-License-Identifier: PostgreSQL
#include "ui/run/compare_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <cmath>

#include "core/events/run_log.h"
#include "ui/bridge/async.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/gantt/gantt_text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kSortRole = Qt::UserRole + 1;
constexpr int kTellsRole = kSortRole + 1;  ///< whether the difference is good or bad news
const QString kNothing = QStringLiteral("–");

events::RunState stateOf(const std::filesystem::path& record) {
    events::RunState state;
    for (const events::Event& event : events::readRunLog(record)) state.apply(event);
    return state;
}

QString differenceText(const ComparedTask& task) {
    if (!task.before) return ComparePage::tr("only after");
    if (!task.after) return ComparePage::tr("only before");
    if (!task.differs()) return ComparePage::tr("the same");
    const Duration difference = task.difference();
    const QString size = durationText(difference < Duration::zero() ? -difference : difference);
    return (difference < Duration::zero() ? u'−' : u'+') + size;
}

/// "2026-11-20 14:02, 2 workers".
QString nameOf(const ComparedRun& run) {
    const QString when = momentText(run.startedAt);
    return run.workers == 1 ? ComparePage::tr("%1, one worker").arg(when)
                            : ComparePage::tr("%1, %2 workers").arg(when).arg(run.workers);
}

/// One sentence for the whole.
QString verdictOn(const RunComparison& c) {
    if (c.before.operation != c.after.operation) {
        return ComparePage::tr("Runs of different kinds: their times cannot be compared.");
    }
    const double was = secondsOf(c.before.took);
    const double is = secondsOf(c.after.took);
    if (was <= 0 || is <= 0) return {};
    const double change = (is - was) / was;
    constexpr double kSame = 0.02;
    if (std::abs(change) < kSame) return ComparePage::tr("As fast as before.");
    const QString percent = QString::number(std::lround(std::abs(change) * 100));
    return change < 0 ? ComparePage::tr("%1% less time than before.").arg(percent)
                      : ComparePage::tr("%1% more time than before.").arg(percent);
}

QStandardItem* item(const QString& words, const QVariant& key, bool number) {
    auto* cell = new QStandardItem(words);
    cell->setData(key, kSortRole);
    cell->setEditable(false);
    if (number) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return cell;
}

}  // namespace

ComparePage::ComparePage(const std::filesystem::path& one, const std::filesystem::path& other,
                         QWidget* parent)
    : Page(parent),
      summary_(makeLabel(tr("Reading both runs…"))),
      settings_(makeLabel({}, "muted")),
      search_(new QLineEdit),
      table_(new QTreeView),
      model_(new QStandardItemModel(0, ColumnCount, this)),
      sorted_(new QSortFilterProxyModel(this)) {
    setTitle(tr("Compare two runs"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(16, 14, 16, 0);
    column->setSpacing(8);
    summary_->setTextFormat(Qt::RichText);
    for (QLabel* label : {summary_, settings_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    column->addWidget(makeTable(), 1);
    setContent(content);
    runAsync(
        this,
        [one, other](const std::stop_token&) {
            const events::RunState a = stateOf(one);
            const events::RunState b = stateOf(other);
            const bool inOrder =
                !a.started() || !b.started() || a.started()->startedAt <= b.started()->startedAt;
            return inOrder ? compareRuns(a, b) : compareRuns(b, a);
        },
        [this](const RunComparison& comparison) { showComparison(comparison); },
        [this](const ErrorInfo& error) { summary_->setText(describe(error).toHtmlEscaped()); });
}

QWidget* ComparePage::makeTable() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 6, 0, 0);
    search_->setPlaceholderText(tr("Find task…"));
    search_->setAccessibleName(tr("Find task"));
    search_->setClearButtonEnabled(true);
    constexpr int kSearchWidth = 260;
    search_->setMaximumWidth(kSearchWidth);
    column->addWidget(search_);
    model_->setHorizontalHeaderLabels(
        {tr("Task"), tr("Kind"), tr("Before"), tr("After"), tr("Difference"), tr("Size")});
    for (int i = Before; i < ColumnCount; ++i) {
        model_->horizontalHeaderItem(i)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(kSortRole);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_->setModel(sorted_);
    table_->setObjectName(QStringLiteral("roomyTable"));
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSortingEnabled(true);
    table_->sortByColumn(Difference, Qt::DescendingOrder);
    table_->setAccessibleName(tr("Tasks of both runs"));
    QHeaderView* header = table_->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(Task, QHeaderView::Stretch);
    constexpr int kWidths[] = {0, 150, 100, 100, 110, 150};
    for (int i = Kind; i < ColumnCount; ++i) header->resizeSection(i, kWidths[i]);
    // In a wide window numbers are not to stand far from their names.
    constexpr int kMostWidth = 1280;
    table_->setMaximumWidth(kMostWidth);
    auto* row = new QHBoxLayout;
    row->addWidget(table_, 1);
    row->addStretch();
    column->addLayout(row, 1);
    connect(&ThemeKeeper::instance(), &ThemeKeeper::changed, this, &ComparePage::colorDifferences);
    connect(search_, &QLineEdit::textChanged, sorted_,
            &QSortFilterProxyModel::setFilterFixedString);
    return box;
}

void ComparePage::showComparison(const RunComparison& c) {
    setChips({text(c.after.operation), text(c.after.database)});
    const auto line = [](const QString& name, const ComparedRun& run) {
        return QStringLiteral(
                   "<tr><td style='padding-right:14px'>%1</td><td style='padding-right:"
                   "14px'><b>%2</b></td><td style='padding-right:14px'>%3</td>"
                   "<td>%4</td></tr>")
            .arg(name, durationText(run.took), bytesText(run.bytes), nameOf(run).toHtmlEscaped());
    };
    summary_->setText(
        QStringLiteral("<b>%1</b><table>%2%3</table>")
            .arg(verdictOn(c), line(tr("Before"), c.before), line(tr("After"), c.after)));
    QStringList settings;
    for (const auto& [name, values] : c.settings) {
        const auto shown = [](const std::string& value) {
            return value.empty() ? kNothing : text(value);
        };
        settings << tr("%1: %2 → %3").arg(text(name), shown(values.first), shown(values.second));
    }
    settings_->setText(settings.join(QStringLiteral("   ·   ")));
    settings_->setVisible(!settings.isEmpty());
    for (const ComparedTask& task : c.tasks) {
        const auto time = [](const std::optional<Duration>& took) {
            return item(took ? durationText(*took) : kNothing, took ? secondsOf(*took) : -1.0,
                        true);
        };
        const QString size = task.bytesBefore == task.bytesAfter
                                 ? (task.bytesAfter == 0 ? kNothing : bytesText(task.bytesAfter))
                                 : QStringLiteral("%1 → %2").arg(bytesText(task.bytesBefore),
                                                                 bytesText(task.bytesAfter));
        model_->appendRow({item(shortObject(task.object), text(task.object), false),
                           item(kindName(task.kind), kindName(task.kind), false), time(task.before),
                           time(task.after),
                           item(differenceText(task), secondsOf(task.difference()), true),
                           item(size, static_cast<double>(task.bytesAfter), true)});
        const bool tells = task.differs() && c.before.operation == c.after.operation;
        model_->item(model_->rowCount() - 1, Difference)->setData(tells, kTellsRole);
    }
    colorDifferences();
    setStatus({.left = tr("Tasks are the same if their kind and their object are."),
               .right = tr("%1 tasks").arg(countText(c.tasks.size()))});
}

void ComparePage::colorDifferences() {
    const Theme& theme = currentTheme();
    for (int row = 0; row < model_->rowCount(); ++row) {
        QStandardItem* difference = model_->item(row, Difference);
        const bool slower = difference->data(kSortRole).toDouble() > 0;
        const bool tells = difference->data(kTellsRole).toBool();
        difference->setForeground(!tells ? theme.muted : slower ? theme.error : theme.good);
    }
}

}  // namespace gantry::ui
