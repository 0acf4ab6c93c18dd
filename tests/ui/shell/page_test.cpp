// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/page.h"

#include <QLabel>
#include <QLayout>
#include <QPushButton>
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

TEST_CASE("page: its header keeps its height as buttons come and go") {
    Page page;
    page.setTitle(QStringLiteral("Back up shop"));
    page.setContent(new QWidget);
    auto* button = new QPushButton(QStringLiteral("Pause"));
    page.addHeaderWidget(button);
    page.resize(600, 400);
    page.show();
    auto* header = page.findChild<QWidget*>(QStringLiteral("pageHeader"));
    const int with = header->height();
    button->hide();
    page.layout()->activate();
    CHECK(header->sizeHint().height() == with);
}

TEST_CASE("page: long names make it no wider, and are told in full") {
    const QString name(63, u'x');
    Page page;
    page.setTitle(QStringLiteral("Back up ") + name);
    page.setChips({name, QStringLiteral("PostgreSQL 18")});
    page.setContent(new QWidget);
    CHECK(page.minimumSizeHint().width() < 600);
    CHECK(page.title() == QStringLiteral("Back up ") + name);
}

}  // namespace
}  // namespace gantry::ui
