// SPDX-License-Identifier: PostgreSQL
// A restore as the page has it set, with the entries that are chosen of the archive.
#pragma once

#include <QString>
#include <string>

#include "core/options/restore_options.h"

namespace gantry::ui {

struct RestoreWanted {
    options::RestoreOptions options;
    std::string list;  ///< as -L takes it, for the file that the options name; empty: everything

    /// Has `list` in a file of `folder` (the temporary one if it is empty), by what is in it, so
    /// that the same choice is the same file.
    void choose(std::string entries, const QString& folder);
    /// Writes that file, if there is one to write. Throws Error{Io}. In the pool.
    void writeList() const;
    /// The options over a connection, with the list written. Throws Error{Io}. In the pool.
    options::RestoreOptions on(const options::ConnectionOptions& connection) const;
};

}  // namespace gantry::ui
