// SPDX-License-Identifier: PostgreSQL
// What the tune page does: predicts, has a sweep carried out, shows it, keeps what it advises.
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/base/sync.h"
#include "core/dump/inventory.h"
#include "core/options/command.h"
#include "core/options/dump_table.h"
#include "core/options/tune_table.h"
#include "core/pg/connection.h"
#include "ui/charts/tune_curve.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/forms/text.h"
#include "ui/forms/window_words.h"
#include "ui/pages/choice_cards.h"
#include "ui/pages/command_dialog.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/tune_page.h"

namespace gantry::ui {
namespace {

constexpr int kArchive = 6;  // columns
constexpr int kNote = 7;
constexpr int kMostRows = 8;

QString secondsOf(double value) { return text(tune::secondsText(value)); }

/// Words at the left, numbers at the right.
Qt::Alignment alignmentOf(int column) {
    return Qt::AlignVCenter | (column == 0 || column == kNote ? Qt::AlignLeft : Qt::AlignRight);
}

/// "0.45 – 0.48 s".
QString rangeOf(const tune::Point& point) {
    if (point.samples.size() < 2) return TunePage::tr("once");
    QString fastest = secondsOf(point.fastest());
    const QString slowest = secondsOf(point.slowest());
    const QString unit = QStringLiteral(" s");
    if (fastest.endsWith(unit) && slowest.endsWith(unit)) fastest.chop(unit.size());
    return TunePage::tr("%1 – %2").arg(fastest, slowest);
}

QString percentOf(double share) { return QStringLiteral("%1%").arg(share * 100, 0, 'f', 0); }

}  // namespace

/// Brings what a sweep tells to the GUI thread; lets go of the page when that goes.
class TunePage::Relay final : public tune::Observer,
                              public std::enable_shared_from_this<TunePage::Relay> {
public:
    explicit Relay(TunePage* page) : page_(page) {}

    /// GUI thread: nothing is told any more.
    void detach() { page_ = nullptr; }

    void step(const std::string& what) override {
        post([what](TunePage& page) { page.onStep(text(what)); });
    }
    void tell(const std::string& sentence) override {
        post([sentence](TunePage& page) { page.onTold(text(sentence)); });
    }
    void changed(const tune::Report& report) override {
        post([report](TunePage& page) {
            page.report_ = report;
            page.showReport();
        });
    }
    void begins(const tune::Report& report, const tune::Sweep::Measurement& now,
                std::size_t left) override {
        post([report, now, left](TunePage& page) { page.onBegins(report, now, left); });
    }
    void progress(const events::RunState& run) override {
        const double fraction = run.fraction();
        post([fraction](TunePage& page) { page.onProgress(fraction); });
    }

private:
    void post(std::function<void(TunePage&)> action) {
        postToGui([self = shared_from_this(), action = std::move(action)] {
            if (self->page_) action(*self->page_);
        });
    }

    TunePage* page_;  ///< GUI thread only
};

TunePage::~TunePage() {
    if (relay_) relay_->detach();
    if (stop_) stop_->request_stop();
}

void TunePage::turn() {
    const QString id = server() ? server()->id : QString();
    if (id == shownServer_) return;
    shownServer_ = id;
    databasesJob_.stop();
    predictJob_.stop();
    failure_->hide();
    databases_->clear();
    database_.clear();
    if (!running_) {
        report_.reset();
        showReport();
    }
    setChips({});
    setStatus({});
    if (!id.isEmpty()) listDatabases();
    onChanged();
}

void TunePage::listDatabases() {
    databasesJob_ = access_.run(
        this, shownServer_, {},
        [](const options::ConnectionOptions& connection, const std::stop_token& stop) {
            pg::Connection session = pg::Connection::open(connection, kApplication, stop);
            return std::pair(dump::listDatabases(session), session.databaseName());
        },
        [this](const std::pair<std::vector<std::string>, std::string>& found) {
            QStringList names;
            for (const std::string& name : found.first) names << QString::fromStdString(name);
            databases_->addItems(names);
            QString first = QString::fromStdString(found.second);
            // The maintenance database is what people connect to, not what they work in.
            if (first == QLatin1String("postgres")) {
                const auto other = std::find_if(names.begin(), names.end(),
                                                [&](const QString& name) { return name != first; });
                if (other != names.end()) first = *other;
            }
            chooseDatabase(names.contains(wantedDatabase_) ? wantedDatabase_ : first);
        },
        [this](const ErrorInfo& error) {
            showFailure(tr("The server cannot be reached"), error, [this] {
                shownServer_.clear();
                turn();
            });
        });
}

void TunePage::chooseDatabase(const QString& database) {
    wantedDatabase_ = database;
    const int row = databases_->findText(database);
    if (row < 0 || database == database_) return;  // it comes with the list
    databases_->setCurrentIndex(row);
    database_ = database;
    onChanged();
}

void TunePage::chooseOperation(options::TuneOperation operation) {
    operations_->choose(static_cast<int>(operation));
    onChanged();
}

void TunePage::openArchive(const QString& path) { archive_->setText(path); }

/// What the page shows, as options.
void TunePage::gather() {
    options_ = {};
    problems_.clear();
    const auto operation = static_cast<options::TuneOperation>(operations_->chosen());
    options_.operation = operation;
    const std::vector<options::Option> table = options::tuneTable(options_);
    const auto give = [&](const char* name, const QString& value) {
        if (value.isEmpty()) return;
        try {
            options::findOption(table, name)->set(value.toStdString());
        } catch (const Error& error) {
            problems_.push_back(
                {options::ProblemSeverity::Error, {name}, error.info().message, error.info().hint});
        }
    };
    const bool restores = operation == options::TuneOperation::Restore;
    const bool vacuums = operation == options::TuneOperation::Vacuum;
    give("jobs", QString(jobs_->text()).remove(u' '));
    options_.rounds = rounds_->value();
    options_.budget = budget_->currentData().toString().toStdString();
    if (!restores) options_.clientToolsFolder = tools_->text().trimmed().toStdString();
    if (restores) {
        options_.archive = archive_->text().trimmed().toStdString();
        options_.scratch = restoreInto_->currentIndex() == 1;
    } else if (vacuums) {
        options_.copy = vacuumOf_->currentIndex() < 2;
        options_.scratch = vacuumOf_->currentIndex() == 1;
        options_.inPlace = vacuumOf_->currentIndex() == 2;
    } else {
        give("compress", QString(codecs_->text()).remove(u' '));
        for (std::size_t i = 0; i < formats_.size(); ++i) {
            if (formats_[i]->isChecked()) {
                options_.formats.push_back(static_cast<archive::Format>(i));
            }
        }
        // The one that holds anyway need not be said.
        if (options_.formats == std::vector{archive::Format::Directory}) options_.formats.clear();
        if (target_->currentIndex() == 1 && options_.formats.size() < 2)
            options_.target = options::TuneTarget::Disk;
    }
    if (server() && !(restores && options_.scratch)) {
        options_.connection = connectionTo(*server(), database_);
    }
    std::vector<options::Problem> found = options::validate(options_);
    problems_.insert(problems_.end(), found.begin(), found.end());
}

void TunePage::onChanged() {
    if (quiet_ || !startButton_) return;
    gather();
    databaseField_->setVisible(options_.operation != options::TuneOperation::Restore);
    toolsField_->setVisible(databaseField_->isVisibleTo(this));
    const bool compares = options_.formats.size() > 1;
    target_->setEnabled(!compares);
    target_->setToolTip(compares ? tr("Formats differ in what they write") : QString());
    for (std::size_t i = 0; i < particulars_.size(); ++i) {
        particulars_[i]->setVisible(static_cast<int>(i) == operations_->chosen());
    }
    setTitle(database_.isEmpty() || options_.operation == options::TuneOperation::Restore
                 ? tr("Tune")
                 : tr("Tune %1").arg(database_));
    showFoot();
    if (!running_) predictTimer_->start();
}

void TunePage::predict() {
    predictJob_.stop();
    localPredictJob_.stop();
    if (running_) return;
    if (!firstError().isEmpty()) {
        if (report_ && report_->options.operation == options_.operation) return;
        report_.reset();  // it is about something else
        showReport();
        return;
    }
    // What was measured stays until something else is to be.
    const bool same = report_ && report_->anyMeasured() && sweptServer_ == shownServer_ &&
                      report_->options.operation == options_.operation &&
                      report_->options.archive == options_.archive && sweptDatabase_ == database_;
    if (same) return;
    const auto done = [this](tune::Report report) {
        if (running_) return;
        report_ = std::move(report);
        failure_->hide();
        showReport();
    };
    const auto failed = [this](const ErrorInfo& error) {
        showFailure(tr("It cannot be measured"), error);
    };
    const auto work = [options = options_, history = history_](
                          const options::ConnectionOptions& connection,
                          const std::stop_token& stop) {
        options::TuneOptions asked = options;
        asked.connection = connection;
        return tune::outlook(asked, history, stop);
    };
    if (options_.connection.database.empty()) {
        localPredictJob_ = runAsync(
            this, [work](const std::stop_token& stop) { return work({}, stop); }, done, failed);
    } else {
        predictJob_ = access_.run(this, shownServer_, database_, work, done, failed);
    }
}

void TunePage::start() {
    gather();
    showFoot();
    if (running_ || !firstError().isEmpty()) return;
    predictTimer_->stop();
    predictJob_.stop();
    localPredictJob_.stop();
    failure_->hide();
    running_ = true;
    measured_ = left_ = 0;
    headline_.clear();
    told_.clear();
    sweptServer_ = shownServer_;
    sweptDatabase_ = database_;
    if (report_) {
        report_->over = report_->stopped = false;
        report_->error.reset();
        for (tune::Point& point : report_->points) point.samples.clear();
    }
    stop_ = std::make_shared<std::stop_source>();
    relay_ = std::make_shared<Relay>(this);
    const auto work = [options = options_, history = history_, relay = relay_, source = stop_](
                          const options::ConnectionOptions& connection,
                          const std::stop_token& stop) {
        // Stopped by the page, the sweep still tells what it has; gone, it only ends.
        const std::stop_callback gone(stop, [source] { source->request_stop(); });
        options::TuneOptions asked = options;
        asked.connection = connection;
        return tune::tune(asked, history, *relay, source->get_token());
    };
    const auto done = [this](tune::Report report) {
        report_ = std::move(report);
        finish();
    };
    const auto failed = [this](const ErrorInfo& error) {
        finish();
        if (error.kind != ErrorKind::Cancelled) showFailure(tr("Nothing was measured"), error);
    };
    if (options_.connection.database.empty()) {
        localSweepJob_ = runAsync(
            this, [work](const std::stop_token& stop) { return work({}, stop); }, done, failed);
    } else {
        sweepJob_ = access_.run(this, shownServer_, database_, work, done, failed);
    }
    showReport();
}

void TunePage::stop() {
    if (!running_ || stop_->stop_requested()) return;
    stop_->request_stop();
    headline_ = tr("Stopping…");
    showFoot();
}

QString TunePage::underWay() const {
    if (!running_ || stop_->stop_requested()) return {};
    return tr("A sweep is measuring %1.").arg(sweptDatabase_);
}

void TunePage::finish() {
    running_ = false;
    relay_->detach();
    relay_.reset();
    curve_->setRunning({});
    headline_.clear();
    showReport();
}

void TunePage::onStep(const QString& step) {
    if (!running_ || stop_->stop_requested()) return;
    if (step.isEmpty()) {
        showFoot();
    } else {
        progress_->setText(headline_.isEmpty() ? tr("%1…").arg(step)
                                               : tr("%1: %2…").arg(headline_, step));
    }
}

void TunePage::onTold(const QString& sentence) {
    told_ = sentence;
    showAdvice();
}

void TunePage::onBegins(const tune::Report& report, const tune::Sweep::Measurement& now,
                        std::size_t left) {
    if (!running_) return;
    ++measured_;
    left_ = left;
    curve_->setRunning(now.point);
    bar_->setValue(0);
    const QString what = text(tune::describe(report.points[now.point].setting));
    const QString which = now.round == 0 ? tr("%1, a first time that does not count").arg(what)
                                         : tr("%1, round %2 of %3")
                                               .arg(what)
                                               .arg(now.round)
                                               .arg(report.options.rounds.value_or(3));
    headline_ = tr("Measuring %1; up to %n more", nullptr, static_cast<int>(left)).arg(which);
    showFoot();
}

void TunePage::onProgress(double fraction) {
    if (running_) bar_->setValue(static_cast<int>(fraction * 1000));
}

void TunePage::showReport() {
    const bool any = report_.has_value();
    curve_->setReport(any ? *report_ : tune::Report());
    showTable();
    showAdvice();
    showFoot();
    if (!any) return;
    QStringList chips;
    const std::string& version = report_->where.serverVersion;
    if (!version.empty()) {
        chips << tr("PostgreSQL %1").arg(text(version.substr(0, version.find(' '))));
    }
    chips << tr("%n cores here", nullptr, static_cast<int>(report_->cores));
    setChips(chips);
}

void TunePage::showTable() {
    quiet_ = true;
    const int before = table_->currentRow();
    table_->clearContents();
    const QStringList titles{tr("Jobs"),     tr("Median"),     tr("Range"),   tr("Predicted"),
                             tr("Speed-up"), tr("Efficiency"), tr("Archive"), tr("Note")};
    table_->setColumnCount(static_cast<int>(titles.size()));
    for (int column = 0; column < titles.size(); ++column) {
        auto* item = new QTableWidgetItem(titles[column]);
        item->setTextAlignment(alignmentOf(column));
        table_->setHorizontalHeaderItem(column, item);
    }
    const std::vector<tune::Row> rows = report_ ? tune::rowsOf(*report_) : std::vector<tune::Row>();
    table_->setRowCount(static_cast<int>(rows.size()));
    bool archives = false;
    for (const tune::Row& row : rows) {
        const tune::Point& point = report_->points[row.point];
        QStringList cells{
            text(tune::describe(point.setting)), {}, {}, {}, {}, {}, {}, text(row.note)};
        if (point.setting.format || point.setting.compression) {
            cells[0] = text(tune::describe(point.setting));
        } else {
            cells[0] = QString::number(point.setting.jobs);
        }
        if (point.predicted) cells[3] = secondsOf(*point.predicted);
        if (point.measured()) {
            cells[1] = secondsOf(point.median());
            cells[2] = rangeOf(point);
            cells[4] = QString::number(row.speedUp, 'f', 2);
            cells[5] = percentOf(row.efficiency);
            const uint64_t bytes = point.samples.back().archiveBytes;
            if (bytes > 0) cells[6] = text(formatBytes(bytes));
            archives =
                archives || (bytes > 0 && (point.setting.format || point.setting.compression));
        }
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setTextAlignment(alignmentOf(column));
            item->setToolTip(cells[column]);
            if (row.advised) {
                QFont font = item->font();
                font.setWeight(QFont::DemiBold);
                item->setFont(font);
            }
            table_->setItem(static_cast<int>(row.point), column, item);
        }
    }
    table_->setColumnHidden(kArchive, !archives);
    table_->resizeColumnsToContents();
    constexpr int kAir = 2;
    for (int i = 0; i < table_->columnCount(); ++i) {
        if (!table_->isColumnHidden(i)) table_->setColumnWidth(i, table_->columnWidth(i) + kAir);
    }
    const int shown = std::min(table_->rowCount(), kMostRows);
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           shown * table_->verticalHeader()->defaultSectionSize() + 2);
    if (before >= 0 && before < table_->rowCount()) table_->setCurrentCell(before, 0);
    quiet_ = false;
}

