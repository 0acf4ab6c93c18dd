// SPDX-License-Identifier: PostgreSQL
#include "ui/pages/saved_tasks.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QInputDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSaveFile>
#include <QTemporaryFile>
#include <algorithm>

#include "core/archive/list.h"
#include "core/base/file.h"
#include "core/dump/dump.h"
#include "core/options/command.h"
#include "core/options/validate.h"
#include "core/pg/connection.h"
#include "core/restore/restore.h"
#include "core/restore/restore_plan.h"
#include "core/vacuum/vacuum.h"

namespace gantry::ui {
namespace {

const QString kName = QStringLiteral("name");
const QString kServer = QStringLiteral("server");
const QString kOperation = QStringLiteral("operation");
const QString kProfile = QStringLiteral("profile");

QString shellLine(const std::vector<std::string>& arguments) {
    return QString::fromStdString(options::quoteForShell(arguments));
}

/// The archive's entries of those names, as a list that --use-list takes.
std::string listOf(const std::filesystem::path& archive, const std::vector<std::string>& objects) {
    const auto reader = archive::openArchive(archive);
    std::vector<archive::ListedEntry> entries;
    for (const archive::ListedEntry& listed : archive::listEntries(*reader)) {
        const std::string name = restore::displayName(*listed.entry);
        if (std::find(objects.begin(), objects.end(), name) != objects.end()) {
            entries.push_back(listed);
        }
    }
    return archive::renderList(*reader, entries);
}

RunRequest retryRequest(options::RestoreOptions options, const ServerProfile& server,
                        const QString& database, const std::vector<std::string>& objects) {
    options.content.clean = false;
    options.content.ifExists = false;
    options.resume.clear();
    options.selection = {};
    RunRequest request = restoreRequest(options, server, database);
    request.title = SavedTasks::tr("Retry in %1").arg(database);
    request.commandLines.clear();
    request.work = [options, objects](events::EventSink& events, std::stop_token stop,
                                      run::RunControl& control) {
        QTemporaryFile file;
        if (!file.open()) {
            throw Error(ErrorKind::Io,
                        "the list of what is to be restored again cannot be written: " +
                            file.errorString().toStdString());
        }
        const std::string list = listOf(options.archive, objects);
        file.write(list.data(), static_cast<qint64>(list.size()));
        file.flush();
        options::RestoreOptions some = options;
        some.selection.listFile = file.fileName().toStdString();
        restore::restore(some, events, std::move(stop), &control);
    };
    return request;
}

/// "schema.Odd name" as -t takes it.
std::string asTableOption(const std::string& relation) {
    const std::size_t dot = relation.find('.');
    if (dot == std::string::npos) return pg::quoteIdentifier(relation);
    return pg::quoteIdentifier(relation.substr(0, dot)) + "." +
           pg::quoteIdentifier(relation.substr(dot + 1));
}

RunRequest vacuumAgain(options::VacuumOptions options, const ServerProfile& server,
                       const QString& database, const std::vector<std::string>& relations) {
    options.selection = {};
    for (const std::string& relation : relations) {
        options.selection.tables.push_back(asTableOption(relation));
    }
    RunRequest request = vacuumRequest(std::move(options), server, database);
    request.title = SavedTasks::tr("Retry in %1").arg(database);
    return request;
}

}  // namespace

SavedTasks::SavedTasks(QString path, QObject* parent) : QObject(parent), path_(std::move(path)) {
    load();
}

void SavedTasks::load() {
    QFile file(path_);
    if (path_.isEmpty() || !file.exists()) return;
    if (!file.open(QIODevice::ReadOnly)) {
        problem_ = tr("%1 cannot be read: %2").arg(path_, file.errorString());
        return;
    }
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (!document.isArray()) {
        problem_ = tr("%1 does not hold saved tasks").arg(path_);
        return;
    }
    for (const auto& value : document.array()) {
        const QJsonObject object = value.toObject();
        tasks_.push_back({object[kName].toString(), object[kServer].toString(),
                          object[kOperation].toString(), object[kProfile].toString()});
    }
}

void SavedTasks::store() {
    if (path_.isEmpty()) return;
    QJsonArray array;
    for (const SavedTask& task : tasks_) {
        array.append(QJsonObject{{kName, task.name},
                                 {kServer, task.serverId},
                                 {kOperation, task.operation},
                                 {kProfile, task.profile}});
    }
    QDir().mkpath(QFileInfo(path_).absolutePath());
    QSaveFile file(path_);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(QJsonDocument(array).toJson()) >= 0 && file.commit();
    problem_ = written ? QString() : tr("%1 cannot be written: %2").arg(path_, file.errorString());
}

void SavedTasks::save(const SavedTask& task) {
    const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const SavedTask& other) {
        return other.name == task.name && other.operation == task.operation;
    });
    if (found == tasks_.end()) {
        tasks_.push_back(task);
    } else {
        *found = task;
    }
    store();
    Q_EMIT changed();
}

void SavedTasks::remove(const QString& name, const QString& operation) {
    std::erase_if(tasks_, [&](const SavedTask& task) {
        return task.name == name && task.operation == operation;
    });
    store();
    Q_EMIT changed();
}

