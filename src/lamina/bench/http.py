"""The server over HTTP: what a call costs by wire, and how soon streams hear of what happens.

Each figure stands next to the same call without a wire, and next to a route that does nothing, of
the same run. Servers and clients are processes of their own.
"""

import http.client
import json
import os
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import Child
from lamina.bench.drafts import draft, question
from lamina.bench.http_load import SCOPE, Load
from lamina.bench.measure import Phase, Spread, check_disk, machine, ratio
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.tokens import Keys, NewKey

_SERVER: Final = "lamina.surfaces.http.measured"
"""Started, not imported: what measures knows nothing of the surfaces."""
_CALLS: Final = ("remember", "recall")
_APART: Final = 1_000_000
"""Each measurement writes memories of its own."""
_MATCHING: Final = 10
"""Streams that each event is for."""
_SPARE_FILES: Final = 100
_SETTLE_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    seconds: float = 2.0
    """How long each thing is asked for."""
    records: int = 1_000
    """What the store holds before."""
    embedder: str = OFF
    """Meaning costs the same with a wire and without."""
    connections: tuple[int, ...] = (1, 16, 64)
    subscribers: int = 1_000
    per_second: int = 100
    """Events, for the streams."""

    def __post_init__(self) -> None:
        if self.subscribers and self.subscribers % _MATCHING:
            raise InvalidInputError(f"`subscribers` must be a multiple of {_MATCHING}")


@dataclass
class _Run:
    """One run with its processes."""

    plan: Plan
    mem: Memory
    keys: Keys
    server: Child
    client: Child
    ports: tuple[int, int] = (0, 0)
    """Of our server, and of the empty one."""
    written: int = 0

    @cached_property
    def headers(self) -> dict[str, str]:
        """What the owner sends along."""
        return _bearing(self.keys.create("user", "admin"))

    def first(self) -> int:
        """The number of the next memory that nobody has written."""
        self.written += 1
        return _APART * self.written


def measure(plan: Plan, phase: Phase) -> dict[str, Any]:
    """Everything, as one document."""
    _make_room(plan.subscribers)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=plan.folder)))
        kind, store = check_disk(folder), folder / "store"
        mem = stack.enter_context(open_memory(store))
        mem.configure(EMBEDDER, plan.embedder)
        mem.remember_many([{**draft(number), "scope": SCOPE} for number in range(plan.records)])
        server, client = Child(store, module=_SERVER), Child("http_load")
        run = _Run(plan, mem, Keys(mem), stack.enter_context(server), stack.enter_context(client))
        run.ports = tuple(run.server.hear())
        found: dict[str, Any] = {
            "bench": "http", "machine": machine(), "filesystem": kind,
            "load": round(os.getloadavg()[0], 2),
            "seconds": plan.seconds, "records": plan.records, "embedder": plan.embedder,
        }  # fmt: skip
        found["requests"] = _requests(run, phase)
        if plan.subscribers:
            found["streams"] = _streams(run, phase)
    return found


def _bearing(key: NewKey) -> dict[str, str]:
    return {"Authorization": f"Bearer {key.text}"}


