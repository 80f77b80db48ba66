"""Export and import as JSON lines: one version of one record on each line, as canonical JSON.

Export then import into an empty store then export again gives the same bytes. Import goes through
the write path like everything else, and does not bring back what was erased.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any, Final, TypeVar

from lamina.core import canonical
from lamina.core.changes import Action, Adopt
from lamina.core.draft import check_share
from lamina.core.ids import check_id
from lamina.core.instants import check_instant
from lamina.core.layers import check_kind_of, layer_named
from lamina.core.names import check_key, check_kind, check_name, check_tags
from lamina.core.principal import Role, Surface
from lamina.core.record import Record, State, Trust, to_json
from lamina.core.scope import Scope
from lamina.core.sealed import references
from lamina.errors import ForbiddenError, InvalidInputError, LaminaError, StoreError
from lamina.memory import Memory
from lamina.stores.questions import Query
from lamina.writing import WritePath

T = TypeVar("T", State, Trust)
_PAGE: Final = 500
_MOST: Final = 2**31
"""No record has been revised this often, nor says so much."""
_NAMES: Final = frozenset(field.name for field in fields(Record))


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


def export_lines(mem: Memory, *, history: bool = False) -> Iterator[str]:
    """Every record within reach, oldest first; with `history`, every kept version of them.

    Versions come in the order of the log, so that importing them passes through the same states.
    """
    for record in _versions(mem) if history else _records(mem):
        yield canonical.dumps(to_json(record))


def count_exported(mem: Memory) -> int:
    """How many records an export covers."""
    return mem.store.count(Query(reach=mem.reach))


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


def parse_line(line: str) -> Record:
    """Read one exported line; every field is checked as if a stranger had written it."""
    value = canonical.loads(line, "line")
    if not isinstance(value, dict) or set(value) != _NAMES:
        found = set(value) if isinstance(value, dict) else set()
        odd = sorted(found ^ _NAMES)[:5]
        raise InvalidInputError(
            f"the line is not an exported record ({', '.join(odd) or 'no object'})",
            remedy="Import files that `lamina export` wrote",
        )
    layer = layer_named(value["layer"])
    return Record(
        id=check_id(value["id"]),
        scope=Scope.of(value["scope"]).path,
        layer=layer.name,
        kind=check_kind_of(layer, check_kind(value["kind"])),
        key=None if value["key"] is None else check_key(value["key"]),
        state=_choice(State, value["state"], "state"),
        text=canonical.check_text(value["text"], "text"),
        data=canonical.check(_object(value["data"]), "data"),
        tags=check_tags(value["tags"]),
        importance=check_share(value["importance"], "importance"),
        confidence=check_share(value["confidence"], "confidence"),
        trust=_choice(Trust, value["trust"], "trust"),
        source=check_name(value["source"], "source"),
        tokens=_whole(value["tokens"], "tokens", 0),
        created_at=check_instant(value["created_at"], "created_at"),
        updated_at=check_instant(value["updated_at"], "updated_at"),
        valid_from=_instant(value["valid_from"], "valid_from"),
        expires_at=_instant(value["expires_at"], "expires_at"),
        supersedes=None if value["supersedes"] is None else check_id(value["supersedes"]),
        rev=_whole(value["rev"], "rev", 1),
    )


def _records(mem: Memory) -> Iterator[Record]:
    for stream in mem.store.streams():
        yield from mem.store.walk(mem.reach, stream)


def _versions(mem: Memory) -> Iterator[Record]:
    for stream in mem.store.streams():
        seen = 0
        while events := mem.store.events(stream, after=seen, limit=_PAGE):
            seen = events[-1].seq
            kept = {
                (version.event.record, version.event.rev): version.record
                for record_id in {event.record for event in events}
                for version in mem.store.versions(mem.reach, record_id)
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


def _choice(kinds: type[T], value: object, argument: str) -> T:
    try:
        return kinds(str(value))
    except ValueError:
        raise InvalidInputError(
            f"`{argument}` is not known: {value!r:.40}", remedy=f"Use one of: {', '.join(kinds)}"
        ) from None


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInputError("`data` must be an object")
    return value


def _whole(value: object, argument: str, least: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST:
        return value
    raise InvalidInputError(f"`{argument}` must be a whole number from {least} to {_MOST}")


def _instant(value: object, argument: str) -> Any:
    return None if value is None else check_instant(value, argument)