void TunePage::showAdvice() {
    QStringList words;
    const bool measured = report_ && report_->anyMeasured();
    if (measured || (report_ && report_->over)) {
        for (const std::string& sentence : tune::adviceInWords(*report_)) words << text(sentence);
    }
    QString first = words.isEmpty() ? QString() : words.takeFirst();
    if (!first.isEmpty() && running_) {
        first = tr("So far: %1").arg(first);
    } else if (first.isEmpty() && running_) {
        first = tr("Measuring…");
    } else if (first.isEmpty() && report_) {
        first = tr("Nothing is measured yet.");
        const bool predicted = std::any_of(report_->points.begin(), report_->points.end(),
                                           [](const tune::Point& p) { return p.predicted; });
        if (predicted) words << tr("The line is what the advisor predicts.");
        words << tr("A sweep runs it for real, and says which number of jobs to take.");
    } else if (first.isEmpty()) {
        first = server() ? tr("Choose what to measure.") : tr("Choose a server at the left first.");
    }
    if (!told_.isEmpty()) words << told_;
    advice_->setText(first);
    basis_->setText(words.join(u' '));
    basis_->setVisible(!words.isEmpty());
}

QString TunePage::firstError() const {
    const bool needsServer =
        !(options_.operation == options::TuneOperation::Restore && options_.scratch);
    if (needsServer && !server()) return tr("Choose a server at the left first.");
    if (needsServer && database_.isEmpty()) return tr("The server's databases are not known yet.");
    for (const options::Problem& problem : problems_) {
        if (problem.severity != options::ProblemSeverity::Error) continue;
        if (problem.options == std::vector<std::string>{"for"} && options_.archive.empty()) {
            return tr("Choose the archive to restore.");
        }
        return inWindow(problem.message + ". " + problem.wayOut);
    }
    return {};
}

