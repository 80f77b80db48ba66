"""Threads: sessions that continue one another, and messages that cite earlier ones.

Both are said in the data of a message, so they travel wherever messages do. What was written past
this face may be wrong; reading it never fails and never goes in circles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.core.ids import is_id
from lamina.core.names import check_key, check_name
from lamina.errors import ConflictError, InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door

CONTINUES: Final = "continues"
CITES: Final = "cites"
KEPT: Final = {"layer": "session", "state": {"$in": ["current", "archived"]}}
"""A message that was archived is still one that was said."""
_MOST_CITED: Final = 100


def chain(door: Door, home: Scope, name: str) -> list[str]:
    """The names of the sessions that one continues, oldest first, and its own at the end."""
    names = [name]
    while (before := _before(door, home, names[0])) is not None and before not in names:
        names.insert(0, before)
    return names


def check_link(door: Door, home: Scope, name: str, earlier: object) -> str | None:
    """The session that another is to continue; `None` when it does already.

    Raises:
        InvalidInputError: The two would continue each other.
        NotFoundError: Nothing was said in the earlier one.
        ConflictError: The session continues another already.
    """
    wanted = check_name(earlier, CONTINUES)
    # Where nothing was said yet, nothing can be continued: a long thread need not be walked.
    if name == wanted or (_said(door, home, name) and name in chain(door, home, wanted)):
        raise InvalidInputError(
            f"`{CONTINUES}`: {name!r:.60} and {wanted!r:.60} would continue each other"
        )
    if not _said(door, home, wanted):
        raise NotFoundError(
            f"`{CONTINUES}` names a session in which nothing was said: {wanted!r:.80}",
            remedy="`agent.session.names()` lists those there are",
        )
    known = _before(door, home, name)
    if known not in (None, wanted):
        raise ConflictError(
            f"the session {name!r:.80} continues {known!r:.80} already",
            remedy="Open another session to continue this one",
        )
    return None if known == wanted else wanted


def check_cites(door: Door, home: Scope, thread: Sequence[str], cites: object) -> list[str]:
    """The ids of the messages that are cited, each by its id or, in the thread, by its own name."""
    if not isinstance(cites, list | tuple) or len(cites) > _MOST_CITED:
        raise InvalidInputError(
            f"`{CITES}` must be a list of at most {_MOST_CITED} ids of messages",
            remedy="Give the ids that `read` and `search` show",
        )
    found: list[str] = []
    for one in cites:
        where: dict[str, Any] = {"id": one} if is_id(one) else _named(home, thread, one)
        ids = [record.id for record in door.query({**KEPT, **where}, limit=100)]
        if not ids:
            raise NotFoundError(
                f"`{CITES}` names a message that is not known: {one!r:.80}",
                remedy="Cite a message of this thread, or any by its id",
            )
        found += sorted(ids)
    return list(dict.fromkeys(found))


def cited(door: Door, message: Record) -> list[Record]:
    """The messages that one cites, in that order; what was erased since is not there any more."""
    said = message.data.get(CITES)
    ids = [one for one in said if is_id(one)] if isinstance(said, list) else []
    if not ids:
        return []
    where = {**KEPT, "id": {"$in": ids[:_MOST_CITED]}}
    found = {record.id: record for record in door.query(where, limit=_MOST_CITED)}
    return [found[one] for one in dict.fromkeys(ids) if one in found]


def place(home: Scope, name: str) -> str:
    """The scope of a session."""
    return home.child("session", name).path


def _named(home: Scope, thread: Sequence[str], name: object) -> dict[str, Any]:
    return {"key": check_key(name), "scope": {"$in": [place(home, one) for one in thread]}}


def _said(door: Door, home: Scope, name: str) -> bool:
    return bool(door.query({**KEPT, "scope": place(home, name)}, limit=1))


def _before(door: Door, home: Scope, name: str) -> str | None:
    where = {**KEPT, "scope": place(home, name), f"data.{CONTINUES}": {"$ne": None}}
    for record in door.query(where, order_by="-created_at", limit=10):
        try:
            return check_name(record.data[CONTINUES], CONTINUES)
        except InvalidInputError:
            continue
    return None
