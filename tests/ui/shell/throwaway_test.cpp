// SPDX-License-Identifier: PostgreSQL
// Throwaway servers in the window: closing it asks what is to become of one that was started here,
// and one whose process died is started again from its page.
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "core/scratch/scratch_server.h"
#include "tests/support/temporary_folder.h"
#include "ui/pages/servers_page.h"
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
    std::string others = ::getenv("GANTRY_SCRATCH_DIR");

    Place() {
        fs::permissions(folder.path(),
                        fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        ::setenv("GANTRY_SCRATCH_DIR", (folder / "base").c_str(), 1);
    }
    ~Place() {
        for (const auto& server : scratch::listServers()) scratch::stopServer(server.name);
        ::setenv("GANTRY_SCRATCH_DIR", others.c_str(), 1);
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

TEST_CASE("a throwaway server whose process died is started again from its page") {
    const Place place;
    scratch::ScratchOptions options;
    options.name = "mine";
    scratch::ScratchServer server = scratch::ScratchServer::start(options);
    server.release();
    pid_t pid = 0;
    REQUIRE(std::ifstream(server.info().dataFolder() / "postmaster.pid") >> pid);
    ::kill(pid, SIGINT);
    REQUIRE(comes(
        [] { return scratch::listServers().at(0).state == scratch::ScratchState::LeftBehind; }));

    Desktop desktop({.config = place.path("config"), .data = place.path("data")});
    desktop.window().show();
    const auto button = [&](const char* text) -> QPushButton* {
        auto* page = desktop.window().findChild<ServersPage*>();
        if (!page) return nullptr;
        for (auto* found : page->findChildren<QPushButton*>()) {
            if (found->text() == QString::fromUtf8(text) && found->isVisible()) return found;
        }
        return nullptr;
    };
    REQUIRE(comes([&] { return button("Start it a&gain") != nullptr; }));
    CHECK(button("E&dit the server…") == nullptr);
    button("Start it a&gain")->click();
    const auto* page = desktop.window().findChild<ServersPage*>();
    REQUIRE(comes([&] { return page->facts().has_value(); }));
    CHECK(button("Start it a&gain") == nullptr);
    CHECK(scratch::listServers().at(0).state == scratch::ScratchState::Running);
    // It was there before: closing the window asks nothing.
    desktop.window().close();
    CHECK_FALSE(desktop.window().isVisible());
}
