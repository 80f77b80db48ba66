"""Sessions: what was said, message by message, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Unpack

from lamina.core.filters import parse
from lamina.core.names import check_key, check_name
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.core.settings import TOOL_RESULTS
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers import threads
from lamina.layers.face import Face, every, in_order
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.compaction import Compaction, Plan, Pressure
    from lamina.compaction.checking import Summarise
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

    def view(self, *, keep_tool_results: int | None = None) -> list[Record]:
        """What goes before a model: the last summary, and what it does not speak of.

        A short note stands for each result of a tool before the last ones: so many, or as the
        setting `context.keep_tool_results` says. The transcript stays as it is.
        """
        from lamina.compaction.transcripts import live, pruned

        keep = keep_tool_results
        if keep is None:
            keep = int(self._door.settings()[TOOL_RESULTS])
        elif keep != 0 or isinstance(keep, bool):
            keep = check_limit(keep, "keep_tool_results")
        return pruned(live(self.read()), keep)

    def pressure(self) -> Pressure:
        """How full the session is, whether the agent is to save what matters, or to compact."""
        from lamina.layers import pressing

        return pressing.pressure(self._door, self._home, self.name, self.read())

    def flush(self, save: Callable[[list[Record]], object] | None = None) -> bool:
        """Let the agent save what matters before compaction, if that is due; whether it was.

        `save` gets what would go before a model. Once it has returned, `memory:flush` is announced
        and the agent is not asked again before the next compaction.
        """
        from lamina.compaction.checking import check_callable
        from lamina.layers import pressing

        check_callable(save, "save")
        found = self.read()
        if not pressing.pressure(self._door, self._home, self.name, found).flush_due:
            return False
        if save is not None:
            save(self.view())
        pressing.flushed(self._door, self._home, self.name, found)
        return True

    def compact(
        self, *, force: bool = False, summarise: Summarise | None = None
    ) -> Compaction | None:
        """Put a summary in the place of the older messages, if that is due.

        The last 10 stay (the setting `compaction.keep_recent`), and a few that are about what is
        being done. The others go to layer `archive`, where they are found when it is named. `undo`
        with the receipt brings them back. Without `summarise` the summary is extracted by rule.

        Raises:
            ModelError: The summary cannot be used; nothing was changed.
        """
        from lamina.layers import pressing

        plan = self.plan_compaction(force=force, summarise=summarise)
        return None if plan is None else pressing.compacted(self._door, self.name, plan)

    def plan_compaction(
        self, *, force: bool = False, summarise: Summarise | None = None
    ) -> Plan | None:
        """What `compact` would do; nothing is changed."""
        from lamina.layers import pressing

        return pressing.plan(self._door, self._home, self.name, self.read(), force, summarise)

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
        self._check_new([(draft["key"], draft["kind"]) for draft in drafts if "key" in draft])
        receipt = self._put(*drafts)
        self._continues = None
        return receipt

    def _check_new(self, names: list[tuple[str | None, str]]) -> None:
        """Refuse messages that were said before and are archived since: their places are free."""
        keys = [key for key, _ in names]
        where = {"state": {"$in": ["current", "archived"]}, "key": {"$in": keys}}
        for known in self._find(len(keys) * len(_ROLES), **where) if keys else ():
            if (known.key, known.kind) in names:
                raise ConflictError(
                    f"`id`: the message {known.key!r:.80} of role {known.kind} was said already",
                    remedy="Nothing to do if it is the same; give another one another id",
                )

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
