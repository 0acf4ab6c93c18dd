// SPDX-License-Identifier: PostgreSQL
// What the page looks like; what it does is in vacuum_page_work.cpp.
#include "ui/pages/vacuum_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/base/processor_load.h"
#include "core/options/vacuum_table.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"

namespace gantry::ui {
namespace {

constexpr int kPlanSoonMs = 120;
constexpr int kPartSpacing = 12;
constexpr int kNameWidth = 190;
constexpr int kActionWidth = 92;
constexpr int kDeadWidth = 96;
constexpr int kGainWidth = 72;
constexpr int kRoomyWidth = 1250;

}  // namespace

VacuumPage::VacuumPage(ServerStore& servers, ServerAccess& access, RunList& runs, SavedTasks& tasks,
                       QWidget* parent)
    : Page(parent),
      servers_(servers),
      access_(access),
      runs_(runs),
      tasks_(tasks),
      planTimer_(makeTimer(this, kPlanSoonMs)),
      lookTimer_(makeTimer(this, kAfterTypingMs)) {
    setTitle(tr("Vacuum"));
    makeHeader();

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    failure_ = new ErrorPanel;
    failure_->hide();
    failure_->addTo(column);
    split_ = new QSplitter(Qt::Vertical);
    split_->setHandleWidth(1);
    split_->setChildrenCollapsible(false);
    split_->addWidget(makeTables());
    split_->addWidget(makeSettings());
    split_->setStretchFactor(0, 1);
    split_->setSizes({280, 350});
    column->addWidget(split_, 1);
    setContent(content);
    setFoot(makeFoot());

    connect(&tables_, &VacuumTables::choiceChanged, this, [this] {
        if (!quiet_) tablesChosen_ = true;
        onChanged();
    });
    connect(planTimer_, &QTimer::timeout, this, &VacuumPage::planNow);
    connect(lookTimer_, &QTimer::timeout, this, &VacuumPage::look);
    connect(this, &Page::serverChanged, this, &VacuumPage::turn);
    onMode();
    beginAt(databases_);
}

void VacuumPage::makeHeader() {
    addWorkButtons(*this, tasks_, QStringLiteral("vacuum"),
                   {.run = [this](const SavedTask& task) { runTask(task); },
                    .open = [this](const SavedTask& task) { openTask(task); },
                    .saveCurrent = [this] { saveTask(); }},
                   [this] { copyCommand(); });
}

QWidget* VacuumPage::makeTables() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(8);
    databases_ = new QComboBox;
    databases_->setObjectName(QStringLiteral("database"));
    databases_->setAccessibleName(tr("Database"));
    databases_->setToolTip(tr("The database to vacuum"));
    databases_->setMinimumContentsLength(14);
    connect(databases_, &QComboBox::activated, this, [this](int place) {
        if (place == 0) {
            chooseAllDatabases();
        } else {
            chooseDatabase(databases_->currentText());
        }
    });
    row->addWidget(databases_);
    search_ = new QLineEdit;
    search_->setObjectName(QStringLiteral("filter"));
    search_->setPlaceholderText(tr("Filter: a name, “freeze”, “dead rows”…"));
    search_->setAccessibleName(tr("Filter the tables"));
    search_->setClearButtonEnabled(true);
    connect(search_, &QLineEdit::textChanged, this,
            [this] { tables_.setFilter(search_->text().trimmed()); });
    connect(&tables_, &QAbstractItemModel::modelReset, this, &VacuumPage::showWhetherAnyFits);
    row->addWidget(search_, 1);
    for (const bool chosen : {true, false}) {
        auto* button = new QPushButton(chosen ? tr("Check these") : tr("Uncheck these"));
        button->setObjectName(chosen ? QStringLiteral("checkShown")
                                     : QStringLiteral("uncheckShown"));
        (chosen ? checkShown_ : uncheckShown_) = button;
        button->setToolTip(tr("All rows that are shown"));
        connect(button, &QPushButton::clicked, this,
                [this, chosen] { tables_.setShownChosen(chosen); });
        row->addWidget(button);
    }
    choice_ = makeLabel({}, "muted");
    row->addWidget(choice_);
    column->addLayout(row);

