// SPDX-License-Identifier: PostgreSQL
// What the restore page does: reads the archive, gathers options, starts.
#include <fmt/format.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <atomic>
#include <variant>

#include "core/archive/script_file.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/dump/inventory.h"
#include "core/options/command.h"
#include "core/options/profile.h"
#include "core/options/restore_table.h"
#include "core/pg/connection.h"
#include "core/restore/entry_list.h"
#include "core/restore/restore.h"
#include "core/restore/sql_script.h"
#include "core/scratch/scratch_server.h"
#include "ui/bridge/run_list.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/command_dialog.h"
#include "ui/pages/jobs_slider.h"
#include "ui/pages/option_form.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/recent_archives.h"
#include "ui/pages/restore_page.h"
#include "ui/pages/tree_pane.h"

namespace gantry::ui {
namespace {

namespace fs = std::filesystem;

const QString kRestore = QStringLiteral("restore");

/// What an archive can be opened as.
struct Opened {
    std::optional<ArchiveContents> contents;  ///< empty: a plain script, which is run as a whole
};

Opened openWhatever(const fs::path& path) {
    Opened opened;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) && archive::isDumpScript(File::openForRead(path))) {
        return opened;
    }
    opened.contents = readArchiveContents(path);
    return opened;
}

/// The first few of what an archive lacks.
std::string nameFirst(const std::vector<archive::MissingMember>& missing) {
    constexpr std::size_t kNamed = 5;
    std::vector<std::string> names;
    for (const archive::MissingMember& member : missing) names.push_back(member.name);
    if (names.size() <= kNamed) return enumerate(names);
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(fmt::format("{} more", more));
    return enumerate(names);
}

void createDatabase(const options::ConnectionOptions& connection, const std::string& name,
                    const std::stop_token& stop) {
    pg::Connection session = pg::Connection::open(connection, kApplication, stop);
    session.execute("CREATE DATABASE " + pg::quoteIdentifier(name) + " TEMPLATE template0");
}

/// Also of a run that was stopped. What cannot be dropped is seen in the list of databases.
void dropDatabase(const options::ConnectionOptions& connection, const std::string& name) {
    try {
        pg::Connection::open(connection, kApplication, {})
            .execute("DROP DATABASE " + pg::quoteIdentifier(name));
    } catch (const Error&) {
    }
}

/// Notes that a run has begun: one that was refused has touched nothing.
class BeginningWatch : public events::EventSink {
public:
    explicit BeginningWatch(events::EventSink& next) : next_(next) {}

    void post(events::Payload payload) override {
        if (std::holds_alternative<events::RunStarted>(payload)) begun_ = true;
        next_.post(std::move(payload));
    }
    bool begun() const { return begun_; }

private:
    events::EventSink& next_;
    std::atomic<bool> begun_ = false;
};

/// Into a database that is made for it, and is gone again if the restore is refused.
void restoreIntoNew(const options::RestoreOptions& options,
                    const options::ConnectionOptions& maintenance, const std::string& database,
                    events::EventSink& events, const std::stop_token& stop,
                    run::RunControl& control) {
    createDatabase(maintenance, database, stop);
    BeginningWatch watched(events);
    try {
        restore::restore(options, watched, stop, &control);
    } catch (const Error&) {
        if (!watched.begun()) dropDatabase(maintenance, database);
        throw;
    }
}

/// Into a server that is made for it, and stays if the restore was carried out.
void restoreIntoScratch(options::RestoreOptions options, const std::string& database,
                        events::EventSink& events, const std::stop_token& stop,
                        run::RunControl& control) {
    scratch::ScratchServer server = scratch::ScratchServer::start({}, stop);
    options.connection = {};
    options.connection.database = server.info().conninfo();
    createDatabase(options.connection, database, stop);
    options.connection.database = server.info().conninfo(database);
    // Nobody can look at it before to see what is missing.
    options.content.createSchemas = !restore::isScript(options.archive);
    options.content.createRoles = options.content.createSchemas;
    restore::restore(options, events, stop, &control);
    server.release();
}

}  // namespace

RestorePage::Target RestorePage::target() const { return static_cast<Target>(targets_->chosen()); }

QString RestorePage::database() const {
    return target() == Target::New || target() == Target::Scratch ? fresh_->text().trimmed()
                                                                  : existing_->currentText();
}

