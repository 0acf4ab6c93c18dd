// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/restore_wanted.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

#include "core/base/error.h"

namespace gantry::ui {

void RestoreWanted::choose(std::string entries, const QString& folder) {
    list = std::move(entries);
    const QByteArray hash =
        QCryptographicHash::hash(QByteArray::fromStdString(list), QCryptographicHash::Sha1)
            .toHex()
            .left(12);
    const QString archive =
        QFileInfo(QString::fromStdString(options.archive.string())).completeBaseName();
    options.selection.listFile =
        ((folder.isEmpty() ? QDir::tempPath() : folder) +
         QStringLiteral("/gantry-%1-%2.list").arg(archive, QString::fromLatin1(hash)))
            .toStdString();
}

void RestoreWanted::writeList() const {
    if (list.empty()) return;
    const std::filesystem::path path = options.selection.listFile;
    const QString name = QString::fromStdString(path.string());
    QDir().mkpath(QFileInfo(name).absolutePath());
    QSaveFile file(name);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(list.data(), static_cast<qint64>(list.size())) >= 0 &&
                         file.commit();
    if (!written) {
        throw Error(
            ErrorKind::Io,
            "the list of chosen entries cannot be written: " + file.errorString().toStdString(),
            path.string());
    }
}

options::RestoreOptions RestoreWanted::on(const options::ConnectionOptions& connection) const {
    writeList();
    options::RestoreOptions aimed = options;
    aimed.connection = connection;
    return aimed;
}

}  // namespace gantry::ui
