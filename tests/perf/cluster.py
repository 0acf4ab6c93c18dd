# SPDX-License-Identifier: PostgreSQL
"""A private PostgreSQL server for the benchmark: found, started, filled, ended."""
import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("postgres", "initdb", "pg_dump", "pg_restore", "psql", "vacuumdb")
START_SECONDS = 60
CLIENTS_END_SECONDS = 10

INCLUDE = "include 'benchmark.conf'\n"
COMMON_SETTINGS = """
listen_addresses = ''
unix_socket_permissions = 0700
"""
# Reads alone are measured: what makes writing durable only costs time while the data is built.
READ_SETTINGS = """
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '4GB'
checkpoint_timeout = '1h'
autovacuum = off
shared_buffers = '512MB'
maintenance_work_mem = '256MB'
max_connections = 40
max_locks_per_transaction = 512
"""
# Restores are held to what a server does that nobody tuned for them.
WRITE_SETTINGS = """
shared_buffers = '2GB'
max_wal_size = '8GB'
"""


class Refusal(Exception):
    """The benchmark cannot run; the text says why and what to do."""


def clean_environment():
    """Ours without what would redirect PostgreSQL's programs, and with English messages."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("PG", "LC_", "LANG"))} | {"LC_ALL": "C"}


def unprivileged_user():
    """Whom the server runs as, since it refuses root; None if that is who we are."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise Refusal("there is neither a user postgres nor nobody to run the server as")


def is_complete(folder):
    return all(os.access(folder / program, os.X_OK) for program in PROGRAMS)


def has_zstd(folder):
    """pg_dump looks at the method before it connects."""
    said = subprocess.run(
        [folder / "pg_dump", "-Fd", "-Zzstd:1", "-h", "/nonexistent", "-f", "/nonexistent/archive"],
        env=clean_environment(), capture_output=True, text=True, check=False).stderr
    return "does not support compression" not in said and "could not parse" not in said


def find_installation(named):
    """The folder of programs: the named one, else the newest installation that knows zstd."""
    if named:
        folder = pathlib.Path(named).resolve()
        missing = [program for program in PROGRAMS if not os.access(folder / program, os.X_OK)]
        if missing:
            raise Refusal(f"{folder} has no {', '.join(missing)}")
        if not has_zstd(folder):
            raise Refusal(f"{folder}/pg_dump was built without zstd; name another --bindir")
        return folder
    places = [os.environ.get("GANTRY_TEST_SERVERS_DIR"), "/var/cache/gantry/postgres",
              pathlib.Path.home() / ".cache/gantry/postgres", "/usr/lib/postgresql"]
    found = [folder / "bin" for place in places if place
             for folder in pathlib.Path(place).glob("[0-9]*") if is_complete(folder / "bin")]
    for folder in sorted(found, key=lambda path: int(path.parent.name), reverse=True):
        if has_zstd(folder):
            return folder.resolve()
    raise Refusal("no PostgreSQL whose pg_dump knows zstd was found: scripts/test-servers 17 "
                  "fetches one, --bindir names one")


