"""Export and import as JSON lines: one version of one record on each line, as canonical JSON.

Export then import into an empty store then export again gives the same bytes. Import goes through
the write path like everything else, and does not bring back what was erased.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from lamina.core import canonical
from lamina.core.changes import Action, Adopt
from lamina.core.parsing import parse_line
from lamina.core.principal import Role, Surface
from lamina.core.record import Record, State, to_json
from lamina.core.sealed import references
from lamina.errors import ForbiddenError, LaminaError, StoreError
from lamina.exporting.choosing import Chosen, leaving
from lamina.memory import Memory
from lamina.stores.questions import Query
from lamina.writing import WritePath

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the lines of an import."""

    read: int = 0
    added: int = 0
    revised: int = 0
    unchanged: int = 0
    proposed: int = 0
    """Kept beside a record that already holds the same key."""
    erased: int = 0
    """Left out because they were erased here before."""
    unknown_secrets: int = 0
    """References taken in whose sealed value is not in this store: exports hold no values."""
    failed: tuple[tuple[int, str], ...] = ()
    """Line numbers with what is wrong; nothing of such a line was taken."""


def export_lines(
    mem: Memory, *, history: bool = False, chosen: Chosen | None = None
) -> Iterator[str]:
    """Every record within reach, oldest first; with `history`, every kept version of them.

    `chosen` narrows it to some layers and kinds.

    Versions come in the order of the log, so that importing them passes through the same states.
    """
    for record in _versions(mem) if history else _records(mem):
        if chosen is None or chosen.has(record):
            yield canonical.dumps(to_json(record))


def count_exported(mem: Memory, chosen: Chosen | None = None) -> int:
    """How many records an export covers."""
    return mem.store.count(Query(reach=leaving(mem), where=(chosen or Chosen()).where))


def import_lines(
    mem: Memory, lines: Iterable[str], on_progress: Callable[[int], None] | None = None
) -> ImportReport:
    """Take in exported lines; a bad line is reported and the rest goes on.

    Only an admin imports, because a line names its own times, trust and source.
    """
    if mem.principal.role is not Role.ADMIN:
        raise ForbiddenError("only an admin imports", remedy="Open the store with role admin")
    path = mem.path_for(Surface.IMPORT)
    report = ImportReport()
    numbered = enumerate(lines, start=1)
    while batch := list(islice(numbered, _PAGE)):
        report = _take(mem, path, batch, report)
        if on_progress is not None:
            on_progress(report.read)
    return report


def _records(mem: Memory) -> Iterator[Record]:
    for stream in mem.store.streams():
        yield from mem.store.walk(leaving(mem), stream)


def _versions(mem: Memory) -> Iterator[Record]:
    for stream in mem.store.streams():
        seen = 0
        while events := mem.store.events(stream, after=seen, limit=_PAGE):
            seen = events[-1].seq
            kept = {
                (version.event.record, version.event.rev): version.record
                for record_id in {event.record for event in events}
                for version in mem.store.versions(leaving(mem), record_id)
            }
            changes = (event for event in events if event.action is not Action.WITNESSED)
            found = (kept.get((event.record, event.rev)) for event in changes)
            yield from (record for record in found if record is not None)


def _take(
    mem: Memory, path: WritePath, batch: Sequence[tuple[int, str]], report: ImportReport
) -> ImportReport:
    """One page of lines: together if possible, one by one if any of them is refused."""
    failed = list(report.failed)
    adopts: list[tuple[int, Adopt]] = []
    for number, line in batch:
        if not line.strip():
            continue
        try:
            adopts.append((number, path.adopt(parse_line(line))))
        except LaminaError as error:
            failed.append((number, str(error)))
    gone = mem.store.tombstones([adopt.record.id for _, adopt in adopts])
    kept = [(number, adopt) for number, adopt in adopts if adopt.record.id not in gone]
    before = {record.id for record in mem.store.get(mem.reach, [a.record.id for _, a in kept])}
    strange = [adopt for _, adopt in kept if adopt.record.id not in before]
    actions = _commit(path, kept, failed)
    counted = {action: actions.count(action) for action in set(actions)}
    return replace(
        report,
        read=report.read + len(batch),
        added=report.added + counted.get("added", 0),
        revised=report.revised + counted.get("revised", 0),
        unchanged=report.unchanged + counted.get("unchanged", 0),
        proposed=report.proposed + counted.get("proposed", 0),
        erased=report.erased + len(adopts) - len(kept),
        unknown_secrets=report.unknown_secrets + sum(_unknown(adopt) for adopt in strange),
        failed=tuple(failed),
    )


def _unknown(adopt: Adopt) -> int:
    """How many references came in from elsewhere, where their values stayed."""
    named = references(canonical.dumps([adopt.record.text, adopt.record.data]))
    return len(set(named) - {box.ref for box in adopt.sealed})


def _commit(
    path: WritePath, adopts: Sequence[tuple[int, Adopt]], failed: list[tuple[int, str]]
) -> list[str]:
    if not adopts:
        return []
    try:
        receipt = path.commit([adopt for _, adopt in adopts])
    except StoreError:
        # The store failed, not the lines: the next one would fail like it, and wait as long.
        raise
    except LaminaError as error:
        if len(adopts) == 1:
            failed.append((adopts[0][0], str(error)))
            return []
        return [done for one in adopts for done in _commit(path, [one], failed)]
    asked = [adopt.record.state for _, adopt in adopts]
    return [
        _action(outcome.action, outcome.state, state)
        for outcome, state in zip(receipt.outcomes, asked, strict=True)
    ]


def _action(action: Action, state: State | None, asked: State) -> str:
    if action is Action.UNCHANGED:
        return "unchanged"
    if action is Action.REVISED:
        return "revised"
    return "added" if state is asked else "proposed"