void RestorePage::turn() {
    const QString id = server() ? server()->id : QString();
    takeDefaults();
    if (id == shownServer_) {
        onChanged();
        return;
    }
    shownServer_ = id;
    databasesJob_.stop();
    inspectJob_.stop();
    adviceJob_.stop();
    inspected_.clear();
    advice_.reset();
    showAdvice();
    existing_->clear();
    knownDatabases_.clear();
    failure_->hide();
    confirmation_->clear();
    clean_->setChecked(false);
    if (!id.isEmpty()) listDatabases();
    onChanged();
}

void RestorePage::takeDefaults() {
    const int wanted = server() ? server()->defaults.restoreJobs : 0;
    if (wanted == std::exchange(defaultJobs_, wanted)) return;
    jobsChosen_ = wanted > 0;
    if (!jobsChosen_) return;
    if (wanted > jobs_->maximum()) jobs_->setRange(1, wanted);
    jobs_->setValue(wanted);
}

void RestorePage::listDatabases() {
    databasesJob_ = access_.run(
        this, shownServer_, {},
        [](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            pg::Connection session = pg::Connection::open(connection, kApplication, stop);
            return dump::listDatabases(session);
        },
        [this](const std::vector<std::string>& found) {
            quiet_ = true;
            const QString chosen =
                existing_->currentIndex() < 0 ? wantedDatabase_ : existing_->currentText();
            existing_->clear();
            knownDatabases_.clear();
            for (const std::string& name : found) knownDatabases_ << QString::fromStdString(name);
            existing_->addItems(knownDatabases_);
            // None is proposed: where to restore is for people to say.
            existing_->setCurrentIndex(existing_->findText(chosen));
            proposeName();
            quiet_ = false;
            if (pendingTarget_) applyTarget(*std::exchange(pendingTarget_, std::nullopt));
            onChanged();
        },
        [this](const ErrorInfo& error) {
            failure_->showError(tr("The server cannot be reached"), error, [this] {
                shownServer_.clear();
                turn();
            });
        });
}

void RestorePage::refresh() {
    recent_->refresh();
    if (knownDatabases_.isEmpty()) {
        shownServer_.clear();
        turn();
    } else {
        listDatabases();
    }
}

void RestorePage::chooseTarget(Target wanted, const QString& database) {
    wantedDatabase_ = database;
    targets_->choose(static_cast<int>(wanted));
    if (wanted == Target::New || wanted == Target::Scratch) {
        freshChosen_ = !database.isEmpty();
        if (freshChosen_) fresh_->setText(database);
        proposeName();
    } else {
        existing_->setCurrentIndex(existing_->findText(database));
    }
}

void RestorePage::openArchive(const QString& path) {
    const QString before = std::exchange(openPath_, expandDestination(path.trimmed(), {}));
    path_->setText(openPath_);
    if (!before.isEmpty() && before != openPath_) forgetChoices();
    failure_->hide();
    contents_.clear();
    script_ = false;
    tree_->hide();
    invitation_->setText(tr("Reading the contents…"));
    empty_->show();
    readJob_.stop();
    readJob_ = runAsync(
        this,
        [file = fs::path(openPath_.toStdString())](const std::stop_token&) {
            return openWhatever(file);
        },
        [this](Opened opened) {
            script_ = !opened.contents.has_value();
            setTitle(tr("Restore %1").arg(QFileInfo(openPath_).fileName()));
            if (opened.contents) {
                showContents(std::move(*opened.contents));
            } else {
                invitation_->setText(
                    tr("A plain SQL script: it is run as a whole, statement by statement."));
                onChanged();
            }
        },
        [this](const ErrorInfo& error) {
            invitation_->setText(tr("Open an archive, or drop one here"));
            failure_->showError(tr("The archive cannot be opened"), error,
                                [this] { openArchive(openPath_); });
            onChanged();
        });
    onChanged();  // says that it is being read
}

/// What was right for one archive, or one server, may destroy another.
void RestorePage::forgetChoices() {
    const bool quiet = std::exchange(quiet_, true);
    options::RestoreOptions standard;
    form_->load(options::restoreTable(standard));
    clean_->setChecked(false);
    tree_->search()->clear();
    freshChosen_ = false;
    quiet_ = quiet;
}

void RestorePage::showContents(ArchiveContents contents) {
    contents_.setContents(std::move(contents));
    empty_->hide();
    tree_->show();
    tree_->setRemark({});
    if (contents_.rowCount() == 1) tree_->view()->expand(contents_.index(0, 0));
    proposeName();
    if (!contents_.reader().missing().empty()) {
        const archive::MissingMember& first = contents_.reader().missing().front();
        failure_->showError(tr("The archive is not whole"),
                            Error(ErrorKind::Format, first.problem, first.name,
                                  fmt::format("What is there can be restored. Missing is {}.",
                                              nameFirst(contents_.reader().missing())))
                                .info());
    }
    if (pending_) applyTask(*std::exchange(pending_, std::nullopt));
    onChanged();
}

