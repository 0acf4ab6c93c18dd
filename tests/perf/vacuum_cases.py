# SPDX-License-Identifier: PostgreSQL
"""gantryctl vacuum against vacuumdb: before each run a tenth of all rows is written anew."""
import dataclasses

from cluster import Refusal
from measuring import Outcome, median_seconds, say, timed

JOBS = 2
PARTS = 10  # of all rows, of which each run makes another one dead
# Autovacuum would clean up before the run that is measured.
SETTINGS = """
max_wal_size = '8GB'
autovacuum = off
max_locks_per_transaction = 512
"""
# The key changes its sign, so that no update spares the indexes.
DIRTY = r"""
SELECT format('UPDATE %s SET id = -id WHERE abs(id) %% {parts} = {part}', c.oid::regclass)
FROM pg_class c WHERE relkind = 'r' AND oid >= 16384 ORDER BY c.oid \gexec
CHECKPOINT;
"""
DEAD = "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    script: str       # data/SCRIPT.sql makes the database
    share: float      # of the script's size at scale 1
    stock: tuple      # vacuumdb's options: of several, the best counts
    target: float     # ours / stock must not exceed it
    buffers: str = "2GB"  # shared_buffers


CASES = (
    Case("vacuum-skewed", "Skewed 1.3 GB, four indexes on the large table", "skewed_indexed", 1,
         ((),), 0.75),
    Case("vacuum-skewed-defaults", "The same with the default shared_buffers (128 MB)",
         "skewed_indexed", 1, ((),), 0.75, buffers="128MB"),
    Case("vacuum-eight-indexes", "One table with eight indexes, against the best of -P 0 to -P 8",
         "eight_indexes", 3, (("-P0",), ("-P1",), ("-P2",), ("-P4",), ("-P8",)), 1.0),
    Case("vacuum-many-tables", "1,000 tables of 200 rows with two indexes", "many_tables", 0.2,
         ((),), 0.8),
)


def settings_of(case):
    return SETTINGS + f"shared_buffers = '{case.buffers}'\n"


class VacuumBenchmark:
    """Runs cases on one cluster; `folder` is for logs."""

    def __init__(self, options, cluster, folder):
        self.options = options
        self.cluster = cluster
        self.folder = folder
        self.runs = 0

    def measure(self, case):
        say(f"{case.name}: building its data if need be")
        database = self.cluster.fill(case.script, self.options.scale * case.share)
        # One run that does not count: the first to write anew finds no room in the pages.
        self._ours(case, database)
        outcome = Outcome(case, threads=JOBS)
        stock = {words: [] for words in case.stock}
        for number in range(self.options.pairs):
            if number % 2:
                outcome.ours.append(self._ours(case, database))
            for words, runs in stock.items():
                runs.append(self._stock(case, database, words))
            if not number % 2:
                outcome.ours.append(self._ours(case, database))
        outcome.stock = min(stock.values(), key=median_seconds)
        return outcome

    def _stock(self, case, database, words):
        command = [self.cluster.bindir / "vacuumdb", f"-j{JOBS}", "-q", *words]
        return self._run(case, " ".join(("vacuumdb", *words)), command, database)

    def _ours(self, case, database):
        command = [self.options.gantryctl, "vacuum", "--no-progress", f"-j{JOBS}"]
        return self._run(case, "gantryctl", command, database)

    def _run(self, case, who, command, database):
        self.runs += 1
        self.cluster.ask_script(DIRTY.format(parts=PARTS, part=self.runs % PARTS), database)
        run = timed(self.cluster, [*command, "-d", database], self.cluster.environment,
                    self.folder / "log", f"{case.name}: {who:12}")
        if (left := self.cluster.ask(DEAD, database)) != "0":
            raise Refusal(f"{who} left {left} dead rows in {case.name}")
        return run
