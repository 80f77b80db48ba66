"""Public memories: what an agent lets the others of its project ask for.

A record is public while it carries the tag, and is found by those who ask its agent, nobody else.
The store hands out public records alone, and they are searched apart from it: neither words nor
numbers of what is private play any part in an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Unpack

from lamina.apart import Apart
from lamina.core.access import PUBLIC, PUBLISHED, public_reach
from lamina.core.filters import parse
from lamina.core.names import check_key
from lamina.core.scope import Scope
from lamina.core.settings import USE
from lamina.errors import InvalidInputError
from lamina.stores.questions import Query
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from lamina.announcing import Announcer
    from lamina.core.changes import Receipt
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.embedding import Vectors
    from lamina.layers.face import Door
    from lamina.reading import Where
    from lamina.recalling import How
    from lamina.results import Recall

MANY: Final = 10_000
_PRESENT_ONLY: Final = ("as_of", "scope")
"""What was public once need not be so now, and an agent is asked as a whole."""


class Public:
    """The public memories of the agents of one project."""

    def __init__(self, door: Door, announcer: Announcer, vectors: Vectors) -> None:
        self._door = door
        self._announcer = announcer
        self._vectors = vectors
        self._asked: dict[str, tuple[list[tuple[RecordId, int]], Apart]] = {}

    def share(self, name: str) -> Receipt:
        """Make a record of one's own public, named by id or key: knowledge, a fact or a note.

        An edit keeps it public; a new value under its key is private until it is shared as well.
        """
        record = self._door.get(check_key(name, "name"))
        scope = Scope.of(record.scope)
        agent = scope.part("agent")
        if agent is None or not public_reach(self._door.principal, agent).sees(record):
            raise InvalidInputError(
                f"record {record.id}, `{record.layer}` in `{record.scope}`, cannot be made public",
                remedy=f"Share what is an agent's own: {', '.join(sorted(PUBLISHED))}",
            )
        return self._door.edit(
            record.id, tags=list(dict.fromkeys((*record.tags, PUBLIC))), expect=record.rev
        )

    def unshare(self, name: str) -> Receipt:
        """Make a record private again, at once and for everybody."""
        record = self._door.get(check_key(name, "name"))
        tags = [tag for tag in record.tags if tag != PUBLIC]
        return self._door.edit(record.id, tags=tags, expect=record.rev)

    def mine(self, *, limit: int = 100) -> list[Record]:
        """What this agent has made public, newest first."""
        return self.of(self._door.principal.name, limit=limit)

    def of(self, agent: str, where: Where = None, *, limit: int = 100) -> list[Record]:
        """What an agent of the project has made public, newest first."""
        found = self._public(agent, where, limit)
        self._announcer.read(found)
        return found

    def ask(self, agent: str, query: str, **how: Unpack[How]) -> Recall:
        """Search what an agent of the project has made public, by words and meaning."""
        for name in _PRESENT_ONLY:
            if how.get(name) is not None:
                raise InvalidInputError(f"`{name}` is not for asking others", remedy="Leave it out")
        found = self._apart(agent).recall(query, how)
        self._announcer.searched(query, found.hits)
        if self._door.settings()[USE] == "on":
            now = StoreClock(self._door.store).now()
            self._announcer.used((hit.record.id for hit in found.hits), now)
        return found

    def _public(self, agent: str, where: Where, limit: int) -> list[Record]:
        from lamina.reading import check_limit

        wanted = Query(
            reach=public_reach(self._door.principal, agent),
            where=parse(where) & parse({"tags": [PUBLIC]}),
            # Whatever the filter says of states: what is not current is nobody else's.
            live_at=StoreClock(self._door.store).now(),
            limit=check_limit(limit),
        )
        return self._door.store.query(wanted)

    def _apart(self, agent: str) -> Apart:
        """The public records of an agent as they are now; built anew when they have changed."""
        found = self._public(agent, None, MANY)
        stand = [(record.id, record.rev) for record in found]
        known = self._asked.get(agent)
        if known is not None and known[0] == stand:
            return known[1]
        apart = Apart(found, settings=self._door.store.settings(), embedder=self._vectors.given)
        # One is enough: who asks asks on, and the memory of many agents is not to be held at once.
        self._asked = {agent: (stand, apart)}
        return apart