def _make_room(subscribers: int) -> None:
    """A stream is an open file at either end."""
    needed = subscribers + _SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise InvalidInputError(
            f"`subscribers` needs {needed:,} open files, and a process may have {hard:,}",
            remedy="Measure with fewer, or raise the limit: ulimit -n",
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


# -- requests


def _requests(run: _Run, phase: Phase) -> dict[str, Any]:
    """Each call by so many connections, without a wire by as many threads, and the empty route."""
    found: dict[str, Any] = {}
    with phase("Requests", 5 * len(run.plan.connections)) as advance:
        for done, number in enumerate(run.plan.connections):
            nothing = _asked(run, "empty", number)
            found[str(number)] = row = {"empty": nothing}
            for step, call in enumerate(_CALLS):
                plain = _embedded(_CALLED[call](run), number, run.plan.seconds)
                row[f"{call}_embedded"] = plain
                row[call] = _compared(_asked(run, call, number), plain, nothing)
                advance(5 * done + 2 * step + 3)
    return found


def _asked(run: _Run, what: str, connections: int) -> dict[str, Any]:
    port = run.ports[what == "empty"]
    asked = Load(port, what, connections, run.plan.seconds, run.first(), run.headers)
    # The first requests start threads and open the store's files, which is not measured.
    for seconds in (run.plan.seconds / 10, run.plan.seconds):
        before = _taken(run.server)
        run.client.tell(json.dumps({**asdict(asked), "seconds": seconds, "first": run.first()}))
        found: dict[str, Any] = run.client.hear()
        cpu = _taken(run.server)["cpu"] - before["cpu"]
    return {**found, "cpu_ms": round(1000 * cpu / found["requests"], 3)}


def _compared(
    found: dict[str, Any], plain: dict[str, Any], empty: dict[str, Any]
) -> dict[str, Any]:
    """Each figure over the other's: what is left of its rate, how many times as long it takes."""
    names = ("per_second", "p50_ms", "p99_ms", "cpu_ms")
    against = {"embedded": plain, "empty": empty}
    ratios = {
        f"ratio_to_{name}": {one: ratio(found[one], other[one]) for one in names}
        for name, other in against.items()
    }
    return {**found, **ratios}


def _remembering(run: _Run) -> Callable[[int], object]:
    first, mem = run.first(), run.mem.project(SCOPE.partition("/")[2])
    return lambda number: mem.remember(**draft(first + number))


def _recalling(run: _Run) -> Callable[[int], object]:
    return lambda number: run.mem.recall(question(number % 1000), scope=SCOPE)


_CALLED: Final = {"remember": _remembering, "recall": _recalling}


def _embedded(call: Callable[[int], object], threads: int, seconds: float) -> dict[str, Any]:
    """The same call in this process, by as many threads."""
    start, timings = threading.Barrier(threads), list[float]()

    def work(thread: int) -> None:
        call(-1 - thread)
        start.wait()
        number, end = thread * 10_000, clock.stopwatch() + seconds
        while (begun := clock.stopwatch()) < end:
            call(number)
            timings.append(clock.stopwatch() - begun)
            number += 1

    cpu = time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    cpu, spread = time.process_time() - cpu, Spread.of(timings)
    return {
        "requests": len(timings), "per_second": round(len(timings) / seconds, 1),
        "p50_ms": spread.p50_ms, "p99_ms": spread.p99_ms,
        "cpu_ms": round(1000 * cpu / (len(timings) + threads), 3),
    }  # fmt: skip


# -- streams


def _streams(run: _Run, phase: Phase) -> dict[str, Any]:
    """Many listen, each to one project; what comes is written through the server, then past it."""
    plan, projects = run.plan, run.plan.subscribers // _MATCHING
    keys = [run.keys.create("listener", "reader", project=f"p{one}") for one in range(projects)]
    paths = ("/api/changes/stream", "/api/changes/stream?layer=knowledge")
    asked = [
        (paths[number % len(paths)], _bearing(keys[number // _MATCHING]))
        for number in range(plan.subscribers)
    ]
    with Child("http_load") as listeners, phase("Streams", 3) as advance:
        before = _taken(run.server, _SETTLE_SECONDS)
        listeners.tell(json.dumps({"listen": asked, "port": run.ports[0]}))
        listeners.hear()
        opened = _taken(run.server, _SETTLE_SECONDS)
        advance(1)
        with _posting(run) as post:
            by_server = _told(run, listeners, post, projects)
        advance(2)
        by_other = _told(run, listeners, _writing(run), projects)
        after = _taken(run.server, _SETTLE_SECONDS)
        advance(3)
    return {
        "subscribers": plan.subscribers,
        "matching": _MATCHING,
        "kb_per_subscriber": round((opened["kb"] - before["kb"]) / plan.subscribers, 2),
        "kb_per_subscriber_after": round((after["kb"] - before["kb"]) / plan.subscribers, 2),
        "written_over_http": by_server,
        "written_by_another_process": by_other,
    }


def _taken(server: Child, settle: float = 0.0) -> dict[str, float]:
    """What the server takes; memory after a while, when what is done with was given back."""
    time.sleep(settle)
    server.tell("")
    found: dict[str, float] = server.hear()
    return found


def _told(
    run: _Run, listeners: Child, write: Callable[[int, str], str], projects: int
) -> dict[str, Any]:
    """Write evenly, and see what was heard and when."""
    pace, events = 1 / run.plan.per_second, max(1, int(run.plan.per_second * 2 * run.plan.seconds))
    sent, acknowledged = dict[str, float](), dict[str, float]()
    before, start = _taken(run.server), clock.stopwatch()
    for number in range(events):
        time.sleep(max(0.0, start + number * pace - clock.stopwatch()))
        begun = clock.stopwatch()
        record = write(run.first(), f"project/p{number % projects}")
        sent[record], acknowledged[record] = begun, clock.stopwatch()
    wall = clock.stopwatch() - start
    after = _taken(run.server, _SETTLE_SECONDS)
    listeners.tell("")
    heard = listeners.hear()
    times = Counter(record for record, _ in heard)
    whole = [at - sent[record] for record, at in heard]
    late = [max(0.0, at - acknowledged[record]) for record, at in heard]
    spread = Spread.of(late)
    return {
        "events": events, "per_second": round(events / wall, 1), "frames": len(heard),
        "missed": sum(max(0, _MATCHING - times[record]) for record in sent),
        "repeated": sum(max(0, times[record] - _MATCHING) for record in sent),
        "delivery": asdict(spread),
        "from_asking_p99_ms": Spread.of(whole).p99_ms,
        "server_cpu_percent": round(100 * (after["cpu"] - before["cpu"]) / wall, 1),
    }  # fmt: skip


@contextmanager
def _posting(run: _Run) -> Iterator[Callable[[int, str], str]]:
    headers = {**run.headers, "Content-Type": "application/json"}

    def write(number: int, scope: str) -> str:
        body = json.dumps({**draft(number), "scope": scope})
        connection.request("POST", "/api/records", body, headers)
        record: str = json.loads(connection.getresponse().read())["outcomes"][0]["id"]
        return record

    with closing(http.client.HTTPConnection("127.0.0.1", run.ports[0])) as connection:
        yield write


def _writing(run: _Run) -> Callable[[int, str], str]:
    return lambda number, scope: run.mem.remember_many([{**draft(number), "scope": scope}]).id
