"""Every fault: what is done to a store, how often, and what must hold afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.faults import (
    amnesia,
    backups,
    calls,
    clocks,
    crossing,
    crowd,
    cuts,
    damage,
    echoes,
    feeds,
    files,
    first_open,
    forks,
    full,
    kills,
    mutants,
    orchestrating,
    projections,
    queries,
    restores,
    sharing,
    stops,
    tampering,
    writers,
)
from tests.faults.damages.table import DAMAGES
from tests.faults.report import Report, Tell
from tests.faults.servers import cuts as server_cuts
from tests.faults.servers import hot
from tests.faults.servers import kills as server_kills
from tests.faults.servers import pauses as server_pauses


@dataclass(frozen=True)
class Fault:
    """One way in which the world goes wrong."""

    name: str
    run: Callable[[int, int, Path, Tell], Report]
    """Takes the size, the seed, an empty folder of its own, and whom to tell of its progress."""
    size: int
    """For `make faults`."""
    quick: int
    """For `make test`."""
    what: str


_ALL = (
    Fault("kills", kills.run, 500, 13, "SIGKILL at a random moment of every operation"),
    Fault("amnesia", amnesia.run, 40, 1, "SIGKILL at a random moment of an agent's task"),
    Fault("echoes", echoes.run, 200, 12, "a model repeats what memory showed it"),
    Fault("queries", queries.run, 10_000, 2_000, "questions made to break a search"),
    Fault("writers", writers.run, 500, 10, "8 processes raise one number by reading and writing"),
    Fault("stops", stops.run, 20, 1, "a process is stopped, holding the write lock or not"),
    Fault("forks", forks.run, 20, 4, "a process forks; parent and children go on"),
    Fault("restores", restores.run, 300, 64, "SIGKILL at every step of a restore or a backup"),
    Fault("backups", backups.run, 50, 4, "backups while 4 processes write, each compared"),
    Fault("crossing", crossing.run, 200_000, 60, "a store goes to Postgres and back"),
    Fault("clocks", clocks.run, 50, 1, "processes whose clocks jump by hours and years"),
    Fault("first_open", first_open.run, 20, 2, "64 processes open one directory at once"),
    Fault("feeds", feeds.run, 60, 1, "10 processes write, 5 follow and are stopped at random"),
    Fault("crowd", crowd.run, 60, 1, "10 MCP servers, HTTP and commands write; 1 resumes"),
    Fault("cuts", cuts.run, 3000, 30, "the power goes; what was not synced is lost or torn"),
    Fault("calls", calls.run, 1000, 30, "the N-th system call fails, or writes less"),
    Fault("full", full.run, 20, 2, "the disk is full, then there is room again"),
    Fault("sharing", sharing.run, 120, 2, "7 processes write, embed, fold and search at once"),
    Fault("tables", sharing.run_tables, 60, 2, "the same, vectors in tables that are replaced"),
    Fault("tampering", tampering.run, 1000, 48, "history is edited, cut, put back or rewritten"),
    Fault("damage", damage.run, 900, 50, f"damage of {len(DAMAGES)} classes is planted"),
    Fault("files", files.run, 500, 12, "agents write, people edit, syncs end anywhere"),
    Fault("projections", projections.run, 300, 4, "SIGKILL while files are written and edited"),
    Fault("orchestrator", orchestrating.run, 100, 2, "SIGKILL while agents work on 50 tasks"),
    Fault("server_cuts", server_cuts.run, 200, 7, "the network to a Postgres server fails"),
    Fault("server_kills", server_kills.run, 50, 1, "a Postgres server is killed"),
    Fault("server_pauses", server_pauses.run, 20, 1, "whoever uses Postgres is stopped"),
    Fault("hot_outages", hot.run, 200, 8, "the Redis of hot layers fails, and the way to it"),
    Fault("mutants", mutants.run, 100, 1, "planted bugs, each of which a fault must notice"),
)  # fmt: skip

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _ALL}
