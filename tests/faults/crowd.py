"""Ten servers on standard streams, one over HTTP and the command line write to one store.

Meanwhile a subscriber of the server's change feed goes away and comes back with the last id it saw.
Nothing fails, everything acknowledged is there, and the subscriber hears each event once.
"""

import http.client
import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import lamina
from lamina.tokens import Keys
from tests.faults import doors
from tests.faults.agreement import complaints
from tests.faults.doors import CliDoor, Door, HttpDoor, McpDoor
from tests.faults.report import Report, Tell

SERVERS, FEW = 10, 1
"""Servers on standard streams, and how many of them a run of a few seconds has."""
PROJECTS = ("web", "shop", "app")
SHORTEST, LONGEST = 0.1, 2.0
QUIET = 2
"""Seconds without an event after which there is nothing more to hear."""


@dataclass
class Writer:
    """Writes through one door until it is told to stop."""

    name: str
    door: Door
    acknowledged: list[str] = field(default_factory=list)
    failed: str = ""

    def work(self, stop: threading.Event) -> None:
        """Write one thing after the other."""
        try:
            while not stop.is_set():
                text = f"{self.name} says {len(self.acknowledged)}"
                self.acknowledged.append(self.door.write(text))
            self.door.close()
        except Exception as error:
            self.failed = f"{self.name}: {error!r}"


@dataclass
class Subscriber:
    """Follows the change feed over HTTP, and is cut off again and again."""

    port: int
    headers: dict[str, str]
    chance: random.Random
    last: str
    heard: list[tuple[str, int]] = field(default_factory=list)
    comings: int = 0
    failed: str = ""

    def work(self, stop: threading.Event) -> None:
        """Come back until it is told to stop, then hear what is left."""
        try:
            while not stop.is_set():
                self._listen(monotonic() + self.chance.uniform(SHORTEST, LONGEST))
            self._listen(None)
        except Exception as error:
            self.failed = f"subscriber: {error!r}"

    def _listen(self, until: float | None) -> None:
        self.comings += 1
        ending = f"?timeout={QUIET}" if until is None else ""
        headers = {**self.headers, "Last-Event-ID": self.last}
        patience = doors.PATIENCE if until is None else LONGEST
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        # Nothing comes while nobody writes: then it goes away too.
        with closing(connection), suppress(TimeoutError):
            connection.request("GET", f"/api/changes/stream{ending}", headers=headers)
            answer = connection.getresponse()
            assert answer.status == http.client.OK, answer.read()
            block: dict[str, str] = {}
            # It goes away in the middle of a frame as readily as between two.
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    block[name] = value
                elif block:
                    self._take(block)
                    block = {}
                if until is not None and monotonic() > until:
                    return

    def _take(self, block: dict[str, str]) -> None:
        self.last = block.get("id", self.last)
        if "data" in block:
            event = json.loads(block["data"])["event"]
            self.heard.append((event["stream"], event["seq"]))


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let it go on for `size` seconds."""
    place, stop = folder / "store", threading.Event()
    with lamina.open(place) as mem:
        start = mem.changes().cursor
        headers = {"Authorization": f"Bearer {Keys(mem).create('user', 'admin').text}"}
    with doors.serving(place) as port:
        subscriber = Subscriber(port, headers, random.Random(seed), last=start)
        listening = threading.Thread(target=subscriber.work, args=(stop,))
        listening.start()
        writers = list(_writers(place, port, headers, SERVERS if size >= SERVERS else FEW))
        _work(writers, size, tell)
        stop.set()
        listening.join()
    report = Report("crowd", seed, sum(len(one.acknowledged) for one in writers))
    found = _violations(place, writers, subscriber)
    report.violations = [f"seed {seed}: {line}" for line in found]
    report.figures = {
        "seconds": size,
        "acknowledged": {one.name: len(one.acknowledged) for one in writers},
        "heard": len(subscriber.heard),
        "comings": subscriber.comings,
    }
    return report


def _writers(place: Path, port: int, headers: dict[str, str], servers: int) -> Iterator[Writer]:
    numbered = range(servers)
    started = [McpDoor(place, PROJECTS[one % len(PROJECTS)], f"agent-{one}") for one in numbered]
    for number, door in enumerate(started):
        door.greet()
        yield Writer(f"mcp-{number}", door)
    yield Writer("http", HttpDoor(port, headers, "project/web"))
    yield Writer("cli", CliDoor(place, "project/shop"))


def _work(writers: list[Writer], seconds: float, tell: Tell) -> None:
    stop, start = threading.Event(), monotonic()
    threads = [threading.Thread(target=writer.work, args=(stop,)) for writer in writers]
    for thread in threads:
        thread.start()
    while (now := monotonic() - start) < seconds:
        tell(int(now), int(seconds))
        time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
    tell(int(seconds), int(seconds))


def _violations(place: Path, writers: list[Writer], subscriber: Subscriber) -> Iterator[str]:
    yield from filter(None, (subscriber.failed, *(one.failed for one in writers)))
    yield from (f"{one.name} wrote nothing" for one in writers if not one.acknowledged)
    with lamina.open(place) as mem:
        heads = {name: head.seq for name, head in mem.store.position().items()}
        kept = {change.event.record for change in mem.changes()}
        yield from complaints(mem)
    for writer in writers:
        lost = [one for one in writer.acknowledged if one not in kept]
        if lost:
            yield f"{writer.name}: {len(lost)} were acknowledged and are not there"
        if len(set(writer.acknowledged)) != len(writer.acknowledged):
            yield f"{writer.name} got one id twice"
    heard: defaultdict[str, list[int]] = defaultdict(list)
    for stream, seq in subscriber.heard:
        heard[stream].append(seq)
    for stream, last in heads.items():
        if heard[stream] != list(range(1, last + 1)):
            yield f"the subscriber heard {len(heard[stream])} of {last} in {stream}"
