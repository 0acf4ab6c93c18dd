# SPDX-License-Identifier: PostgreSQL
"""What both benchmarks share: a program timed, its outcome judged, the table."""
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import time

from cluster import Refusal

MIB = 1024 * 1024
MEMORY_BASE = 64 * MIB
MEMORY_PER_THREAD = 24 * MIB
DISTURBED_LOAD = 1 / 3  # of other work, before a run, that makes its time worth little


@dataclasses.dataclass
class Run:
    seconds: float
    client_cpu: float    # processor seconds of the program and its children
    server_cpu: float    # and of the server's backends
    peak_bytes: int      # the largest of the program and its children


@dataclasses.dataclass
class Outcome:
    """Of a case, which has a name, a title and a target: ours / stock must not exceed it."""
    case: object
    stock: list = dataclasses.field(default_factory=list)
    ours: list = dataclasses.field(default_factory=list)
    threads: int = 0     # that memory is allowed for

    def ratio(self):
        return median_seconds(self.ours) / median_seconds(self.stock)

    def range(self):
        ratios = [ours.seconds / stock.seconds for ours, stock in zip(self.ours, self.stock)]
        return f"{min(ratios):.2f} to {max(ratios):.2f}"

    def peak(self):
        return max(run.peak_bytes for run in self.ours)

    def memory_bound(self):
        return MEMORY_BASE + MEMORY_PER_THREAD * self.threads


def median_seconds(runs):
    return statistics.median(run.seconds for run in runs)


def say(text):
    print(text, file=sys.stderr, flush=True)


def check_output(command, environment):
    result = subprocess.run(command, env=environment, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Refusal(f"{' '.join(map(str, command))} failed: {result.stdout}")
    return result.stdout


def timed(cluster, command, environment, log, label):
    """Runs the command to its end; its output goes to the file `log`."""
    os.sync()  # what earlier runs left to be written is not this one's
    load = other_load()
    cluster.wait_for_clients()
    server_before = cluster.processor_seconds()
    with open(log, "wb") as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Refusal(f"{' '.join(map(str, command))} ended with {process.returncode}: "
                      f"{log.read_text()}")
    cluster.wait_for_clients()
    # wait4's ru_maxrss is the largest of the process and the children that it waited for, in
    # KiB, and no less than ours, some 15 MiB: it never shows too little.
    run = Run(seconds, usage.ru_utime + usage.ru_stime,
              cluster.processor_seconds() - server_before, usage.ru_maxrss * 1024)
    disturbed = f"  (other work took {load:.0%} of the machine before)" if \
        load > DISTURBED_LOAD else ""
    say(f"{label} {seconds:7.2f} s  processor: client {run.client_cpu:6.2f} s, "
        f"server {run.server_cpu:6.2f} s  peak {run.peak_bytes / MIB:4.0f} MiB{disturbed}")
    return run


def other_load():
    """The share of the machine's processors that is at work while we do nothing, 0 to 1."""
    def ticks():
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        numbers = [int(field) for field in fields]
        return sum(numbers), numbers[3] + numbers[4]  # idle and waiting for the disk
    all_before, idle_before = ticks()
    time.sleep(0.3)
    all_after, idle_after = ticks()
    return 1 - (idle_after - idle_before) / max(all_after - all_before, 1)


def render(outcomes, stock_name, options, version):
    processor = next((line.split(":")[1].strip() for line in
                      pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), "unknown processor")
    lines = [
        f"PostgreSQL {version}, {len(os.sched_getaffinity(0))} cores ({processor}), "
        f"medians of {options.pairs} alternating pairs"
        + (f", data at scale {options.scale:g}" if options.scale != 1 else "") + ".",
        "",
        f"| Case | {stock_name} | gantryctl | Ratio | Pairs from | Target | Peak memory "
        "| Allowed |",
        "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for outcome in outcomes:
        lines.append(
            f"| {outcome.case.title} | {median_seconds(outcome.stock):.2f} s "
            f"| {median_seconds(outcome.ours):.2f} s | {outcome.ratio():.2f} | {outcome.range()} "
            f"| {outcome.case.target:.2f} | {outcome.peak() / MIB:.0f} MiB "
            f"| {outcome.memory_bound() // MIB} MiB |")
    return "\n".join(lines)


def misses(outcomes, scale):
    """What the table shows to be out of bounds. Ratios mean nothing for shrunken data."""
    found = []
    for outcome in outcomes:
        if scale == 1 and outcome.ratio() > outcome.case.target:
            found.append(f"{outcome.case.name}: the ratio {outcome.ratio():.3f} exceeds "
                         f"{outcome.case.target:.2f}")
        if outcome.peak() > outcome.memory_bound():
            found.append(f"{outcome.case.name}: {outcome.peak() / MIB:.0f} MiB of memory exceed "
                         f"{outcome.memory_bound() // MIB} MiB")
    return found
