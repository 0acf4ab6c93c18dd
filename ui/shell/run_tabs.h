// SPDX-License-Identifier: PostgreSQL
// The runs that are open, each a tab above its page.
#pragma once

#include <QTabBar>

namespace gantry::ui {

/// Tells what the user wants by tabs' keys; shows nothing by itself.
class RunTabs : public QTabBar {
    Q_OBJECT
public:
    explicit RunTabs(QWidget* parent = nullptr);

    /// Adds it if it is not there yet, and marks it.
    void open(const QString& key, const QString& title);
    void close(const QString& key);
    bool isOpen(const QString& key) const { return indexOf(key) >= 0; }
    /// What of it is done, in percent; negative: no longer running.
    void setProgress(const QString& key, int percent);
    /// The tab beside it that would be shown in its place; empty if there is none.
    QString neighbour(const QString& key) const;

Q_SIGNALS:
    void chosen(const QString& key);
    void closeWanted(const QString& key);

private:
    QString unlikeOthers(const QString& title) const;
    int indexOf(const QString& key) const;
    QString keyAt(int index) const;
};

}  // namespace gantry::ui
