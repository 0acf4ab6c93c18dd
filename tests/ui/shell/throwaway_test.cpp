// SPDX-License-Identifier: PostgreSQL
// A throwaway server that was started here: closing the window asks what is to become of it.
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <functional>

#include "core/scratch/scratch_server.h"
#include "tests/support/temporary_folder.h"
#include "ui/shell/desktop.h"

using namespace gantry;
using namespace gantry::ui;
namespace fs = std::filesystem;

namespace {

bool comes(const std::function<bool()>& condition) {
    constexpr int kPatienceMs = 60'000;
    return QTest::qWaitFor(condition, kPatienceMs);
}

/// Scratch servers of this test alone, where the server's user can get to.
struct Place {
    test::TemporaryFolder folder;

    Place() {
        fs::permissions(folder.path(),
                        fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        ::setenv("GANTRY_SCRATCH_DIR", (folder / "base").c_str(), 1);
    }
    ~Place() {
        for (const auto& server : scratch::listServers()) scratch::stopServer(server.name);
        ::unsetenv("GANTRY_SCRATCH_DIR");
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    QString path(const char* name) const {
        return QString::fromStdString((folder / name).string());
    }
};

QMessageBox* question(const Desktop& desktop) {
    for (auto* box : const_cast<Desktop&>(desktop).window().findChildren<QMessageBox*>()) {
        if (box->isVisible()) return box;
    }
    return nullptr;
}

void press(const QMessageBox& box, const char* text) {
    for (QAbstractButton* button : box.buttons()) {
        if (button->text() == QString::fromLatin1(text)) return button->click();
    }
    FAIL("there is no such button");
}

}  // namespace

TEST_CASE("a throwaway server that was started here is not left behind unasked") {
    const Place place;
    Desktop desktop({.config = place.path("config"), .data = place.path("data")});
    desktop.window().show();
    QTest::qWait(200);  // what runs already has been looked for
    Q_EMIT desktop.window().scratchWanted();
    REQUIRE(comes([] {
        const auto servers = scratch::listServers();
        return servers.size() == 1 && servers.front().state == scratch::ScratchState::Running;
    }));
    REQUIRE(comes(
        [&] { return desktop.window().currentServer().startsWith(QStringLiteral("scratch")); }));

    desktop.window().close();
    QMessageBox* box = question(desktop);
    REQUIRE(box != nullptr);
    CHECK(box->text().startsWith(QStringLiteral("The throwaway server “")));
    CHECK(box->informativeText().contains(QStringLiteral("it goes with all that is in it")));
    CHECK(box->defaultButton()->text() == QStringLiteral("&Leave it running"));
    press(*box, "&Stay");
    CHECK(desktop.window().isVisible());
    CHECK(scratch::listServers().size() == 1);

    SECTION("stopped") {
        desktop.window().close();
        press(*question(desktop), "S&top it and quit");
        CHECK(comes([&] { return !desktop.window().isVisible(); }));
        CHECK(scratch::listServers().empty());
    }
    SECTION("left") {
        desktop.window().close();
        press(*question(desktop), "&Leave it running");
        CHECK_FALSE(desktop.window().isVisible());
        CHECK(scratch::listServers().size() == 1);
    }
}