/// That of the archive's database; a new one beside it gets a name that is free.
void RestorePage::proposeName() {
    const std::optional<std::string> name =
        contents_.empty() ? std::nullopt : contents_.reader().toc().databaseName;
    if (freshChosen_ || !name) return;
    const QString base = text(*name);
    QString proposal = base;
    for (int i = 1; target() == Target::New && knownDatabases_.contains(proposal); ++i) {
        proposal =
            base + (i == 1 ? QStringLiteral("_restored") : QStringLiteral("_restored%1").arg(i));
    }
    fresh_->setText(proposal);
}

void RestorePage::onTarget() {
    const Target now = target();
    const bool fresh = now == Target::New || now == Target::Scratch;
    existing_->setVisible(!fresh);
    fresh_->setVisible(fresh);
    clean_->setVisible(now == Target::Existing);
    confirmation_->clear();
    proposeName();
    switch (now) {
        case Target::Existing:
            targetNote_->setText({});
            break;
        case Target::New:
            targetNote_->setText(
                tr("Created from template0. If the restore fails, it stays for "
                   "you to look at."));
            break;
        case Target::Refresh:
            targetNote_->setText(
                tr("Users keep working in the old database until the new one is "
                   "whole; then the names are swapped."));
            break;
        case Target::Scratch:
            targetNote_->setText(
                tr("Of the newest server programs on this machine, over a private socket; it "
                   "appears among the servers and goes with one click."));
            break;
    }
    targetNote_->setVisible(!targetNote_->text().isEmpty());
    onChanged();
}

void RestorePage::gather() {
    options_ = {};
    options_.archive = openPath_.toStdString();
    if (!script_) options_.jobs = static_cast<uint32_t>(jobs_->value());
    if (target() == Target::Scratch) {
        options_.connection.database = database().toStdString();
    } else if (server()) {
        options_.connection = connectionTo(*server(), database());
        // An empty name would be the profile's own database, which nobody chose.
        if (database().isEmpty()) options_.connection.database.clear();
    }
    const std::vector<options::Option> table = options::restoreTable(options_);
    problems_ = form_->apply(table);
    if (target() == Target::Existing && clean_->isChecked()) {
        options_.content.clean = true;
        options_.content.ifExists = true;
    }
    if (target() == Target::Refresh) {
        if (const options::Option* row = options::findOption(table, "refresh")) row->set("");
    }
    std::vector<options::Problem> found = options::validate(options_);
    if (script_ && found.empty()) found = options::validateForScript(options_);
    problems_.insert(problems_.end(), found.begin(), found.end());
}

void RestorePage::onChanged() {
    if (quiet_ || !startButton_) return;
    gather();
    doomed_.reset();  // it may be another database, or another choice
    form_->showProblems(problems_);
    showChips();
    showJobs();
    showSummary();
    showFindings();
    showFoot();
    inspectTimer_->start();
}

/// Where to, and what from.
void RestorePage::showChips() {
    QStringList chips;
    if (target() == Target::Scratch) {
        chips << tr("scratch server");
    } else if (server()) {
        chips << server()->name;
    }
    if (!contents_.empty()) {
        const archive::Toc& toc = contents_.reader().toc();
        QString held = text(archive::toString(contents_.reader().format()));
        if (toc.serverVersion)
            held += tr(" · PostgreSQL %1").arg(text(*toc.serverVersion).section(u' ', 0, 0));
        chips << held + QStringLiteral(" · ") + bytesText(contents_.allBytes());
    }
    setChips(chips);
}

void RestorePage::showJobs() {
    jobs_->setEnabled(!script_);
    jobsLabel_->setText(
        script_ ? tr("a script runs over one connection")
                : tr("%n connections that load and build at once", nullptr, jobs_->value()));
}

void RestorePage::showSummary() {
    setStatus({.left = QDir::toNativeSeparators(openPath_), .right = {}});
    if (contents_.empty()) return;
    tree_->setSummary(
        tr("%1 of %2 chosen")
            .arg(bytesText(contents_.chosenBytes()), bytesText(contents_.allBytes())));
    setStatus({.left = QDir::toNativeSeparators(openPath_),
               .right = tr("%1 of %2 entries")
                            .arg(countText(contents_.chosenEntries()),
                                 countText(contents_.reader().toc().entries.size()))});
}

bool RestorePage::destroys() const {
    return (target() == Target::Existing && clean_->isChecked()) || target() == Target::Refresh;
}

