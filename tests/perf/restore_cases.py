# SPDX-License-Identifier: PostgreSQL
"""gantryctl restore against pg_restore: both load the same archive into a new database."""
import dataclasses
import json
import pathlib
import shutil

from cluster import Refusal
from measuring import Outcome, check_output, say, timed

JOBS = 2
MANY_RELATIONS = 5000
SIMULATED_WORKERS = ("4", "8", "16", "32", "64")
# What a restored database has, in an order of its own: row counts, then definitions.
INVENTORY = r"""
SELECT format('SELECT %L, count(*) FROM %s', c.oid::regclass, c.oid::regclass)
FROM pg_class c WHERE relkind = 'r' AND oid >= 16384 ORDER BY c.oid::regclass::text \gexec
SELECT pg_get_indexdef(indexrelid), indisvalid, indisprimary FROM pg_index
WHERE indexrelid >= 16384 AND indrelid NOT IN (SELECT oid FROM pg_class WHERE relkind = 't')
ORDER BY 1;
SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint
WHERE conrelid <> 0 AND oid >= 16384 ORDER BY conrelid::regclass::text, conname;
SELECT c.oid::regclass, s.last_value FROM pg_class c JOIN pg_sequences s
    ON c.oid = format('%I.%I', s.schemaname, s.sequencename)::regclass ORDER BY c.oid::regclass::text;
"""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    script: str     # data/SCRIPT.sql makes the database that the archive is of
    dump: tuple     # who writes the archive: "gantryctl" or "pg_dump", and its options
    target: float   # ours / stock must not exceed it


GANTRY_DIRECTORY = ("gantryctl", "-Fd", "-Zzstd:1")
CASES = (
    Case("restore-skewed", "Skewed 1.3 GB, four indexes on the large table, Gantry's directory",
         "skewed_indexed", GANTRY_DIRECTORY, 0.65),
    Case("restore-skewed-fc", "The same from `pg_dump -Fc`", "skewed_indexed",
         ("pg_dump", "-Fc"), 0.70),
    Case("restore-three-tables", "Three tables of 5 million integers with primary keys",
         "three_tables", GANTRY_DIRECTORY, 0.85),
    Case("restore-many-tables", "5,000 tables of 200 rows with primary keys", "many_tables",
         GANTRY_DIRECTORY, 0.35),
    Case("restore-children", "20 children of 500,000 rows, foreign keys to one parent",
         "children", GANTRY_DIRECTORY, 0.75),
)


@dataclasses.dataclass
class Source:
    """A case's archive, and what a database restored from it has to hold."""
    archive: pathlib.Path
    inventory: str


def make_source(case, cluster, gantryctl, scale, folder):
    """Dumps the case's database, unless that was done before."""
    say(f"{case.name}: building its data if need be")
    database = cluster.fill(case.script, scale)
    program, *options = case.dump
    archive = folder / f"{database}-{program}"
    inventory = archive.with_name(archive.name + ".inventory")
    if not inventory.exists():
        command = [cluster.bindir / "pg_dump", *options] if program == "pg_dump" else \
            [gantryctl, "dump", "--no-progress", f"--pg-bindir={cluster.bindir}", *options]
        if archive.is_dir():
            shutil.rmtree(archive)
        archive.unlink(missing_ok=True)
        check_output([*command, "-f", archive, database], cluster.environment)
        inventory.write_text(cluster.ask_script(INVENTORY, database))
    return Source(archive, inventory.read_text())


class RestoreBenchmark:
    """Runs cases on one cluster; `folder` is for logs."""

    def __init__(self, options, cluster, folder):
        self.options = options
        self.cluster = cluster
        self.folder = folder
        self.databases = 0

    def measure(self, case, source):
        # One run that does not count: it leaves the archive in the system's cache, and the server
        # with files for its WAL, which later runs use again.
        self._ours(case, source, Outcome(case))
        outcome = Outcome(case, threads=JOBS)
        for number in range(self.options.pairs):
            sides = (self._stock, self._ours) if number % 2 == 0 else (self._ours, self._stock)
            for side in sides:
                side(case, source, outcome)
        return outcome

    def simulate(self, case, source):
        """What the run would take with more workers, as rows of a table."""
        log = self.folder / f"{case.name}.jsonl"
        self._ours(case, source, Outcome(case), f"--events={log}")
        said = check_output([self.options.simulator, source.archive, log, *SIMULATED_WORKERS],
                            self.cluster.environment)
        return [(case, json.loads(line)) for line in said.splitlines()]

    def _stock(self, case, source, outcome):
        command = [self.cluster.bindir / "pg_restore", f"-j{JOBS}"]
        outcome.stock.append(self._run(case, "pg_restore", command, source))

    def _ours(self, case, source, outcome, *more):
        command = [self.options.gantryctl, "restore", "--no-progress", f"-j{JOBS}", *more]
        outcome.ours.append(self._run(case, "gantryctl", command, source))

    def _run(self, case, who, command, source):
        self.databases += 1
        database = f"restored_{self.databases}"
        self.cluster.ask(f"CREATE DATABASE {database} TEMPLATE template0")
        self.cluster.ask("CHECKPOINT")
        run = timed(self.cluster, [*command, "-d", database, source.archive],
                    self.cluster.environment, self.folder / "log", f"{case.name}: {who:10}")
        if self.cluster.ask_script(INVENTORY, database) != source.inventory:
            raise Refusal(f"what {who} restored of {case.name} differs from what was dumped")
        # See dump_cases: what has many files stays, lest its removal slow the next run down.
        if int(self.cluster.ask("SELECT count(*) FROM pg_class", database)) < MANY_RELATIONS:
            self.cluster.ask(f"DROP DATABASE {database}")
        return run


def render_simulations(rows):
    lines = ["Simulated with the scheduler of the engine and the costs of that machine; the lower "
             "bound is the longest path, or the work divided by the workers:",
             "",
             "| Case | Workers | Lower bound | gantryctl's order | Over the bound "
             "| pg_restore's order |",
             "|---|---:|---:|---:|---:|---:|"]
    for case, row in rows:
        lines.append(
            f"| {case.title} | {row['workers']} | {row['bound']:.2f} s | {row['makespan']:.2f} s "
            f"| {row['makespan'] / row['bound']:.3f} | {row['stock']:.2f} s |")
    return "\n".join(lines)
