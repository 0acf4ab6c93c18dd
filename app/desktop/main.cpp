// SPDX-License-Identifier: PostgreSQL
// gantry: the desktop application.
#include <QApplication>
#include <QCommandLineParser>
#include <QStandardPaths>
#include <QThreadPool>

#include "ui/bridge/async.h"
#include "ui/shell/desktop.h"
#include "ui/theme/theme.h"

namespace {

struct Wishes {
    bool demo = false;
    QStringList records;
};

/// Ends the program for --help, --version and what it does not understand.
Wishes parseCommandLine() {
    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "main", "Backs up, restores and vacuums PostgreSQL, and shows what every worker does."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption demo(
        QStringLiteral("demo"),
        QCoreApplication::translate("main",
                                    "open on the demo server, which is started if need be"));
    parser.addOption(demo);
    parser.addPositionalArgument(
        QStringLiteral("RECORD"),
        QCoreApplication::translate("main", "recorded runs to open (gantryctl … --events RECORD)"),
        QStringLiteral("[RECORD...]"));
    parser.process(*QCoreApplication::instance());
    return {.demo = parser.isSet(demo), .records = parser.positionalArguments()};
}

int runApplication(const Wishes& wishes) {
    const gantry::ui::ThemeKeeper theme;
    const auto folder = [](QStandardPaths::StandardLocation location) {
        return QStandardPaths::writableLocation(location);
    };
    gantry::ui::Desktop desktop({.config = folder(QStandardPaths::AppConfigLocation),
                                 .data = folder(QStandardPaths::AppDataLocation)});
    desktop.window().show();
    if (wishes.demo) desktop.openDemo();
    for (const QString& record : wishes.records) desktop.openRecord(record);
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("gantry"));
    QApplication::setApplicationDisplayName(QStringLiteral("Gantry"));
    QApplication::setApplicationVersion(QStringLiteral(GANTRY_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.gantry.Gantry"));
    const int code = runApplication(parseCommandLine());
    // Runs that were told to stop end their statements at the server first.
    gantry::ui::workPool().waitForDone();
    return code;
}
