// SPDX-License-Identifier: PostgreSQL
// What the tests of faults share: gantryctl in the background, gates that hold a dump up at a given
// row, and looks at what is left behind.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/child_process.h"
#include "core/pg/connection.h"
#include "tests/support/cluster.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tool.h"

namespace gantry::test {

/// The newest server, one for all tests of this program that do it no harm.
const Cluster& sharedCluster();
/// An empty database with a name of its own.
std::string freshDatabase(const Cluster& cluster);
/// The role "reader", which has no rights but may log in.
void makeReader(const Cluster& cluster);

/// gantryctl's words for a dump into `output`, over the cluster's socket, with client programs that
/// fit and without progress.
std::vector<std::string> dumpCommand(const Cluster& cluster, const std::string& database,
                                     const std::filesystem::path& output,
                                     const std::vector<std::string>& more = {});

/// Runs such a command to its end.
ToolResult runDumpTool(const Cluster& cluster, const std::string& database,
                       const std::filesystem::path& output,
                       const std::vector<std::string>& more = {});

/// A program in the background; killed on destruction if it has not ended.
class BackgroundTool {
public:
    explicit BackgroundTool(const std::vector<std::string>& argv,
                            const std::map<std::string, std::string>& environment = {});

    void signal(int number) { child_.signal(number); }
    pid_t pid() const { return child_.pid(); }
    bool ended() { return child_.poll().has_value(); }
    /// Its end; throws std::runtime_error if that does not come.
    ToolResult wait();
    /// What it has said on standard error so far.
    std::string errorsSoFar() const;

private:
    TemporaryFolder folder_;
    ChildProcess child_;
};

/// Waits until `condition` holds; throws std::runtime_error naming `what` if it never does.
void waitUntil(const std::string& what, const std::function<bool()>& condition,
               std::chrono::seconds patience = std::chrono::seconds(60));

/// Sessions of a dump that are there now: pids, ordered by name. `like` is a pattern of
/// application_name.
std::vector<int> dumpSessions(const Cluster& cluster, const std::string& like = "gantry dump%");
/// Waits until none is left, for 2 s at most: that is how long a cancelled run may take. False if
/// some stay.
bool sessionsEnd(const Cluster& cluster);

/// What a dump that failed says last, where that is so.
inline constexpr std::string_view kNothingLeft =
    "\nNothing was left that could be taken for a whole dump.\n";

std::string readText(const std::filesystem::path& path);
/// Names in a folder, ordered.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// Ends a session, and waits until it is gone.
void endSession(const Cluster& cluster, int pid);

/// Closed, it holds up whoever calls in a loop pg_try_advisory_lock_shared(7) and pg_sleep(0.01)
/// until he has the lock.
class Gate {
public:
    /// Closes it.
    Gate(const Cluster& cluster, const std::string& database);
    void open() { keeper_.reset(); }
    /// Waits until a session of the dump stands at the gate; its pid.
    int waitForArrival(const std::string& like = "gantry dump%") const;

private:
    const Cluster& cluster_;
    std::optional<pg::Connection> keeper_;
};

/// A database in which a dump can be held up at a row: a row security policy calls a function that
/// waits there at the gate. A dump meets it as the role "reader" with --enable-row-security.
class GatedDatabase {
public:
    /// Table "public.big" of `megabytes`, rows of 1,600 bytes numbered from 1, with the gate at row
    /// `gateRow`, read in binary form unless --no-binary is given; and "public.small" of ten rows.
    GatedDatabase(const Cluster& cluster, int megabytes, int gateRow);

    const std::string& name() const { return name_; }
    /// Options of gantryctl that send a dump through the gate.
    static std::vector<std::string> options(const std::vector<std::string>& more = {});

private:
    const std::string name_;
};

/// "12345 rows, hash" of public.big and public.small.
std::string contentOf(const Cluster& cluster, const std::string& database);
/// Restores with the cluster's own pg_restore (psql for a script) into a new database; its
/// contentOf().
std::string restoredContent(const Cluster& cluster, const std::filesystem::path& archive,
                            const std::string& database = "copy");

}  // namespace gantry::test