    view_ = new QTreeView;
    view_->setObjectName(QStringLiteral("tables"));
    view_->setAccessibleName(tr("Tables, the most urgent first"));
    view_->setModel(&tables_);
    view_->setRootIsDecorated(false);
    view_->setUniformRowHeights(true);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    QHeaderView* header = view_->header();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    view_->setSortingEnabled(true);
    header->setToolTip(tr("Click to sort; a third click ranks by urgency again"));
    constexpr std::array kWidths{kNameWidth, 72,           kDeadWidth, 74,        104,
                                 104,        kActionWidth, 66,         kGainWidth};
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
        header->resizeSection(static_cast<int>(i), kWidths[i]);
    }
    header->setStretchLastSection(true);
    connect(header, &QHeaderView::sectionResized, this, [this](int section) {
        if (!sizing_) sizedByUser_.insert(section);
    });
    column->addWidget(view_, 1);
    noneFits_ = makeLabel({}, "muted", view_->viewport());
    auto* middle = new QVBoxLayout(view_->viewport());
    middle->addWidget(noneFits_, 0, Qt::AlignCenter);
    auto* find = new QShortcut(QKeySequence::Find, this);
    connect(find, &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
    part->setMinimumHeight(160);
    return part;
}

void VacuumPage::showWhetherAnyFits() {
    const bool none = tables_.survey() && tables_.rowCount() == 0;
    noneFits_->setText(search_->text().trimmed().isEmpty()
                           ? tr("There is no table here")
                           : tr("No table has “%1” in its name, in what would be done or why")
                                 .arg(search_->text().trimmed()));
    noneFits_->setVisible(none);
}

/// Names, and what would be done, take what they need, as far as the reasons leave room.
void VacuumPage::fitColumns() {
    const auto fit = [this](int column, int least, int most) {
        if (sizedByUser_.contains(column)) return;
        view_->resizeColumnToContents(column);
        const int needed = view_->header()->sectionSize(column);
        view_->header()->resizeSection(column, std::clamp(needed, least, std::max(least, most)));
    };
    sizing_ = true;
    fit(VacuumTables::Relation, kNameWidth, width() * 2 / 9);
    fit(VacuumTables::Dead, kDeadWidth, width() / 8);
    fit(VacuumTables::Action, kActionWidth, width() / 8);
    fit(VacuumTables::Gain, kGainWidth, width() / 8);
    // In a narrow window the reasons need the room; a name's tip tells these two.
    for (const int column : {VacuumTables::Vacuumed, VacuumTables::Analyzed}) {
        view_->setColumnHidden(column, width() < kRoomyWidth);
    }
    sizing_ = false;
}

void VacuumPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    fitColumns();
}

QWidget* VacuumPage::makeWorkers() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* jobsRow = new QHBoxLayout;
    jobsRow->addWidget(makeLabel(tr("Jobs"), "heading"));
    jobsRow->addWidget(makeLabel(tr("tables at a time"), "muted"), 1);
    column->addLayout(jobsRow);
    jobs_ = new JobsSlider(false);
    jobs_->setObjectName(QStringLiteral("jobs"));
    jobs_->setRange(1, 2 * static_cast<int>(usableProcessors()));
    connect(jobs_, &QAbstractSlider::valueChanged, this, [this] {
        if (quiet_) return;
        jobsChosen_ = true;
        onChanged();
    });
    column->addWidget(jobs_);
    jobsReason_ = new AdviceNote;
    column->addWidget(jobsReason_);
    column->addSpacing(kPartSpacing);

    auto* helpersRow = new QHBoxLayout;
    auto* heading = makeLabel(tr("Index workers"), "heading");
    helpersRow->addWidget(heading);
    helpersRow->addWidget(makeLabel(tr("of each table, beside its job"), "muted"), 1);
    helpers_ = new QComboBox;
    helpers_->setObjectName(QStringLiteral("indexWorkers"));
    helpers_->setAccessibleName(tr("Index workers of each table"));
    helpers_->addItem(tr("as advised"));
    heading->setBuddy(helpers_);
    connect(helpers_, &QComboBox::currentIndexChanged, this, &VacuumPage::onChanged);
    helpersRow->addWidget(helpers_);
    column->addLayout(helpersRow);
    helpersReason_ = makeLabel({}, "muted");
    helpersReason_->setWordWrap(true);
    column->addWidget(helpersReason_);
    column->addStretch(1);
    return part;
}

