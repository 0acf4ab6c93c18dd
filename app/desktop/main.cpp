// SPDX-License-Identifier: PostgreSQL
// gantry: the desktop application.
#include <QApplication>
#include <QCommandLineParser>
#include <QStandardPaths>
#include <QThreadPool>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/standard_streams.h"
#include "ui/bridge/async.h"
#include "ui/shell/desktop.h"
#include "ui/theme/theme.h"

namespace {

/// Where Qt finds what to draw on.
constexpr std::array kDisplays{"WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM"};

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

bool given(const std::vector<std::string_view>& arguments,
           std::initializer_list<std::string_view> wanted) {
    return std::find_first_of(arguments.begin(), arguments.end(), wanted.begin(), wanted.end()) !=
           arguments.end();
}

bool hasDisplay() {
    return std::any_of(kDisplays.begin(), kDisplays.end(),
                       [](const char* name) { return !qEnvironmentVariableIsEmpty(name); });
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
    gantry::keepStandardStreams();
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    // Who only wants to know what it is need not have a display.
    const bool asks = given(arguments, {"-h", "--help", "--help-all", "-v", "--version"});
    if (!asks && !given(arguments, {"-platform", "--platform", "-display", "--display"}) &&
        !hasDisplay()) {
        std::fputs(
            "gantry: there is no display to open a window on (neither WAYLAND_DISPLAY nor DISPLAY "
            "is set).\nWithout one, gantryctl does the same work.\n",
            stderr);
        return EXIT_FAILURE;
    }
    const std::unique_ptr<QCoreApplication> application(asks ? new QCoreApplication(argc, argv)
                                                             : new QApplication(argc, argv));
    QCoreApplication::setApplicationName(QStringLiteral("gantry"));
    QCoreApplication::setApplicationVersion(QStringLiteral(GANTRY_VERSION));
    const Wishes wishes = parseCommandLine();
    if (asks) return EXIT_FAILURE;  // behind "--", where it names no record that we could show
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Gantry"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.gantry.Gantry"));
    const int code = runApplication(wishes);
    // Runs that were told to stop end their statements at the server first.
    gantry::ui::workPool().waitForDone();
    return code;
}
