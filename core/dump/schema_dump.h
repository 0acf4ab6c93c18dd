// SPDX-License-Identifier: PostgreSQL
// The table of contents from the installed pg_dump: definitions, order and dependencies, no data.
//
// pg_dump in custom format writes its whole table of contents before the first row. It runs under
// our snapshot and writes to a pipe; once the contents are read the pipe is closed and it ends.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/toc.h"
#include "core/base/child_process.h"
#include "core/options/dump_options.h"
#include "core/pg/client_tools.h"
#include "core/pg/connection.h"

namespace gantry::dump {

/// The warnings among pg_dump's messages, one each, with what they list and advise.
std::vector<std::string> warningsIn(const std::string& text);

/// One thread at a time, which must live as long as the child.
class SchemaDump {
public:
    /// Starts pg_dump with the connection parameters of `connection`; the password travels in the
    /// child's environment. `application` is what pg_stat_activity shows.
    SchemaDump(const options::DumpOptions& options, const pg::ClientTool& pgDump,
               const pg::Connection& connection, const std::string& snapshotId,
               const std::string& application);
    ~SchemaDump();
    SchemaDump(const SchemaDump&) = delete;
    SchemaDump& operator=(const SchemaDump&) = delete;

    int32_t pid() const { return child_.pid(); }

    /// Waits for the whole table of contents; pg_dump still runs and holds its locks afterwards.
    /// Throws Error{Server} with pg_dump's own words if it fails, Error{Cancelled} on stop.
    /// `onWait` is called about once a second while nothing comes, and may throw.
    archive::Toc read(const std::stop_token& stop, const std::function<void()>& onWait);
    /// Ends pg_dump and returns its warnings.
    std::vector<std::string> finish();

private:
    ChildProcess child_;
    std::string tool_;
};

}  // namespace gantry::dump
