// SPDX-License-Identifier: PostgreSQL
#include "ui/models/flat_tree.h"

#include <QSize>
#include <algorithm>

#include "ui/forms/size_delegate.h"
#include "ui/forms/text.h"
#include "ui/theme/theme.h"

namespace gantry::ui {
namespace {

constexpr int kRowHeight = 26;

}  // namespace

int FlatTree::idOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<int>(index.internalId()) : kRoot;
}

QModelIndex FlatTree::indexOf(int id, int column) const {
    if (id == kRoot || node(id).row < 0) return {};
    return createIndex(node(id).row, column, static_cast<quintptr>(id));
}

QModelIndex FlatTree::index(int row, int column, const QModelIndex& parent) const {
    const auto& shown = node(idOf(parent)).shown;
    if (row < 0 || static_cast<std::size_t>(row) >= shown.size() || column < 0 ||
        column >= ColumnCount) {
        return {};
    }
    return createIndex(row, column, static_cast<quintptr>(shown[static_cast<std::size_t>(row)]));
}

QModelIndex FlatTree::parent(const QModelIndex& index) const {
    return index.isValid() ? indexOf(node(idOf(index)).parent) : QModelIndex();
}

int FlatTree::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) return 0;
    return static_cast<int>(node(idOf(parent)).shown.size());
}

int FlatTree::columnCount(const QModelIndex&) const { return ColumnCount; }

Qt::ItemFlags FlatTree::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == NameColumn ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant FlatTree::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node& n = node(idOf(index));
    if (role == Qt::SizeHintRole) return QSize(0, kRowHeight);
    if (index.column() == SizeColumn) {
        if (role == SizeDelegate::BytesRole && n.bytes) return QVariant::fromValue(*n.bytes);
        if (role == SizeDelegate::WholeRole)
            return QVariant::fromValue(node(kRoot).bytes.value_or(0));
        return {};
    }
    switch (role) {
        case Qt::ToolTipRole:
            return toolTipText(data(index, Qt::DisplayRole).toString());
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return n.remark.isEmpty() ? n.name : n.name + QStringLiteral(" · ") + n.remark;
        case Qt::CheckStateRole:
            return n.state;
        case Qt::ForegroundRole:
            if (n.state == Qt::Unchecked) return currentTheme().muted;
            return {};
        default:
            return {};
    }
}

bool FlatTree::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != NameColumn)
        return false;
    choose(idOf(index), value.value<Qt::CheckState>() == Qt::Checked);
    repaint();
    Q_EMIT choiceChanged();
    return true;
}

QVariant FlatTree::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return section == NameColumn ? tr("Name") : tr("Size");
    return {};
}

void FlatTree::setFilter(const QString& text) {
    if (text == filter_) return;
    beginResetModel();
    filter_ = text;
    finishReset();
}

void FlatTree::setOrder(Order order) {
    if (order == order_) return;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    order_ = order;
    arrange(kRoot);
    QModelIndexList after;
    for (const QModelIndex& index : before) after << indexOf(idOf(index), index.column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

int FlatTree::addNode(int parent, QString name, std::optional<uint64_t> bytes) {
    const int id = nodeCount();
    Node added;
    added.parent = parent;
    added.name = std::move(name);
    added.bytes = bytes;
    nodes_.push_back(std::move(added));
    node(parent).children.push_back(id);
    return id;
}

void FlatTree::clearNodes() { nodes_.assign(1, Node{}); }

void FlatTree::finishReset() {
    arrange(kRoot);
    endResetModel();
}

void FlatTree::showChildren(int parent) {
    const int parentRow = node(parent).row;
    arrange(parent);
    std::vector<int> shown = std::exchange(node(parent).shown, {});
    node(parent).row = parentRow;
    if (shown.empty() || (parent != kRoot && parentRow < 0)) {
        node(parent).shown = std::move(shown);
        return;
    }
    beginInsertRows(indexOf(parent), 0, static_cast<int>(shown.size()) - 1);
    node(parent).shown = std::move(shown);
    endInsertRows();
}

void FlatTree::repaint() {
    if (rowCount() == 0) return;
    // Views ask for what they show, however much there is between the corners.
    Q_EMIT dataChanged(index(0, NameColumn), index(rowCount() - 1, SizeColumn));
}

void FlatTree::setStates(int id, Qt::CheckState state) {
    std::vector<int> open{id};
    while (!open.empty()) {
        Node& n = node(open.back());
        open.pop_back();
        n.state = state;
        open.insert(open.end(), n.children.begin(), n.children.end());
    }
}

Qt::CheckState FlatTree::stateOfChildren(int id) const {
    const auto& children = node(id).children;
    bool any = false;
    bool all = true;
    for (const int child : children) {
        any = any || node(child).state != Qt::Unchecked;
        all = all && node(child).state == Qt::Checked;
    }
    return all ? Qt::Checked : any ? Qt::PartiallyChecked : Qt::Unchecked;
}

void FlatTree::refreshAbove(int id) {
    for (int above = node(id).parent; above != kRoot; above = node(above).parent) {
        node(above).state = stateOfChildren(above);
    }
}

void FlatTree::sortShown(std::vector<int>& ids) const {
    std::stable_sort(ids.begin(), ids.end(), [this](int a, int b) {
        const Node& one = node(a);
        const Node& other = node(b);
        if (one.last || other.last) return other.last && !one.last;
        if (order_ == Order::BySize && one.bytes != other.bytes) return one.bytes > other.bytes;
        return QString::compare(one.name, other.name, Qt::CaseInsensitive) < 0;
    });
}

void FlatTree::arrange(int id) {
    if (id == kRoot) matches_ = 0;
    bool above = false;
    for (int parent = id; parent != kRoot && !above; parent = node(parent).parent) {
        above = !filter_.isEmpty() && node(parent).name.contains(filter_, Qt::CaseInsensitive);
    }
    arrangeFiltered(id, above);
}

bool FlatTree::arrangeFiltered(int id, bool aboveMatches) {
    const bool matchesItself =
        id != kRoot && !filter_.isEmpty() && node(id).name.contains(filter_, Qt::CaseInsensitive);
    if (matchesItself) ++matches_;
    std::vector<int> shown;
    for (const int child : node(id).children) {
        if (arrangeFiltered(child, aboveMatches || matchesItself)) {
            shown.push_back(child);
        } else {
            node(child).row = -1;
        }
    }
    sortShown(shown);
    for (std::size_t row = 0; row < shown.size(); ++row)
        node(shown[row]).row = static_cast<int>(row);
    node(id).shown = std::move(shown);
    return filter_.isEmpty() || aboveMatches || matchesItself || !node(id).shown.empty();
}

}  // namespace gantry::ui
