"""A store in Postgres by the million, beside one in SQLite: loading, writing, recalling, waking.

Both hold the same records and are asked the same, one after the other in one run. What Postgres
itself takes for a row of the same bytes stands beside what Lamina takes for a record.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from lamina import clock
from lamina.bench import own_server, parting
from lamina.bench.agents import Crowd as Agents
from lamina.bench.asking import embedder
from lamina.bench.crowds import Child, Crowd, Round
from lamina.bench.filling import follow
from lamina.bench.measure import Phase, Spread, check_disk, machine, ratio, rounds
from lamina.bench.mix import EACH, Mix
from lamina.bench.scale_worker import PLAIN
from lamina.bench.speed import spread, timings
from lamina.bench.texts import BLOCK, Texts, drafts
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER
from lamina.errors import InvalidInputError, StoreError
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.stores.postgres.store import PostgresStore
from lamina.tokens import Keys

_WORKER: Final = "lamina.bench.scale_worker"
_SERVER: Final = "lamina.surfaces.cli.main"
"""Started, not imported: what measures knows nothing of the surfaces."""
_WAYS: Final = ("plain", "postgres", "postgres_apart", "sqlite")
_PROJECTS: Final = 20
_LONGEST_PAUSE_SECONDS: Final = 0.06
_WARM_SEED: Final = 5
_SIZE: Final = (
    "select sum(pg_total_relation_size(c.oid)) from pg_class c"
    " where c.relnamespace = to_regnamespace(current_schema()) and c.relkind = 'r'"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    address: str | None = None
    """A Postgres that is there already; otherwise one is started."""
    records: int = 1_000_000
    clients: tuple[int, ...] = (1, 4, 16)
    agents: int = 200
    servers: int = 4
    seconds: float = 300.0
    """How long the agents work."""
    each: int = EACH
    embedder: str = OFF
    """What makes the vectors."""

    def __post_init__(self) -> None:
        if self.records < 1 or not self.clients or min(self.clients) < 1:
            raise InvalidInputError("`records` and `clients` must be at least 1")
        if self.agents and (self.servers < 1 or self.seconds <= 0):
            raise InvalidInputError("`agents` need `servers`, and `seconds` to work")

    @property
    def written_for(self) -> float:
        """Seconds for each measurement of writing."""
        return min(5.0, self.seconds / 20)


@dataclass(frozen=True, slots=True)
class _Run:
    plan: Plan
    phase: Phase
    stores: dict[str, str]
    """Where each side lies."""


def clients(text: str) -> tuple[int, ...]:
    """How many at a time, as `1,4,16`."""
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise InvalidInputError(
            f"`clients` are numbers with commas between them, not {text!r:.60}"
        ) from None


def measure(plan: Plan, phase: Phase) -> dict[str, Any]:
    """Everything, as one document; what was made for it is gone afterwards."""
    load = round(os.getloadavg()[0], 2)
    if plan.embedder != OFF:
        embedder(plan.embedder)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=plan.folder)))
        kind = check_disk(folder)
        # A server that runs as somebody else has to get there.
        folder.chmod(0o755)
        address = stack.enter_context(own_server.place(plan.address, folder))
        run = _Run(plan, phase, {"postgres": address, "sqlite": str(folder / "store")})
        found = {
            "bench": "scale", "machine": machine(), "filesystem": kind, "load": load,
            "records": plan.records, "embedder": plan.embedder, "load_in": _loaded(run),
            "write": _written(run), "recall": _recalled(run), "wake": _woken(run),
            "partitions": parting.measure(run.stores, plan.records, plan.written_for, phase),
        }  # fmt: skip
        if plan.agents:
            found["agents"] = _agents(run)
    return found


# -- loading


def _loaded(run: _Run) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for side, store in run.stores.items():
        with open_memory(store) as mem:
            mem.configure(EMBEDDER, run.plan.embedder)
            found[side] = _filled(run, side, mem)
    found["postgres_to_sqlite"] = ratio(
        found["postgres"]["per_second"], found["sqlite"]["per_second"]
    )
    return found


def _filled(run: _Run, side: str, mem: Memory) -> dict[str, Any]:
    start = clock.stopwatch()
    with run.phase(f"Loading into {side}", run.plan.records) as advance:

        def fill() -> None:
            done = 0
            for texts in Texts().some(0, run.plan.records):
                mem.remember_many(drafts(texts, done))
                done += len(texts)
                advance(done)

        if isinstance(mem.store, PostgresStore):
            mem.store.load(fill)
        else:
            fill()
    took = clock.stopwatch() - start
    vectors = follow(mem, run.phase) if run.plan.embedder != OFF else None
    start = clock.stopwatch()
    mem.store.fold()
    index = clock.stopwatch() - start
    bytes_ = _bytes(run.stores[side], mem)
    return {
        "seconds": round(took, 1), "per_second": round(run.plan.records / took, 1),
        "bytes_per_record": round(bytes_ / run.plan.records), "vectors": vectors,
        "index_seconds": round(index, 1),
    }  # fmt: skip


def _bytes(store: str, mem: Memory) -> int:
    if isinstance(mem.store, PostgresStore):
        with closing(own_server.session(store)) as connection:
            return int(connection.execute(_SIZE).first())
    return sum(path.stat().st_size for path in Path(store).rglob("*") if path.is_file())


# -- writing


def _written(run: _Run) -> dict[str, Any]:
    """Each way by so many processes in turn, and what it comes to against rows of Postgres."""
    with closing(own_server.session(run.stores["postgres"])) as connection:
        connection.run(
            f"create table {PLAIN} (id bigint generated always as identity primary key, body text)"
        )
    many, found = max(run.plan.clients), dict[str, Any]()
    turns = rounds(run.plan.written_for)
    with ExitStack() as stack, run.phase("Writing", len(run.plan.clients) * turns) as advance:
        where = (run.stores["postgres"], run.stores["sqlite"])
        crew = [
            stack.enter_context(Child("write", writer, *where, module=_WORKER))
            for writer in range(many)
        ]
        for child in crew:
            child.hear()
        for at, number in enumerate(run.plan.clients):
            done: dict[str, list[Round]] = {way: [] for way in _WAYS}
            for turn in range(turns):
                for way in _WAYS:
                    done[way].append(_round(crew[:number], way, run.plan.written_for / turns))
                advance(at * turns + turn + 1)
            found[str(number)] = _compared({way: Crowd.of(done[way]) for way in _WAYS})
    return found


def _round(crew: Sequence[Child], way: str, seconds: float) -> Round:
    start = clock.stopwatch()
    for child in crew:
        child.tell(f"{way} {seconds}")
    waits = [child.hear() for child in crew]
    return Round(waits, clock.stopwatch() - start)


def _compared(crowds: dict[str, Crowd]) -> dict[str, Any]:
    plain = crowds["plain"].per_second
    return {
        way: {**crowd.to_json(), "ratio_to_plain": ratio(crowd.per_second, plain)}
        for way, crowd in crowds.items()
    }


# -- recalling


def _recalled(run: _Run) -> dict[str, Any]:
    """The same questions to both, in all projects and in one scope of a hundred."""
    mix = Mix(Texts(), min(run.plan.records, BLOCK))
    warm, asked = mix.questions(5, seed=_WARM_SEED), mix.questions(run.plan.each)
    found: dict[str, Any] = {}
    with run.phase("Recall", 2 * len(run.stores)) as advance:
        for at, (side, store) in enumerate(run.stores.items()):
            with Child("recall", store, warm[0].text) as child:
                child.hear()
                whole = spread(asked, timings(child, warm, asked, scoped=False))
                advance(2 * at + 1)
                scoped = spread(asked, timings(child, warm, asked, scoped=True))
                advance(2 * at + 2)
            found[side] = {"whole": whole, "in_scope": scoped}
    found["postgres_to_sqlite_p50"] = {
        part: ratio(found["postgres"][part]["p50_ms"], found["sqlite"][part]["p50_ms"])
        for part in ("whole", "in_scope")
    }
    return found


# -- waking


def _woken(run: _Run) -> dict[str, Any]:
    """From a signal's acknowledgement here to its arrival in another process."""
    wakes = max(5, int(min(200, 20 * run.plan.written_for * 2)))
    found: dict[str, Any] = {"wakes": wakes}
    for side, store in run.stores.items():
        chance, published = Random(wakes), list[float]()
        with (
            open_memory(store) as mem,
            Child("board", store, wakes) as child,
            run.phase(f"Blackboard in {side}", wakes) as advance,
        ):
            board = mem.agent("noa", project="bench").blackboard
            child.hear()
            for number in range(wakes):
                time.sleep(chance.uniform(0, _LONGEST_PAUSE_SECONDS))
                board.publish("wake", number)
                published.append(clock.stopwatch())
                advance(number + 1)
            heard = child.hear()
        late = [max(0.0, then - done) for then, done in zip(heard, published, strict=True)]
        found[side] = asdict(Spread.of(late))
    return found


