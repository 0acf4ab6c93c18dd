// SPDX-License-Identifier: PostgreSQL
// The icon of the window, drawn from the same file that is installed for the desktop.
#pragma once

#include <QIcon>

namespace gantry::ui {

QIcon applicationIcon();

}  // namespace gantry::ui
