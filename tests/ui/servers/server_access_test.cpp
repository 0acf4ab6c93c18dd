// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/server_access.h"

#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "ui/servers/password_dialog.h"

namespace gantry::ui {
namespace {

/// The dialog that asks now.
PasswordDialog* asking(const QWidget& parent) {
    for (auto* dialog : parent.findChildren<PasswordDialog*>()) {
        if (dialog->isVisible()) return dialog;
    }
    return nullptr;
}

void answer(const QWidget& parent, const char* password) {
    PasswordDialog* dialog = asking(parent);
    REQUIRE(dialog != nullptr);
    dialog->findChild<QLineEdit*>()->setText(QString::fromLatin1(password));
    dialog->accept();
}

bool saysRefused(const QWidget& parent) {
    return asking(parent)->findChild<QLabel*>(QStringLiteral("refused")) != nullptr;
}

/// As a server does that wants "sesame".
std::string guarded(const options::ConnectionOptions& options, const std::stop_token&) {
    if (options.password == "sesame") return "in";
    ErrorInfo refusal;
    refusal.kind = ErrorKind::Connection;
    refusal.message = "password authentication failed for user \"alice\"";
    throw Error(refusal);
}

}  // namespace

TEST_CASE("server access: a refused password is asked for again, and said to be refused") {
    constexpr int kAnswerMs = 10'000;
    ServerStore servers{QString()};
    SecretStore secrets;
    ServerAccess access(servers, secrets);
    ServerProfile box;
    box.name = QStringLiteral("box");
    box.host = QStringLiteral("db.example");
    box.user = QStringLiteral("alice");
    const QString id = servers.save(box);
    QWidget page;
    page.show();
    std::string result;
    access.run(
        &page, id, {}, guarded, [&](const std::string& value) { result = value; },
        [&](const ErrorInfo& error) { result = error.message; });
    REQUIRE(QTest::qWaitFor([&] { return asking(page) != nullptr; }, kAnswerMs));
    CHECK_FALSE(saysRefused(page));
    answer(page, "wrong");
    REQUIRE(QTest::qWaitFor([&] { return asking(page) != nullptr; }, kAnswerMs));
    CHECK(saysRefused(page));
    answer(page, "sesame");
    REQUIRE(QTest::qWaitFor([&] { return !result.empty(); }, kAnswerMs));
    CHECK(result == "in");
}

TEST_CASE("server access: the dialog says who asks") {
    const auto text = [](const ServerProfile& server) {
        PasswordDialog dialog(server, false, nullptr);
        QStringList words;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) words << label->text();
        return words.join(u'|');
    };
    ServerProfile server;
    server.name = QStringLiteral("box");
    CHECK(text(server) ==
          QStringLiteral("Password for box|The server on this machine asks for it."));
    server.host = QStringLiteral("db.example");
    server.user = QStringLiteral("alice");
    CHECK(text(server) ==
          QStringLiteral("Password for box|The server asks alice on db.example for it."));
    server.service = QStringLiteral("box");
    CHECK(text(server) ==
          QStringLiteral("Password for box|The server of service box asks for it."));
}

}  // namespace gantry::ui
