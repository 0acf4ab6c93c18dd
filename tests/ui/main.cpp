// SPDX-License-Identifier: PostgreSQL
// One application for all tests of the user interface; no screen is needed.
#include <QApplication>
#include <QThreadPool>
#include <catch2/catch_session.hpp>

#include "ui/bridge/async.h"
#include "ui/theme/theme.h"

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("gantry-tests"));
    const gantry::ui::ThemeKeeper theme;
    const int code = Catch::Session().run(argc, argv);
    gantry::ui::workPool().waitForDone();
    return code;
}
