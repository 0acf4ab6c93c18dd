// SPDX-License-Identifier: PostgreSQL
// A table of contents as the SQL script that restores it, statement for statement as pg_restore's.
#pragma once

#include <functional>
#include <string>

#include "core/archive/entry_statements.h"
#include "core/archive/toc.h"

namespace gantry::archive {

/// A stretch of the script: text, then, if set, the data of one entry behind its COPY statement
/// (rows and the end-of-data line), or for BLOBS the large objects of that entry.
struct ScriptPiece {
    std::string text;
    const TocEntry* dataOf = nullptr;  ///< of the contents
};
using PutScriptPiece = std::function<void(ScriptPiece)>;

/// Hands on the whole script in the order in which pg_restore prints it (its ACL and post-ACL
/// passes last). Equal to `pg_restore -f -` of the same archive but for comments that carry dates
/// or versions.
void renderScript(const Toc& toc, const ScriptOptions& options, const PutScriptPiece& put);

}  // namespace gantry::archive
