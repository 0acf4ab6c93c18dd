// SPDX-License-Identifier: PostgreSQL
// What the page looks like; what it does is in tune_page_work.cpp.
#include "ui/pages/tune_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "core/base/processor_load.h"
#include "ui/charts/tune_curve.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/page_parts.h"

namespace gantry::ui {
namespace {

constexpr int kSettingsWidth = 372;
constexpr int kRowHeight = 26;

/// A label above what it names.
void addField(QVBoxLayout* column, const QString& name, QWidget* field, const QString& note = {}) {
    QLabel* heading = makeLabel(name, "heading");
    heading->setBuddy(field);
    if (field->accessibleName().isEmpty()) field->setAccessibleName(name);
    auto* part = new QVBoxLayout;
    part->setSpacing(4);
    part->addWidget(heading);
    part->addWidget(field);
    if (!note.isEmpty()) {
        QLabel* muted = makeLabel(note, "muted");
        muted->setWordWrap(true);
        part->addWidget(muted);
    }
    column->addLayout(part);
}

QVBoxLayout* columnOf(QWidget* part) {
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSectionSpacing);
    return column;
}

}  // namespace

TunePage::TunePage(ServerStore& servers, ServerAccess& access, std::filesystem::path history,
                   QWidget* parent)
    : Page(parent),
      servers_(servers),
      access_(access),
      history_(std::move(history)),
      predictTimer_(new QTimer(this)) {
    setTitle(tr("Tune"));
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
    split->addWidget(makeSettings());
    split->addWidget(makeResults());
    split->setStretchFactor(1, 1);
    column->addWidget(split, 1);
    setContent(content);
    setFoot(makeFoot());
    predictTimer_->setSingleShot(true);
    predictTimer_->setInterval(kAfterTypingMs);
    connect(predictTimer_, &QTimer::timeout, this, &TunePage::predict);
    connect(this, &Page::serverChanged, this, &TunePage::turn);
    onChanged();
}

void TunePage::makeHeader() {
    auto* copy = new QPushButton(tr("&Copy as command"));
    copy->setObjectName(QStringLiteral("copyCommand"));
    connect(copy, &QPushButton::clicked, this, &TunePage::copyCommand);
    addHeaderWidget(copy);
}

