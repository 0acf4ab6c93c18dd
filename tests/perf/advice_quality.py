#!/usr/bin/env python3
# SPDX-License-Identifier: PostgreSQL
"""Holds the advisor against the truth: on six databases of different shape, for dump, restore and
vacuum, what it advises and predicts beforehand, and what a sweep then measures."""
import argparse
import dataclasses
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from cluster import WRITE_SETTINGS, Cluster, Refusal, find_installation  # noqa: E402
from measuring import check_output, say  # noqa: E402

SMOKE_SCALE = 0.02
MOST_SLOWER = 1.10  # the advised number of jobs against the best one
MOST_WRONG = 0.25   # the predicted time against the measured one, in the median
SHAPES = {
    "even": "Even: 8 tables of 40 MB",
    "skewed": "Skewed: one table of 300 MB, 20 of 2 MB",
    "small": "Many small: 3,000 tables",
    "toast": "TOAST-heavy: 350 MB of documents",
    "indexes": "Index-heavy: 3 tables, 21 indexes",
    "objects": "Large objects: 6,000 of 32 kB",
}
KINDS = ("dump", "restore", "vacuum")


@dataclasses.dataclass
class Outcome:
    kind: str
    shape: str
    advised: int        # jobs, said beforehand
    best: int           # jobs, with which it was fastest
    seconds: float      # median with the advised number
    predicted: float    # of that
    ratio: float        # advised / best
    errors: list        # of each point: (predicted - measured) / measured

    def error(self):
        return statistics.median(abs(error) for error in self.errors)


def build():
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", "gantryctl"]):
        check_output(["env", "-C", ROOT, *command], os.environ)
    return ROOT / "build/release/bin/gantryctl"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="The exit code is 0 if all bounds are kept, 1 if one is missed, 2 if a run failed.")
    parser.add_argument("--shape", action="append", choices=SHAPES,
                        help="only this one (may be given several times)")
    parser.add_argument("--kind", action="append", choices=KINDS,
                        help="only this one (may be given several times)")
    parser.add_argument("--jobs", default="1,2,4", help="that are measured (1,2,4)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N",
                        help="how often each is measured (otherwise: 3)")
    parser.add_argument("--scale", type=float, default=1, metavar="F",
                        help="size of the data (otherwise: 1; others are held to no bound)")
    parser.add_argument("--smoke", action="store_true",
                        help=f"the same as --scale {SMOKE_SCALE} --rounds 1 --jobs 1,2: does all "
                             "of it work?")
    parser.add_argument("--bindir", default=os.environ.get("GANTRY_PERF_BINDIR"), metavar="DIR",
                        help="PostgreSQL's programs (otherwise: GANTRY_PERF_BINDIR, or the newest "
                             "installation whose pg_dump knows zstd)")
    parser.add_argument("--gantryctl", type=pathlib.Path, metavar="PROGRAM",
                        help="what is measured (otherwise: the release preset's, built anew)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write down what every sweep told")
    options = parser.parse_args()
    if options.smoke:
        options.scale, options.rounds, options.jobs = SMOKE_SCALE, 1, "1,2"
    return options


