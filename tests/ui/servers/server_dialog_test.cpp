// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_dialog.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/temporary_folder.h"
#include "ui/forms/error_panel.h"
#include "ui/forms/label.h"
#include "ui/servers/server_probe.h"

namespace gantry::ui {
namespace {

QLineEdit* edit(const QWidget& dialog, const char* name) {
    const QList<QLineEdit*> edits = dialog.findChildren<QLineEdit*>();
    for (QLineEdit* candidate : edits) {
        if (candidate->accessibleName() == QLatin1String(name)) return candidate;
    }
    FAIL("there is no field " << name);
    return nullptr;
}

QPushButton* button(const QWidget& dialog, const char* text) {
    const QList<QPushButton*> buttons = dialog.findChildren<QPushButton*>();
    for (QPushButton* candidate : buttons) {
        if (candidate->text().remove(u'&') == QLatin1String(text)) return candidate;
    }
    FAIL("there is no button " << text);
    return nullptr;
}

TEST_CASE("server dialog: what is typed is the profile; an empty name is the host") {
    ServerDialog dialog({}, std::nullopt, nullptr);
    QTest::keyClicks(edit(dialog, "Host"), QStringLiteral("db.example.org"));
    QTest::keyClicks(edit(dialog, "Port"), QStringLiteral("5433"));
    QTest::keyClicks(edit(dialog, "User"), QStringLiteral("backup_ro"));
    CHECK(dialog.profile().name == QStringLiteral("db.example.org"));
    CHECK(dialog.profile().port == QStringLiteral("5433"));
    CHECK(dialog.profile().user == QStringLiteral("backup_ro"));
    QTest::keyClicks(edit(dialog, "Name"), QStringLiteral("prod"));
    CHECK(dialog.profile().name == QStringLiteral("prod"));
}

TEST_CASE("server dialog: Enter adds the server") {
    ServerDialog dialog({}, std::nullopt, nullptr);
    dialog.show();
    QTest::keyClicks(edit(dialog, "Host"), QStringLiteral("db.example.org"));
    QTest::keyClick(edit(dialog, "Host"), Qt::Key_Return);
    CHECK(dialog.result() == QDialog::Accepted);
}

TEST_CASE("server dialog: a port that is none cannot be saved") {
    ServerDialog dialog({}, std::nullopt, nullptr);
    QTest::keyClicks(edit(dialog, "Port"), QStringLiteral("70000"));
    CHECK_FALSE(button(dialog, "Add server")->isEnabled());
    CHECK(edit(dialog, "Port")->toolTip() == QStringLiteral("A port is a number from 1 to 65535."));
    edit(dialog, "Port")->setText(QStringLiteral("5432"));
    CHECK(button(dialog, "Add server")->isEnabled());
}

TEST_CASE("server dialog: a failed test tells the cause and the next step") {
    const test::TemporaryFolder folder;
    ServerDialog dialog({}, std::nullopt, nullptr);
    dialog.show();
    edit(dialog, "Host")->setText(QString::fromStdString(folder.path().string()));
    button(dialog, "Test")->click();
    auto* failure = dialog.findChild<ErrorPanel*>();
    REQUIRE(QTest::qWaitFor([&] { return failure->isVisible(); }));
    QStringList texts;
    const QList<QLabel*> labels = failure->findChildren<QLabel*>();
    for (const QLabel* label : labels) texts << label->text();
    REQUIRE(texts.size() == 3);
    CHECK(texts[0] == QStringLiteral("The connection failed"));
    CHECK(texts[1].contains(QStringLiteral("No such file or directory")));
    CHECK(texts[2] ==
          QStringLiteral("Check that a server runs on this machine, or fill in its host."));
    QTest::qWait(50);  // it has grown
    const int height = dialog.height();
    edit(dialog, "Host")->setText(QStringLiteral("db.example.org"));  // of which it says nothing
    CHECK_FALSE(failure->isVisible());
    QTest::qWait(50);
    CHECK(dialog.height() == height);  // nothing moves away from under the mouse
}

TEST_CASE("connection advice: each common refusal has its next step") {
    const auto advice = [](const char* message) {
        ErrorInfo error;
        error.kind = ErrorKind::Connection;
        error.message = message;
        error.hint = "the engine's own";
        return connectionAdvice(error);
    };
    CHECK(advice("FATAL:  password authentication failed for user \"x\"") ==
          "Check the user name, and enter the password again.");
    CHECK(advice("FATAL:  role \"x\" does not exist") == "Check the user name.");
    CHECK(advice("FATAL:  database \"x\" does not exist") ==
          "Check the name of the database; \"postgres\" exists on nearly every server.");
    CHECK(advice("server does not support SSL, but SSL was required") ==
          "Choose the SSL mode \"prefer\" or \"disable\".");
    CHECK(advice("something else") == "the engine's own");
}

}  // namespace
}  // namespace gantry::ui
