// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/tray.h"

#include <QMenu>
#include <QSystemTrayIcon>
#include <QTimer>

#include "ui/shell/application_icon.h"
#include "ui/shell/notifier.h"

namespace gantry::ui {

Tray::Tray(RunList& runs, QObject* parent) : QObject(parent), runs_(runs) {}

Tray::~Tray() = default;

void Tray::setShown(bool shown) {
    if (!shown) {
        if (icon_ != nullptr) icon_->hide();
        return;
    }
    if (icon_ == nullptr) {
        menu_ = std::make_unique<QMenu>();
        menu_->addAction(tr("Show Gantry"), this, &Tray::windowWanted);
        menu_->addSeparator();
        menu_->addAction(tr("Cancel all runs and quit"), this, &Tray::cancelWanted);
        icon_ = new QSystemTrayIcon(applicationIcon(), this);
        icon_->setContextMenu(menu_.get());
        connect(icon_, &QSystemTrayIcon::activated, this,
                [this](QSystemTrayIcon::ActivationReason reason) {
                    if (reason != QSystemTrayIcon::Context) Q_EMIT windowWanted();
                });
        constexpr int kProgressMs = 2000;
        auto* timer = new QTimer(icon_);
        connect(timer, &QTimer::timeout, this, &Tray::showProgress);
        timer->start(kProgressMs);
    }
    showProgress();
    icon_->setVisible(QSystemTrayIcon::isSystemTrayAvailable());
}

void Tray::showProgress() {
    if (const auto share = overallProgress(runs_)) {
        icon_->setToolTip(tr("Gantry: %1% done").arg(static_cast<int>(*share * 100)));
    }
}

}  // namespace gantry::ui
