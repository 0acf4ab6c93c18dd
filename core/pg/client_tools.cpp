// SPDX-License-Identifier: PostgreSQL
#include "core/pg/client_tools.h"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"

namespace gantry::pg {
namespace {

namespace fs = std::filesystem;

constexpr auto kVersionTimeout = std::chrono::seconds(10);

// Distributions put each version into a folder of its own; which ones is known.
constexpr const char* kUsualPatterns[] = {
#ifdef __APPLE__
    "/opt/homebrew/opt/postgresql@*/bin",
    "/opt/homebrew/opt/libpq/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/usr/local/opt/libpq/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
    "/Library/PostgreSQL/*/bin",
    "/opt/local/lib/postgresql*/bin",
#else
    "/usr/lib/postgresql/*/bin",    // Debian, Ubuntu
    "/usr/pgsql-*/bin",             // PostgreSQL's own packages for Red Hat and SUSE
    "/usr/lib/postgresql*/bin",     // SUSE
    "/usr/libexec/postgresql*",     // Alpine
    "/usr/lib64/postgresql-*/bin",  // Gentoo
    "/usr/local/pgsql*/bin",        // built from source
    "/opt/postgresql*/bin",
    "/opt/postgresql/*/bin",
    "/opt/PostgreSQL/*/bin",  // the interactive installer
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
    "/home/linuxbrew/.linuxbrew/opt/libpq/bin",
#endif
    "/usr/local/bin",
    "/usr/bin",
};

std::vector<fs::path> resolvePattern(const char* pattern) {
    std::vector<fs::path> paths;
    glob_t matches{};
    if (::glob(pattern, 0, nullptr, &matches) == 0) {
        for (std::size_t i = 0; i < matches.gl_pathc; ++i) paths.emplace_back(matches.gl_pathv[i]);
    }
    ::globfree(&matches);
    return paths;
}

/// Debian's /usr/bin/pg_dump is a script that chooses a version by clusters and settings: not a
/// program of one version.
bool isProgram(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || ::access(path.c_str(), X_OK) != 0) return false;
    return fs::canonical(path, ignored).filename() != "pg_wrapper";
}

void learnVersion(Installation& installation) {
    ChildOptions options;
    options.program = installation.tools.begin()->second;
    for (const std::string_view preferred : kKnownTools) {
        const auto found = installation.tools.find(std::string(preferred));
        if (found == installation.tools.end()) continue;
        options.program = found->second;
        break;
    }
    options.arguments = {"--version"};
    options.environment = {{"LC_ALL", "C"}};
    // Ctrl-C is meant for us; a program that it ends would look like one that does not run.
    options.group = ChildOptions::Group::Own;
    try {
        const ChildResult result = runToEnd(options, kVersionTimeout);
        if (!result.status.success()) {
            installation.problem =
                fmt::format("{} {}", options.program.filename().string(), result.status.describe());
            const std::string line = result.errors.substr(0, result.errors.find('\n'));
            if (!line.empty()) installation.problem += ": " + line;
            return;
        }
        installation.versionText = result.output.substr(0, result.output.find('\n'));
    } catch (const Error& error) {
        installation.problem = error.info().message;
        return;
    } catch (const std::exception& error) {  // of the library: no memory, no thread
        installation.problem = error.what();
        return;
    }
    installation.version = parseVersion(installation.versionText);
    std::from_chars(installation.version.data(),
                    installation.version.data() + installation.version.size(), installation.major);
    if (installation.major == 0) {
        installation.problem =
            fmt::format("{} does not say its version", options.program.filename().string());
    }
}

std::string readOsRelease() {
    std::ifstream file("/etc/os-release");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The values of ID and ID_LIKE, as one list of words.
std::string systemFamily(std::string_view osRelease) {
    std::string words;
    while (!osRelease.empty()) {
        const std::string_view line = osRelease.substr(0, osRelease.find('\n'));
        osRelease.remove_prefix(std::min(line.size() + 1, osRelease.size()));
        for (const std::string_view key : {"ID=", "ID_LIKE="}) {
            if (line.starts_with(key)) words += std::string(line.substr(key.size())) + ' ';
        }
    }
    return words;
}

/// "15.14 in /usr/lib/postgresql/15/bin, 9.6.2 in /opt/pg/bin".
std::string describeFound(const std::vector<Installation>& installations, const std::string& tool) {
    std::string text;
    for (const Installation& installation : installations) {
        if (!installation.has(tool)) continue;
        if (!text.empty()) text += ", ";
        const std::string what = installation.major > 0 ? installation.version
                                                        : fmt::format("one that does not run ({})",
                                                                      installation.problem);
        text += fmt::format("{} in {}", what, installation.binFolder.string());
    }
    return text.empty() ? "none" : text;
}

}  // namespace

std::string parseVersion(std::string_view versionText) {
    constexpr std::string_view kMark = "(PostgreSQL) ";
    const std::size_t mark = versionText.find(kMark);
    if (mark == std::string_view::npos) return {};
    versionText.remove_prefix(mark + kMark.size());
    return std::string(versionText.substr(0, versionText.find_first_of(" \n")));
}

std::string installHint(std::string_view osRelease, int major, bool server) {
    const std::string family = systemFamily(osRelease);
    const auto isLike = [&family](std::string_view name) {
        return family.find(name) != std::string::npos;
    };
    if (isLike("debian") || isLike("ubuntu")) {
        return fmt::format(
            "Install the package postgresql-{}{} (from apt.postgresql.org if the distribution "
            "does not have it).",
            server ? "" : "client-", major);
    }
    if (isLike("rhel") || isLike("fedora") || isLike("centos")) {
        return fmt::format(
            "Install the package postgresql{}{} (from yum.postgresql.org if the distribution does "
            "not have it).",
            major, server ? "-server" : "");
    }
    if (isLike("suse")) {
        return fmt::format("Install the package postgresql{}{}.", major, server ? "-server" : "");
    }
    if (isLike("alpine")) {
        return fmt::format("Install the package postgresql{}{}.", major, server ? "" : "-client");
    }
    if (osRelease.empty()) {
        return fmt::format("Install them with: brew install postgresql@{}.", major);
    }
    return fmt::format("Install the PostgreSQL {} {} programs of your distribution.", major,
                       server ? "server" : "client");
}

std::vector<fs::path> usualFolders() {
    std::vector<fs::path> folders;
    for (const char* pattern : kUsualPatterns) {
        std::vector<fs::path> matches = resolvePattern(pattern);
        folders.insert(folders.end(), matches.begin(), matches.end());
    }
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        if (colon > 0) folders.emplace_back(rest.substr(0, colon));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return folders;
}

std::vector<Installation> inspectFolders(const std::vector<fs::path>& folders) {
    std::vector<Installation> installations;
    std::set<fs::path> seen;
    for (const fs::path& folder : folders) {
        for (const fs::path& candidate : {folder, folder / "bin"}) {
            Installation installation;
            installation.binFolder = candidate;
            for (const std::string_view name : kKnownTools) {
                const fs::path path = candidate / name;
                if (isProgram(path)) installation.tools.emplace(name, path);
            }
            if (installation.tools.empty()) continue;
            // By the programs, not the folder: /usr/bin may hold links into a version's folder.
            std::error_code ignored;
            if (!seen.insert(fs::canonical(installation.tools.begin()->second, ignored)).second) {
                break;
            }
            installations.push_back(std::move(installation));
            break;
        }
    }
    std::vector<std::jthread> asking;
    for (Installation& installation : installations) {
        asking.emplace_back([&installation] { learnVersion(installation); });
    }
    asking.clear();
    return installations;
}

std::vector<Installation> findInstallations(const fs::path& namedFolder) {
    if (!namedFolder.empty()) {
        std::vector<Installation> named = inspectFolders({namedFolder});
        if (named.empty()) {
            throw Error(ErrorKind::Preflight, "no PostgreSQL programs are in this folder",
                        namedFolder.string(),
                        "Name the folder that holds pg_dump, or name none to have the usual places "
                        "searched.");
        }
        return named;
    }
    std::vector<Installation> installations = inspectFolders(usualFolders());
    std::stable_sort(
        installations.begin(), installations.end(),
        [](const Installation& a, const Installation& b) { return a.major < b.major; });
    return installations;
}

ClientTool chooseForServer(const std::vector<Installation>& installations, int serverMajor,
                           const std::string& tool, const OptionNeed& need) {
    const int wanted = std::max(serverMajor, need.major);
    const Installation* best = nullptr;
    for (const Installation& installation : installations) {
        if (!installation.has(tool) || installation.major < wanted) continue;
        if (best == nullptr || installation.major < best->major) best = &installation;
    }
    if (best == nullptr) {
        const std::string why = need.major > serverMajor
                                    ? need.option + " came with version " + std::to_string(wanted)
                                    : fmt::format("the server is version {}", serverMajor);
        throw Error(ErrorKind::Preflight,
                    fmt::format("{}, and no {} of version {} or newer was found on this machine; "
                                "found: {}",
                                why, tool, wanted, describeFound(installations, tool)),
                    tool,
                    installHint(readOsRelease(), wanted, false) +
                        " If it is installed in an unusual place, name its folder with "
                        "--pg-bindir.");
    }
    return {best->tools.at(tool), best->major, best->version, best->versionText};
}

const Installation& newestServer(const std::vector<Installation>& installations) {
    const Installation* best = nullptr;
    for (const Installation& installation : installations) {
        if (!installation.isServer() || installation.major == 0) continue;
        if (best == nullptr || installation.major > best->major) best = &installation;
    }
    if (best == nullptr) {
        constexpr int kCurrentMajor = 18;
        throw Error(ErrorKind::Preflight,
                    fmt::format("no PostgreSQL server programs (initdb, postgres) were found on "
                                "this machine; pg_dump found: {}",
                                describeFound(installations, "pg_dump")),
                    "initdb",
                    installHint(readOsRelease(), kCurrentMajor, true) +
                        " If they are installed in an unusual place, name their folder with "
                        "--pg-bindir.");
    }
    return *best;
}

}  // namespace gantry::pg
