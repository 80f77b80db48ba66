"""Moving a store from one database to another, step by step; each may be interrupted.

Until the source is marked as moved it is the store, and what is in the target may be thrown away.
The mark is set while writers are held and nothing is left to copy.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lamina.clock import stopwatch
from lamina.errors import (
    InvalidInputError,
    StoreDamagedError,
    StoreError,
    StoreReadOnlyError,
    StoreUnavailableError,
)
from lamina.results import MoveReport
from lamina.stores.combined import BOUND, STAYED
from lamina.stores.sql.driver import Connection, one
from lamina.stores.sql.formats import FILLED_FROM, MOVED_TO
from lamina.stores.sql.moving import comparing, filling, following, marks, mirroring
from lamina.stores.sql.moving.ends import End
from lamina.stores.sqlite import DATABASE

__all__ = ["End", "already", "check_source", "check_target", "count", "move", "reopen"]
Tell = Callable[[float], None]
_DUTY: Final = "migrate"
_FEW: Final = 200
"""So many touched records are copied while writers wait."""
_ROUNDS: Final = 10
_TRIES: Final = 4
_FILLED, _COMPARED = 0.7, 0.9
"""How much of the whole is done after each step, roughly."""


class _DiffersError(Exception):
    """Something changed of which the log says nothing; both are compared once more."""


def count(source: End) -> dict[str, int]:
    """How many rows of each sort there are to move."""
    with source.read() as connection:
        found = {name: int(row[0]) for name, row in comparing.sums(connection).items()}
        found["vector"] = int(one(connection, "select count(*) from vector"))
    return {**found, "tombstone": len(source.tombstones())}


def check_target(source: End, target: End) -> bool:
    """Whether the target is one that was begun for this source; refuse one that is in use."""
    settings = target.store.settings()
    if source.store.identity == target.store.identity and FILLED_FROM not in settings:
        raise InvalidInputError(
            "the target is this very store, maybe as it was left when it was moved",
            remedy="Name an empty place: a new directory, or another schema",
        )
    if FILLED_FROM in settings:
        if settings[FILLED_FROM] != source.store.identity:
            raise InvalidInputError(
                f"the target {target.store.location} is being filled from another store,"
                f" {settings.get(marks.LOCATION)}",
                remedy="Finish that move, or name another target",
            )
        return True
    with target.read() as connection:
        if one(connection, "select exists (select 1 from event)") or target.tombstones():
            raise InvalidInputError(
                f"the target {target.store.location} is not empty",
                remedy="Name an empty directory or another schema; a store is never mixed with one",
            )
    return False


def check_source(source: End, target: End | None) -> bool:
    """Whether all is copied and only the end of the move is missing; refuse what has moved."""
    moved = source.store.settings().get(MOVED_TO)
    if moved is None:
        return False
    if target is not None and moved == target.store.location and _is_begun(target):
        return True
    here, there = map(_named, (source.store.location, moved))
    raise StoreReadOnlyError(
        f"the store {here} was moved to {there} already",
        remedy=f"Move it from there, or let this one be written again:"
        f" lamina migrate --from {here} --reopen",
    )


def already(source: End, target: End) -> MoveReport | None:
    """What a move came to that was carried out before, to the last step."""
    moved = source.store.settings().get(MOVED_TO)
    is_there = moved == target.store.location and source.store.identity == target.store.identity
    if not is_there or _is_begun(target):
        return None
    return MoveReport(
        source=source.store.location, target=target.store.location, kept=False,
        identity=target.store.identity, applied=True, resumed=True, rows=count(target),
    )  # fmt: skip


def _is_begun(target: End) -> bool:
    return FILLED_FROM in target.store.settings()


def _named(location: str) -> str:
    """A store as people name it."""
    path = Path(location)
    return str(path.parent) if path.name == DATABASE else location


def move(source: End, target: End, *, keep: bool, tell: Tell) -> MoveReport:
    """Copy everything, verify it, and make the target the store; with `keep`, one of its own."""
    with _duty(source), _duty(target):
        resumed = check_target(source, target)
        moved = _Move(source, target, keep, tell)
        if not check_source(source, target):
            moved.copy(resumed=resumed)
        identity = moved.finish()
        return MoveReport(
            source=source.store.location, target=target.store.location, identity=identity,
            applied=True, kept=keep, resumed=resumed, rows=count(target), digests=moved.digests,
            recalled=moved.recalled, held_seconds=moved.held_seconds,
        )  # fmt: skip


def reopen(end: End) -> str | None:
    """Let a store be written again that was moved; where it had been moved to."""
    settings = end.store.settings()
    moved = settings.get(MOVED_TO)

    def work(connection: Connection) -> None:
        connection.execute("delete from setting where name in (?, ?)", (MOVED_TO, BOUND))
        if BOUND in settings:
            # What is hot has one owner, and went along.
            marks.put(connection, STAYED, str(moved))

    if moved is not None:
        end.write(work)
    return moved


@contextmanager
def _duty(end: End) -> Iterator[None]:
    with end.store.duty(_DUTY) as mine:
        if not mine:
            raise StoreUnavailableError(
                f"another move of {end.store.location} is under way",
                remedy="Wait until it has ended",
            )
        yield


class _Move:
    """One run of a move."""

    def __init__(self, source: End, target: End, keep: bool, tell: Tell) -> None:
        self._source = source
        self._target = target
        self._keep = keep
        self._tell = tell
        self.digests: dict[str, str] = {}
        self.recalled = 0
        self.held_seconds = 0.0

    def copy(self, *, resumed: bool) -> None:
        """Copy everything, and mark the source as moved."""
        source, target = self._source, self._target
        target.begin()
        if not resumed:
            with source.read() as connection:
                position = marks.heads(connection)
            target.write(lambda there: self._begin(there, position))
        counted = count(source)
        # Words and vectors take as long again as the rest.
        filling.fill(source, target, _steps(self._tell, 0.0, _FILLED, sum(counted.values())))
        self._follow()
        target.write(target.settle)
        for number in range(1, _TRIES + 1):
            self._compare(counted)
            self._audit()
            try:
                self._hand_over()
            except _DiffersError as error:
                if number == _TRIES:
                    raise StoreError(
                        f"the copy is not the same as the store: {error}",
                        remedy="Nothing was changed at the source; call it again when less is"
                        " written, and run `lamina doctor` on both",
                    ) from None
            else:
                return

    def finish(self) -> str:
        """Make the target a store like any other; its identity."""

        def work(there: Connection) -> None:
            self._target.go_on(there)
            marks.clear(there)
            if not self._keep:
                marks.put(there, "identity", self._source.store.identity)

        self._target.write(work)
        self._target.store.flush()
        self._tell(1.0)
        return self._target.store.identity

    def _begin(self, there: Connection, position: marks.Position) -> None:
        # Looked at once more: somebody may have written to it since.
        if one(there, "select exists (select 1 from event)"):
            raise InvalidInputError("the target is not empty", remedy="Name an empty one")
        marks.put(there, FILLED_FROM, self._source.store.identity)
        marks.put(there, marks.LOCATION, self._source.store.location)
        marks.put_position(there, position)

    def _follow(self) -> None:
        """Catch up until little is left."""
        for _ in range(_ROUNDS):
            with self._source.read() as connection:
                if following.catch_up(connection, self._target, self._source) <= _FEW:
                    return

    def _compare(self, counted: dict[str, int]) -> None:
        """Look at every row, and copy again what differs; until nothing does, within reason."""
        source, target = self._source, self._target
        for _ in range(_TRIES):
            tell = _steps(self._tell, _FILLED, _COMPARED, sum(counted.values()))
            compared = comparing.compare(source, target, tell)
            again = following.ids_of(source, target, compared.differing)
            with source.read() as connection:
                following.catch_up(connection, target, source, again)
                self._beside(connection)
            self.digests = compared.digests
            if not compared.differing:
                break
        self._follow()

    def _beside(self, connection: Connection) -> None:
        """What lies beside the records and is not in the log."""
        target = self._target
        mirroring.mirror(connection, target, mirroring.USAGE)
        mirroring.mirror(connection, target, mirroring.TELEMETRY)
        mirroring.receipts(connection, target)
        mirroring.spaces(connection, target)
        mirroring.tombstones(self._source, target)

    def _audit(self) -> None:
        wrong = [found for found in self._target.store.audit() if found.severity.is_damage]
        if wrong:
            raise StoreDamagedError(
                f"the log does not hold in the copy: {wrong[0].message}",
                remedy="Nothing was changed at the source; run `lamina audit verify` there",
            )

    def _hand_over(self) -> None:
        """The short step: the rest, while nobody writes, and the mark that says where it went."""
        asked = comparing.questions(self._source)
        started = stopwatch()
        self._source.hold(lambda connection: self._rest(connection, asked))
        self.held_seconds = round(stopwatch() - started, 3)

    def _rest(self, connection: Connection, asked: list[comparing.Question]) -> None:
        source, target = self._source, self._target
        following.catch_up(connection, target, source)
        self._beside(connection)
        mirroring.settings(connection, target)
        unequal = comparing.unequal(connection, target)
        if unequal:
            raise _DiffersError(", ".join(unequal))
        wrong = [terms for terms in asked if comparing.answers_differ(source, target, terms)]
        if wrong:
            raise _DiffersError("recall of " + " ".join(term.token for term in wrong[0]))
        self.recalled = len(asked)
        if not self._keep:
            marks.put(connection, MOVED_TO, target.store.location)


def _steps(tell: Tell, start: float, end: float, total: int) -> Callable[[int], None]:
    done = 0

    def step(number: int) -> None:
        nonlocal done
        done += number
        tell(start + (end - start) * min(1.0, done / max(1, total)))

    return step
