// SPDX-License-Identifier: PostgreSQL
// A tree of many thousands of rows in one vector: names, sizes, check boxes, filter and order.
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::ui {

/// Columns are the name and the size. Who derives from it adds the nodes and says what checking one
/// means. GUI thread.
class FlatTree : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, SizeColumn, ColumnCount };
    enum class Order { ByName, BySize };

    using QAbstractItemModel::QAbstractItemModel;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Shows only what holds this text, with all above and below it; empty: everything.
    void setFilter(const QString& text);
    void setOrder(Order order);
    Order order() const { return order_; }
    /// How many nodes hold the filter's text.
    int matches() const { return matches_; }

Q_SIGNALS:
    /// Something was checked or unchecked.
    void choiceChanged();

protected:
    static constexpr int kRoot = 0;

    struct Node {
        int parent = kRoot;
        int row = 0;  ///< among its parent's shown children; -1: filtered out
        QString name;
        QString remark;  ///< behind the name, muted by those who can
        std::optional<uint64_t> bytes;
        Qt::CheckState state = Qt::Checked;
        bool last = false;               ///< keeps its place behind the sorted ones
        std::vector<int> children = {};  ///< all, in the order they were added
        std::vector<int> shown = {};     ///< what filter and order make of it
    };

    const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
    Node& node(int id) { return nodes_[static_cast<std::size_t>(id)]; }
    int nodeCount() const { return static_cast<int>(nodes_.size()); }
    int idOf(const QModelIndex& index) const;
    QModelIndex indexOf(int id, int column = NameColumn) const;

    /// Only between beginResetModel() and finishReset(), or below a node that shows no children
    /// yet.
    int addNode(int parent, QString name, std::optional<uint64_t> bytes);
    void clearNodes();
    void finishReset();
    /// Below `parent` nodes were added that nobody sees yet.
    void showChildren(int parent);
    /// Repaints all check boxes.
    void repaint();
    /// Of the node and all below it.
    void setStates(int id, Qt::CheckState state);
    /// From its children, upwards.
    void refreshAbove(int id);
    Qt::CheckState stateOfChildren(int id) const;

    /// The user set this node's box.
    virtual void choose(int id, bool taken) = 0;

private:
    void arrange(int id);
    bool arrangeFiltered(int id, bool aboveMatches);
    void sortShown(std::vector<int>& ids) const;

    std::vector<Node> nodes_{Node{}};
    QString filter_;
    Order order_ = Order::BySize;
    int matches_ = 0;
};

}  // namespace gantry::ui
