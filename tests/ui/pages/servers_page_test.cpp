// SPDX-License-Identifier: PostgreSQL
// A server's own page: what it says of it, where it leads, and why it cannot be reached.
#include "ui/pages/servers_page.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "tests/ui/pages/page_bench.h"
#include "ui/servers/secret_store.h"

using namespace gantry;
using namespace gantry::ui;
using test::saveServer;
using test::waitFor;

namespace {

struct ServersBench {
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access{servers, secrets};
    ServersPage page{servers, access};
    QString id;

    explicit ServersBench(const test::Cluster& cluster) {
        id = saveServer(servers, cluster);
        page.resize(1000, 700);
        page.show();
        page.aimAt(*servers.find(id));
    }
    QPushButton* button(const QString& text) const {
        for (QPushButton* button : page.findChildren<QPushButton*>()) {
            if (button->text() == text) return button;
        }
        return nullptr;
    }
    bool says(const QString& words) const {
        for (const QLabel* label : page.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(words)) return true;
        }
        return false;
    }
};

}  // namespace

TEST_CASE("servers page: the chosen database is backed up, restored into or vacuumed from there") {
    const test::Cluster cluster;
    cluster.createDatabase("shop");
    cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 100000)", "shop");
    ServersBench bench(cluster);
    bench.page.offerRestore(true);
    REQUIRE(waitFor([&] { return bench.page.facts().has_value(); }));
    REQUIRE(bench.button(QStringLiteral("&Vacuum shop…")) != nullptr);  // the largest one
    QSignalSpy vacuum(&bench.page, &ServersPage::vacuumWanted);
    QSignalSpy backUp(&bench.page, &ServersPage::backUpWanted);
    QSignalSpy restore(&bench.page, &ServersPage::restoreWanted);
    bench.button(QStringLiteral("&Vacuum shop…"))->click();
    bench.button(QStringLiteral("&Back up shop…"))->click();
    bench.button(QStringLiteral("&Restore into it…"))->click();
    const QVariantList expected{bench.id, QStringLiteral("shop")};
    CHECK(vacuum.value(0) == expected);
    CHECK(backUp.value(0) == expected);
    CHECK(restore.value(0) == expected);
}

TEST_CASE("servers page: a server that is not there is told with what to check") {
    test::ClusterOptions options;
    options.start = false;
    const test::Cluster cluster(options);
    ServersBench bench(cluster);
    REQUIRE(waitFor([&] { return bench.says(QStringLiteral("box cannot be reached")); }));
    CHECK(bench.says(QStringLiteral("No such file or directory")));
    CHECK_FALSE(bench.page.facts());
    CHECK_FALSE(bench.button(QStringLiteral("&Vacuum…"))->isEnabled());
    CHECK(bench.button(QStringLiteral("E&dit the server…"))->isVisible());
    CHECK_FALSE(bench.button(QStringLiteral("Start it a&gain"))->isVisible());
}