void TunePage::showFoot() {
    const QString error = running_ ? QString() : firstError();
    settings_->setEnabled(!running_);
    problem_->setText(error);
    problem_->setVisible(!error.isEmpty());
    bar_->setVisible(running_);
    const bool advised = report_ && report_->over && tune::advisedPoint(*report_);
    defaults_->setEnabled(!running_ && advised && servers_.find(sweptServer_) != nullptr);
    defaults_->setToolTip(tr("The server's pages begin with what is advised here"));
    startButton_->setText(running_ ? tr("Stop") : tr("Start sweep"));
    setLook(startButton_, running_ ? "danger" : "primary");
    startButton_->setEnabled(running_ ? !stop_->stop_requested() : error.isEmpty());
    if (running_) {
        progress_->setText(headline_.isEmpty() ? tr("Getting ready…") : headline_);
    } else if (report_ && report_->over) {
        progress_->setText(tr("Measured in %1.").arg(secondsOf(report_->seconds)));
    } else {
        progress_->setText(error.isEmpty() ? tr("Nothing is begun that will not fit in the time.")
                                           : QString());
    }
    progress_->setVisible(!progress_->text().isEmpty());
}

void TunePage::showFailure(const QString& what, const ErrorInfo& error,
                           std::function<void()> again) {
    failure_->showError(what, error, std::move(again));
    setStatus({.left = what, .right = {}});
}