class Cluster:
    """Runs from `with` to its end, in a folder of its own below `folder` or in a kept one."""

    def __init__(self, bindir, settings, kept=None):
        self.bindir = bindir
        self.settings = settings
        self.user = unprivileged_user()
        self.kept = kept is not None
        if self.kept:
            self.folder = pathlib.Path(kept).resolve()
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gantry-perf-"))
        self.data = self.folder / "data"
        # A socket's whole path has at most 107 bytes, and a kept folder may lie deep.
        self.sockets = pathlib.Path(tempfile.mkdtemp(prefix="gantry-perf-socket-"))
        self.process = None
        if self.user:
            for folder in (self.folder, self.sockets):
                os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        self.environment = clean_environment() | {
            "PGHOST": str(self.sockets), "PGPORT": "5432", "PGUSER": "postgres"}
        # A small libpq is loaded sooner than one with LDAP and Kerberos: all use the same one.
        libraries = self.bindir.parent / "lib"
        if (libraries / "libpq.so.5").exists():
            self.environment["LD_LIBRARY_PATH"] = str(libraries)

    def as_server_user(self, command, **options):
        if self.user:
            options |= {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        return subprocess.Popen(command, cwd=self.folder, env=clean_environment(), **options)

    def __enter__(self):
        try:
            if not (self.data / "PG_VERSION").exists():
                self._make()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        process = self.as_server_user(
            [self.bindir / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = process.communicate()
        if process.returncode != 0:
            raise Refusal(f"initdb failed: {said}")

    def _start(self):
        major = (self.data / "PG_VERSION").read_text().strip()
        if major != self.major():
            raise Refusal(f"{self.folder} holds data of PostgreSQL {major}: remove it")
        settings = COMMON_SETTINGS + self.settings + f"unix_socket_directories = '{self.sockets}'\n"
        # What initdb found out about the machine stays in force.
        (self.data / "benchmark.conf").write_text(settings)
        own = self.data / "postgresql.conf"
        if INCLUDE not in own.read_text():
            own.write_text(own.read_text() + INCLUDE)
        log = self.folder / "server.log"
        with open(log, "wb") as output:
            self.process = self.as_server_user([self.bindir / "postgres", "-D", self.data],
                                               stdout=output, stderr=output, start_new_session=True)
        give_up = time.monotonic() + START_SECONDS
        while self._try("SELECT 1") is None:
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise Refusal(f"the server did not start: {log.read_text()}")
            time.sleep(0.05)

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            self.process.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def major(self):
        return re.match(r"\d+", self.version()).group()

    def version(self):
        return self.version_of(self.bindir)

    @staticmethod
    def version_of(bindir):
        said = subprocess.check_output([bindir / "pg_dump", "--version"], text=True)
        return re.search(r"\d+\.\d+|\d+\w*", said).group()

    def _try(self, sql, database="postgres"):
        result = subprocess.run([self.bindir / "psql", "-XAtqc", sql, database], check=False,
                                env=self.environment, capture_output=True, text=True)
        return result.stdout.strip() if result.returncode == 0 else None

    def ask(self, sql, database="postgres"):
        answer = self._try(sql, database)
        if answer is None:
            raise Refusal(f"{database}: {sql} failed")
        return answer

    def ask_script(self, script, database):
        """What psql prints for it, \\gexec and the like included."""
        result = subprocess.run(
            [self.bindir / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", database], check=False,
            env=self.environment, input=script, capture_output=True, text=True)
        if result.returncode != 0:
            raise Refusal(f"{database}: {result.stderr}")
        return result.stdout

    def socket(self):
        return self.sockets / ".s.PGSQL.5432"

    def fill(self, script, scale):
        """The database that data/SCRIPT.sql, as it is now, makes at this scale; one that is there
        already stays. Returns its name."""
        path = HERE / "data" / f"{script}.sql"
        name = f"{script}_{scale:g}_{zlib.crc32(path.read_bytes()):08x}"
        if self.ask(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == "1":
            return name
        work = "unfinished"
        self.ask(f"DROP DATABASE IF EXISTS {work}")
        self.ask(f"CREATE DATABASE {work}")
        result = subprocess.run(
            [self.bindir / "psql", "-Xq", "-v", f"scale={scale:g}", "-d", work,
             "-f", path],
            env=self.environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True)
        if result.returncode != 0:
            raise Refusal(f"{script}.sql: {result.stderr}")
        self.ask(f'ALTER DATABASE {work} RENAME TO "{name}"')
        return name

    def wait_for_clients(self):
        """Until the backends of clients that are gone have ended too, for processor_seconds()."""
        give_up = time.monotonic() + CLIENTS_END_SECONDS
        while self._clients() and time.monotonic() < give_up:
            time.sleep(0.02)

    def _clients(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for pid in children.read_text().split():
            with contextlib.suppress(OSError):
                # "postgres: USER DATABASE [local] …"; the server's own have a name instead of a user.
                # One that has ended and that the server has not counted yet has none.
                command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                if not command or b"postgres: postgres " in command:
                    return True
        return False

    def processor_seconds(self):
        """Used by all backends that have ended since the server began."""
        # /proc/PID/stat: behind the name in parentheses, fields 16 and 17 are cutime and cstime.
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        ticks = fields.split()
        return (int(ticks[13]) + int(ticks[14])) / os.sysconf("SC_CLK_TCK")
