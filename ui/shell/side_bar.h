// SPDX-License-Identifier: PostgreSQL
// The list at the left: servers, work, saved tasks, runs.
#pragma once

#include <QColor>
#include <QListView>
#include <QString>
#include <optional>

class QStandardItem;
class QStandardItemModel;

namespace gantry::ui {

/// Entries stand under headings; a heading without entries is not shown. Chosen by mouse or arrow
/// keys.
class SideBar : public QListView {
    Q_OBJECT
public:
    enum class Section { Servers, Work, Tasks, Runs };

    struct Entry {
        QString key;  ///< among all sections
        QString text;
        QString detail;                  ///< at the right, muted
        std::optional<QColor> dot;       ///< in front
        bool strong = false;             ///< what the work pages aim at
        std::optional<double> progress;  ///< 0…1: a thin bar beneath
        QString toolTip;
        bool faint = false;
        /// Something to do rather than to see: chosen by click or Enter, never by passing over it.
        bool action = false;
    };

    explicit SideBar(QWidget* parent = nullptr);

    void setEntries(Section section, const QList<Entry>& entries);
    /// Only what changes often: no list is rebuilt.
    void setProgress(const QString& key, std::optional<double> progress);
    /// Marks it without telling chosen().
    void setCurrent(const QString& key);
    QString current() const;

Q_SIGNALS:
    void chosen(const QString& key);
    /// The context menu of an entry is asked for.
    void menuWanted(const QString& key, const QPoint& globalPosition);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void rebuild();
    QStandardItem* itemOf(const QString& key) const;

    QStandardItemModel* model_;
    QList<Entry> entries_[4];
    bool silent_ = false;
};

}  // namespace gantry::ui