QString RestorePage::whatIsDestroyed() const {
    if (target() == Target::Refresh) {
        return doomed_ ? tr("The database %1 (%n tables, %2) is replaced by what is restored.",
                            nullptr, static_cast<int>(doomed_->tables))
                             .arg(database(), bytesText(doomed_->bytes))
                       : tr("The database %1 is replaced by what is restored.").arg(database());
    }
    if (destroys() && doomed_) {
        return doomed_->tables == 0
                   ? tr("No table of the choice exists in %1; other objects of it are dropped.")
                         .arg(database())
                   : tr("%n tables of %1 are dropped with their rows (%2).", nullptr,
                        static_cast<int>(doomed_->tables))
                         .arg(database(), bytesText(doomed_->bytes));
    }
    if (destroys()) {
        return tr("Whatever of the %n chosen objects exists in %1 is dropped with its rows.",
                  nullptr, static_cast<int>(contents_.chosenEntries()))
            .arg(database());
    }
    return tr("%1 is on a production server.").arg(database());
}

QString RestorePage::firstError() const {
    if (openPath_.isEmpty()) return tr("Open an archive first.");
    if (contents_.empty() && !script_) {
        return readJob_.running() ? tr("The contents are being read.")
                                  : tr("The archive cannot be opened.");
    }
    if (!contents_.empty() && contents_.chosenEntries() == 0) {
        return tr("Nothing of the archive is chosen.");
    }
    if (target() != Target::Scratch && !server()) return tr("Choose a server at the left first.");
    if (database().isEmpty()) {
        return target() == Target::New || target() == Target::Scratch
                   ? tr("Name the new database.")
                   : tr("Choose the database to restore into.");
    }
    if (target() == Target::New && knownDatabases_.contains(database())) {
        return tr("There is a database %1 already.").arg(database());
    }
    for (const options::Problem& problem : problems_) {
        if (problem.severity == options::ProblemSeverity::Error) {
            return inWindow(problem.describe());
        }
    }
    if (blocked_) return tr("See “Before it starts”.");
    return {};
}

void RestorePage::showFoot() {
    verify_->setEnabled(!contents_.empty() || script_);
    const QString error = firstError();
    const bool production = server() && server()->production && target() != Target::Scratch;
    const bool confirming = error.isEmpty() && (destroys() || production);
    confirmation_->ask(confirming
                           ? tr("%1 To confirm, type the database's name:").arg(whatIsDestroyed())
                           : QString(),
                       database());
    // What is still to be said is no mistake.
    const bool asked = openPath_.isEmpty() || readJob_.running() || database().isEmpty() ||
                       (target() != Target::Scratch && !server());
    setLook(problem_, asked ? "muted" : "error");
    problem_->setText(error);
    problem_->setVisible(!error.isEmpty());
    startButton_->setEnabled(error.isEmpty() && confirmation_->confirmed());
    startButton_->setToolTip(toolTipText(error));
    QString where;
    if (error.isEmpty()) {
        where = target() == Target::Scratch ? tr("Into %1 on a new scratch server").arg(database())
                                            : tr("Into %1 on %2").arg(database(), server()->name);
        if (advice_) {
            const auto jobs = static_cast<uint32_t>(jobs_->value());
            const advise::Range range = advice_->curve.timeRange(jobs);
            where +=
                QStringLiteral(" · ") +
                (range.high < 2 ? tr("a second or less, an estimate")
                                : tr("%1 to %2, an estimate")
                                      .arg(spokenDuration(range.low), spokenDuration(range.high)));
        }
    }
    summary_->setText(where);
    summary_->setVisible(!where.isEmpty());
}

RestoreWanted RestorePage::wanted() const {
    RestoreWanted wanted{.options = options_, .list = {}};
    if (!contents_.empty() && !contents_.everything()) {
        wanted.choose(contents_.list(), listFolder_);
    }
    return wanted;
}

void RestorePage::start() {
    gather();
    showFoot();
    if (!startButton_->isEnabled()) return;
    RestoreWanted wanted = this->wanted();
    const ServerProfile aim = server().value_or(ServerProfile());
    const std::string name = database().toStdString();
    const bool scratch = target() == Target::Scratch;
    const bool create = target() == Target::New;
    const options::ConnectionOptions maintenance = access_.connection(shownServer_);
    if (!scratch) wanted.options.connection = access_.connection(shownServer_, database());
    RunRequest request = restoreRequest(wanted.options, aim, database());
    request.work = [wanted, name, scratch, create, maintenance](
                       events::EventSink& events, std::stop_token stop, run::RunControl& control) {
        wanted.writeList();
        if (scratch) return restoreIntoScratch(wanted.options, name, events, stop, control);
        if (create) {
            return restoreIntoNew(wanted.options, maintenance, name, events, stop, control);
        }
        restore::restore(wanted.options, events, stop, &control);
    };
    if (scratch) {
        request.chips.front() = tr("scratch server");
        request.connection.reset();  // it is the server's, which is still to be made
        request.again = {};
        request.resumed = {};
    }
    confirmation_->clear();
    RunController* run = runs_.start(std::move(request));
    if (create) {  // it is an existing one from now on
        connect(run, &RunController::finished, this, [this] {
            if (server()) listDatabases();
        });
    }
    if (scratch) Q_EMIT scratchStarted(run);
}

