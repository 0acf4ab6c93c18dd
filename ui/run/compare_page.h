// SPDX-License-Identifier: PostgreSQL
// Two recorded runs side by side: how long each took, what differed, and which task got slower.
#pragma once

#include <filesystem>

#include "ui/run/run_comparison.h"
#include "ui/shell/page.h"

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QStandardItemModel;
class QTreeView;

namespace gantry::ui {

class ComparePage : public Page {
    Q_OBJECT
public:
    /// Read in the background; the one that began first is the one before.
    ComparePage(const std::filesystem::path& one, const std::filesystem::path& other,
                QWidget* parent = nullptr);

    enum Column { Task, Kind, Before, After, Difference, Size, ColumnCount };

private:
    QWidget* makeTable();
    void showComparison(const RunComparison& comparison);
    /// By the theme that is in use.
    void colorDifferences();

    QLabel* summary_;
    QLabel* settings_;
    QLineEdit* search_;
    QTreeView* table_;
    QStandardItemModel* model_;
    QSortFilterProxyModel* sorted_;
};

}  // namespace gantry::ui
