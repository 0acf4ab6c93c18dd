// SPDX-License-Identifier: PostgreSQL
// What the back-up page does: looks at the database, gathers options, advises, starts.
#include <QComboBox>
#include <QDate>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QTimer>
#include <filesystem>

#include "core/advise/advisor.h"
#include "core/advise/workload.h"
#include "core/base/format.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/profile.h"
#include "core/pg/connection.h"
#include "ui/bridge/run_list.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/pages/advice_note.h"
#include "ui/pages/backup_page.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/command_dialog.h"
#include "ui/pages/findings_list.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/tree_pane.h"

namespace gantry::ui {
namespace {

namespace fs = std::filesystem;

const QString kDump = QStringLiteral("dump");

pg::Connection open(const options::ConnectionOptions& connection, const std::stop_token& stop) {
    return pg::Connection::open(connection, kApplication, stop);
}

QString aboutBytes(double bytes) { return bytesText(static_cast<uint64_t>(bytes)); }

struct Levels {
    int least = 0;
    int most = 0;
    int usual = 0;
};

Levels levelsOf(const QString& codec) {
    if (codec == QLatin1String("gzip")) return {1, 9, 6};
    if (codec == QLatin1String("lz4")) return {1, 12, 1};
    return {1, 19, 3};
}

/// The folder that is there already, of a path that is not there yet.
fs::path existingFolder(fs::path path) {
    std::error_code ignored;
    while (!path.empty() && !fs::is_directory(path, ignored) && path.has_parent_path() &&
           path != path.parent_path()) {
        path = path.parent_path();
    }
    return path.empty() ? fs::path(".") : path;
}

struct DestinationFacts {
    std::optional<uint64_t> free;
    bool taken = false;
};

DestinationFacts lookAtDestination(const fs::path& path) {
    DestinationFacts facts;
    std::error_code error;
    facts.taken = fs::exists(path, error);
    const fs::space_info space = fs::space(existingFolder(path), error);
    if (!error) facts.free = space.available;
    return facts;
}

}  // namespace

archive::Format BackupPage::format() const {
    return static_cast<archive::Format>(formats_->chosen());
}

void BackupPage::turn() {
    const QString id = server() ? server()->id : QString();
    takeDefaults();
    if (id == shownServer_) return;
    shownServer_ = id;
    for (AccessJob* job : {&databasesJob_, &lookJob_, &relationsJob_, &inspectJob_}) job->stop();
    failure_->hide();
    databases_->clear();
    database_.clear();
    looked_.reset();
    advice_.reset();
    inspected_.clear();
    objects_.clear();
    setTitle(tr("Back up"));
    setChips({});
    setStatus({});
    jobs_->setAdvice({});
    reason_->setAdvice({});
    findings_->setFindings({});
    if (!id.isEmpty()) listDatabases();
    onChanged();
}

void BackupPage::takeDefaults() {
    const ServerDefaults defaults = server() ? server()->defaults : ServerDefaults();
    if (defaults == std::exchange(defaults_, defaults)) return;
    options::DumpOptions wanted;
    try {
        if (!defaults.dumpFormat.isEmpty()) {
            wanted.format = options::parseFormat(defaults.dumpFormat.toStdString());
        }
        if (!defaults.dumpCompression.isEmpty()) {
            wanted.compression = io::parseCompression(defaults.dumpCompression.toStdString());
        }
    } catch (const Error&) {
        return;  // of a file that somebody else has written
    }
    showOutput(wanted);
    jobsChosen_ = defaults.dumpJobs > 0;
    if (!jobsChosen_) return;
    if (advice_) {
        jobs_->setValue(defaults.dumpJobs);
    } else {
        taskJobs_ = defaults.dumpJobs;
    }
}

void BackupPage::showOutput(const options::DumpOptions& wanted) {
    const bool before = std::exchange(quiet_, true);
    formats_->choose(static_cast<int>(wanted.format));
    const bool automatic = !wanted.compression || wanted.compression->automatic;
    const QString codec =
        automatic ? QStringLiteral("auto") : text(io::toString(wanted.compression->algorithm));
    codec_->setCurrentIndex(std::max(0, codec_->findData(codec)));
    quiet_ = before;
    onFormat();
    if (!automatic && wanted.compression->level) {
        level_->setCurrentIndex(std::max(0, level_->findData(*wanted.compression->level)));
    }
}

void BackupPage::listDatabases() {
    databasesJob_ = access_.run(
        this, shownServer_, {},
        [](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            pg::Connection session = open(connection, stop);
            return std::pair(dump::listDatabases(session), session.databaseName());
        },
        [this](const std::pair<std::vector<std::string>, std::string>& found) {
            QStringList names;
            for (const std::string& name : found.first) names << QString::fromStdString(name);
            databases_->clear();
            databases_->addItems(names);
            const QString first = usualDatabase(names, QString::fromStdString(found.second));
            chooseDatabase(names.contains(wantedDatabase_) ? wantedDatabase_ : first);
        },
        [this](const ErrorInfo& error) { showFailure(tr("The server cannot be reached"), error); });
}

void BackupPage::chooseDatabase(const QString& database) {
    wantedDatabase_ = database;
    if (databases_->count() == 0 && !databasesJob_.running() && !failure_->isHidden()) {
        failure_->hide();  // who leads here knows that the server answers by now
        return listDatabases();
    }
    const int row = databases_->findText(database);
    if (row < 0) return;  // it comes with the list
    databases_->setCurrentIndex(row);
    if (database == database_) return;
    database_ = database;
    proposal_ = 1;
    if (!destinationChosen_) destination_->setText(proposedDestination());
    byPatterns_ = false;
    objects_.clear();
    look();
}

void BackupPage::refresh() {
    if (shownServer_.isEmpty()) return;
    if (!database_.isEmpty() && objects_.complete()) {
        gather();
        pending_ = options_;
    }
    shownServer_.clear();
    turn();
}

void BackupPage::look() {
    looked_.reset();
    advice_.reset();
    inspected_.clear();
    relationsJob_.stop();
    inspectJob_.stop();
    setTitle(tr("Back up %1").arg(database_));
    setChips({tr("looking…")});
    setStatus({.left = tr("Looking at %1…").arg(database_), .right = {}});
    failure_->hide();
    lookJob_.stop();
    lookJob_ = access_.run(
        this, shownServer_, database_,
        [](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            pg::Connection session = open(connection, stop);
            return Looked{dump::readInventory(session), advise::collectSurroundings(session)};
        },
        [this](const Looked& looked) { showLooked(looked); },
        [this](const ErrorInfo& error) {
            setChips({});
            showFailure(tr("%1 cannot be looked at").arg(database_), error);
        });
}

void BackupPage::showLooked(const Looked& looked) {
    looked_ = looked;
    objects_.setInventory(looked.inventory);
    tree_->setEmptyText(objects_.relationCount() > 0
                            ? QString()
                            : tr("%1 holds no tables.\n\nA backup keeps its other definitions, "
                                 "functions and types for instance. For rows choose another "
                                 "database above, or restore an archive into this one first.")
                                  .arg(database_));
    tree_->view()->collapseAll();
    if (looked.inventory.schemas.size() == 1) tree_->view()->expand(objects_.index(0, 0));
    QString version = QString::fromStdString(looked.inventory.serverVersion);
    version = version.left(version.indexOf(u' '));
    servers_.noteVersion(shownServer_, version);
    QString chip = tr("PostgreSQL %1").arg(version);
    if (looked.inventory.databaseBytes > 0) {
        chip += QStringLiteral(" · ") + bytesText(looked.inventory.databaseBytes);
    }
    chip += QStringLiteral(" · ") +
            tr("%n relations", nullptr, static_cast<int>(objects_.relationCount()));
    setChips({chip});
    const advise::Surroundings& where = looked.surroundings;
    QString note = tr("connections that read at once · this machine has %n cores", nullptr,
                      static_cast<int>(where.localCores));
    note += where.sameMachine   ? tr(", shared with the server")
            : where.serverCores ? tr("; the server has %1").arg(*where.serverCores)
                                : tr("; the server's are not known");
    jobsNote_->setText(note);
    setStatus({.left = tr("%1: connected to %2").arg(server()->name, database_),
               .right = tr("%1 connections free").arg(where.freeConnections)});
    readRelations();
    inspectNow();
    onChanged();
}

void BackupPage::readRelations() {
    std::vector<dump::InventorySchema> schemas = looked_->inventory.schemas;
    std::erase_if(schemas, [](const auto& schema) { return schema.relations == 0; });
    if (schemas.empty()) {
        applyPending();
        return;
    }
    const QPointer<BackupPage> page(this);
    const QString database = database_;
    relationsJob_ = access_.run(
        this, shownServer_, database_,
        [schemas, page, database](const options::ConnectionOptions& connection,
                                  const std::stop_token& stop) {
            pg::Connection session = open(connection, stop);
            for (const dump::InventorySchema& schema : schemas) {
                auto relations = dump::listRelations(session, schema.oid);
                postToGui([page, database, oid = schema.oid, list = std::move(relations)] {
                    if (page && page->database_ == database) page->objects_.setRelations(oid, list);
                });
            }
        },
        [this] { applyPending(); },
        [this](const ErrorInfo& error) {
            showFailure(tr("The tables of %1 cannot be listed").arg(database_), error);
        });
}

void BackupPage::showFailure(const QString& what, const ErrorInfo& error) {
    failure_->showError(what, error, [this] {
        shownServer_.clear();
        turn();
    });
    setStatus({.left = what, .right = {}});
    showEstimate();
}

/// What the page shows, as options.
void BackupPage::gather() {
    options_ = {};
    if (server()) options_.connection = connectionTo(*server(), database_);
    options_.format = format();
    options_.jobs = static_cast<uint32_t>(jobs_->value());
    options_.output = expandDestination(destination_->text(), database_).toStdString();
    const QString codec = codec_->currentData().toString();
    if (format() != archive::Format::Tar && codec != QLatin1String("auto")) {
        io::Compression compression = io::parseCompression(codec.toStdString());
        if (const QVariant level = level_->currentData(); level.isValid()) {
            compression.level = level.toInt();
        }
        options_.compression = compression;
    }
    problems_ = form_->apply(options::dumpTable(options_));
    if (byPatterns_) {
        options_.selection = patterns_;
    } else {
        const dump::ChosenOptions chosen = dump::toOptions(objects_.choice());
        chosen.apply(options_);
        if (looked_ && chosen.form == dump::ChoiceForm::Nothing) {
            problems_.push_back({.severity = options::ProblemSeverity::Error,
                                 .options = {},
                                 .message = "Nothing is chosen that could be dumped by itself",
                                 .wayOut = "Check a schema or a table in the tree."});
        }
    }
    const std::vector<options::Problem> found = options::validate(options_);
    problems_.insert(problems_.end(), found.begin(), found.end());
}

void BackupPage::onChanged() {
    if (quiet_) return;
    gather();
    form_->showProblems(problems_);
    showSummary();
    showFindings();
    showEstimate();
    adviceTimer_->start();
}

void BackupPage::onFormat() {
    if (!destination_) return;
    quiet_ = true;
    const bool tar = format() == archive::Format::Tar;
    const bool plain = format() == archive::Format::Plain;
    const QString codec = codec_->currentData().toString();
    const QVariant level = level_->currentData();
    codec_->setEnabled(!tar);
    level_->clear();
    const bool automatic = codec == QLatin1String("auto");
    const bool levels = !tar && !automatic && codec != QLatin1String("none");
    if (levels) {
        const Levels range = levelsOf(codec);
        level_->addItem(tr("standard (%1)").arg(range.usual));
        for (int i = range.least; i <= range.most; ++i) level_->addItem(QString::number(i), i);
        level_->setCurrentIndex(std::max(0, level_->findData(level)));
    } else {
        level_->addItem(automatic && !tar && !plain ? tr("follows the load") : tr("none"));
    }
    level_->setEnabled(levels);
    if (tar) {
        compressionNote_->setText(tr("pg_restore reads no compressed members in tar archives."));
    } else if (plain && automatic) {
        compressionNote_->setText(
            tr("A script is written uncompressed, so that psql can read it."));
    } else if (automatic) {
        compressionNote_->setText(
            tr("zstd (gzip for servers before 16), at the level that keeps this machine's cores "
               "just busy enough."));
    } else {
        compressionNote_->clear();
    }
    destinationLabel_->setText(format() == archive::Format::Directory ? tr("Folder") : tr("File"));
    if (!destinationChosen_ && !database_.isEmpty()) destination_->setText(proposedDestination());
    quiet_ = false;
    destinationTimer_->start();
    onChanged();
}

QString BackupPage::proposedDestination() const {
    QString name = QStringLiteral("~/backups/%1_%2")
                       .arg(QString(database_).replace(u'/', u'_'),
                            QDate::currentDate().toString(Qt::ISODate));
    if (proposal_ > 1) name += QStringLiteral("_%1").arg(proposal_);
    switch (format()) {
        case archive::Format::Directory:
            break;
        case archive::Format::Custom:
            name += QStringLiteral(".dump");
            break;
        case archive::Format::Tar:
            name += QStringLiteral(".tar");
            break;
        case archive::Format::Plain:
            name += QStringLiteral(".sql");
            break;
    }
    return name;
}

void BackupPage::adviseNow() {
    if (!looked_) return;
    advise::DumpQuestion question;
    question.surroundings = looked_->surroundings;
    const options::Content& content = options_.content;
    question.workload = objects_.workload();
    if (content.schemaOnly || content.noData || content.statisticsOnly) {
        question.workload.tables.clear();
        question.workload.largeObjects = question.workload.largeObjectBytes = 0;
    }
    adviceJob_.stop();
    adviceJob_ = runAsync(
        this,
        [question = std::move(question), options = options_](const std::stop_token&) mutable {
            history::History history(history::usualFolder());
            advise::recall(question, options, history);
            return advise::adviseOn(question, history);
        },
        [this](const advise::Advice& advice) {
            advice_ = advice;
            showAdvice();
        },
        [this](const ErrorInfo& error) {
            reason_->setFailure(QString::fromStdString(error.message));
        });
}

void BackupPage::showAdvice() {
    quiet_ = true;
    jobs_->setAdvice(advice_->curve);
    if (!jobsChosen_) jobs_->setValue(static_cast<int>(advice_->jobs()));
    if (taskJobs_) jobs_->setValue(*std::exchange(taskJobs_, std::nullopt));
    quiet_ = false;
    reason_->setAdvice(advice_);
    gather();
    showFindings();
    showEstimate();
}

void BackupPage::showEstimate() {
    QString error;
    for (const options::Problem& problem : problems_) {
        // Before the database is known, what is missing is not the user's to fill in.
        if (!looked_ || problem.severity != options::ProblemSeverity::Error) continue;
        error = inWindow(problem.options.empty() ? problem.message + ". " + problem.wayOut
                                                 : problem.describe());
        break;
    }
    if (!server()) error = tr("Choose a server at the left first.");
    const bool blocked =
        !objects_.unreadable().isEmpty() ||
        std::any_of(inspected_.begin(), inspected_.end(), [](const dump::DumpFinding& f) {
            return f.kind == dump::DumpFindingKind::Blocker;
        });
    const bool overwritten = destinationTaken_ && !options_.overwrite;
    if (error.isEmpty() && blocked) error = tr("See “Before it starts”.");
    if (error.isEmpty() && overwritten) error = tr("The destination is there already.");
    problem_->setText(error);
    problem_->setVisible(!error.isEmpty());
    startButton_->setEnabled(error.isEmpty() && looked_.has_value());
    startButton_->setToolTip(toolTipText(error));
    if (!advice_ || !looked_) {
        const bool looking = !looked_ && server() && failure_->isHidden();
        estimate_->setText(looking ? tr("Looking at the database…") : QString());
        destinationNote_->clear();
        return;
    }
    const auto jobs = static_cast<uint32_t>(jobs_->value());
    const advise::Range range = advice_->curve.timeRange(jobs);
    const QString expected = spokenDuration(advice_->curve.at(jobs).seconds);
    estimate_->setText(
        range.high < 2 ? tr("About <b>a second</b> or less · an estimate")
                       : tr("About <b>%1</b> (%2 to %3)%4")
                             .arg(expected, spokenDuration(range.low), spokenDuration(range.high),
                                  advice_->curve.measured ? QString() : tr(" · an estimate")));
    QString note =
        tr("About %1 to %2")
            .arg(aboutBytes(advice_->archiveBytes->low), aboutBytes(advice_->archiveBytes->high));
    if (freeBytes_) note += tr("; %1 free").arg(bytesText(*freeBytes_));
    note += u'.';
    if (destination_->text().contains(u'{')) {
        const QString expanded = expandDestination(destination_->text(), database_);
        note += u' ' + tr("Writes %1").arg(QDir::toNativeSeparators(expanded));
    }
    destinationNote_->setText(note);
}

void BackupPage::showSummary() {
    if (!looked_) {
        tree_->setSummary({});
        tree_->setRemark({});
        return;
    }
    tree_->setSummary(tr("%1 of %2 chosen")
                          .arg(bytesText(objects_.chosenBytes()), bytesText(objects_.allBytes())));
    tree_->view()->setEnabled(!byPatterns_);
    if (byPatterns_) {
        tree_->setRemark(
            tr("The saved task chooses by patterns, which the tree cannot show. "
               "The estimate counts everything."));
        return;
    }
    switch (dump::toOptions(objects_.choice()).form) {
        case dump::ChoiceForm::Schemas:
            tree_->setRemark(
                tr("Only these schemas: nothing that belongs to the database as a "
                   "whole."));
            break;
        case dump::ChoiceForm::Relations:
            tree_->setRemark(
                tr("Only these relations: their schemas, functions and types stay "
                   "behind."));
            break;
        default:
            tree_->setRemark({});
    }
}

void BackupPage::inspectNow() {
    if (!looked_) return;
    inspectJob_.stop();
    inspectJob_ = access_.run(
        this, shownServer_, database_,
        [wanted = options_](const options::ConnectionOptions& connection,
                            const std::stop_token& stop) {
            pg::Connection session = open(connection, stop);
            return dump::inspectDump(session, wanted);
        },
        [this](const std::vector<dump::DumpFinding>& found) {
            inspected_ = found;
            showFindings();
            showEstimate();
        },
        [this](const ErrorInfo& error) {
            inspected_ = {{dump::DumpFindingKind::Warning, error.message, error.hint}};
            showFindings();
        });
}

void BackupPage::checkDestination() {
    const fs::path path = expandDestination(destination_->text(), database_).toStdString();
    destinationJob_.stop();
    if (path.empty()) return;
    destinationJob_ = runAsync(
        this, [path](const std::stop_token&) { return lookAtDestination(path); },
        [this](const DestinationFacts& facts) {
            if (facts.taken && destination_->text() == proposedDestination()) {
                ++proposal_;  // the second of this day
                destination_->setText(proposedDestination());
                return checkDestination();
            }
            freeBytes_ = facts.free;
            destinationTaken_ = facts.taken;
            showFindings();
            showEstimate();
        },
        [this](const ErrorInfo&) { freeBytes_.reset(); });
}

void BackupPage::showFindings() {
    std::vector<ShownFinding> shown;
    const auto blocker = [&shown](const QString& what, const QString& remedy) -> ShownFinding& {
        shown.push_back({.look = Look::Blocker, .text = what, .remedy = remedy});
        return shown.back();
    };
    for (const dump::DumpFinding& finding : inspected_) {
        ShownFinding& line =
            blocker(QString::fromStdString(finding.what), inWindow(finding.remedy));
        line.look = finding.kind == dump::DumpFindingKind::Good      ? Look::Good
                    : finding.kind == dump::DumpFindingKind::Warning ? Look::Warning
                                                                     : Look::Blocker;
        if (line.look != Look::Good) {
            line.mends = {{tr("Look again"), [this] { inspectNow(); }}};
        }
    }
    if (const QStringList hidden = objects_.unreadable(); !hidden.isEmpty()) {
        const QString some = hidden.mid(0, 3).join(QStringLiteral(", "));
        ShownFinding& line =
            blocker(tr("%n tables may not be read by this role: %1", nullptr,
                       static_cast<int>(hidden.size()))
                        .arg(hidden.size() > 3 ? some + QStringLiteral(", …") : some),
                    tr("GRANT SELECT on them, or leave them out."));
        line.mends = {{tr("Leave them out"), [this] { objects_.leaveOutUnreadable(); }}};
    }
    if (destinationTaken_ && !options_.overwrite) {
        ShownFinding& line =
            blocker(tr("%1 is there already").arg(QString::fromStdString(options_.output.string())),
                    tr("Nothing is replaced unless you say so."));
        line.mends = {{tr("Replace it"), [this] {
                           options::DumpOptions with = options_;
                           with.overwrite = true;
                           form_->load(options::dumpTable(with));
                           onChanged();
                       }}};
    }
    if (advice_ && freeBytes_) {
        const auto free = static_cast<double>(*freeBytes_);
        if (free < advice_->archiveBytes->high) {
            ShownFinding& line = blocker(
                tr("Only %1 are free at the destination").arg(aboutBytes(free)),
                tr("The archive may take up to %1.").arg(aboutBytes(advice_->archiveBytes->high)));
            line.look = Look::Warning;
        }
    }
    findings_->setFindings(shown);
}

void BackupPage::objectMenu(const QPoint& position) {
    const QModelIndex index = tree_->view()->indexAt(position).siblingAtColumn(0);
    QMenu menu(this);
    if (index.isValid()) {
        connect(menu.addAction(tr("Only this")), &QAction::triggered, this,
                [this, index] { objects_.chooseOnly(index); });
        QAction* rows = menu.addAction(tr("Definition only, no rows\tD"));
        rows->setCheckable(true);
        rows->setChecked(objects_.isDefinitionOnly(index));
        rows->setEnabled(objects_.hasRows(index));
        connect(rows, &QAction::triggered, this, [this, index] { objects_.toggleRows(index); });
        menu.addSeparator();
    }
    connect(menu.addAction(tr("Everything")), &QAction::triggered, &objects_,
            &ObjectTree::chooseAll);
    menu.exec(tree_->view()->viewport()->mapToGlobal(position));
}

void BackupPage::toggleDefinitionOnly() {
    objects_.toggleRows(tree_->view()->currentIndex().siblingAtColumn(0));
}

/// A task's options with what holds at its start.
options::DumpOptions BackupPage::resolved(options::DumpOptions options,
                                          const QString& database) const {
    options.output =
        expandDestination(QString::fromStdString(options.output.string()), database).toStdString();
    return options;
}

void BackupPage::start() {
    gather();
    if (!startButton_->isEnabled() || !server()) return;
    options::DumpOptions wanted = options_;
    wanted.connection = access_.connection(shownServer_, database_);
    const RunController* run = runs_.start(dumpRequest(std::move(wanted), *server(), database_));
    connect(run, &RunController::finished, this, &BackupPage::checkDestination);
    destinationTimer_->start();
}

void BackupPage::copyCommand() {
    gather();
    const options::StockCommand stock = options::pgDumpCommand(
        options_, looked_ ? std::optional(looked_->surroundings.serverMajor) : std::nullopt);
    QStringList notes;
    for (const std::string& note : stock.notes) notes << QString::fromStdString(note);
    auto* dialog = new CommandDialog(
        {{.heading = QStringLiteral("gantryctl"),
          .line =
              QString::fromStdString(options::quoteForShell(options::gantryctlCommand(options_))),
          .notes = {}},
         {.heading = tr("The nearest pg_dump"),
          .line = QString::fromStdString(options::quoteForShell(stock.arguments)),
          .notes = notes}},
        this);
    dialog->open();
}

void BackupPage::saveTask() {
    gather();
    const QString name = askTaskName(this, tasks_, kDump, tr("%1 backup").arg(database_));
    if (name.isEmpty() || !server()) return;
    options::DumpOptions kept = options_;
    kept.connection = {};
    kept.connection.database = database_.toStdString();
    // A task of every night writes to another folder every night.
    kept.output = destination_->text()
                      .replace(QDate::currentDate().toString(Qt::ISODate), QStringLiteral("{date}"))
                      .toStdString();
    tasks_.save({.name = name,
                 .serverId = server()->id,
                 .operation = kDump,
                 .profile = QString::fromStdString(options::toProfile(kept))});
}

void BackupPage::runTask(const SavedTask& task) {
    const ServerProfile* aim = servers_.find(task.serverId);
    try {
        if (!aim) throw Error(ErrorKind::Usage, "the server of this task is no longer known");
        options::DumpOptions options = options::dumpOptionsFromProfile(task.profile.toStdString());
        const QString database = QString::fromStdString(options.connection.database);
        options = resolved(std::move(options), database);
        options.connection = access_.connection(aim->id, database);
        RunRequest request = dumpRequest(std::move(options), *aim, database);
        request.title = task.name;
        runs_.start(std::move(request));
    } catch (const Error& error) {
        showFailure(tr("“%1” cannot be run").arg(task.name), error.info());
    }
}

void BackupPage::openTask(const SavedTask& task) {
    try {
        pending_ = options::dumpOptionsFromProfile(task.profile.toStdString());
    } catch (const Error& error) {
        showFailure(tr("“%1” cannot be opened").arg(task.name), error.info());
        return;
    }
    const options::DumpOptions& o = *pending_;
    quiet_ = true;
    form_->load(options::dumpTable(*pending_));
    quiet_ = false;
    destinationChosen_ = true;
    showOutput(o);
    destination_->setText(QString::fromStdString(o.output.string()));
    jobsChosen_ = o.jobs.has_value();
    if (o.jobs) taskJobs_ = static_cast<int>(*o.jobs);
    const QString database = QString::fromStdString(o.connection.database);
    if (database == database_ && objects_.complete()) {
        applyPending();
    } else {
        chooseDatabase(database);
    }
}

/// The tree has everything now: what a task chose can be shown in it.
void BackupPage::applyPending() {
    if (!pending_) return;
    const options::DumpOptions wanted = *std::exchange(pending_, std::nullopt);
    objects_.chooseAll();
    const auto choice = dump::toChoice(wanted, objects_.choice());
    byPatterns_ = !choice.has_value();
    patterns_ = wanted.selection;
    if (choice) objects_.setChoice(*choice);
    onChanged();
}

}  // namespace gantry::ui
