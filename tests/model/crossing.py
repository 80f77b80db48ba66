"""Rules that cross a border: into the past, along the feed, to another process, through a crash."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.config import is_database
from lamina.core import canonical
from lamina.core.access import EVERYTHING
from lamina.core.changes import Changed, Commit, Receipt
from lamina.core.ids import RecordId
from lamina.core.record import Record, to_json
from lamina.errors import LaminaError
from lamina.stores.base import Capability
from tests.model.compare import compare_answer, compare_search
from tests.model.neighbour import LIVES, Neighbour
from tests.model.world import World

if TYPE_CHECKING:
    from tests.model.rules import History

NEIGHBOUR = Neighbour()


@dataclass(frozen=True)
class Mark:
    """A place in history, and what was there."""

    place: dict[str, int]
    records: dict[RecordId, Record]
    words: dict[RecordId, tuple[str, ...]]


def mark(history: "History") -> None:
    """Take note of the present."""
    place = {name: head.seq for name, head in history.store.position().items()}
    assert place == {name: len(log) for name, log in history.world.logs.items()}
    world = history.world
    history.marks.append(Mark(place, dict(world.records), dict(world.words)))


def look_back(history: "History") -> None:
    """Ask about a place in the past; only what was erased or is not kept is missing."""
    if not history.marks:
        return
    chosen: Mark = history.choose(history.marks)
    then = World(
        records={
            one: record
            for one, record in chosen.records.items()
            if (one, record.rev) in history.world.versions
        }
    )
    then.words = {one: chosen.words[one] for one in then.records}
    store, now = history.store, history.now
    compare_answer(store, then, now, history.choose, as_of=chosen.place)
    compare_search(store, then, now, history.choose(history.words), as_of=chosen.place)
    for record_id in list(chosen.records)[:3]:
        found = store.get(EVERYTHING, [record_id], as_of=chosen.place)
        expected = [then.records[record_id]] if record_id in then.records else []
        assert [_json(record) for record in found] == [_json(record) for record in expected]


def listen(history: "History") -> None:
    """Read on in the feed, from where the last reading ended."""
    world, limit = history.world, history.choose((1, 3, 50))
    fresh = sorted(
        (entry.at, stream, number, entry)
        for stream, log in world.logs.items()
        for number, entry in enumerate(log[history.heard.get(stream, 0) :], start=1)
    )[:limit]
    page = history.store.changes(EVERYTHING, history.heard, limit)
    found = [(c.event.stream, c.event.record, c.event.rev, c.event.action) for c in page.changes]
    assert found == [(stream, e.record, e.rev, e.action) for _, stream, _, e in fresh]
    for change in page.changes:
        assert _shown(change) == _expected(world, change), change.event
    history.heard |= {stream: head.seq for stream, head in page.position.items()}


def _shown(change: Changed) -> tuple[str | None, int | None]:
    return _json(change.record), change.before.rev if change.before else None


def _expected(world: World, change: Changed) -> tuple[str | None, int | None]:
    event = change.event
    revs = [rev for one, rev in world.versions if one == event.record and rev < event.rev]
    replaces = revs and event.action.value != "witnessed"
    return _json(world.versions.get((event.record, event.rev))), max(revs) if replaces else None


def elsewhere(history: "History", commit: Commit) -> Receipt | type[LaminaError]:
    """Let another process commit, which opens the store for it."""
    answer = NEIGHBOUR.ask(_where(history), commit, LIVES)
    assert answer is not None
    return answer


def crash(history: "History", commit: Commit, fate: str) -> None:
    """Let another process die right before, or right after, it commits."""
    assert NEIGHBOUR.ask(_where(history), commit, fate) is None


def has_other_processes(history: "History") -> bool:
    """Whether the store can be shared."""
    return Capability.MANY_PROCESSES in history.store.capabilities


def _where(history: "History") -> str:
    location = history.store.location
    return location if is_database(location) else str(Path(location).parent)


def _json(record: Record | None) -> str | None:
    return None if record is None else canonical.dumps(to_json(record))