class Benchmark:
    def __init__(self, options, cluster, folder):
        self.options = options
        self.cluster = cluster
        self.folder = folder
        self.reports = []
        # A history of its own: what is predicted, is predicted from this benchmark alone.
        self.environment = cluster.environment | {
            "GANTRY_HISTORY_DIR": str(folder / "history"),
            "PATH": f"{cluster.bindir}:{os.environ['PATH']}"}

    def gantryctl(self, *arguments):
        result = subprocess.run([self.options.gantryctl, *arguments], env=self.environment,
                                check=False, capture_output=True, text=True)
        if result.returncode != 0:
            raise Refusal(f"gantryctl {' '.join(map(str, arguments))} ended with "
                          f"{result.returncode}: {result.stderr}")
        return result.stdout

    def archive(self, database):
        path = self.folder / f"{database}.archive"
        if not path.exists():
            self.gantryctl("dump", "-d", database, "-f", path, "-Z", "zstd:1", "--no-history",
                           "--quiet")
        return path

    def prepare(self, kinds, databases):
        """One run of each kind, as any server in use has seen: what a restore or a vacuum costs
        cannot be sampled without doing it."""
        name = databases[0]
        if "restore" in kinds:
            self.cluster.ask("CREATE DATABASE first")
            self.gantryctl("restore", "-d", "first", "-j", "1", "--quiet", self.archive(name))
            self.cluster.ask("DROP DATABASE first")
        if "vacuum" in kinds:
            self.gantryctl("tune", "-d", name, "--for", "vacuum", "--copy", "-j", "1", "--rounds",
                           "1", "--json")

    def measure(self, kind, shape, database):
        command = ["tune", "--json", "--everything", "--for", kind, "-j", self.options.jobs,
                   "--rounds", str(self.options.rounds), "--folder", self.folder]
        if kind == "dump":
            command += ["-d", database, "--to", "nowhere"]
        elif kind == "restore":
            command += ["-d", "postgres", self.archive(database)]
        else:
            command += ["-d", database, "--copy"]
        report = json.loads(self.gantryctl(*command))
        self.reports.append({"shape": shape} | report)
        points = [point for point in report["points"] if "median" in point]
        best = min(points, key=lambda point: point["median"])
        advised = report["advised_beforehand"]
        # A number that was not measured is as fast as the nearest below.
        taken = max((point for point in points if point["jobs"] <= advised),
                    key=lambda point: point["jobs"])
        outcome = Outcome(kind, shape, advised, best["jobs"], taken["median"], taken["predicted"],
                          taken["median"] / best["median"],
                          [point["predicted"] / point["median"] - 1 for point in points])
        say(f"{kind:8} {shape:8} advised {advised}, best {best['jobs']} at {best['median']:.2f} s, "
            f"ratio {outcome.ratio:.2f}, predicted and measured: " +
            ", ".join(f"{point['predicted']:.2f} {point['median']:.2f}" for point in points))
        return outcome


def render(outcomes, options, version):
    scale = f", data at scale {options.scale:g}" if options.scale != 1 else ""
    lines = [f"PostgreSQL {version}, {len(os.sched_getaffinity(0))} cores, -j {options.jobs}, "
             f"medians of {options.rounds} rounds{scale}.",
             "",
             "| Database | Run | Advised | Best | Advised / best | Predicted | Measured | Off by |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for outcome in outcomes:
        lines.append(f"| {SHAPES[outcome.shape]} | {outcome.kind} | {outcome.advised} "
                     f"| {outcome.best} | {outcome.ratio:.2f} | {outcome.predicted:.2f} s "
                     f"| {outcome.seconds:.2f} s | {outcome.error():.0%} |")
    ratios = [outcome.ratio for outcome in outcomes]
    errors = [abs(error) for outcome in outcomes for error in outcome.errors]
    lines.append(f"\nAdvised / best: {statistics.median(ratios):.2f} in the median, "
                 f"{max(ratios):.2f} at most. Predictions of all {len(errors)} points are off by "
                 f"{statistics.median(errors):.0%} in the median.")
    return "\n".join(lines)


def misses(outcomes, scale):
    """Shrunken data shows nothing."""
    if scale != 1:
        return []
    found = [f"{outcome.kind} of {outcome.shape}: {outcome.ratio:.2f} times the best"
             for outcome in outcomes if outcome.ratio > MOST_SLOWER]
    wrong = statistics.median(abs(error) for outcome in outcomes for error in outcome.errors)
    if wrong > MOST_WRONG:
        found.append(f"predictions are off by {wrong:.0%} in the median")
    return found


def run(options):
    """What was missed."""
    bindir = find_installation(options.bindir)
    options.gantryctl = options.gantryctl.resolve() if options.gantryctl else build()
    kinds = options.kind or KINDS
    shapes = options.shape or list(SHAPES)
    with tempfile.TemporaryDirectory(prefix="gantry-advice-") as name, \
            Cluster(bindir, WRITE_SETTINGS) as cluster:
        benchmark = Benchmark(options, cluster, pathlib.Path(name))
        databases = {}
        for shape in shapes:
            databases[shape] = cluster.fill(f"advice_{shape}", options.scale)
            size = cluster.ask("SELECT pg_size_pretty(pg_database_size(current_database()))",
                               databases[shape])
            say(f"{shape}: {size}")
        benchmark.prepare(kinds, list(databases.values()))
        outcomes = [benchmark.measure(kind, shape, databases[shape])
                    for kind in kinds for shape in shapes]
        print(render(outcomes, options, Cluster.version_of(bindir)), flush=True)
        if options.json:
            options.json.write_text(json.dumps(benchmark.reports, indent=1))
    return misses(outcomes, options.scale)


def main():
    options = parse_arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    try:
        missed = run(options)
    except Refusal as refusal:
        say(f"advice_quality: {refusal}")
        return 2
    except KeyboardInterrupt:
        return 130
    for miss in missed:
        say(f"missed: {miss}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
