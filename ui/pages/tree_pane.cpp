// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/tree_pane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/forms/label.h"
#include "ui/forms/size_delegate.h"
#include "ui/models/flat_tree.h"

namespace gantry::ui {
namespace {

constexpr int kFilterDelayMs = 120;
constexpr int kMostExpanded = 2000;  // matches beyond these stay folded
constexpr int kSizeWidth = 192;

}  // namespace

TreePane::TreePane(FlatTree& tree, const QString& searchHint, QWidget* parent)
    : QWidget(parent),
      tree_(tree),
      top_(new QVBoxLayout),
      search_(new QLineEdit),
      summary_(makeLabel({}, "muted")),
      view_(new QTreeView),
      empty_(makeLabel({}, "muted")),
      remark_(makeLabel({}, "muted")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    top_->setContentsMargins(12, 8, 12, 8);
    top_->setSpacing(8);
    search_->setPlaceholderText(searchHint);
    search_->setAccessibleName(searchHint);
    search_->setClearButtonEnabled(true);
    auto* searching = new QHBoxLayout;
    searching->setSpacing(8);
    searching->addWidget(search_, 1);
    searching->addWidget(summary_);
    top_->addLayout(searching);
    column->addLayout(top_);

    view_->setModel(&tree_);
    view_->setUniformRowHeights(true);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setItemDelegateForColumn(FlatTree::SizeColumn, new SizeDelegate(view_));
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->setAccessibleName(searchHint);
    QHeaderView* header = view_->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(FlatTree::NameColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(FlatTree::SizeColumn, QHeaderView::Fixed);
    header->resizeSection(FlatTree::SizeColumn, kSizeWidth);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicator(FlatTree::SizeColumn, Qt::DescendingOrder);
    header->setToolTip(tr("Click to sort by name or by size"));
    connect(header, &QHeaderView::sectionClicked, this, &TreePane::sort);
    column->addWidget(view_, 1);

    empty_->setObjectName(QStringLiteral("emptyTree"));
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setContentsMargins(24, 0, 24, 0);
    empty_->hide();
    column->addWidget(empty_, 1);

    remark_->setWordWrap(true);
    remark_->setContentsMargins(12, 6, 12, 6);
    remark_->hide();
    column->addWidget(remark_);

    auto* timer = new QTimer(this);
    timer->setSingleShot(true);
    timer->setInterval(kFilterDelayMs);
    connect(timer, &QTimer::timeout, this, &TreePane::filter);
    connect(search_, &QLineEdit::textChanged, timer, qOverload<>(&QTimer::start));
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WindowShortcut);
    connect(find, &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
}

void TreePane::addAbove(QWidget* widget) { top_->insertWidget(0, widget); }

void TreePane::setSummary(const QString& text) { summary_->setText(text); }

void TreePane::setEmptyText(const QString& text) {
    empty_->setText(text);
    empty_->setVisible(!text.isEmpty());
    view_->setVisible(text.isEmpty());
    search_->setEnabled(text.isEmpty());
}

void TreePane::setRemark(const QString& text) {
    remark_->setText(text);
    remark_->setVisible(!text.isEmpty());
}

void TreePane::filter() {
    const QString text = search_->text().trimmed();
    tree_.setFilter(text);
    if (text.isEmpty()) {
        view_->collapseAll();
    } else if (tree_.matches() <= kMostExpanded) {
        view_->expandAll();
    }
}

void TreePane::sort(int column) {
    const bool byName = column == FlatTree::NameColumn;
    tree_.setOrder(byName ? FlatTree::Order::ByName : FlatTree::Order::BySize);
    view_->header()->setSortIndicator(column, byName ? Qt::AscendingOrder : Qt::DescendingOrder);
}

}  // namespace gantry::ui
