// SPDX-License-Identifier: PostgreSQL
// What the page looks like; what it does is in backup_page_work.cpp.
#include "ui/pages/backup_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include "core/options/dump_table.h"
#include "ui/bridge/run_list.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/tree_pane.h"

namespace gantry::ui {
namespace {

constexpr int kAdviceSoonMs = 150;

}  // namespace

BackupPage::BackupPage(ServerStore& servers, ServerAccess& access, RunList& runs, SavedTasks& tasks,
                       QWidget* parent)
    : Page(parent),
      servers_(servers),
      access_(access),
      runs_(runs),
      tasks_(tasks),
      adviceTimer_(makeTimer(this, kAdviceSoonMs)),
      inspectTimer_(makeTimer(this, kAfterTypingMs)),
      destinationTimer_(makeTimer(this, kAfterTypingMs)) {
    setTitle(tr("Back up"));
    makeHeader();

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    failure_ = new ErrorPanel;
    failure_->hide();
    failure_->addTo(column);

    auto* split = new QSplitter(Qt::Horizontal);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(makeObjects());
    split->addWidget(makeSettings());
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({420, 640});
    split_ = split;
    column->addWidget(split, 1);
    setContent(content);
    setFoot(makeFoot());

    connect(&objects_, &FlatTree::choiceChanged, this, &BackupPage::onChanged);
    connect(adviceTimer_, &QTimer::timeout, this, &BackupPage::adviseNow);
    connect(inspectTimer_, &QTimer::timeout, this, &BackupPage::inspectNow);
    connect(destinationTimer_, &QTimer::timeout, this, &BackupPage::checkDestination);
    connect(this, &Page::serverChanged, this, &BackupPage::turn);
    // It may have made a database.
    connect(&runs_, &RunList::finished, this, [this] {
        if (!database_.isEmpty()) listDatabases();
    });
    onFormat();
    beginAt(databases_);
}

void BackupPage::makeHeader() {
    addWorkButtons(*this, tasks_, QStringLiteral("dump"),
                   {.run = [this](const SavedTask& task) { runTask(task); },
                    .open = [this](const SavedTask& task) { openTask(task); },
                    .saveCurrent = [this] { saveTask(); }},
                   [this] { copyCommand(); });
}

QWidget* BackupPage::makeObjects() {
    tree_ = new TreePane(objects_, tr("Find relation…"));
    tree_->setMinimumWidth(360);
    databases_ = new QComboBox;
    databases_->setObjectName(QStringLiteral("database"));
    databases_->setAccessibleName(tr("Database"));
    databases_->setToolTip(tr("The database to back up"));
    databases_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    databases_->setMinimumContentsLength(10);
    tree_->addAbove(databases_);
    connect(databases_, &QComboBox::activated, this,
            [this] { chooseDatabase(databases_->currentText()); });
    QTreeView* view = tree_->view();
    connect(view, &QWidget::customContextMenuRequested, this, &BackupPage::objectMenu);
    auto* only = new QShortcut(Qt::Key_D, view);
    only->setContext(Qt::WidgetShortcut);
    connect(only, &QShortcut::activated, this, &BackupPage::toggleDefinitionOnly);
    return tree_;
}

QWidget* BackupPage::makeSettings() {
    auto* settings = new QWidget;
    settings->setMaximumWidth(kMostSettingsWidth);
    auto* column = new QVBoxLayout(settings);
    column->setContentsMargins(kPageMargin, 16, kPageMargin, 16);
    column->setSpacing(7);

    column->addWidget(makeLabel(tr("Format"), "heading"));
    formats_ = new ChoiceCards(
        {{tr("Directory"), tr("A file for each table. Parallel here and in pg_restore.")},
         {tr("Custom"), tr("One file. Parallel here and in pg_restore.")},
         {tr("Tar"), tr("One file, uncompressed. pg_restore reads it with one job.")},
         {tr("Plain SQL"), tr("A script for psql. Restores one statement at a time.")}});
    connect(formats_, &ChoiceCards::changed, this, &BackupPage::onFormat);
    column->addWidget(formats_);
    column->addSpacing(kSectionSpacing);

    auto* jobsRow = new QHBoxLayout;
    jobsRow->addWidget(makeLabel(tr("Jobs"), "heading"));
    jobsNote_ = makeCutLabel(tr("connections that read at once"), "muted");
    jobsRow->addWidget(jobsNote_, 1);
    column->addLayout(jobsRow);
    jobs_ = new JobsSlider(true);
    connect(jobs_, &QAbstractSlider::valueChanged, this, [this] {
        if (quiet_) return;
        jobsChosen_ = true;
        onChanged();
    });
    column->addWidget(jobs_);
    reason_ = new AdviceNote;
    column->addWidget(reason_);
    column->addSpacing(kSectionSpacing);

    auto* pair = new QHBoxLayout;
    pair->setSpacing(28);
    pair->addWidget(makeCompression(), 2);
    pair->addWidget(makeDestination(), 3);  // paths are long
    column->addLayout(pair);
    column->addSpacing(kSectionSpacing);

    column->addWidget(makeLabel(tr("Before it starts"), "heading"));
    findings_ = new FindingsList;
    column->addWidget(findings_);

    static options::DumpOptions unused;
    form_ = new OptionForm(
        options::dumpTable(unused),
        connectionRows() +
            QSet<QString>{QStringLiteral("file"), QStringLiteral("format"),
                          QStringLiteral("compress"), QStringLiteral("schema"),
                          QStringLiteral("exclude-schema"), QStringLiteral("table"),
                          QStringLiteral("exclude-table"), QStringLiteral("exclude-table-data"),
                          QStringLiteral("extension"), QStringLiteral("exclude-extension"),
                          QStringLiteral("large-objects"), QStringLiteral("no-large-objects")});
    connect(form_, &OptionForm::changed, this, &BackupPage::onChanged);
    connect(form_, &OptionForm::changed, inspectTimer_, qOverload<>(&QTimer::start));
    fold_ = new QWidget;
    auto* folded = new QVBoxLayout(fold_);
    folded->setContentsMargins(0, kSectionSpacing, 0, 0);
    folded->addWidget(form_);
    fold_->hide();
    column->addWidget(fold_);
    column->addStretch(1);

    settings_ = makeSettingsArea(settings);
    return settings_;
}

QWidget* BackupPage::makeCompression() {
    auto* part = new QWidget;
    auto* grid = new QGridLayout(part);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(makeLabel(tr("Compression"), "heading"), 0, 0, 1, 2);
    codec_ = new QComboBox;
    codec_->setObjectName(QStringLiteral("codec"));
    codec_->addItem(tr("auto"), QStringLiteral("auto"));
    for (const char* name : {"zstd", "gzip", "lz4", "none"}) {
        codec_->addItem(QString::fromLatin1(name), QString::fromLatin1(name));
    }
    level_ = new QComboBox;
    level_->setObjectName(QStringLiteral("level"));
    for (const auto& [label, combo, row] :
         {std::tuple(tr("Codec"), codec_, 1), std::tuple(tr("Level"), level_, 2)}) {
        auto* name = makeLabel(label, "muted");
        name->setBuddy(combo);
        combo->setAccessibleName(label);
        grid->addWidget(name, row, 0);
        grid->addWidget(combo, row, 1);
    }
    compressionNote_ = makeLabel({}, "muted");
    compressionNote_->setWordWrap(true);
    grid->addWidget(compressionNote_, 3, 0, 1, 2);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(4, 1);
    connect(codec_, &QComboBox::currentIndexChanged, this, &BackupPage::onFormat);
    connect(level_, &QComboBox::currentIndexChanged, this, &BackupPage::onChanged);
    return part;
}

QWidget* BackupPage::makeDestination() {
    auto* part = new QWidget;
    auto* grid = new QGridLayout(part);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(makeLabel(tr("Destination"), "heading"), 0, 0, 1, 3);
    destinationLabel_ = makeLabel(tr("Folder"), "muted");
    destination_ = new QLineEdit;
    destination_->setObjectName(QStringLiteral("destination"));
    destination_->setAccessibleName(tr("Destination"));
    destination_->setToolTip(
        tr("{database}, {date} and {time} stand for what they are at the start"));
    destinationLabel_->setBuddy(destination_);
    auto* browse = new QPushButton(tr("…"));
    browse->setAccessibleName(tr("Choose the destination"));
    browse->setFixedWidth(36);
    grid->addWidget(destinationLabel_, 1, 0);
    grid->addWidget(destination_, 1, 1);
    grid->addWidget(browse, 1, 2);
    destinationNote_ = makeLabel({}, "muted");
    destinationNote_->setWordWrap(true);
    grid->addWidget(destinationNote_, 2, 0, 1, 3);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(3, 1);
    connect(destination_, &QLineEdit::textEdited, this, [this] { destinationChosen_ = true; });
    connect(destination_, &QLineEdit::textChanged, this, &BackupPage::onChanged);
    connect(destination_, &QLineEdit::textChanged, destinationTimer_, qOverload<>(&QTimer::start));
    connect(browse, &QPushButton::clicked, this, [this] {
        // Not the native "save" question: what is there already is told on the page.
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Destination"), expandDestination(destination_->text(), database_), QString(),
            nullptr, QFileDialog::DontConfirmOverwrite);
        if (path.isEmpty()) return;
        destinationChosen_ = true;
        destination_->setText(path);
    });
    return part;
}

QWidget* BackupPage::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(20, 10, 16, 10);
    row->setSpacing(10);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    estimate_ = makeLabel({});
    estimate_->setTextFormat(Qt::RichText);
    estimate_->setObjectName(QStringLiteral("estimate"));
    problem_ = makeLabel({}, "error");
    problem_->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("problem"));
    problem_->hide();
    texts->addWidget(estimate_);
    texts->addWidget(problem_);
    row->addLayout(texts, 1);
    startButton_ = new QPushButton(tr("&Start backup"));
    setLook(startButton_, "primary");
    startButton_->setObjectName(QStringLiteral("start"));
    startButton_->setEnabled(false);
    connect(startButton_, &QPushButton::clicked, this, &BackupPage::start);
    row->addWidget(makeFoldButton(fold_, form_, settings_));
    row->addWidget(startButton_);
    return foot;
}

}  // namespace gantry::ui
