// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/runs_page.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
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

/// What one run is called in a question.
QString nameOf(const PastRun& run) {
    return RunsPage::tr("run %1 (%2 %3, %4)")
        .arg(run.id)
        .arg(operationText(run).toLower(), text(run.database), momentText(run.startedAt));
}

/// Nothing but its record tells where a restore that did not come to its end can go on.
bool couldBeResumed(const PastRun& run) {
    return run.operation == "restore" && !run.cameToItsEnd();
}

}  // namespace

/// Where room is short, what is known by its ends is shortened: the server, then the database.
class RunsTable : public QTableView {
public:
    void measureColumns() {
        for (int column = 0; column < RunsModel::ColumnCount; ++column) {
            wanted_[static_cast<std::size_t>(column)] =
                std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
        }
        fitColumns();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableView::resizeEvent(event);
        fitColumns();
    }

private:
    void fitColumns() {
        constexpr int kLeastWidth = 90;
        std::array<int, RunsModel::ColumnCount> widths = wanted_;
        int missing = -viewport()->width();
        for (const int width : widths) missing += width;
        for (const std::size_t column : {RunsModel::Server, RunsModel::Database}) {
            const int less = std::clamp(missing, 0, std::max(0, widths[column] - kLeastWidth));
            widths[column] -= less;
            missing -= less;
        }
        for (int column = 0; column < RunsModel::ColumnCount; ++column) {
            setColumnWidth(column, widths[static_cast<std::size_t>(column)]);
        }
    }

    std::array<int, RunsModel::ColumnCount> wanted_{};
};

RunsPage::RunsPage(std::filesystem::path folder, QWidget* parent)
    : Page(parent),
      folder_(std::move(folder)),
      model_(new RunsModel(this)),
      sorted_(new RunFilter(this)),
      words_(new QLineEdit),
      operation_(new QComboBox),
      table_(new RunsTable),
      trend_(new RunsTrend),
      status_(makeLabel({}, "muted")),
      openAction_(new QAction(tr("Open"), this)),
      compareAction_(new QAction(tr("Compare"), this)),
      removeAction_(new QAction(tr("Delete…"), this)),
      openButton_(new QPushButton(tr("&Open"))),
      compareButton_(new QPushButton(tr("&Compare"))),
      removeButton_(new QPushButton(tr("&Delete…"))),
      pruneButton_(new QPushButton(tr("Forget old runs…"))) {
    setTitle(tr("Runs"));
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(10);
    filters_ = makeFilters();
    column->addWidget(filters_);
    makeTable();
    makeActions();
    column->addWidget(table_, 1);
    empty_ = makeEmpty();
    column->addWidget(empty_, 1);
    column->addWidget(trend_);
    setContent(content);
    setFoot(makeFoot());
    connect(this, &Page::serverChanged, this, [this] {
        if (server()) aimAt(std::nullopt);
    });
    status_->setWordWrap(true);
    onChosen();
    beginAt(table_);
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
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setSortingEnabled(true);
    table_->sortByColumn(RunsModel::Began, Qt::DescendingOrder);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::onChosen);
    connect(table_, &QTableView::activated, this, &RunsPage::open);
}

void RunsPage::makeActions() {
    removeAction_->setShortcut(QKeySequence::Delete);
    removeAction_->setShortcutContext(Qt::WidgetShortcut);
    table_->addActions({openAction_, compareAction_, removeAction_});
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(openAction_, &QAction::triggered, this, &RunsPage::open);
    connect(compareAction_, &QAction::triggered, this, &RunsPage::compare);
    connect(removeAction_, &QAction::triggered, this, &RunsPage::askRemove);
}

QWidget* RunsPage::makeEmpty() {
    auto* empty = new QWidget;
    auto* column = new QVBoxLayout(empty);
    auto* what = makeLabel(tr("No run has been kept yet.\nEach backup, restore and vacuum stands "
                              "here once it has begun, with what it did and how long it took."),
                           "muted");
    what->setAlignment(Qt::AlignCenter);
    auto* backUp = new QPushButton(tr("Back up a database"));
    setLook(backUp, "link");
    connect(backUp, &QPushButton::clicked, this, &RunsPage::backUpWanted);
    column->addStretch();
    column->addWidget(what);
    column->addWidget(backUp, 0, Qt::AlignHCenter);
    column->addStretch();
    empty->hide();
    return empty;
}

