// SPDX-License-Identifier: PostgreSQL
// The icon in the desktop's tray while runs go on without the window.
#pragma once

#include <QObject>
#include <memory>

#include "ui/bridge/run_list.h"

class QMenu;
class QSystemTrayIcon;

namespace gantry::ui {

/// Where there is no tray, nothing happens.
class Tray : public QObject {
    Q_OBJECT
public:
    explicit Tray(RunList& runs, QObject* parent = nullptr);
    ~Tray() override;

    void setShown(bool shown);

Q_SIGNALS:
    void windowWanted();
    void cancelWanted();

private:
    void showProgress();

    RunList& runs_;
    std::unique_ptr<QMenu> menu_;
    QSystemTrayIcon* icon_ = nullptr;
};

}  // namespace gantry::ui
