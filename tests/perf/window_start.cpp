// SPDX-License-Identifier: PostgreSQL
// How long it takes from the start of the process until the window has been painted.
//
//   window_start [MOST-MS]    exit code 1 if it took longer
#include <unistd.h>

#include <QApplication>
#include <QThreadPool>
#include <QTimer>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "ui/bridge/async.h"
#include "ui/shell/desktop.h"
#include "ui/theme/theme.h"

namespace {

/// Milliseconds since the kernel made this process, so that loading libraries counts; the kernel
/// keeps that time in hundredths of a second.
double processAgeMs() {
    std::ifstream stat("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    text.erase(0, text.rfind(')') + 2);
    constexpr int kFieldsBefore = 19;  // of those after the name
    for (int i = 0; i < kFieldsBefore; ++i) text.erase(0, text.find(' ') + 1);
    const double startTicks = std::strtod(text.c_str(), nullptr);
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const auto perSecond = static_cast<double>(sysconf(_SC_CLK_TCK));
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6 -
           startTicks / perSecond * 1e3;
}

/// Notes the age at the first event after the window's first painting.
class PaintWatch : public QObject {
public:
    using QObject::QObject;
    double paintedMs = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint && paintedMs == 0) {
            QTimer::singleShot(0, this, [this] {
                paintedMs = processAgeMs();
                QCoreApplication::quit();
            });
        }
        return false;
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    const QApplication application(argc, argv);
    double paintedMs = 0;
    {
        const gantry::ui::ThemeKeeper theme;
        gantry::ui::Desktop desktop({});
        PaintWatch watch;
        desktop.window().installEventFilter(&watch);
        desktop.window().show();
        QApplication::exec();
        paintedMs = watch.paintedMs;
    }
    gantry::ui::workPool().waitForDone();
    std::printf("the window was painted %.0f ms after the start\n", paintedMs);
    constexpr double kAimMs = 400;
    return paintedMs <= (argc > 1 ? std::strtod(argv[1], nullptr) : kAimMs) ? 0 : 1;
}