void TunePage::selectPoint(std::optional<std::size_t> point) {
    curve_->select(point);
    const bool before = std::exchange(quiet_, true);
    if (point) table_->setCurrentCell(static_cast<int>(*point), 0);
    quiet_ = before;
}

void TunePage::openPoint(std::size_t point) {
    if (!report_ || point >= report_->points.size()) return;
    const std::vector<tune::Sample>& samples = report_->points[point].samples;
    if (samples.empty()) return;
    // The one in the middle stands for all of them.
    std::vector<tune::Sample> sorted = samples;
    std::sort(sorted.begin(), sorted.end(),
              [](const tune::Sample& a, const tune::Sample& b) { return a.seconds < b.seconds; });
    const std::filesystem::path record = sorted[(sorted.size() - 1) / 2].record;
    if (record.empty()) return;
    recordJob_ = runAsync(
        this, [record](const std::stop_token&) { return readRecord(record); },
        [this](const RunRecord& read) { Q_EMIT openWanted(read); },
        [this](const ErrorInfo& error) { showFailure(tr("The run cannot be opened"), error); });
}

void TunePage::useAsDefaults() {
    const ServerProfile* known = servers_.find(sweptServer_);
    const auto advised = report_ ? tune::advisedPoint(*report_) : std::nullopt;
    if (!known || !advised) return;
    const tune::Setting& setting = report_->points[*advised].setting;
    ServerProfile server = *known;
    const int jobs = static_cast<int>(setting.jobs);
    switch (*report_->options.operation) {
        case options::TuneOperation::Dump:
            server.defaults.dumpJobs = jobs;
            server.defaults.dumpFormat =
                setting.format ? QString(QLatin1Char(options::formatLetter(*setting.format)))
                               : QString();
            server.defaults.dumpCompression =
                setting.compression ? text(io::toString(*setting.compression)) : QString();
            break;
        case options::TuneOperation::Restore:
            server.defaults.restoreJobs = jobs;
            break;
        case options::TuneOperation::Vacuum:
            server.defaults.vacuumJobs = jobs;
            break;
    }
    const QString name = server.name;
    servers_.save(std::move(server));
    progress_->setText(
        tr("Pages of %1 begin with %2 from now on.").arg(name, text(tune::describe(setting))));
    defaults_->setEnabled(false);
}

void TunePage::copyCommand() {
    gather();
    auto* dialog = new CommandDialog(
        {{.heading = QStringLiteral("gantryctl"),
          .line =
              QString::fromStdString(options::quoteForShell(options::gantryctlCommand(options_))),
          .notes = {}}},
        this);
    dialog->open();
}

}  // namespace gantry::ui