QWidget* RunsPage::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(16, 10, 16, 10);
    openButton_->setProperty("look", QLatin1String("primary"));
    row->addWidget(status_, 1);
    row->addWidget(pruneButton_);
    row->addWidget(removeButton_);
    row->addWidget(compareButton_);
    row->addWidget(openButton_);
    connect(pruneButton_, &QPushButton::clicked, this, &RunsPage::askPrune);
    connect(removeButton_, &QPushButton::clicked, this, &RunsPage::askRemove);
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
        [this](const ErrorInfo& error) { status_->setText(describe(error)); });
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
            table_->measureColumns();
            for (QWidget* part :
                 {filters_, static_cast<QWidget*>(table_), static_cast<QWidget*>(trend_),
                  static_cast<QWidget*>(pruneButton_)}) {
                part->setVisible(!runs.empty());
            }
            empty_->setVisible(runs.empty());
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
    const bool over = std::none_of(runs.begin(), runs.end(), [](const PastRun& run) {
        return run.status == history::Status::Running;
    });
    openAction_->setEnabled(runs.size() == 1);
    compareAction_->setEnabled(runs.size() == 2);
    removeAction_->setEnabled(!runs.empty() && over);
    openButton_->setEnabled(openAction_->isEnabled());
    compareButton_->setEnabled(compareAction_->isEnabled());
    removeButton_->setEnabled(removeAction_->isEnabled());
    removeButton_->setToolTip(over ? QString() : tr("A run under way cannot be deleted."));
    if (runs.empty()) {
        trend_->clear();
        status_->setText(!told_.isEmpty() || model_->runs().empty()
                             ? told_
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
                                 [this](const history::Pruned& pruned) { tellForgotten(pruned); });
}

void RunsPage::askRemove() {
    const std::vector<PastRun> runs = chosen();
    if (!removeAction_->isEnabled()) return;
    const bool one = runs.size() == 1;
    auto* box = new QMessageBox(QMessageBox::Question, one ? tr("Delete a run") : tr("Delete runs"),
                                one ? tr("Delete %1?").arg(nameOf(runs.front()))
                                    : tr("Delete %n runs?", nullptr, static_cast<int>(runs.size())),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    QStringList lines;
    constexpr std::size_t kNamed = 8;
    for (std::size_t i = 0; !one && i < std::min(runs.size(), kNamed); ++i) {
        lines << nameOf(runs[i]);
    }
    if (runs.size() > kNamed) lines << tr("and %1 more").arg(runs.size() - kNamed);
    if (!lines.isEmpty()) lines << QString();
    lines << tr(
        "What happened in detail is forgotten, and estimates no longer count it. What was "
        "backed up or restored stays.");
    if (std::any_of(runs.begin(), runs.end(), couldBeResumed)) {
        lines << tr("A restore that did not come to its end cannot be resumed without its record.");
    }
    box->setInformativeText(lines.join(u'\n'));
    QPushButton* remove = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    setLook(remove, "danger");
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(remove, &QPushButton::clicked, this, [this, runs] { this->remove(runs); });
    box->open();
}

void RunsPage::remove(const std::vector<PastRun>& runs) {
    std::vector<int64_t> ids;
    for (const PastRun& run : runs) ids.push_back(run.id);
    withHistory<history::Pruned>(
        [ids = std::move(ids)](History& history) { return history.remove(ids); },
        [this](const history::Pruned& removed) { tellForgotten(removed); });
}

void RunsPage::tellForgotten(const history::Pruned& pruned) {
    told_ = tr("%n runs forgotten, %1 of records removed", nullptr, static_cast<int>(pruned.runs))
                .arg(bytesText(pruned.bytes));
    Q_EMIT forgotten(pruned.logs);
    refresh();
}

}  // namespace gantry::ui
