// SPDX-License-Identifier: PostgreSQL
// Tune: what is measured at left, what came of it at right.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/options/tune_options.h"
#include "core/options/validate.h"
#include "core/tune/tune.h"
#include "ui/bridge/run_records.h"
#include "ui/servers/server_access.h"
#include "ui/shell/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;
class QTimer;

namespace gantry::ui {

class ChoiceCards;
class ErrorPanel;
class TuneCurve;

class TunePage : public Page {
    Q_OBJECT
public:
    /// Runs are kept in the history in this folder; none are if it is empty.
    TunePage(ServerStore& servers, ServerAccess& access, std::filesystem::path history,
             QWidget* parent = nullptr);
    ~TunePage() override;

    /// Of the server that the page is aimed at, or will be next.
    void chooseDatabase(const QString& database);
    void chooseOperation(options::TuneOperation operation);
    void openArchive(const QString& path);
    /// As they would be carried out now, without a password.
    const options::TuneOptions& options() const { return options_; }
    bool running() const { return running_; }
    QString underWay() const override;
    void endWork() override { stop(); }
    /// The last sweep, or what is predicted of the next.
    const std::optional<tune::Report>& report() const { return report_; }

public Q_SLOTS:
    void start();
    void stop();

Q_SIGNALS:
    /// The run of a point is to be shown.
    void openWanted(const gantry::ui::RunRecord& record);

private:
    class Relay;

    void makeHeader();
    QWidget* makeSettings();
    QWidget* makeDumpSettings();
    QWidget* makeRestoreSettings();
    QWidget* makeVacuumSettings();
    QWidget* makeCommonSettings();
    QWidget* makeResults();
    QWidget* makeFoot();

    void turn();
    void listDatabases();
    void gather();
    void onChanged();
    void predict();
    void showReport();
    void showTable();
    void showAdvice();
    void showFoot();
    void showFailure(const QString& what, const ErrorInfo& error, std::function<void()> again = {});
    QString firstError() const;

    void onStep(const QString& step);
    void onTold(const QString& sentence);
    void onBegins(const tune::Report& report, const tune::Sweep::Measurement& now,
                  std::size_t left);
    void onProgress(double fraction);
    void finish();
    void openPoint(std::size_t point);
    void selectPoint(std::optional<std::size_t> point);
    void useAsDefaults();
    void copyCommand();

    ServerStore& servers_;
    ServerAccess& access_;
    const std::filesystem::path history_;
    options::TuneOptions options_;
    std::vector<options::Problem> problems_;
    std::optional<tune::Report> report_;
    QString shownServer_;
    QString database_;
    QString wantedDatabase_;
    QString sweptServer_;  ///< that the report is of
    QString sweptDatabase_;
    bool running_ = false;
    bool quiet_ = false;
    std::shared_ptr<std::stop_source> stop_;  ///< of the sweep that is running
    std::shared_ptr<Relay> relay_;
    std::size_t measured_ = 0;  ///< measurements that were begun
    std::size_t left_ = 0;
    QString headline_;
    QString told_;

    AccessJob databasesJob_, predictJob_, sweepJob_;
    AsyncJob localPredictJob_, localSweepJob_, recordJob_;
    QTimer* predictTimer_;

    ChoiceCards* operations_ = nullptr;
    std::vector<QWidget*> particulars_;  ///< of each operation
    QWidget* settings_ = nullptr;
    QWidget* databaseField_ = nullptr;
    QComboBox* databases_ = nullptr;
    QComboBox* target_ = nullptr;
    QLineEdit* codecs_ = nullptr;
    std::vector<QCheckBox*> formats_;
    QLineEdit* archive_ = nullptr;
    QComboBox* restoreInto_ = nullptr;
    QComboBox* vacuumOf_ = nullptr;
    QLineEdit* jobs_ = nullptr;
    QSpinBox* rounds_ = nullptr;
    QComboBox* budget_ = nullptr;
    QWidget* toolsField_ = nullptr;
    QLineEdit* tools_ = nullptr;
    ErrorPanel* failure_ = nullptr;
    QLabel* advice_ = nullptr;
    QLabel* basis_ = nullptr;
    TuneCurve* curve_ = nullptr;
    QTableWidget* table_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QLabel* progress_ = nullptr;
    QLabel* problem_ = nullptr;
    QPushButton* defaults_ = nullptr;
    QPushButton* startButton_ = nullptr;
};

}  // namespace gantry::ui