void fillTaskMenu(QMenu& menu, SavedTasks& tasks, const QString& operation,
                  const TaskActions& actions) {
    menu.clear();
    std::vector<SavedTask> shown;
    for (const SavedTask& task : tasks.tasks()) {
        if (task.operation == operation) shown.push_back(task);
    }
    for (const SavedTask& task : shown) {
        const QString label = actions.run ? SavedTasks::tr("Run “%1”").arg(task.name) : task.name;
        QObject::connect(menu.addAction(label), &QAction::triggered, &menu,
                         [use = actions.run ? actions.run : actions.open, task] { use(task); });
    }
    if (!shown.empty()) {
        menu.addSeparator();
        QMenu* open = actions.run ? menu.addMenu(SavedTasks::tr("Open")) : nullptr;
        QMenu* remove = menu.addMenu(SavedTasks::tr("Delete"));
        for (const SavedTask& task : shown) {
            if (open) {
                QObject::connect(open->addAction(task.name), &QAction::triggered, &menu,
                                 [use = actions.open, task] { use(task); });
            }
            QObject::connect(remove->addAction(task.name), &QAction::triggered, &menu,
                             [&tasks, task] { tasks.remove(task.name, task.operation); });
        }
        menu.addSeparator();
    }
    // It asks for a name: once the menu is closed, or its button would look pressed meanwhile.
    QObject::connect(menu.addAction(SavedTasks::tr("Save as task…")), &QAction::triggered, &menu,
                     actions.saveCurrent, Qt::QueuedConnection);
}

QString askTaskName(QWidget* parent, const SavedTasks& tasks, const QString& operation,
                    const QString& proposal) {
    QString label = SavedTasks::tr("Name of the task; one of the same name is replaced:");
    QStringList names;
    for (const SavedTask& task : tasks.tasks()) {
        if (task.operation == operation) names << task.name;
    }
    if (!names.isEmpty()) label += SavedTasks::tr("\n(There are: %1)").arg(names.join(u", "));
    bool accepted = false;
    const QString name = QInputDialog::getText(parent, SavedTasks::tr("Save as task"), label,
                                               QLineEdit::Normal, proposal, &accepted);
    return accepted ? name.trimmed() : QString();
}

QString expandDestination(QString destination, const QString& database) {
    const QDateTime now = QDateTime::currentDateTime();
    QString safe = database;
    safe.replace(u'/', u'_');
    destination.replace(QStringLiteral("{database}"), safe);
    destination.replace(QStringLiteral("{date}"), now.toString(QStringLiteral("yyyy-MM-dd")));
    destination.replace(QStringLiteral("{time}"), now.toString(QStringLiteral("HHmmss")));
    if (destination.startsWith(QStringLiteral("~/"))) {
        destination = QDir::homePath() + destination.mid(1);
    }
    return destination;
}

RunRequest dumpRequest(options::DumpOptions options, const ServerProfile& server,
                       const QString& database) {
    RunRequest request;
    request.title = SavedTasks::tr("Back up %1").arg(database);
    request.chips << server.name
                  << QString::fromUtf8(
                         archive::toString(options.format).data(),
                         static_cast<qsizetype>(archive::toString(options.format).size()));
    request.serverId = server.id;
    request.connection = options.connection;
    request.workers = options.jobs.value_or(0);
    request.destination = QString::fromStdString(options.output.string());
    request.commandLines << shellLine(options::gantryctlCommand(options))
                         << shellLine(options::pgDumpCommand(options).arguments);
    request.work = [options = std::move(options)](events::EventSink& events, std::stop_token stop,
                                                  run::RunControl& control) {
        createFolders(options.output.parent_path());
        dump::dump(options, events, std::move(stop), &control);
    };
    return request;
}

RunRequest restoreRequest(options::RestoreOptions options, const ServerProfile& server,
                          const QString& database) {
    RunRequest request;
    request.title =
        (options.refresh ? SavedTasks::tr("Refresh %1") : SavedTasks::tr("Restore into %1"))
            .arg(database);
    request.chips << server.name << QString::fromStdString(options.archive.filename().string());
    request.serverId = server.id;
    request.destination = QString::fromStdString(options.archive.string());
    request.commandLines << shellLine(options::gantryctlCommand(options))
                         << shellLine(options::pgRestoreCommand(options).arguments);
    request.connection = options.connection;
    request.workers = options.jobs.value_or(0);
    // What is there by then is neither dropped nor made again.
    if (!options.refresh && !options.content.create && !options.stopsAtFirstError()) {
        request.again = [options, server, database](const std::vector<std::string>& objects) {
            return retryRequest(options, server, database, objects);
        };
    }
    options::RestoreOptions resumable = options;
    resumable.resume = "last";
    if (!options::hasErrors(options::validate(resumable))) {
        request.resumed = [options, server, database](const std::filesystem::path& record) {
            options::RestoreOptions rest = options;
            rest.resume = record;
            RunRequest finishing = restoreRequest(std::move(rest), server, database);
            finishing.title = SavedTasks::tr("Finish restore into %1").arg(database);
            return finishing;
        };
    }
    request.work = [options = std::move(options)](events::EventSink& events, std::stop_token stop,
                                                  run::RunControl& control) {
        restore::restore(options, events, std::move(stop), &control);
    };
    return request;
}

RunRequest vacuumRequest(options::VacuumOptions options, const ServerProfile& server,
                         const QString& database) {
    RunRequest request;
    request.title = SavedTasks::tr("Vacuum %1").arg(database);
    request.chips << server.name;
    request.serverId = server.id;
    request.connection = options.connection;
    request.workers = options.jobs.value_or(0);
    request.commandLines << shellLine(options::gantryctlCommand(options))
                         << shellLine(options::vacuumdbCommand(options).arguments);
    // Of all databases a table's name does not tell which it is in.
    if (!options.allDatabases) {
        request.again = [options, server, database](const std::vector<std::string>& relations) {
            return vacuumAgain(options, server, database, relations);
        };
    }
    request.work = [options = std::move(options)](events::EventSink& events, std::stop_token stop,
                                                  run::RunControl& control) {
        vacuum::vacuum(options, events, std::move(stop), &control);
    };
    return request;
}

}  // namespace gantry::ui
