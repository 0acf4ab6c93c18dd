// SPDX-License-Identifier: PostgreSQL
// What the page looks like; what it does is in restore_page_work.cpp.
#include "ui/pages/restore_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "core/base/processor_load.h"
#include "core/options/restore_table.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/recent_archives.h"
#include "ui/pages/tree_pane.h"
#include "ui/pages/verify_dialog.h"

namespace gantry::ui {
RestorePage::RestorePage(ServerStore& servers, ServerAccess& access, RunList& runs,
                         SavedTasks& tasks, QString listFolder, QWidget* parent)
    : Page(parent),
      servers_(servers),
      access_(access),
      runs_(runs),
      tasks_(tasks),
      listFolder_(std::move(listFolder)),
      inspectTimer_(new QTimer(this)) {
    setTitle(tr("Restore"));
    setAcceptDrops(true);
    makeHeader();
    inspectTimer_->setSingleShot(true);
    inspectTimer_->setInterval(kAfterTypingMs);

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
    split->addWidget(makeArchive());
    split->addWidget(makeSettings());
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({420, 640});
    column->addWidget(split, 1);
    setContent(content);
    setFoot(makeFoot());

    connect(&contents_, &FlatTree::choiceChanged, this, &RestorePage::onChanged);
    connect(&contents_, &ArchiveTree::consequences, tree_, &TreePane::setRemark);
    connect(inspectTimer_, &QTimer::timeout, this, &RestorePage::inspectNow);
    connect(inspectTimer_, &QTimer::timeout, this, &RestorePage::adviseNow);
    connect(this, &Page::serverChanged, this, &RestorePage::turn);
    onTarget();
    beginAt(path_);
}

void RestorePage::makeHeader() {
    // A restore is shown before it starts: what it destroys has to be confirmed.
    addWorkButtons(*this, tasks_, QStringLiteral("restore"),
                   {.run = {},
                    .open = [this](const SavedTask& task) { openTask(task); },
                    .saveCurrent = [this] { saveTask(); }},
                   [this] { copyCommand(); });
}

QWidget* RestorePage::makeArchive() {
    auto* part = new QWidget;
    part->setMinimumWidth(360);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 0);
    row->setSpacing(8);
    path_ = new QLineEdit;
    path_->setObjectName(QStringLiteral("archive"));
    path_->setPlaceholderText(tr("Archive: a folder or a file"));
    path_->setAccessibleName(tr("Archive"));
    connect(path_, &QLineEdit::returnPressed, this, [this] { openArchive(path_->text()); });
    row->addWidget(path_, 1);
    auto* open = new QPushButton(tr("Open ▾"));
    open->setAccessibleName(tr("Open an archive"));
    auto* menu = new QMenu(open);
    connect(menu->addAction(tr("File…")), &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open an archive"));
        if (!path.isEmpty()) openArchive(path);
    });
    connect(menu->addAction(tr("Folder…")), &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getExistingDirectory(this, tr("Open an archive"));
        if (!path.isEmpty()) openArchive(path);
    });
    open->setMenu(menu);
    row->addWidget(open);
    verify_ = new QPushButton(tr("Verify…"));
    verify_->setObjectName(QStringLiteral("verify"));
    verify_->setToolTip(tr("Reads every byte of the archive: is all of it there?"));
    connect(verify_, &QPushButton::clicked, this,
            [this] { (new VerifyDialog(openPath_, this))->open(); });
    row->addWidget(verify_);
    column->addLayout(row);

    empty_ = new QWidget;
    auto* middle = new QVBoxLayout(empty_);
    invitation_ =
        makeLabel(tr("Open an archive, or drop one here:\na folder, a custom or tar file, "
                     "whoever made it"),
                  "muted");
    invitation_->setAlignment(Qt::AlignCenter);
    invitation_->setWordWrap(true);
    recent_ = new RecentArchives(runs_.historyFolder(), menu);
    connect(recent_, &RecentArchives::chosen, this, &RestorePage::openArchive);
    // It may have made an archive, or a database.
    connect(&runs_, &RunList::finished, this, &RestorePage::refresh);
    middle->addStretch();
    middle->addWidget(invitation_);
    middle->addWidget(recent_);
    middle->addStretch();
    column->addWidget(empty_, 1);
    tree_ = new TreePane(contents_, tr("Find in the archive…"));
    tree_->hide();
    connect(tree_->view(), &QWidget::customContextMenuRequested, this, &RestorePage::treeMenu);
    column->addWidget(tree_, 1);
    return part;
}

