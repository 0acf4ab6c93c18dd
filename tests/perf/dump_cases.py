# SPDX-License-Identifier: PostgreSQL
"""gantryctl dump against pg_dump: both read the same database."""
import contextlib
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

from cluster import Refusal
from measuring import MIB, Outcome, check_output, say, timed

HERE = pathlib.Path(__file__).resolve().parent
# ext4 looks for an inode that was not deleted in the last half minute, one by one: whoever makes
# many files after many were deleted pays for those. Smaller archives stay until the end.
WORTH_DELETING = 100 * MIB


@dataclasses.dataclass(frozen=True)
class Case:
    """What is run against what; both get the database and -f PATH besides."""
    name: str
    title: str
    script: str     # data/SCRIPT.sql makes the database
    stock: tuple    # pg_dump's options
    ours: tuple     # gantryctl dump's options
    target: float   # ours / stock must not exceed it
    slow_link: bool = False


CASES = (
    Case("skewed", "Skewed 1.3 GB, directory, zstd:1, `-j 2`", "skewed",
         ("-Fd", "-Zzstd:1", "-j2"), ("-Fd", "-Zzstd:1", "-j2"), 0.80),
    Case("skewed-j1", "The same, `-j 1`", "skewed",
         ("-Fd", "-Zzstd:1", "-j1"), ("-Fd", "-Zzstd:1", "-j1"), 0.85),
    Case("skewed-gzip", "The same, `-j 1`, gzip:6, two compressor threads", "skewed",
         ("-Fd", "-Zgzip:6", "-j1"), ("-Fd", "-Zgzip:6", "-j1", "--compress-jobs=2"), 0.60),
    Case("as-it-comes", "As it comes, against `pg_dump -Fc` as it comes", "skewed",
         ("-Fc",), (), 0.22),
    Case("custom", "Custom, zstd:1, `-j 2`, against `pg_dump -Fc`", "skewed",
         ("-Fc", "-Zzstd:1"), ("-Fc", "-Zzstd:1", "-j2"), 0.75),
    Case("slow-link", "One table of 400 MB, 8 MB/s for each connection, zstd:1, `-j 8`",
         "one_table", ("-Fd", "-Zzstd:1", "-j8"), ("-Fd", "-Zzstd:1", "-j8"), 0.20,
         slow_link=True),
    Case("many-tables", "5,000 tables of 200 rows, directory, zstd:1, `-j 2`", "many_tables",
         ("-Fd", "-Zzstd:1", "-j2"), ("-Fd", "-Zzstd:1", "-j2"), 0.80),
)


def size_of(path):
    if path.is_dir():
        return sum(entry.stat().st_size for entry in path.iterdir())
    return path.stat().st_size


class DumpBenchmark:
    """Runs cases on one cluster; archives lie in `folder` while they are looked at."""

    def __init__(self, options, cluster, folder):
        self.options = options
        self.cluster = cluster
        self.folder = folder
        self.archives = 0

    def measure(self, case):
        say(f"{case.name}: building its data if need be")
        database = self.cluster.fill(case.script, self.options.scale)
        self._warm(database)
        outcome = Outcome(case)
        with self._link(case) as environment:
            for number in range(self.options.pairs):
                # Whatever the first of two runs leaves behind shall not always hit the same one.
                sides = (self._stock, self._ours) if number % 2 == 0 else (self._ours, self._stock)
                for side in sides:
                    side(case, database, environment, outcome)
        return outcome

    def _warm(self, database):
        """Into the system's cache, from which all runs read."""
        for table in self.cluster.ask(
                "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND oid >= 16384"
                " ORDER BY relpages DESC LIMIT 100", database).split():
            self.cluster.ask(f"SELECT count(*) FROM {table}", database)

    @contextlib.contextmanager
    def _link(self, case):
        """The environment that leads to the server, through the slow link if the case wants it."""
        if not case.slow_link:
            yield self.cluster.environment
            return
        command = [sys.executable, HERE / "throttle", self.cluster.socket()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as link:
            try:
                port = link.stdout.readline().strip()
                yield self.cluster.environment | {"PGHOST": "127.0.0.1", "PGPORT": port}
            finally:
                link.terminate()

    def _stock(self, case, database, environment, outcome):
        path = self._next_path()
        command = [self.cluster.bindir / "pg_dump", *case.stock, "-f", path, database]
        outcome.stock.append(self._run(case, "pg_dump", command, environment, path))
        self._remove(path)

    def _ours(self, case, database, environment, outcome):
        path = self._next_path()
        command = [self.options.gantryctl, "dump", "--no-progress",
                   f"--pg-bindir={self.cluster.bindir}", *case.ours, "-f", path, database]
        outcome.ours.append(self._run(case, "gantryctl", command, environment, path))
        outcome.threads = self._threads(path)
        self._check(path, database)
        self._remove(path)

    def _next_path(self):
        self.archives += 1
        return self.folder / f"archive-{self.archives}"

    def _run(self, case, who, command, environment, path):
        run = timed(self.cluster, command, environment, self.folder / "log",
                    f"{case.name}: {who:9}")
        say(f"{case.name}: {who:9} archive {size_of(path) / 1e6:.0f} MB")
        return run

    def _threads(self, path):
        manifest = path / "gantry-manifest.json" if path.is_dir() else \
            path.with_name(path.name + ".gantry-manifest.json")
        settings = json.loads(manifest.read_text())["settings"]
        return int(settings["jobs"]) + int(settings["compress-jobs"])

    def _check(self, path, database):
        """The archive is whole, and pg_restore sees a table's data for each table."""
        check_output([self.options.gantryctl, "verify", "--no-progress", path],
                     self.cluster.environment)
        contents = check_output([self.cluster.bindir / "pg_restore", "-l", path],
                                self.cluster.environment)
        listed = sum(" TABLE DATA " in line for line in contents.splitlines())
        tables = int(self.cluster.ask(
            "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND oid >= 16384", database))
        if listed != tables:
            raise Refusal(f"pg_restore lists the data of {listed} tables, not of {tables}")

    def _remove(self, path):
        if size_of(path) < WORTH_DELETING:
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
