// SPDX-License-Identifier: PostgreSQL
// Passwords: in the system's keychain if the user wants that, else in memory until the end.
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <functional>
#include <optional>

namespace gantry::ui {

/// By the id of a server's profile. GUI thread; the keychain answers later. Nothing is ever written
/// elsewhere.
class SecretStore : public QObject {
    Q_OBJECT
public:
    explicit SecretStore(QObject* parent = nullptr);

    /// What is known without asking the keychain.
    std::optional<QString> remembered(const QString& id) const;
    /// What is known, the keychain asked if it has not been; `then` is called once, at once or
    /// later, as long as this lives.
    void look(const QString& id, std::function<void(std::optional<QString>)> then);
    /// For this session; with `keep` in the keychain too, or else taken out of it.
    void set(const QString& id, const QString& password, bool keep);
    /// Here and in the keychain.
    void forget(const QString& id);

Q_SIGNALS:
    /// The keychain refused to keep a password; `reason` is a sentence.
    void keychainFailed(const QString& reason);

private:
    void removeFromKeychain(const QString& id);

    QHash<QString, QString> known_;
    QSet<QString> asked_;
};

}  // namespace gantry::ui
