// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/runs_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/gantt/gantt_text.h"
#include "ui/pages/runs_model.h"
#include "ui/pages/runs_trend.h"

namespace gantry::ui {
namespace {

using history::History;
using history::PastRun;

/// Every word somewhere in the row, and of one kind if one is chosen.
class RunFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void set(const QString& words, std::string operation) {
        words_ = words.split(u' ', Qt::SkipEmptyParts);
        operation_ = std::move(operation);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const auto* model = static_cast<const RunsModel*>(sourceModel());
        const PastRun& run = model->runs()[static_cast<std::size_t>(row)];
        if (!operation_.empty() && run.operation != operation_) return false;
        QString line = QString::number(run.id);
        for (int column = 0; column < RunsModel::ColumnCount; ++column) {
            line += u' ' + model->index(row, column, parent).data().toString();
        }
        return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
            return line.contains(word, Qt::CaseInsensitive);
        });
    }

private:
    QStringList words_;
    std::string operation_;
};

}  // namespace

RunsPage::RunsPage(std::filesystem::path folder, QWidget* parent)
    : Page(parent),
      folder_(std::move(folder)),
      model_(new RunsModel(this)),
      sorted_(new RunFilter(this)),
      words_(new QLineEdit),
      operation_(new QComboBox),
      table_(new QTableView),
      trend_(new RunsTrend),
      status_(makeLabel({}, "muted")),
      openButton_(new QPushButton(tr("&Open"))),
      compareButton_(new QPushButton(tr("&Compare"))) {
    setTitle(tr("Runs"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(10);
    column->addWidget(makeFilters());
    makeTable();
    column->addWidget(table_, 1);
    column->addWidget(trend_);
    setContent(content);
    setFoot(makeFoot());
    connect(this, &Page::serverChanged, this, [this] {
        if (server()) aimAt(std::nullopt);
    });
    status_->setWordWrap(true);
    onChosen();
}

QWidget* RunsPage::makeFilters() {
    auto* filters = new QWidget;
    auto* row = new QHBoxLayout(filters);
    row->setContentsMargins(0, 0, 0, 0);
    words_->setPlaceholderText(tr("Filter by database, server, date, outcome…"));
    words_->setAccessibleName(tr("Filter"));
    words_->setClearButtonEnabled(true);
    operation_->setAccessibleName(tr("Kind of run"));
    operation_->addItem(tr("All kinds"), QString());
    operation_->addItem(tr("Back up"), QStringLiteral("dump"));
    operation_->addItem(tr("Restore"), QStringLiteral("restore"));
    operation_->addItem(tr("Vacuum"), QStringLiteral("vacuum"));
    row->addWidget(words_, 1);
    row->addWidget(operation_);
    connect(words_, &QLineEdit::textChanged, this, &RunsPage::filter);
    connect(operation_, &QComboBox::currentIndexChanged, this, &RunsPage::filter);
    return filters;
}

void RunsPage::makeTable() {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(RunsModel::kSortRole);
    table_->setObjectName(QStringLiteral("roomyTable"));
    table_->setAccessibleName(tr("Runs"));
    table_->setModel(sorted_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSortingEnabled(true);
    table_->sortByColumn(RunsModel::Began, Qt::DescendingOrder);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::onChosen);
    connect(table_, &QTableView::activated, this, &RunsPage::open);
}

QWidget* RunsPage::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(16, 10, 16, 10);
    auto* pruneButton = new QPushButton(tr("Forget old runs…"));
    openButton_->setProperty("look", QLatin1String("primary"));
    row->addWidget(status_, 1);
    row->addWidget(pruneButton);
    row->addWidget(compareButton_);
    row->addWidget(openButton_);
    connect(pruneButton, &QPushButton::clicked, this, &RunsPage::askPrune);
    connect(compareButton_, &QPushButton::clicked, this, &RunsPage::compare);
    connect(openButton_, &QPushButton::clicked, this, &RunsPage::open);
    return foot;
}

template <class Result>
AsyncJob RunsPage::withHistory(std::function<Result(History&)> work,
                               std::function<void(const Result&)> done) {
    struct Answer {
        Result result;
        QString told;
    };
    return runAsync(
        this,
        [folder = folder_, work = std::move(work)](const std::stop_token&) {
            Answer answer;
            History history(folder,
                            [&](const std::string& message) { answer.told = text(message); });
            answer.result = work(history);
            return answer;
        },
        [this, done = std::move(done)](const Answer& answer) {
            done(answer.result);
            if (answer.told.isEmpty()) return;
            told_ = answer.told;
            onChosen();
        },
        [this](const ErrorInfo& error) { status_->setText(text(error.describe())); });
}

void RunsPage::refresh() {
    using Runs = std::vector<PastRun>;
    reading_.stop();
    reading_ = withHistory<Runs>(
        [](History& history) {
            if (!history.exists()) return Runs();
            history.settle();
            return history.runs();
        },
        [this](const Runs& runs) {
            const std::vector<PastRun> before = chosen();
            model_->setRuns(runs);
            table_->resizeColumnsToContents();
            choose(before);
            onChosen();
        });
}

void RunsPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    refresh();
}

