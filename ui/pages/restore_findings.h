// SPDX-License-Identifier: PostgreSQL
// What stands in the way of a restore, as its page shows it: with a button that mends it.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/options/restore_options.h"
#include "core/restore/preflight.h"
#include "ui/pages/findings_list.h"

namespace gantry::ui {

/// Sets an option of the page: "no-owner".
using SetFlag = std::function<void(const QString& flag)>;

/// Its buttons set the options that its remedy names.
ShownFinding shownFinding(const restore::Finding& finding, const SetFlag& setFlag);

/// Of a server that is made for the restore, with the roles that are missed: it is not there to be
/// looked at.
std::vector<ShownFinding> findingsOfNewServer(const options::RestoreContent& content,
                                              const SetFlag& setFlag);

}  // namespace gantry::ui
