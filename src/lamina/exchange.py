"""Export and import as JSON lines: one version of one record on each line, as canonical JSON.

Export then import into an empty store then export again gives the same bytes. Import goes through
the write path like everything else, and does not bring back what was erased.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Final, TypedDict, Unpack

from lamina import clock
from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.changes import Action, Adopt, Changed, Commit, Outcome
from lamina.core.ids import RecordId
from lamina.core.layers import place_of
from lamina.core.parsing import parse_line
from lamina.core.planning import make_plan
from lamina.core.principal import Role, Surface
from lamina.core.record import Record, State, to_json
from lamina.core.scope import Scope, root_of
from lamina.core.sealed import references
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError, LaminaError, StoreError
from lamina.exporting import Chosen, markdown_pages, mem0_lines, server_memory_lines
from lamina.exporting.choosing import leaving
from lamina.memory import Memory
from lamina.stores.base import Store
from lamina.stores.loadable import Loadable
from lamina.stores.questions import Query
from lamina.writing import WritePath

_PAGE: Final = 500
_MANY_PAGES: Final = 10
"""From so many on it is worth filling an empty store at once."""
_MOST_FAILED: Final = 100_000
"""A file with more lines that are none is no export."""
Committing = Callable[[Sequence[Adopt]], Sequence[Outcome]]


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
    transactions: tuple[RecordId, ...] = ()
    """What `undo` takes, one for each batch that was written."""
    applied: bool = True
    """Whether it was done, and not only looked at."""


class ImportOptions(TypedDict, total=False):
    """How exported lines are to be imported."""

    dry_run: bool
    """Only tell what would be done. Each batch is held against the store as it is, so of several
    versions of one record the first counts as added in every batch that has some."""
    on_commit: Callable[[RecordId], None] | None
    """Told each transaction, once it is durable."""
    at_once: bool
    """Fill a store that never held anything at once, if it can be: many times faster, and nobody
    else can use it meanwhile. What so comes in, up to the first record or key that the lines name
    again, comes in together or not at all."""


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


def exported(mem: Memory, form: str, chosen: Chosen, *, history: bool = False) -> Iterator[str]:
    """Memories line by line in one of the formats of `lamina export`, as one file."""
    some = chosen if chosen.layers or chosen.kinds else None
    match form:
        case "jsonl":
            return export_lines(mem, history=history, chosen=some)
        case "server-memory":
            return server_memory_lines(mem, some)
        case "mem0":
            return mem0_lines(mem, some)
        case _:
            pages = markdown_pages(mem, chosen)
            return (piece.removesuffix("\n") for _, page in pages for piece in page)


def count_exported(mem: Memory, chosen: Chosen | None = None) -> int:
    """How many records an export covers."""
    return mem.store.count(Query(reach=leaving(mem), where=(chosen or Chosen()).where))


def import_lines(
    mem: Memory,
    lines: Iterable[str],
    on_progress: Callable[[int], None] | None = None,
    **options: Unpack[ImportOptions],
) -> ImportReport:
    """Take in exported lines; a bad line is reported and the rest goes on.

    Only an admin imports, because a line names its own times, trust and source.

    Raises:
        InvalidInputError: So many lines are bad that this is no export; what came before stands.
    """
    if mem.principal.role is not Role.ADMIN:
        raise ForbiddenError("only an admin imports", remedy="Open the store with role admin")
    path = mem.path_for(Surface.IMPORT)
    dry_run, done = options.get("dry_run", False), list[RecordId]()
    report = ImportReport(applied=not dry_run)
    commit: Committing = partial(_planned, mem, path) if dry_run else _Committed(path, done)
    tell = options.get("on_commit") or (lambda tx: None)
    numbered = enumerate(lines, start=1)
    pages: Iterator[_Lines] = (
        _parsed(mem, path, page) for page in iter(lambda: list(islice(numbered, _PAGE)), [])
    )
    taking = _Taking(mem, commit, report, on_progress or (lambda number: None))
    told = 0

    def settle() -> None:
        nonlocal told
        for tx in done[told:]:
            tell(tx)
        told = len(done)
        taking.check_hope()

    if options.get("at_once") and not dry_run and isinstance(mem.store, Loadable):
        pages = taking.load(mem.store, pages)
        settle()
    for page in pages:
        taking.take(page)
        settle()
    return replace(taking.report, transactions=tuple(done))


def _records(mem: Memory) -> Iterator[Record]:
    for stream in mem.store.streams():
        yield from mem.store.walk(leaving(mem), stream)


def _versions(mem: Memory) -> Iterator[Record]:
    heads = {name: head.seq for name, head in mem.store.position().items()}
    for stream in sorted(heads):
        for change in _of_stream(mem, stream, heads):
            if change.event.action is not Action.WITNESSED and change.record is not None:
                yield change.record


def _of_stream(mem: Memory, stream: str, heads: Mapping[str, int]) -> Iterator[Changed]:
    """What happened in one stream, by pages of the feed: they bring their versions along."""
    root = root_of(stream)
    reach = leaving(mem).within(Scope.of(root))
    # What is hot in the same root has a stream of its own, of which nothing is asked.
    after = {name: seq for name, seq in heads.items() if root_of(name) == root} | {stream: 0}
    while head := (page := mem.store.changes(reach, after, _PAGE)).position.get(stream):
        after[stream] = head.seq
        yield from (change for change in page.changes if change.event.stream == stream)


@dataclass(frozen=True, slots=True)
class _Lines:
    """A page of lines, as far as they could be read."""

    read: int
    adopts: list[tuple[int, Adopt]]
    failed: list[tuple[int, str]]

    def names(self) -> Iterator[int]:
        """What no other record may have where a store is filled at once, in few bytes each.

        Where two are taken for the same by chance, the quick way ends sooner than it had to.
        """
        for _, adopt in self.adopts:
            yield hash(adopt.record.id)
            if (place := place_of(adopt.record)) is not None:
                yield hash(place)


def _parsed(mem: Memory, path: WritePath, page: Sequence[tuple[int, str]]) -> _Lines:
    found, chosen = _Lines(len(page), [], []), mem.store.settings()
    for number, line in page:
        if not line.strip():
            continue
        try:
            found.adopts.append((number, path.adopt(parse_line(line), chosen)))
        except LaminaError as error:
            found.failed.append((number, str(error)))
    return found


@dataclass(slots=True)
class _Taking:
    """An import under way."""

    mem: Memory
    commit: Committing
    report: ImportReport
    tell: Callable[[int], None]

    def take(self, page: _Lines, *, is_first: bool = False) -> None:
        """One page of lines: together if possible, one by one if any of them is refused.

        With `is_first` there is nothing that they could meet.
        """
        ids = [] if is_first else [adopt.record.id for _, adopt in page.adopts]
        gone = self.mem.store.tombstones(ids) if ids else frozenset()
        kept = [(number, adopt) for number, adopt in page.adopts if adopt.record.id not in gone]
        there = self.mem.store.get(self.mem.reach, [one for one in ids if one not in gone])
        before = {record.id for record in there} if ids else set()
        strange = [adopt for _, adopt in kept if adopt.record.id not in before]
        failed = [*self.report.failed, *page.failed]
        counted = Counter(_commit(self.commit, kept, failed))
        report = self.report
        self.report = replace(
            report,
            read=report.read + page.read,
            added=report.added + counted["added"],
            revised=report.revised + counted["revised"],
            unchanged=report.unchanged + counted["unchanged"],
            proposed=report.proposed + counted["proposed"],
            erased=report.erased + len(page.adopts) - len(kept),
            unknown_secrets=report.unknown_secrets + sum(_unknown(adopt) for adopt in strange),
            failed=tuple(failed),
        )
        self.tell(self.report.read)

    def load(self, store: Loadable, pages: Iterator[_Lines]) -> Iterator[_Lines]:
        """Fill an empty store with as many pages as name nothing twice; those that are left."""
        first = list(islice(pages, _MANY_PAGES))
        rest = chain(first, pages)
        if len(first) < _MANY_PAGES or self.mem.store.newest_instant() is not None:
            return rest
        left: list[_Lines] = []

        def fill() -> None:
            seen: set[int] = set()
            for page in rest:
                names = list(page.names())
                if len(set(names)) < len(names) or not seen.isdisjoint(names):
                    left.append(page)
                    return
                seen.update(names)
                self.take(page, is_first=True)
                if self.is_hopeless:
                    return

        try:
            store.load(fill)
        except ConflictError:
            if self.report.read:
                raise
        except StoreError as error:
            what = f"{error.message}; nothing of the lines has come in"
            raise type(error)(what, remedy=error.remedy) from error
        return chain(left, rest)

    @property
    def is_hopeless(self) -> bool:
        """Whether so many lines are bad that this is no export."""
        return len(self.report.failed) > _MOST_FAILED

    def check_hope(self) -> None:
        """Refuse to go on where it is none."""
        if self.is_hopeless:
            number, why = self.report.failed[0]
            raise InvalidInputError(
                f"more than {_MOST_FAILED:,} lines cannot be imported; line {number}: {why:.200}",
                remedy="Import files that `lamina export` wrote; what came in before stands",
            )


def _unknown(adopt: Adopt) -> int:
    """How many references came in from elsewhere, where their values stayed."""
    named = references(canonical.dumps([adopt.record.text, adopt.record.data]))
    return len(set(named) - {box.ref for box in adopt.sealed})


@dataclass(frozen=True, slots=True)
class _Committed:
    """Writes adopts, and keeps what `undo` takes."""

    path: WritePath
    done: list[RecordId]

    def __call__(self, adopts: Sequence[Adopt]) -> Sequence[Outcome]:
        receipt = self.path.commit(adopts)
        if any(one.action is not Action.UNCHANGED for one in receipt.outcomes):
            self.done.append(receipt.tx)
        return receipt.outcomes


def _planned(mem: Memory, path: WritePath, adopts: Sequence[Adopt]) -> Sequence[Outcome]:
    """What writing adopts would come to, decided as a store decides it."""
    commit = Commit(changes=tuple(adopts), by=path.speaker, at=clock.now(), tx=clock.fresh_id())
    return make_plan(commit, _Present(mem.store, mem.reach)).outcomes


@dataclass(frozen=True, slots=True)
class _Present:
    """The present, as far as somebody sees it."""

    store: Store
    reach: Reach

    def records(self, ids: Sequence[RecordId]) -> list[Record]:
        return self.store.get(self.reach, ids)

    def holders(self, places: Sequence[str]) -> list[Record]:
        found = (self.store.find(self.reach, place) for place in places)
        return [record for record in found if record is not None]

    def erased(self, ids: Sequence[RecordId]) -> frozenset[RecordId]:
        return self.store.tombstones(ids)

    def last_instant(self, stream: str) -> datetime | None:
        return self.newest_instant()

    def newest_instant(self) -> datetime | None:
        return self.store.newest_instant()

    def setting(self, name: str) -> str | None:
        return self.store.settings().get(name)


def _commit(
    commit: Committing, adopts: Sequence[tuple[int, Adopt]], failed: list[tuple[int, str]]
) -> list[str]:
    if not adopts:
        return []
    try:
        outcomes = commit([adopt for _, adopt in adopts])
    except StoreError:
        # The store failed, not the lines: the next one would fail like it, and wait as long.
        raise
    except LaminaError as error:
        if len(adopts) == 1:
            failed.append((adopts[0][0], str(error)))
            return []
        return [done for one in adopts for done in _commit(commit, [one], failed)]
    asked = [adopt.record.state for _, adopt in adopts]
    return [
        _action(outcome.action, outcome.state, state)
        for outcome, state in zip(outcomes, asked, strict=True)
    ]


def _action(action: Action, state: State | None, asked: State) -> str:
    if action is Action.UNCHANGED:
        return "unchanged"
    if action is Action.REVISED:
        return "revised"
    return "added" if state is asked else "proposed"