QWidget* RestorePage::makeTarget() {
    auto* part = new QWidget;
    auto* grid = new QGridLayout(part);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(6);
    databaseLabel_ = makeLabel(tr("Database"), "muted");
    existing_ = new QComboBox;
    existing_->setObjectName(QStringLiteral("existingDatabase"));
    existing_->setAccessibleName(tr("Database"));
    existing_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    existing_->setMinimumContentsLength(10);
    fresh_ = new QLineEdit;
    fresh_->setObjectName(QStringLiteral("newDatabase"));
    fresh_->setAccessibleName(tr("Name of the new database"));
    fresh_->setPlaceholderText(tr("Name of the new database"));
    clean_ = new QCheckBox(tr("Drop what the archive holds before creating it"));
    clean_->setObjectName(QStringLiteral("cleanFirst"));
    targetNote_ = makeLabel({}, "muted");
    targetNote_->setWordWrap(true);
    grid->addWidget(databaseLabel_, 0, 0);
    grid->addWidget(existing_, 0, 1);
    grid->addWidget(fresh_, 0, 1);
    grid->addWidget(clean_, 1, 1);
    grid->addWidget(targetNote_, 2, 0, 1, 2);
    grid->setColumnStretch(1, 1);
    connect(existing_, &QComboBox::currentIndexChanged, this, &RestorePage::onChanged);
    connect(fresh_, &QLineEdit::textEdited, this,
            [this] { freshChosen_ = !fresh_->text().isEmpty(); });
    connect(fresh_, &QLineEdit::textChanged, this, &RestorePage::onChanged);
    connect(clean_, &QCheckBox::toggled, this, &RestorePage::onChanged);
    return part;
}

QWidget* RestorePage::makeSettings() {
    auto* settings = new QWidget;
    settings->setMaximumWidth(kMostSettingsWidth);
    auto* column = new QVBoxLayout(settings);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(7);

    column->addWidget(makeLabel(tr("Target"), "heading"));
    targets_ = new ChoiceCards({
        {tr("New database"), tr("Made for it. Nothing that is there is touched.")},
        {tr("Existing database"), tr("Adds to what is there, or drops it first.")},
        {tr("Scratch server"), tr("A throwaway server on this machine.")},
        {tr("Refresh"), tr("Beside the old one, swapped when whole.")},
    });
    connect(targets_, &ChoiceCards::changed, this, &RestorePage::onTarget);
    column->addWidget(targets_);
    column->addSpacing(4);
    column->addWidget(makeTarget());
    column->addSpacing(kSectionSpacing);

    auto* jobsRow = new QHBoxLayout;
    jobsRow->addWidget(makeLabel(tr("Jobs"), "heading"));
    jobsLabel_ = makeCutLabel({}, "muted");
    jobsRow->addWidget(jobsLabel_, 1);
    column->addLayout(jobsRow);
    jobs_ = new JobsSlider(true);
    jobs_->setObjectName(QStringLiteral("jobs"));
    const auto cores = static_cast<int>(usableProcessors());
    jobs_->setRange(1, 2 * cores);
    constexpr int kMostAutomaticJobs = 8;
    jobs_->setValue(std::min(cores, kMostAutomaticJobs));
    connect(jobs_, &QAbstractSlider::valueChanged, this, [this] {
        if (quiet_) return;
        jobsChosen_ = true;
        onChanged();
    });
    column->addWidget(jobs_);
    jobsReason_ = new AdviceNote;
    column->addWidget(jobsReason_);
    column->addSpacing(kSectionSpacing);

    column->addWidget(makeLabel(tr("Before it starts"), "heading"));
    findings_ = new FindingsList;
    column->addWidget(findings_);

    static options::RestoreOptions unused;
    form_ = new OptionForm(
        options::restoreTable(unused),
        connectionRows() + QSet<QString>{QStringLiteral("use-list"), QStringLiteral("clean"),
                                         QStringLiteral("create"), QStringLiteral("refresh")});
    connect(form_, &OptionForm::changed, this, &RestorePage::onChanged);
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

QWidget* RestorePage::makeFoot() {
    auto* foot = new QWidget;
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(20, 10, 16, 10);
    column->setSpacing(8);

    confirmation_ = new ConfirmRow;
    connect(confirmation_, &ConfirmRow::changed, this, &RestorePage::showFoot);
    column->addWidget(confirmation_);

    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    summary_ = makeCutLabel({});
    problem_ = makeLabel({}, "error");
    problem_->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("problem"));
    texts->addWidget(summary_);
    texts->addWidget(problem_);
    row->addLayout(texts, 1);
    startButton_ = new QPushButton(tr("&Start restore"));
    startButton_->setObjectName(QStringLiteral("start"));
    setLook(startButton_, "primary");
    connect(startButton_, &QPushButton::clicked, this, &RestorePage::start);
    row->addWidget(makeFoldButton(fold_, form_, settings_));
    row->addWidget(startButton_);
    column->addLayout(row);
    return foot;
}

void RestorePage::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void RestorePage::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openArchive(event->mimeData()->urls().front().toLocalFile());
}

void RestorePage::treeMenu(const QPoint& position) {
    const QModelIndex index = tree_->view()->indexAt(position).siblingAtColumn(0);
    QMenu menu(this);
    if (index.isValid()) {
        connect(menu.addAction(tr("Only this and what it needs")), &QAction::triggered, this,
                [this, index] { contents_.chooseOnly(index); });
        menu.addSeparator();
    }
    connect(menu.addAction(tr("Everything")), &QAction::triggered, &contents_,
            &ArchiveTree::chooseAll);
    connect(menu.addAction(tr("Nothing")), &QAction::triggered, &contents_,
            &ArchiveTree::chooseNone);
    menu.exec(tree_->view()->viewport()->mapToGlobal(position));
}

}  // namespace gantry::ui
