// SPDX-License-Identifier: PostgreSQL
// Control groups, version 2: one tree under /sys/fs/cgroup, a limit holds for all below it.
//   /proc/self/cgroup   0::/path
//   …/path/cpu.max      "max 100000" or "400000 100000": microseconds of processor time a period
//   …/path/memory.max   "max" or bytes
// Version 1: a tree for each kind.
//   /proc/self/cgroup   4:cpu,cpuacct:/path
//   …/cpu/path/cpu.cfs_quota_us, cpu.cfs_period_us   -1: no limit
//   …/memory/path/memory.limit_in_bytes              a huge number: no limit
// Inside of a container the path may be one that is not to be seen there: then the tree's root is
// its own group.
#include "core/base/machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";
constexpr uint64_t kNoLimit = uint64_t{1} << 60;  // version 1 writes the largest page count

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
    return lines;
}

std::optional<int64_t> numberIn(std::string_view text) {
    const std::size_t begin = text.find_first_of("-0123456789");
    if (begin == std::string_view::npos) return std::nullopt;
    int64_t number = 0;
    const auto result = std::from_chars(text.data() + begin, text.data() + text.size(), number);
    return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// "key\t: value" of /proc/cpuinfo and /proc/self/status; empty if the line has another key.
std::optional<std::string> valueOf(const std::string& line, std::string_view key) {
    if (!line.starts_with(key)) return std::nullopt;
    const std::size_t colon = line.find_first_not_of(" \t", key.size());
    if (colon == std::string::npos || line[colon] != ':') return std::nullopt;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
}

/// "0-3,8" are 5.
uint32_t countOfList(const std::string& list) {
    uint32_t count = 0;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::optional<int64_t> first = numberIn(part);
        if (!first) continue;
        const std::size_t dash = part.find('-', 1);
        const std::optional<int64_t> last =
            dash == std::string::npos ? first : numberIn(std::string_view(part).substr(dash + 1));
        if (last && *last >= *first) count += static_cast<uint32_t>(*last - *first + 1);
    }
    return count;
}

/// The folders of the groups that a process is in: its own, the one around it, … up to the root.
std::vector<std::string> groupFolders(const std::string& tree, std::string path) {
    std::vector<std::string> folders;
    for (;;) {
        while (path.ends_with('/')) path.pop_back();
        folders.push_back(tree + path);
        if (path.empty()) return folders;
        path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
}

/// Of the group controller `kind` ("cpu", "memory"), version 1; of version 2 with an empty one.
std::optional<std::string> groupPath(const std::vector<std::string>& lines, std::string_view kind) {
    for (const std::string& line : lines) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        std::istringstream kinds(line.substr(first + 1, second - first - 1));
        if (kind.empty() && second == first + 1) return line.substr(second + 1);
        for (std::string one; std::getline(kinds, one, ',');) {
            if (one == kind) return line.substr(second + 1);
        }
    }
    return std::nullopt;
}

template <class Value>
void lower(std::optional<Value>& limit, std::optional<Value> other) {
    if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<double> quotaOf(int64_t quota, int64_t period) {
    if (quota <= 0 || period <= 0) return std::nullopt;
    return static_cast<double>(quota) / static_cast<double>(period);
}

std::optional<double> readQuota(const ReadText& read) {
    const std::vector<std::string> groups = linesOf(read("/proc/self/cgroup").value_or(""));
    std::optional<double> quota;
    if (const auto path = groupPath(groups, "")) {
        for (const std::string& folder : groupFolders(std::string(kGroups), *path)) {
            const std::string text = read(folder + "/cpu.max").value_or("max");
            const std::size_t space = text.find(' ');
            if (text.starts_with("max") || space == std::string::npos) continue;
            lower(quota, quotaOf(numberIn(text).value_or(0),
                                 numberIn(std::string_view(text).substr(space)).value_or(0)));
        }
    }
    if (const auto path = groupPath(groups, "cpu")) {
        for (const char* tree : {"/cpu", "/cpu,cpuacct"}) {
            for (const std::string& folder : groupFolders(std::string(kGroups) + tree, *path)) {
                const auto most = read(folder + "/cpu.cfs_quota_us");
                const auto period = read(folder + "/cpu.cfs_period_us");
                if (!most || !period) continue;
                lower(quota, quotaOf(numberIn(*most).value_or(0), numberIn(*period).value_or(0)));
            }
        }
    }
    return quota;
}

std::optional<uint64_t> readMemoryLimit(const ReadText& read) {
    const std::vector<std::string> groups = linesOf(read("/proc/self/cgroup").value_or(""));
    std::optional<uint64_t> limit;
    const auto look = [&](const std::string& tree, const std::string& path, const char* file) {
        for (const std::string& folder : groupFolders(tree, path)) {
            const std::optional<int64_t> bytes = numberIn(read(folder + file).value_or("max"));
            if (!bytes || *bytes <= 0 || static_cast<uint64_t>(*bytes) >= kNoLimit) continue;
            lower(limit, std::optional(static_cast<uint64_t>(*bytes)));
        }
    };
    if (const auto path = groupPath(groups, "")) look(std::string(kGroups), *path, "/memory.max");
    if (const auto path = groupPath(groups, "memory")) {
        look(std::string(kGroups) + "/memory", *path, "/memory.limit_in_bytes");
    }
    return limit;
}

}  // namespace