QWidget* VacuumPage::makeSettings() {
    auto* settings = new QWidget;
    auto* column = new QVBoxLayout(settings);
    column->setContentsMargins(kPageMargin, 12, kPageMargin, 12);
    column->setSpacing(kPartSpacing);
    modes_ = new ChoiceCards({{tr("Auto"), tr("To each table what it needs.")},
                              {tr("Vacuum"), tr("Removes dead rows.")},
                              {tr("Vacuum, analyze"), tr("And updates statistics.")},
                              {tr("Analyze"), tr("Only statistics.")},
                              {tr("Freeze"), tr("Makes all rows young.")},
                              {tr("Full"), tr("Writes anew; locks all out.")},
                              {tr("Reindex"), tr("Bloated indexes, in use.")}});
    modes_->setObjectName(QStringLiteral("modes"));
    connect(modes_, &ChoiceCards::changed, this, &VacuumPage::onMode);
    column->addWidget(modes_);

    auto* pair = new QHBoxLayout;
    pair->setSpacing(28);
    pair->addWidget(makeWorkers(), 1);
    auto* before = new QWidget;
    auto* looks = new QVBoxLayout(before);
    looks->setContentsMargins(0, 0, 0, 0);
    looks->addWidget(makeLabel(tr("Before it starts"), "heading"));
    findings_ = new FindingsList;
    looks->addWidget(findings_);
    looks->addStretch(1);
    pair->addWidget(before, 1);
    column->addLayout(pair);

    static options::VacuumOptions unused;
    form_ = new OptionForm(
        options::vacuumTable(unused),
        connectionRows() + QSet<QString>{QStringLiteral("all"), QStringLiteral("maintenance-db"),
                                         QStringLiteral("parallel"), QStringLiteral("table"),
                                         QStringLiteral("schema"), QStringLiteral("exclude-schema"),
                                         QStringLiteral("plan"), QStringLiteral("analyze"),
                                         QStringLiteral("analyze-only"), QStringLiteral("full"),
                                         QStringLiteral("freeze"),
                                         QStringLiteral("reindex-concurrently")});
    connect(form_, &OptionForm::changed, this, &VacuumPage::onChanged);
    fold_ = new QWidget;
    auto* folded = new QVBoxLayout(fold_);
    folded->setContentsMargins(0, 0, 0, 0);
    folded->addWidget(form_);
    fold_->hide();
    column->addWidget(fold_);
    column->addStretch(1);

    settings_ = new QScrollArea;
    settings_->setObjectName(QStringLiteral("settings"));
    settings_->setWidget(settings);
    settings_->setWidgetResizable(true);
    settings_->setFrameShape(QFrame::NoFrame);
    settings_->setAccessibleName(tr("Settings"));
    settings_->setMinimumHeight(160);
    return settings_;
}

QWidget* VacuumPage::makeFoot() {
    auto* foot = new QWidget;
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(kPageMargin, 10, 16, 10);
    column->setSpacing(8);
    confirmation_ = new ConfirmRow;
    connect(confirmation_, &ConfirmRow::changed, this, &VacuumPage::showFoot);
    column->addWidget(confirmation_);

    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    estimate_ = makeLabel({});
    estimate_->setObjectName(QStringLiteral("estimate"));
    problem_ = makeLabel({}, "error");
    problem_->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("problem"));
    texts->addWidget(estimate_);
    texts->addWidget(problem_);
    row->addLayout(texts, 1);
    startButton_ = new QPushButton(tr("&Start vacuum"));
    setLook(startButton_, "primary");
    startButton_->setObjectName(QStringLiteral("start"));
    startButton_->setEnabled(false);
    connect(startButton_, &QPushButton::clicked, this, &VacuumPage::start);
    row->addWidget(makeFoldButton(fold_, form_, settings_));
    row->addWidget(startButton_);
    column->addLayout(row);
    return foot;
}

}  // namespace gantry::ui
