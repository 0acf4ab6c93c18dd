// SPDX-License-Identifier: PostgreSQL
// Past runs as rows of a table.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/history/past_run.h"

namespace gantry::ui {

/// "clean", "3 errors ignored", "interrupted", …
QString operationText(const history::PastRun& run);
QString outcomeText(const history::PastRun& run);

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Began,
        Operation,
        Database,
        Server,
        Took,
        Forecast,
        Data,
        OnDisk,
        Outcome,
        ColumnCount
    };
    /// By what a column is sorted.
    static constexpr int kSortRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    void setRuns(std::vector<history::PastRun> runs);
    const std::vector<history::PastRun>& runs() const { return runs_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<history::PastRun> runs_;
};

}  // namespace gantry::ui
