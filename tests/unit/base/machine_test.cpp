// SPDX-License-Identifier: PostgreSQL
// Processors and memory as a Linux machine's files tell them, bare and within control groups.
#include "core/base/machine.h"

#include <fmt/format.h>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "core/base/processor_load.h"
#include "tests/support/temporary_folder.h"

using namespace gantry;

namespace {

/// A folder that stands for a machine.
class Machine {
public:
    /// `cores` with two logical processors each.
    explicit Machine(int cores) {
        std::string cpuinfo;
        for (int i = 0; i < 2 * cores; ++i) {
            cpuinfo += fmt::format("processor\t: {}\nphysical id\t: {}\ncore id\t\t: {}\n\n", i,
                                   i % cores < cores / 2 ? 0 : 1, i % cores);
        }
        put("proc/cpuinfo", cpuinfo);
        put("proc/self/status", fmt::format("Name:\tgantryctl\nCpus_allowed:\tff\n"
                                            "Cpus_allowed_list:\t0-{}\n",
                                            2 * cores - 1));
        put("proc/meminfo",
            "MemTotal:       65536000 kB\nMemFree: 1 kB\n"
            "MemAvailable:   32768000 kB\n");
    }

    void put(const std::string& path, const std::string& text) {
        const std::filesystem::path file = folder_.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    Processors processors() const { return readProcessors(filesBelow(folder_.path())).value(); }
    Memory memory() const { return readMemory(filesBelow(folder_.path())).value(); }

private:
    test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a machine without control groups has what it has") {
    const Machine machine(32);
    const Processors found = machine.processors();
    CHECK(found.logical == 64);
    CHECK(found.physical == 32);
    CHECK(found.allowed == 64);
    CHECK_FALSE(found.quota);
    CHECK(found.usable() == 64);
    CHECK(machine.memory().total == 65536000ULL * 1024);
    CHECK(machine.memory().available == 32768000ULL * 1024);
    CHECK_FALSE(machine.memory().limit);
}

TEST_CASE("affinity is counted") {
    Machine machine(32);
    machine.put("proc/self/status", "Cpus_allowed_list:\t0-3,8,62-63\n");
    CHECK(machine.processors().allowed == 7);
    CHECK(machine.processors().usable() == 7);
}

TEST_CASE("control groups of version 2 limit what is below them") {
    Machine machine(32);
    machine.put("proc/self/cgroup", "0::/system.slice/backup.service\n");
    machine.put("sys/fs/cgroup/system.slice/cpu.max", "400000 100000\n");
    machine.put("sys/fs/cgroup/system.slice/backup.service/cpu.max", "max 100000\n");
    machine.put("sys/fs/cgroup/system.slice/backup.service/memory.max", "2147483648\n");
    CHECK(machine.processors().quota == 4.0);
    CHECK(machine.processors().usable() == 4);
    CHECK(machine.memory().limit == uint64_t{2} << 30);
    CHECK(machine.memory().available == uint64_t{2} << 30);
    machine.put("sys/fs/cgroup/system.slice/backup.service/cpu.max", "150000 100000\n");
    CHECK(machine.processors().quota == 1.5);
    CHECK(machine.processors().usable() == 2);
}

TEST_CASE("a container that does not see its own group goes by the tree's root") {
    Machine machine(32);
    machine.put("proc/self/cgroup", "0::/docker/0123\n");
    machine.put("sys/fs/cgroup/cpu.max", "400000 100000\n");
    machine.put("sys/fs/cgroup/memory.max", "max\n");
    CHECK(machine.processors().usable() == 4);
    CHECK_FALSE(machine.memory().limit);
}

TEST_CASE("control groups of version 1 limit by quota and period") {
    Machine machine(32);
    machine.put("proc/self/cgroup", "12:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
    machine.put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");
    machine.put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "50000\n");
    machine.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    machine.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    machine.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
    machine.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(machine.processors().usable() == 4);
    CHECK(machine.memory().limit == uint64_t{1} << 30);
}

TEST_CASE("nonsense in the files limits nothing") {
    Machine machine(2);
    machine.put("proc/self/cgroup", "rubbish\n0::/x\n\n::\n");
    machine.put("sys/fs/cgroup/x/cpu.max", "often\n");
    machine.put("sys/fs/cgroup/cpu.max", "100000 0\n");
    machine.put("sys/fs/cgroup/x/memory.max", "-5\n");
    machine.put("proc/self/status", "Cpus_allowed_list:\tall\n");
    CHECK(machine.processors().usable() == 4);
    CHECK_FALSE(machine.memory().limit);
    machine.put("proc/cpuinfo", "");
    CHECK_FALSE(readProcessors(filesBelow("/nowhere")));
    CHECK_FALSE(readMemory(filesBelow("/nowhere")));
}

TEST_CASE("the file system of a path is the innermost mount's") {
    const auto read = [](const std::string&) {
        return std::optional<std::string>(
            "/dev/sda1 / ext4 rw 0 0\nnas:/b /backup nfs4 rw 0 0\n"
            "/dev/sdb /backup/fast\\040disk xfs rw 0 0\n");
    };
    CHECK(fileSystemOf("/home", read) == "ext4");
    CHECK(fileSystemOf("/backups", read) == "ext4");
    CHECK(fileSystemOf("/backup/x", read) == "nfs4");
    CHECK(fileSystemOf("/backup/fast disk/x", read) == "xfs");
    CHECK(fileSystemOf("/", [](const std::string&) { return std::nullopt; }).empty());
}

TEST_CASE("this machine has at least one processor for us") { CHECK(usableProcessors() >= 1); }
