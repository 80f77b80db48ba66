"""Sessions: what was said, message by message, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Unpack

from lamina.core.filters import parse
from lamina.core.names import check_key, check_name
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError
from lamina.layers import threads
from lamina.layers.face import Face, every, in_order
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.layers.face import Door
    from lamina.recalling import How
    from lamina.results import Recall

_ROLES: Final = ("user", "assistant", "tool_call", "tool_result", "summary")


class Session(Face):
    """The transcript of one session."""

    layer = "session"

    def __init__(self, door: Door, scope: Scope, name: str, continues: str | None = None) -> None:
        super().__init__(door, scope.child("session", name))
        self.name = name
        self._home = scope
        self._continues = continues
        """The session that the next message says this one continues."""

    def append(self, role: str, text: str, *, id: str | None = None, **data: Any) -> Receipt:  # noqa: A002 - the name that message formats use
        """Add a message of a role: user, assistant, tool_call, tool_result or summary.

        A call and its result may share an id; the same id and role again is refused. `cites` may
        list earlier messages by their ids.
        """
        return self._add([_message(role, text, id, data)])

    def extend(self, messages: Iterable[Mapping[str, Any]]) -> Receipt:
        """Add the messages of one step in one commit: all of them, or none.

        Each has `role` and `text`, may have an `id`, and what else it has is kept as data.
        """
        drafts = []
        if not isinstance(messages, Iterable) or not (listed := list(messages)):
            raise InvalidInputError(f"`messages` must be a list of messages, not {messages!r:.60}")
        for message in listed:
            if not isinstance(message, dict) or not {"role", "text"} <= message.keys():
                raise InvalidInputError(
                    f"`messages` must be objects with `role` and `text`, not {message!r:.60}"
                )
            rest = {key: one for key, one in message.items() if key not in ("role", "text", "id")}
            drafts.append(_message(message["role"], message["text"], message.get("id"), rest))
        return self._add(drafts)

    def read(self, *, last: int | None = None, archived: bool = False) -> list[Record]:
        """The messages in order, or the last of them; with those `archived` all that was said."""
        where = {**(threads.KEPT if archived else {"layer": self.layer}), "scope": self.scope}
        if last is not None:
            return self._door.query(where, limit=check_limit(last, "last"))[::-1]
        return list(in_order(self._door, where))

    def search(self, query: str, *, thread: bool = False, **how: Unpack[How]) -> Recall:
        """Search this session by words and meaning, or with `thread` those it continues as well.

        What was archived is found too.
        """
        where = parse(how.get("where"))
        if not where.names("state"):
            where &= parse(threads.KEPT)
        here: How = {**how, "layers": [self.layer], "scope": self.scope, "where": where}
        if thread:
            places = {"scope": {"$in": [one.scope for one in self.thread()]}}
            here = {**here, "scope": self._home.path, "where": where & parse(places)}
        return self._door.recall(query, **here)

    def thread(self) -> list[Session]:
        """The sessions that this one continues, oldest first, and itself at the end."""
        names = threads.chain(self._door, self._home, self.name)
        if self._continues is not None and len(names) == 1:
            names = [*threads.chain(self._door, self._home, self._continues), self.name]
        return [Session(self._door, self._home, name) for name in names[:-1]] + [self]

    def cited(self, message: Record) -> list[Record]:
        """The messages that one cites, in that order, as far as they are still there."""
        if not isinstance(message, Record):
            raise InvalidInputError(f"`message` is no record: {message!r:.60}")
        return threads.cited(self._door, message)

    def _add(self, drafts: list[Draft]) -> Receipt:
        """Keep messages, once what they say of others is checked."""
        if self._continues is not None and drafts:
            first = drafts[0].get("data", {})
            drafts[0]["data"] = {threads.CONTINUES: self._continues, **first}
        for draft in drafts:
            draft["data"] = self._checked(draft.get("data", {}))
        receipt = self._put(*drafts)
        self._continues = None
        return receipt

    def _checked(self, data: dict[str, Any]) -> dict[str, Any]:
        checked = dict(data)
        if threads.CONTINUES in checked:
            earlier = checked.pop(threads.CONTINUES)
            link = threads.check_link(self._door, self._home, self.name, earlier)
            checked |= {} if link is None else {threads.CONTINUES: link}
        if threads.CITES in checked:
            names = [one.name for one in self.thread()]
            said = threads.check_cites(self._door, self._home, names, checked[threads.CITES])
            checked[threads.CITES] = said
        return checked


class Sessions:
    """The sessions of one agent or project."""

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self._scope = scope

    def __call__(self, name: str, *, continues: str | None = None) -> Session:
        """The session of that name; it begins with its first message.

        That message also says which earlier session it `continues`.
        """
        check_name(name, "name")
        if continues is not None:
            continues = threads.check_link(self._door, self._scope, name, continues)
        return Session(self._door, self._scope, name, continues)

    def names(self, *, archived: bool = False) -> list[str]:
        """The sessions there are, or all with those `archived`; that of the newest message first.

        An archived session is searched by its name as before, and goes on with its next message.
        """
        where = threads.KEPT if archived else {"layer": "session"}
        found = sorted(
            every(self._door, where, self._scope.path),
            key=lambda message: message.created_at, reverse=True,
        )  # fmt: skip
        named = (Scope.of(message.scope).part("session") for message in found)
        return list(dict.fromkeys(name for name in named if name))


def _message(role: object, text: str, name: str | None, data: dict[str, Any]) -> Draft:
    if role not in _ROLES:
        raise InvalidInputError(
            f"`role` is not one a message can have: {role!r:.40}",
            remedy=f"Use one of: {', '.join(_ROLES)}",
        )
    draft: Draft = {"kind": str(role), "text": text, "data": data}
    # Who appends a message twice after a lost answer must not find it twice.
    return draft if name is None else {**draft, "key": check_key(name, "id"), "expect": 0}
