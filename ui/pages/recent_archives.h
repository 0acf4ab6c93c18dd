// SPDX-License-Identifier: PostgreSQL
// Archives that runs of the history made and that are still there: as links, and in a menu.
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "ui/bridge/async.h"
#include "ui/bridge/run_records.h"

class QMenu;
class QVBoxLayout;

namespace gantry::ui {

class RecentArchives : public QWidget {
    Q_OBJECT
public:
    /// Adds them to the end of `menu`, which goes with it or before. No folder: there are none.
    RecentArchives(std::filesystem::path historyFolder, QMenu* menu, QWidget* parent = nullptr);

    /// Reads the history again, in the background.
    void refresh();

Q_SIGNALS:
    void chosen(const QString& path);

private:
    void list(const std::vector<MadeArchive>& archives);

    const std::filesystem::path historyFolder_;
    QMenu* menu_;
    QVBoxLayout* column_;
    std::vector<QWidget*> links_;
    std::vector<QAction*> actions_;
    AsyncJob job_;
};

}  // namespace gantry::ui
