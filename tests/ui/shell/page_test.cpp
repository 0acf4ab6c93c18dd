// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/page.h"

#include <QLabel>
#include <catch2/catch_test_macros.hpp>

namespace gantry::ui {
namespace {

TEST_CASE("page: a production server puts a band on it, another takes it away") {
    Page page;
    auto* band = page.findChild<QLabel*>(QStringLiteral("productionBand"));
    REQUIRE(band != nullptr);
    CHECK_FALSE(band->isVisibleTo(&page));
    ServerProfile server;
    server.name = QStringLiteral("prod-eu-1");
    server.production = true;
    page.aimAt(server);
    CHECK(band->isVisibleTo(&page));
    CHECK(band->text() == QStringLiteral("Production · prod-eu-1"));
    server.production = false;
    page.aimAt(server);
    CHECK_FALSE(band->isVisibleTo(&page));
}

}  // namespace
}  // namespace gantry::ui
