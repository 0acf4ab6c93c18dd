// SPDX-License-Identifier: PostgreSQL
// What the core says names options as a command line does; here they have other names.
#pragma once

#include <QString>
#include <string_view>

#include "core/base/error.h"

namespace gantry::ui {

/// With the window's own controls in the place of options and commands.
QString inWindow(const QString& said);
QString inWindow(std::string_view said);

/// All that an error says, in one line.
QString describe(const ErrorInfo& error);

/// What the form calls an option, as a sentence without a full stop.
QString optionLabel(std::string_view help);

}  // namespace gantry::ui