void RestorePage::copyCommand() {
    gather();
    const RestoreWanted wanted = this->wanted();
    const options::StockCommand stock = options::pgRestoreCommand(wanted.options);
    QStringList notes;
    for (const std::string& note : stock.notes) notes << QString::fromStdString(note);
    QString before;
    if (target() == Target::New) {
        before = QString::fromStdString(options::quoteForShell(options::createdbCommand(
                     wanted.options.connection, database().toStdString()))) +
                 QStringLiteral(" && ");
    }
    const auto line = [&](const std::vector<std::string>& arguments) {
        return before + QString::fromStdString(options::quoteForShell(arguments));
    };
    auto* dialog = new CommandDialog(
        {{.heading = QStringLiteral("gantryctl"),
          .line = line(options::gantryctlCommand(wanted.options)),
          .notes = {}},
         {.heading = tr("The nearest pg_restore"), .line = line(stock.arguments), .notes = notes}},
        this);
    if (wanted.list.empty()) {
        dialog->open();
        return;
    }
    listJob_ = runAsync(
        dialog, [wanted](const std::stop_token&) { wanted.writeList(); },
        [dialog] { dialog->open(); },
        [this](const ErrorInfo& error) {
            failure_->showError(tr("The command cannot be made"), error);
        });
}

void RestorePage::saveTask() {
    gather();
    if (target() == Target::Scratch) {  // it would aim at the server that is chosen now
        failure_->showError(tr("The task cannot be saved"),
                            Error(ErrorKind::Usage, "a scratch server is another one each time", {},
                                  "Choose a database of a server as the target.")
                                .info());
        return;
    }
    const QString proposal = tr("Restore %1").arg(database());
    const QString name = askTaskName(this, tasks_, kRestore, proposal);
    if (name.isEmpty()) return;
    RestoreWanted kept = wanted();
    kept.options.connection = {};
    kept.options.connection.database = database().toStdString();
    const auto store = [this, name, kept] {
        tasks_.save({.name = name,
                     .serverId = shownServer_,
                     .operation = kRestore,
                     .profile = QString::fromStdString(options::toProfile(kept.options))});
    };
    if (kept.list.empty()) return store();
    listJob_ = runAsync(
        this, [kept](const std::stop_token&) { kept.writeList(); }, store,
        [this](const ErrorInfo& error) {
            failure_->showError(tr("The task cannot be saved"), error);
        });
}

void RestorePage::openTask(const SavedTask& task) {
    try {
        pending_ = options::restoreOptionsFromProfile(task.profile.toStdString());
    } catch (const Error& error) {
        failure_->showError(tr("“%1” cannot be opened").arg(task.name), error.info());
        return;
    }
    openArchive(QString::fromStdString(pending_->archive.string()));
}

void RestorePage::applyTask(const options::RestoreOptions& wanted) {
    options::RestoreOptions shown = wanted;
    form_->load(options::restoreTable(shown));
    if (wanted.jobs) {
        jobs_->setValue(static_cast<int>(*wanted.jobs));
        jobsChosen_ = true;
    }
    applyTarget(wanted);
    if (wanted.selection.listFile.empty()) return;
    try {
        contents_.chooseEntries(restore::readEntryList(wanted.selection.listFile));
    } catch (const Error& error) {
        failure_->showError(tr("What the task chose is not known any more"), error.info());
    }
}

/// Whether the database is one that is there is known with the list of them.
void RestorePage::applyTarget(const options::RestoreOptions& wanted) {
    if (databasesJob_.running()) {
        pendingTarget_ = wanted;
        return;
    }
    const QString name = QString::fromStdString(wanted.connection.database);
    const bool there = knownDatabases_.contains(name);
    chooseTarget(wanted.refresh ? Target::Refresh : there ? Target::Existing : Target::New, name);
    clean_->setChecked(wanted.content.clean);
}

}  // namespace gantry::ui