ReadText filesBelow(std::filesystem::path root) {
    return [root = std::move(root)](const std::string& path) -> std::optional<std::string> {
        std::ifstream file(root / std::filesystem::path(path).relative_path());
        if (!file) return std::nullopt;
        // What can be opened may still refuse to be read, a folder for instance.
        std::ostringstream text;
        text << file.rdbuf();
        return file.bad() || text.fail() ? std::nullopt : std::optional(std::move(text).str());
    };
}

uint32_t Processors::usable() const {
    uint32_t count = std::max(allowed, 1U);
    if (quota) count = std::min(count, static_cast<uint32_t>(std::ceil(*quota)));
    return std::max(count, 1U);
}

std::optional<Processors> readProcessors(const ReadText& read) {
    const std::optional<std::string> text = read("/proc/cpuinfo");
    if (!text) return std::nullopt;
    Processors found;
    found.logical = 0;
    std::set<std::pair<std::string, std::string>> cores;
    std::string socket;
    for (const std::string& line : linesOf(*text)) {
        if (valueOf(line, "processor")) ++found.logical;
        if (const auto id = valueOf(line, "physical id")) socket = *id;
        if (const auto id = valueOf(line, "core id")) cores.emplace(socket, *id);
    }
    if (found.logical == 0) return std::nullopt;
    found.physical = cores.empty() ? found.logical : static_cast<uint32_t>(cores.size());
    found.allowed = found.logical;
    for (const std::string& line : linesOf(read("/proc/self/status").value_or(""))) {
        if (const auto list = valueOf(line, "Cpus_allowed_list")) {
            const uint32_t count = countOfList(*list);
            if (count > 0) found.allowed = std::min(count, found.logical);
        }
    }
    found.quota = readQuota(read);
    return found;
}

std::optional<Memory> readMemory(const ReadText& read) {
    const std::optional<std::string> text = read("/proc/meminfo");
    if (!text) return std::nullopt;
    Memory memory;
    for (const std::string& line : linesOf(*text)) {
        const auto bytes = [](const std::string& value) {
            return static_cast<uint64_t>(std::max<int64_t>(numberIn(value).value_or(0), 0)) * 1024;
        };
        if (const auto value = valueOf(line, "MemTotal")) memory.total = bytes(*value);
        if (const auto value = valueOf(line, "MemAvailable")) memory.available = bytes(*value);
    }
    if (memory.total == 0) return std::nullopt;
    memory.limit = readMemoryLimit(read);
    if (memory.limit) memory.available = std::min(memory.available, *memory.limit);
    return memory;
}

std::string fileSystemOf(const std::string& path, const ReadText& read) {
    // "device folder type options …", the last of equally long folders on top.
    std::size_t longest = 0;
    std::string type;
    for (const std::string& line : linesOf(read("/proc/self/mounts").value_or(""))) {
        std::istringstream fields(line);
        std::string device;
        std::string folder;
        std::string kind;
        if (!(fields >> device >> folder >> kind)) continue;
        for (std::size_t at = 0; (at = folder.find("\\040", at)) != std::string::npos; ++at) {
            folder.replace(at, 4, " ");
        }
        while (folder.ends_with('/')) folder.pop_back();
        const bool holds = path.starts_with(folder) &&
                           (path.size() == folder.size() || path[folder.size()] == '/');
        if (!holds || folder.size() < longest) continue;
        longest = folder.size();
        type = kind;
    }
    return type;
}

}  // namespace gantry
