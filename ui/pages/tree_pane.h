// SPDX-License-Identifier: PostgreSQL
// A FlatTree with its search field and what is chosen of it.
#pragma once

#include <QTreeView>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace gantry::ui {

class FlatTree;

class TreePane : public QWidget {
    Q_OBJECT
public:
    /// `tree` must outlive it.
    TreePane(FlatTree& tree, const QString& searchHint, QWidget* parent = nullptr);

    /// Right of the search field.
    void setSummary(const QString& text);
    /// Beneath the tree; empty: nothing.
    void setRemark(const QString& text);
    /// In the place of a tree that holds nothing; empty: the tree.
    void setEmptyText(const QString& text);
    /// A row above the search field.
    void addAbove(QWidget* widget);
    QTreeView* view() const { return view_; }
    QLineEdit* search() const { return search_; }

private:
    void filter();
    void sort(int column);

    FlatTree& tree_;
    QVBoxLayout* top_;
    QLineEdit* search_;
    QLabel* summary_;
    QTreeView* view_;
    QLabel* empty_;
    QLabel* remark_;
};

}  // namespace gantry::ui
