"""Changes that somebody else put together, taken as if they had been asked for here.

A client builds changes as the write path does, on its own machine. Of these, only what was meant is
believed: each is made anew by the write path of the principal that the key stands for, so it is
normalised, sealed, authorised and analysed by this process. Ids are kept where nobody has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core import canonical
from lamina.core.access import EVERYTHING, check_change, check_removal, check_settle, may_reveal
from lamina.core.changes import Adopt, Change, Erase, Move, Put
from lamina.core.draft import check_rev
from lamina.core.ids import RecordId, check_id, is_id
from lamina.core.layers import layer_named, slot
from lamina.core.parsing import parse_line
from lamina.core.principal import Surface
from lamina.core.record import Content, Record, State, to_json
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.core.sealed import Sealed
    from lamina.stores.base import Store
    from lamina.writing import WritePath

MOST: Final = 10_000
"""How many changes one commit may have."""


class Retaking:
    """The changes of a client on the write path of its principal."""

    def __init__(self, store: Store, path: WritePath) -> None:
        self._store = store
        self._path = path

    def all(self, changes: Iterable[Change]) -> list[Change]:
        """The same changes, each as this principal may make it.

        Raises:
            NotFoundError: One is about a record that does not exist for the principal.
            ForbiddenError: One is not the principal's to make.
        """
        asked = list(changes)
        if not 0 < len(asked) <= MOST:
            raise InvalidInputError(
                f"one commit is of 1 to {MOST:,} changes, not {len(asked):,}",
                remedy="Make several calls of it; each is then a transaction of its own",
            )
        named = {one for change in asked for one in _named(change)}
        taken = self._taken_ids(asked)
        return [self._again(change, named, taken) for change in asked]

    def _again(self, change: Change, named: set[RecordId], taken: set[RecordId]) -> Change:
        match change:
            case Put() if change.revises is not None:
                return self._edited(change, self._path.existing(check_id(change.revises)), named)
            case Put():
                return self._put(change, named, taken)
            case Move():
                return self._moved(change, self._path.existing(check_id(change.id)))
            case Erase():
                return self._path.erase(self._path.existing(check_id(change.id)))
            case Adopt():
                return self._adopted(change)
            case _:
                raise UnsupportedError(
                    "a client does not witness anything", remedy="Ask for the secret: reveal"
                )

    def _put(self, change: Put, named: set[RecordId], taken: set[RecordId]) -> Put:
        made = self._said(change.content, change.scope, change.layer, change.key, change.expect)
        state, expect = change.state, made.expect
        if state is not None and made.key is not None:
            # By a key, another state would come to a record that nobody looked at.
            place = slot(layer_named(made.layer), made.scope, made.content.kind, made.key)
            holder = self._store.find(self._path.reach, place)
            if holder is None:
                expect = 0 if expect is None else expect
            else:
                self._check_state(holder, state)
        fresh = clock.fresh_id() if change.id in taken else check_id(change.id)
        made = replace(made, id=fresh, expect=expect)
        return self._as_asked(made, change, named)

    def _edited(self, change: Put, record: Record, named: set[RecordId]) -> Put:
        earlier = self._version(change, record)
        if earlier is not None:
            made = self._path.revert(record, earlier)
            made = replace(made, expect=check_rev(change.expect))
            return self._as_asked(made, change, named)
        if _is_filed(change.content, record):
            made = self._path.edit(record, _fields(change.content), change.expect)
        else:
            check_change(self._path.speaker, record)
            where = (record.scope, record.layer, record.key)
            made = self._said(change.content, *where, change.expect)
        if change.state is not None:
            self._check_state(record, change.state, made.content)
        made = self._tied(made, record, change.content.supersedes)
        return self._as_asked(replace(made, revises=record.id), change, named)

    def _said(
        self, content: Content, scope: str, layer: str, key: str | None, expect: int | None
    ) -> Put:
        """A content as something that the principal says."""
        draft: Any = {
            **_fields(content), "source": content.source,
            "scope": scope, "layer": layer, "key": key, "expect": expect,
        }  # fmt: skip
        [made] = self._path.puts([draft], Scope.of(scope))
        return made

    def _as_asked(self, made: Put, change: Put, named: set[RecordId]) -> Put:
        """What else was asked for: another state, only to propose, what is sealed elsewhere."""
        return replace(
            made, state=change.state, proposal=made.proposal or change.proposal,
            lifetime=change.lifetime[:100], sealed=(*made.sealed, *self._carried(change, named)),
        )  # fmt: skip

    def _version(self, change: Put, record: Record) -> Record | None:
        """The version that a record goes back to, or the proposal that takes its place."""
        if change.state is None:
            return None
        for version in self._store.versions(self._path.reach, record.id):
            was = version.record
            if was is not None and was.content == change.content and was.state is change.state:
                return was
        source = change.content.supersedes
        if source is None or change.state is not State.CURRENT:
            return None
        for proposal in self._store.get(self._path.reach, [source]):
            said = replace(proposal, supersedes=proposal.id)
            if proposal.state is State.PROPOSED and said.content == change.content:
                check_settle(self._path.speaker, proposal)
                return said
        return None

    def _tied(self, made: Put, record: Record, supersedes: RecordId | None) -> Put:
        """The same, with the name of a record that it stands for, if there is such a one."""
        if supersedes is None:
            return made
        known = supersedes == record.supersedes
        if not known and not self._store.get(self._path.reach, [supersedes]):
            return made
        return replace(made, content=replace(made.content, supersedes=supersedes))

    def _moved(self, change: Move, record: Record) -> Move:
        expect = check_rev(change.expect)
        if change.state is State.CURRENT is record.state and expect is not None:
            # A condition, and no change.
            return self._path.still(record.id, expect)
        made = self._path.move(record, change.state)
        return made if expect is None else replace(made, expect=expect)

    def _adopted(self, change: Adopt) -> Adopt:
        if self._path.speaker.surface is not Surface.IMPORT:
            raise ForbiddenError(
                "records are taken in as they are by an import alone",
                remedy="Remember them, or import them with the key of an admin",
            )
        return self._path.adopt(parse_line(canonical.dumps(to_json(change.record))))

    def _check_state(self, record: Record, state: State, said: Content | None = None) -> None:
        check_removal(self._path.speaker, record)
        self._path.check_settling(record, state, said)

    def _carried(self, change: Put, named: set[RecordId]) -> list[Sealed]:
        """Sealed values that go over from another record of the commit, if they may be read."""
        wanted = {box.ref for box in change.sealed}
        if not wanted:
            return []
        entry = change.content.data.get("entry")
        copied = {RecordId(str(entry))} if is_id(entry) else set()
        others = self._store.get(self._path.reach, sorted(named | copied))
        mine = [one for one in others if may_reveal(self._path.speaker, one)]
        return [box for one in mine for box in self._store.sealed(one.id) if box.ref in wanted]

    def _taken_ids(self, changes: Iterable[Change]) -> set[RecordId]:
        """Ids of new records that somebody out of sight has, or that were erased.

        They are given others, so that nobody learns which ids there are.
        """
        new = [one.id for one in changes if isinstance(one, Put) and one.revises is None]
        seen = {one.id for one in self._store.get(self._path.reach, new)}
        known = {one.id for one in self._store.get(EVERYTHING, new)}
        return (known - seen) | self._store.tombstones(new)


def _named(change: Change) -> Iterable[RecordId]:
    match change:
        case Put():
            return [one for one in (change.revises, change.content.supersedes) if one is not None]
        case Adopt():
            return [change.record.id]
        case _:
            return [change.id]


def _fields(content: Content) -> dict[str, Any]:
    """What a content says, as a caller would say it."""
    return {
        "text": content.text, "kind": content.kind, "data": content.data, "tags": content.tags,
        "importance": content.importance, "confidence": content.confidence,
        "expires": content.expires_at, "valid_from": content.valid_from,
        "via": content.trust.value,
    }  # fmt: skip


def _is_filed(content: Content, record: Record) -> bool:
    """Whether a record is only filed differently, so that its source stays as it is."""
    same = content.text == record.text and content.data == record.data
    return same and content.source == record.source
