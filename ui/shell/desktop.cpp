// SPDX-License-Identifier: PostgreSQL
#include "ui/shell/desktop.h"

namespace gantry::ui {
namespace {

QString within(const QString& folder, const char* name) {
    return folder.isEmpty() ? QString() : folder + u'/' + QLatin1String(name);
}

}  // namespace

Desktop::Desktop(const DesktopFolders& folders)
    : servers_(within(folders.config, "servers.json")),
      runs_(within(folders.data, "runs").toStdString()),
      window_(servers_, runs_) {}

}  // namespace gantry::ui
