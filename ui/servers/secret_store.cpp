// SPDX-License-Identifier: PostgreSQL
#include "ui/servers/secret_store.h"

#include <qt6keychain/keychain.h>

namespace gantry::ui {
namespace {

const QString kService = QStringLiteral("org.gantry.Gantry");

}  // namespace

SecretStore::SecretStore(QObject* parent) : QObject(parent) {}

std::optional<QString> SecretStore::remembered(const QString& id) const {
    const auto at = known_.find(id);
    return at == known_.end() ? std::nullopt : std::optional(*at);
}

void SecretStore::look(const QString& id, std::function<void(std::optional<QString>)> then) {
    if (known_.contains(id) || asked_.contains(id)) return then(remembered(id));
    asked_.insert(id);
    auto* job = new QKeychain::ReadPasswordJob(kService, this);
    job->setKey(id);
    connect(job, &QKeychain::Job::finished, this, [this, id, job, then = std::move(then)] {
        // A system without a keychain is like one that knows nothing.
        if (job->error() == QKeychain::NoError) known_.insert(id, job->textData());
        then(remembered(id));
    });
    job->start();
}

void SecretStore::set(const QString& id, const QString& password, bool keep) {
    known_.insert(id, password);
    asked_.insert(id);
    if (!keep) return removeFromKeychain(id);
    auto* job = new QKeychain::WritePasswordJob(kService, this);
    job->setKey(id);
    job->setTextData(password);
    connect(job, &QKeychain::Job::finished, this, [this, job] {
        if (job->error() == QKeychain::NoError) return;
        Q_EMIT keychainFailed(
            tr("The keychain did not take the password, so it is kept until Gantry ends: %1")
                .arg(job->errorString()));
    });
    job->start();
}

void SecretStore::forget(const QString& id) {
    known_.remove(id);
    asked_.insert(id);
    removeFromKeychain(id);
}

void SecretStore::removeFromKeychain(const QString& id) {
    auto* job = new QKeychain::DeletePasswordJob(kService, this);
    job->setKey(id);
    job->start();
}

}  // namespace gantry::ui
