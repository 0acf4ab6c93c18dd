// SPDX-License-Identifier: PostgreSQL
// Which PostgreSQL programs this machine has: every usual place, a folder that is named, PATH.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::pg {

/// One folder with PostgreSQL programs that belong together.
struct Installation {
    std::filesystem::path binFolder;
    int major = 0;            ///< 15; 9 for 9.x; 0 if its programs do not run
    std::string version;      ///< "15.14", "18beta1"
    std::string versionText;  ///< "pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"
    std::map<std::string, std::filesystem::path> tools;  ///< by name, see kKnownTools
    std::string problem;                                 ///< why `major` is 0

    bool has(const std::string& tool) const { return tools.contains(tool); }
    bool isServer() const { return has("initdb") && has("postgres"); }
};

/// A program to run.
struct ClientTool {
    std::filesystem::path path;
    int major = 0;
    std::string version;
    std::string versionText;
};

inline constexpr std::string_view kKnownTools[] = {"pg_dump",  "pg_restore", "psql",
                                                   "postgres", "initdb",     "pg_ctl"};

/// The folders that findInstallations() looks into when none is named, in order, existing or not
/// once their patterns are resolved; PATH's come last.
std::vector<std::filesystem::path> usualFolders();

/// What is in `folders` (each a bin folder, or one that has a bin folder); each place is listed
/// once however many ways lead to it, in the order given. Runs one program of each folder to learn
/// its version, all at once, some 10 ms each.
std::vector<Installation> inspectFolders(const std::vector<std::filesystem::path>& folders);

/// All that this machine has, oldest first. With a `namedFolder` it alone is looked at: who names a
/// folder means it; throws Error{Preflight} if it has no PostgreSQL programs.
std::vector<Installation> findInstallations(const std::filesystem::path& namedFolder = {});

/// An option of a tool that only newer versions have.
struct OptionNeed {
    int major = 0;       ///< 0: every version has it
    std::string option;  ///< "--filter"
};

/// The oldest `tool` that is new enough for a server of this major version, and for the option.
/// Throws Error{Preflight} that says what was found where, and which package to install.
ClientTool chooseForServer(const std::vector<Installation>& installations, int serverMajor,
                           const std::string& tool = "pg_dump", const OptionNeed& need = {});

/// The newest installation that can make and run a server. Throws Error{Preflight} likewise.
const Installation& newestServer(const std::vector<Installation>& installations);

/// "18" of "pg_dump (PostgreSQL) 18.4", and the like; empty if there is none.
std::string parseVersion(std::string_view versionText);

/// How to install the client (or server) programs of a version on the system that this text, the
/// content of /etc/os-release, describes (empty: macOS): "Install the package
/// postgresql-client-18.".
std::string installHint(std::string_view osRelease, int major, bool server);

}  // namespace gantry::pg
