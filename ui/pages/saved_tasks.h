// SPDX-License-Identifier: PostgreSQL
// Named option sets: kept in a file, run with two clicks.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <vector>

#include "core/options/dump_options.h"
#include "core/options/restore_options.h"
#include "core/options/vacuum_options.h"
#include "ui/bridge/run_controller.h"
#include "ui/servers/server_profile.h"

class QMenu;
class QWidget;

namespace gantry::ui {

class RunList;
class ServerAccess;
class ServerStore;

struct SavedTask {
    QString name;       ///< among all tasks of its operation
    QString serverId;   ///< of the profile it aims at
    QString operation;  ///< "dump", "restore" or "vacuum"
    QString profile;    ///< as options::toProfile() writes it; no password
};

/// GUI thread. The file is JSON, written whole or not at all.
class SavedTasks : public QObject {
    Q_OBJECT
public:
    /// Reads `path`, which need not exist. An empty one keeps nothing beyond the session.
    explicit SavedTasks(QString path, QObject* parent = nullptr);

    const std::vector<SavedTask>& tasks() const { return tasks_; }
    /// Adds it or replaces the one of its name and operation.
    void save(const SavedTask& task);
    void remove(const QString& name, const QString& operation);
    QString problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    void load();
    void store();

    QString path_;
    QString problem_;
    std::vector<SavedTask> tasks_;
};

/// What the menu of a page does with a task.
struct TaskActions {
    std::function<void(const SavedTask&)> run;  ///< empty: tasks are only opened
    std::function<void(const SavedTask&)> open;
    std::function<void()> saveCurrent;
};
/// Rebuilds `menu`: tasks of this operation to run, to open and to delete; saving what is shown.
void fillTaskMenu(QMenu& menu, SavedTasks& tasks, const QString& operation,
                  const TaskActions& actions);

/// A name for a task, asked for; empty if it was cancelled.
QString askTaskName(QWidget* parent, const SavedTasks& tasks, const QString& operation,
                    const QString& proposal);

/// "{database}", "{date}" and "{time}" in a destination as they are now; "~/" as the home folder.
QString expandDestination(QString destination, const QString& database);

/// What starts a run. `options.connection` is the run's own, with its password if it has one.
RunRequest dumpRequest(options::DumpOptions options, const ServerProfile& server,
                       const QString& database);
RunRequest restoreRequest(options::RestoreOptions options, const ServerProfile& server,
                          const QString& database);
RunRequest vacuumRequest(options::VacuumOptions options, const ServerProfile& server,
                         const QString& database);

}  // namespace gantry::ui