QWidget* TunePage::makeSettings() {
    settings_ = new QWidget;
    auto* column = new QVBoxLayout(settings_);
    column->setContentsMargins(kPageMargin, 14, kPageMargin, 14);
    column->setSpacing(kSectionSpacing);
    operations_ = new ChoiceCards({{tr("Dump"), tr("Read over 1, 2, … connections.")},
                                   {tr("Restore"), tr("Into databases that are dropped again.")},
                                   {tr("Vacuum"), tr("1, 2, … tables at a time.")}});
    operations_->setObjectName(QStringLiteral("operation"));
    connect(operations_, &ChoiceCards::changed, this, &TunePage::onChanged);
    column->addWidget(operations_);
    databases_ = new QComboBox;
    databases_->setObjectName(QStringLiteral("database"));
    connect(databases_, &QComboBox::activated, this,
            [this] { chooseDatabase(databases_->currentText()); });
    databaseField_ = new QWidget;
    addField(columnOf(databaseField_), tr("Database"), databases_);
    column->addWidget(databaseField_);
    particulars_ = {makeDumpSettings(), makeRestoreSettings(), makeVacuumSettings()};
    for (QWidget* part : particulars_) column->addWidget(part);
    column->addWidget(makeCommonSettings());
    column->addStretch(1);
    leaveWheelToPage(settings_);
    auto* scroll = new QScrollArea;
    scroll->setWidget(settings_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Settings"));
    scroll->setFixedWidth(kSettingsWidth);
    return scroll;
}

QWidget* TunePage::makeDumpSettings() {
    auto* part = new QWidget;
    auto* column = columnOf(part);
    target_ = new QComboBox;
    target_->setObjectName(QStringLiteral("target"));
    target_->addItems({tr("is discarded: the server and the codec alone"),
                       tr("is written to disk, and removed again")});
    connect(target_, &QComboBox::currentIndexChanged, this, &TunePage::onChanged);
    addField(column, tr("What is read"), target_);
    codecs_ = new QLineEdit;
    codecs_->setObjectName(QStringLiteral("codecs"));
    codecs_->setPlaceholderText(tr("auto"));
    connect(codecs_, &QLineEdit::textChanged, this, &TunePage::onChanged);
    addField(column, tr("Codecs"), codecs_, tr("To compare some: none,lz4,zstd:3,gzip:6"));
    auto* row = new QWidget;
    auto* boxes = new QHBoxLayout(row);
    boxes->setContentsMargins(0, 0, 0, 0);
    boxes->setSpacing(12);
    for (const QString& name : {tr("Directory"), tr("Custom"), tr("Tar"), tr("Plain")}) {
        auto* box = new QCheckBox(name);
        box->setChecked(formats_.empty());
        connect(box, &QCheckBox::toggled, this, &TunePage::onChanged);
        boxes->addWidget(box);
        formats_.push_back(box);
    }
    boxes->addStretch(1);
    addField(column, tr("Formats"), row);
    return part;
}

QWidget* TunePage::makeRestoreSettings() {
    auto* part = new QWidget;
    auto* column = columnOf(part);
    auto* row = new QWidget;
    auto* fields = new QHBoxLayout(row);
    fields->setContentsMargins(0, 0, 0, 0);
    fields->setSpacing(6);
    archive_ = new QLineEdit;
    archive_->setObjectName(QStringLiteral("archive"));
    archive_->setAccessibleName(tr("Archive"));
    archive_->setPlaceholderText(tr("A folder or a file"));
    connect(archive_, &QLineEdit::textChanged, this, &TunePage::onChanged);
    fields->addWidget(archive_, 1);
    for (const bool folder : {true, false}) {
        auto* choose = new QPushButton(folder ? tr("Folder…") : tr("File…"));
        connect(choose, &QPushButton::clicked, this, [this, folder] {
            auto* dialog = new QFileDialog(this, tr("Choose an archive"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
            connect(dialog, &QFileDialog::fileSelected, this, &TunePage::openArchive);
            dialog->open();
        });
        fields->addWidget(choose);
    }
    addField(column, tr("Archive"), row);
    restoreInto_ = new QComboBox;
    restoreInto_->setObjectName(QStringLiteral("restoreInto"));
    restoreInto_->addItems(
        {tr("databases of its own on this server"), tr("a throwaway server on this machine")});
    connect(restoreInto_, &QComboBox::currentIndexChanged, this, &TunePage::onChanged);
    addField(column, tr("Each time into"), restoreInto_,
             tr("They are called gantry_tune_… and dropped after each measurement. Your databases "
                "are not touched."));
    return part;
}

QWidget* TunePage::makeVacuumSettings() {
    auto* part = new QWidget;
    auto* column = columnOf(part);
    vacuumOf_ = new QComboBox;
    vacuumOf_->setObjectName(QStringLiteral("vacuumOf"));
    vacuumOf_->addItems({tr("a copy on this server"), tr("a copy on a throwaway server"),
                         tr("the tables themselves")});
    connect(vacuumOf_, &QComboBox::currentIndexChanged, this, &TunePage::onChanged);
    addField(column, tr("Vacuum of"), vacuumOf_,
             tr("In a copy a tenth of all rows is replaced before each vacuum, so that there is "
                "something to clean. The tables themselves are vacuumed for real, every page of "
                "them each time."));
    return part;
}

QWidget* TunePage::makeCommonSettings() {
    auto* part = new QWidget;
    auto* column = columnOf(part);
    jobs_ = new QLineEdit;
    jobs_->setObjectName(QStringLiteral("jobs"));
    QStringList usual;
    for (const uint32_t count : options::usualJobs(usableProcessors())) {
        usual << QString::number(count);
    }
    jobs_->setText(usual.join(QStringLiteral(", ")));
    connect(jobs_, &QLineEdit::textChanged, this, &TunePage::onChanged);
    addField(column, tr("Jobs"), jobs_,
             tr("The sweep goes up until more jobs gain nothing. This machine has %n cores.",
                nullptr, static_cast<int>(usableProcessors())));
    auto* pair = new QHBoxLayout;
    pair->setSpacing(16);
    auto* left = new QVBoxLayout;
    rounds_ = new QSpinBox;
    rounds_->setObjectName(QStringLiteral("rounds"));
    rounds_->setRange(1, 20);
    rounds_->setValue(3);
    rounds_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    connect(rounds_, &QSpinBox::valueChanged, this, &TunePage::onChanged);
    addField(left, tr("Rounds"), rounds_);
    pair->addLayout(left, 1);
    auto* right = new QVBoxLayout;
    budget_ = new QComboBox;
    budget_->setObjectName(QStringLiteral("budget"));
    for (const auto& [name, value] :
         {std::pair(tr("1 minute"), "1m"), std::pair(tr("2 minutes"), "2m"),
          std::pair(tr("5 minutes"), "5m"), std::pair(tr("15 minutes"), "15m"),
          std::pair(tr("1 hour"), "1h"), std::pair(tr("no limit"), "")}) {
        budget_->addItem(name, QString::fromLatin1(value));
    }
    budget_->setCurrentIndex(1);
    connect(budget_, &QComboBox::currentIndexChanged, this, &TunePage::onChanged);
    addField(right, tr("Within"), budget_);
    pair->addLayout(right, 1);
    column->addLayout(pair);
    tools_ = new QLineEdit;
    tools_->setObjectName(QStringLiteral("pg-bindir"));
    tools_->setPlaceholderText(tr("the oldest that is new enough"));
    tools_->setToolTip(tr("The folder with the pg_dump to use"));
    connect(tools_, &QLineEdit::textChanged, this, &TunePage::onChanged);
    toolsField_ = new QWidget;
    addField(columnOf(toolsField_), tr("Folder of pg_dump"), tools_);
    column->addWidget(toolsField_);
    return part;
}

QWidget* TunePage::makeResults() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(kPageMargin, 14, kPageMargin, 14);
    column->setSpacing(8);
    advice_ = makeLabel({}, "title");
    advice_->setObjectName(QStringLiteral("advice"));
    advice_->setWordWrap(true);
    advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(advice_);
    basis_ = makeLabel({});
    basis_->setObjectName(QStringLiteral("basis"));
    basis_->setWordWrap(true);
    basis_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(basis_);
    curve_ = new TuneCurve;
    curve_->setObjectName(QStringLiteral("curve"));
    connect(curve_, &TuneCurve::selectedChanged, this,
            [this](std::size_t point) { selectPoint(point); });
    connect(curve_, &TuneCurve::openWanted, this, &TunePage::openPoint);
    column->addWidget(curve_, 1);
    table_ = new QTableWidget;
    table_->setObjectName(QStringLiteral("points"));
    table_->setAccessibleName(tr("Points, measured and predicted"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->setShowGrid(false);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->verticalHeader()->setDefaultSectionSize(kRowHeight);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // notes have their tool tips
    connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (!quiet_ && row >= 0) selectPoint(static_cast<std::size_t>(row));
    });
    connect(table_, &QTableWidget::cellActivated, this,
            [this](int row) { openPoint(static_cast<std::size_t>(row)); });
    column->addWidget(table_);
    return part;
}

QWidget* TunePage::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(kPageMargin, 10, 16, 10);
    row->setSpacing(10);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    progress_ = makeLabel({});
    progress_->setObjectName(QStringLiteral("progress"));
    texts->addWidget(progress_);
    bar_ = new QProgressBar;
    bar_->setRange(0, 1000);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(6);
    bar_->setAccessibleName(tr("The measurement under way"));
    bar_->hide();
    texts->addWidget(bar_);
    problem_ = makeLabel({}, "error");
    problem_->setObjectName(QStringLiteral("problem"));
    problem_->setWordWrap(true);
    texts->addWidget(problem_);
    row->addLayout(texts, 1);
    defaults_ = new QPushButton(tr("Use as defaults"));
    defaults_->setObjectName(QStringLiteral("useAsDefaults"));
    connect(defaults_, &QPushButton::clicked, this, &TunePage::useAsDefaults);
    row->addWidget(defaults_);
    startButton_ = new QPushButton;
    startButton_->setObjectName(QStringLiteral("start"));
    connect(startButton_, &QPushButton::clicked, this, [this] { running_ ? stop() : start(); });
    row->addWidget(startButton_);
    return foot;
}

}  // namespace gantry::ui
