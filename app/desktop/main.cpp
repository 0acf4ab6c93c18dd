// SPDX-License-Identifier: PostgreSQL
// gantry: the desktop application.
#include <QApplication>
#include <QStandardPaths>
#include <QThreadPool>

#include "ui/bridge/async.h"
#include "ui/shell/desktop.h"
#include "ui/theme/theme.h"

namespace {

int runApplication() {
    const gantry::ui::ThemeKeeper theme;
    const auto folder = [](QStandardPaths::StandardLocation location) {
        return QStandardPaths::writableLocation(location);
    };
    gantry::ui::Desktop desktop({.config = folder(QStandardPaths::AppConfigLocation),
                                 .data = folder(QStandardPaths::AppDataLocation)});
    desktop.window().show();
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("gantry"));
    QApplication::setApplicationDisplayName(QStringLiteral("Gantry"));
    QApplication::setApplicationVersion(QStringLiteral(GANTRY_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.gantry.Gantry"));
    const int code = runApplication();
    // Runs that were told to stop end their statements at the server first.
    gantry::ui::workPool().waitForDone();
    return code;
}
