// SPDX-License-Identifier: PostgreSQL
// The runs of the past, of either program: found, opened, compared, forgotten.
#pragma once

#include <filesystem>
#include <functional>

#include "core/history/history.h"
#include "ui/bridge/async.h"
#include "ui/bridge/run_records.h"
#include "ui/shell/page.h"

class QComboBox;
class QAction;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;

namespace gantry::ui {

class RunsModel;
class RunsTable;
class RunsTrend;

/// It is about no server: aimed at one, it lets go of it.
class RunsPage : public Page {
    Q_OBJECT
public:
    explicit RunsPage(std::filesystem::path folder, QWidget* parent = nullptr);

    /// Reads the history anew, in the background.
    void refresh();
    const RunsModel& model() const { return *model_; }
    /// Of the rows that are shown: how many, and which are chosen.
    int shownRows() const;
    std::vector<history::PastRun> chosen() const;
    /// Forgets runs by this rule, in the background.
    void prune(const history::PruneRule& rule);
    /// Forgets those that are chosen, once that was confirmed.
    void askRemove();

Q_SIGNALS:
    void openWanted(const gantry::ui::RunRecord& record);
    void compareWanted(const gantry::ui::RunRecord& one, const gantry::ui::RunRecord& other);
    /// Runs are forgotten; these were their records while they were written.
    void forgotten(const std::vector<std::filesystem::path>& logs);
    void backUpWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeFilters();
    QWidget* makeFoot();
    QWidget* makeEmpty();
    void makeTable();
    void makeActions();
    void choose(const std::vector<history::PastRun>& runs);
    void onChosen();
    void filter();
    void open();
    void compare();
    /// Of what is chosen, by time; one whose record is gone is told instead.
    void withRecords(std::size_t count, std::function<void(const std::vector<RunRecord>&)> done);
    void askPrune();
    void remove(const std::vector<history::PastRun>& runs);
    void tellForgotten(const history::Pruned& pruned);
    /// Something with the history, off the GUI thread; what it has to tell is shown.
    template <class Result>
    AsyncJob withHistory(std::function<Result(history::History&)> work,
                         std::function<void(const Result&)> done);

    const std::filesystem::path folder_;
    RunsModel* model_;
    QSortFilterProxyModel* sorted_;
    QLineEdit* words_;
    QComboBox* operation_;
    RunsTable* table_;
    QWidget* filters_ = nullptr;
    QWidget* empty_ = nullptr;  ///< where no run is
    RunsTrend* trend_;
    QLabel* status_;
    QString told_;  ///< shown until a run is chosen
    QAction* openAction_;
    QAction* compareAction_;
    QAction* removeAction_;
    QPushButton* openButton_;
    QPushButton* compareButton_;
    QPushButton* removeButton_;
    QPushButton* pruneButton_;
    AsyncJob reading_;
};

}  // namespace gantry::ui