void RunsPage::filter() {
    static_cast<RunFilter*>(sorted_)->set(words_->text(),
                                          operation_->currentData().toString().toStdString());
    onChosen();
}

int RunsPage::shownRows() const { return sorted_->rowCount(); }

std::vector<PastRun> RunsPage::chosen() const {
    std::vector<PastRun> runs;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        const int row = sorted_->mapToSource(index).row();
        runs.push_back(model_->runs()[static_cast<std::size_t>(row)]);
    }
    return runs;
}

/// Of the runs that are there still.
void RunsPage::choose(const std::vector<PastRun>& runs) {
    QItemSelection rows;
    for (int row = 0; row < sorted_->rowCount(); ++row) {
        const QModelIndex index = sorted_->index(row, 0);
        const auto at = static_cast<std::size_t>(sorted_->mapToSource(index).row());
        const bool wanted = std::any_of(runs.begin(), runs.end(), [&](const PastRun& run) {
            return run.id == model_->runs()[at].id;
        });
        if (wanted) rows.select(index, index);
    }
    table_->selectionModel()->select(
        rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsPage::onChosen() {
    const std::vector<PastRun> runs = chosen();
    openButton_->setEnabled(runs.size() == 1);
    compareButton_->setEnabled(runs.size() == 2);
    if (runs.empty()) {
        trend_->clear();
        status_->setText(!told_.isEmpty() ? told_
                         : model_->runs().empty()
                             ? tr("No run has been kept yet.")
                             : tr("%1 of %n runs", nullptr, static_cast<int>(model_->runs().size()))
                                   .arg(shownRows()));
    } else {
        told_.clear();
        trend_->showLike(runs.front(), model_->runs());
        status_->setText(
            text(runs.front().error.empty() ? runs.front().verdict : runs.front().error));
    }
}

void RunsPage::withRecords(std::size_t count,
                           std::function<void(const std::vector<RunRecord>&)> done) {
    std::vector<PastRun> runs = chosen();
    if (runs.size() != count) return;
    std::sort(runs.begin(), runs.end(),
              [](const PastRun& a, const PastRun& b) { return a.startedAt < b.startedAt; });
    withHistory<std::vector<RunRecord>>(
        [runs = std::move(runs)](History& history) {
            std::vector<RunRecord> records;
            for (const PastRun& run : runs) {
                records.push_back({history.logOf(run), run.operation, run.database, run.startedAt});
            }
            return records;
        },
        std::move(done));
}

void RunsPage::open() {
    withRecords(1,
                [this](const std::vector<RunRecord>& records) { Q_EMIT openWanted(records[0]); });
}

void RunsPage::compare() {
    withRecords(2, [this](const std::vector<RunRecord>& records) {
        Q_EMIT compareWanted(records[0], records[1]);
    });
}

void RunsPage::askPrune() {
    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Forget old runs"));
    auto* grid = new QGridLayout(dialog);
    grid->setContentsMargins(20, 18, 20, 16);
    auto* byAge = new QCheckBox(tr("Those that began &more than this many days ago:"));
    auto* days = new QSpinBox;
    days->setRange(1, 10'000);
    days->setValue(365);
    auto* bySize = new QCheckBox(tr("The &oldest, until records need no more MB than:"));
    auto* megabytes = new QSpinBox;
    megabytes->setRange(0, 1'000'000);
    megabytes->setValue(500);
    byAge->setChecked(true);
    grid->addWidget(byAge, 0, 0);
    grid->addWidget(days, 0, 1);
    grid->addWidget(bySize, 1, 0);
    grid->addWidget(megabytes, 1, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* forget = buttons->addButton(tr("&Forget them"), QDialogButtonBox::AcceptRole);
    forget->setProperty("look", QLatin1String("danger"));
    grid->addWidget(buttons, 2, 0, 1, 2);
    const auto enable = [=] {
        days->setEnabled(byAge->isChecked());
        megabytes->setEnabled(bySize->isChecked());
        forget->setEnabled(byAge->isChecked() || bySize->isChecked());
    };
    for (QCheckBox* box : {byAge, bySize}) connect(box, &QCheckBox::toggled, dialog, enable);
    enable();
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(dialog, &QDialog::accepted, this, [this, byAge, days, bySize, megabytes] {
        history::PruneRule rule;
        if (byAge->isChecked()) {
            rule.before = QDateTime::currentDateTimeUtc()
                              .addDays(-days->value())
                              .toString(Qt::ISODate)
                              .toStdString();
        }
        if (bySize->isChecked()) {
            rule.keepBytes = static_cast<uint64_t>(megabytes->value()) * 1'000'000;
        }
        prune(rule);
    });
    dialog->open();
}

void RunsPage::prune(const history::PruneRule& rule) {
    withHistory<history::Pruned>([rule](History& history) { return history.prune(rule); },
                                 [this](const history::Pruned& pruned) {
                                     told_ = tr("%n runs forgotten, %1 of records removed", nullptr,
                                                static_cast<int>(pruned.runs))
                                                 .arg(bytesText(pruned.bytes));
                                     refresh();
                                 });
}

}  // namespace gantry::ui