# -- agents


def _agents(run: _Run) -> dict[str, Any]:
    """Agents on several servers of the store in Postgres, over HTTP."""
    plan, store = run.plan, run.stores["postgres"]
    with ExitStack() as stack:
        with open_memory(store) as mem:
            keys = [
                Keys(mem).create("team", "admin", project=f"team{one}") for one in range(_PROJECTS)
            ]
        ports = [stack.enter_context(_serving(store)) for _ in range(plan.servers)]
        shown = [{"Authorization": f"Bearer {key.text}"} for key in keys]
        crowd = Agents(ports, plan.agents, plan.seconds, shown)
        child = stack.enter_context(Child("agents", module=_WORKER))
        child.hear()
        with run.phase(f"{plan.agents} agents on {plan.servers} servers", 1) as advance:
            child.tell(json.dumps(asdict(crowd)))
            found: dict[str, Any] = child.hear()
            advance(1)
    return found


@contextmanager
def _serving(store: str) -> Iterator[int]:
    """The port of a server as anybody would start one."""
    with subprocess.Popen(
        [sys.executable, "-m", _SERVER, "serve", "--dir", store, "--port", "0", "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            if not said:
                raise StoreError(
                    "a server of the measurement did not start",
                    remedy="What it said about that is on standard error",
                )
            yield int(json.loads(said)["url"].rpartition(":")[2])
        finally:
            server.terminate()
            server.wait(60)
