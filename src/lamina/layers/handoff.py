"""Handoffs: one agent asks another, and passes along memory and context.

A request is kept twice in one commit: in the mailbox that the receiver has for its sender, and with
what the sender has sent. Sender, receiver, orchestrator and admin see it, and nobody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core import canonical
from lamina.core.access import HANDED, mailbox, sender_of
from lamina.core.canonical import check_text
from lamina.core.ids import check_id, is_id
from lamina.core.names import check_name
from lamina.core.record import Trust
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, InvalidInputError, NotFoundError
from lamina.layers.face import every, only
from lamina.layers.handed import Brief, Handoff, Snippet, snippets_of
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.embedding import Vectors
    from lamina.layers.face import Door

REQUEST: Final = "request"
ANSWER: Final = "answer"
_ENDED: Final = ("done", "declined")
_MOST: Final = 100
_LONGEST: Final = 59
"""A mailbox is named after who writes to it, and its name is a name too."""


class Handoffs:
    """The requests to one agent, and those it has made."""

    def __init__(self, door: Door, vectors: Vectors) -> None:
        self._door = door
        self._vectors = vectors

    def request(
        self, to: str, action: str, *, memory: Sequence[str] = (), context: Any = None
    ) -> Handoff:
        """Ask another agent of the project to do something.

        `memory` are records by id, as far as this handle sees them, or texts; `context` is what the
        receiver should know of the project. What is handed over is as trusted as its least part.
        """
        if not check_text(action, "action").strip():
            raise InvalidInputError("`action` is empty", remedy="Say what is to be done")
        snippets, context = self._snippets(memory), canonical.check(context, "context")
        name = clock.fresh_id()
        message = Handoff(name, self._me, to, action, snippets, context, clock.now()).message()
        self._post(to, f"{REQUEST}:{name}", {"kind": REQUEST, "text": action, "data": message},
                   snippets)  # fmt: skip
        return self._required(name, self._sent(name))

    def inbox(self, *, status: str | None = "open", limit: int = 100) -> list[Handoff]:
        """The requests to this agent, oldest first: those that wait, or of any status."""
        most, wanted = check_limit(limit), only("status", status, "status").get("status")
        return [one for one in self._inbox() if wanted in (None, one.status)][:most]

    def sent(self, *, limit: int = 100) -> list[Handoff]:
        """The requests that this agent has made, oldest first, each with its answer if there is."""
        return self._sent()[: check_limit(limit)]

    def answer(
        self, handoff: str, text: str, *, memory: Sequence[str] = (), status: str = "done"
    ) -> Handoff:
        """Answer a request, once: it was `done`, or `declined`."""
        if status not in _ENDED:
            raise InvalidInputError(
                f"`status` is not how a request ends: {status!r:.40}",
                remedy=f"Use one of: {', '.join(_ENDED)}",
            )
        asked = self._required(handoff, self._inbox(check_id(handoff, "handoff")))
        snippets = self._snippets(memory)
        said = {"status": status, "memory_snippet": [one.to_data() for one in snippets]}
        self._post(asked.sender, f"{ANSWER}:{asked.id}",
                   {"kind": ANSWER, "text": text, "data": said}, snippets)  # fmt: skip
        return self._required(handoff, self._inbox(handoff))

    def brief(self, handoff: str) -> Brief:
        """What a skill is given to work with: a request that this agent has made or was given."""
        check_id(handoff, "handoff")
        found = self._required(handoff, [*self._inbox(handoff), *self._sent(handoff)])
        return Brief(found, self._door.store.settings(), self._vectors.given)

    # -- inside

    @property
    def _me(self) -> str:
        return self._door.principal.name

    @property
    def _root(self) -> Scope:
        root = self._door.principal.root
        if root is None or root.part("project") is None:
            raise ForbiddenError(
                "requests are made within a project", remedy="Open the handle with a project"
            )
        return root

    def _inbox(self, name: str | None = None) -> list[Handoff]:
        answers = self._answers("to-", name)
        return [
            _handoff(one, sender, self._me, answers.get((sender, _name(one))))
            for one in self._kept(REQUEST, name)
            if (sender := sender_of(Scope.of(one.scope))) is not None
        ]

    def _sent(self, name: str | None = None) -> list[Handoff]:
        answers = self._answers("from-", name)
        return [
            _handoff(one, self._me, to, answers.get((to, _name(one))))
            for one in self._kept(REQUEST, name)
            if (to := _other(one, "to-")) is not None
        ]

    def _post(self, to: str, key: str, said: Draft, snippets: Sequence[Snippet]) -> None:
        """Leave a message in the mailbox of another, and keep what was sent, in one commit."""
        if check_name(to, "to") == self._me:
            raise InvalidInputError("`to` is the one who asks", remedy="Name another agent")
        if max(len(to), len(self._me)) > _LONGEST:
            raise InvalidInputError(
                f"`to`: agents that write to each other have names of at most {_LONGEST} letters"
            )
        trusts = [one.trust for one in snippets]
        draft: Draft = {**said, "layer": HANDED, "key": key, "expect": 0}
        if trusts:
            draft["via"] = Trust.lowest(*trusts).value
        own = self._root.child("agent", self._me).child("session", f"to-{to}")
        places = (mailbox(self._root, to, self._me), own)
        self._door.remember_many([{**draft, "scope": place.path} for place in places])

    def _snippets(self, memory: Sequence[str]) -> tuple[Snippet, ...]:
        if not isinstance(memory, list | tuple) or len(memory) > _MOST:
            raise InvalidInputError(f"`memory` must be a list of at most {_MOST} ids or texts")
        found = [self._snippet(one) for one in memory]
        return tuple(dict.fromkeys(found))

    def _snippet(self, one: object) -> Snippet:
        if is_id(one):
            record = self._door.get(str(one))
            return Snippet(record.text, record.source, record.trust, record.id)
        if not isinstance(one, str) or not one:
            raise InvalidInputError(f"`memory` holds neither id nor text: {one!r:.60}")
        return Snippet(one, self._me, self._door.principal.trust)

    def _kept(self, kind: str, name: str | None) -> list[Record]:
        """Messages to and from this agent, oldest first; others may have written them by hand."""
        here = self._root.child("agent", self._me).path
        key = {"$prefix": f"{kind}:"} if name is None else f"{kind}:{name}"
        where = {"layer": HANDED, "kind": kind, "key": key}
        return [one for one in every(self._door, where, here) if is_id(_name(one))]

    def _answers(self, start: str, name: str | None) -> dict[tuple[str, str], Record]:
        """Answers by the other agent and the request."""
        found = ((_other(one, start), one) for one in self._kept(ANSWER, name))
        return {(other, _name(one)): one for other, one in found if other is not None}

    def _required(self, name: str, found: Sequence[Handoff]) -> Handoff:
        if not found:
            raise NotFoundError(
                f"there is no request {name}", remedy="`inbox` and `sent` list those there are"
            )
        return found[0]


def _other(record: Record, start: str) -> str | None:
    """The other agent, where a message lies in a place whose name begins so."""
    name = Scope.of(record.scope).part("session") or ""
    return name.removeprefix(start) if name.startswith(start) else None


def _name(record: Record) -> str:
    return str(record.key).partition(":")[2]


def _handoff(record: Record, sender: str, to: str, answer: Record | None) -> Handoff:
    """A request as it was kept; where it is kept says who it is from and to, not what it says."""
    payload = _object(record.data.get("payload"))
    context = _object(payload.get("context"))
    return Handoff(
        id=_name(record),
        sender=sender,
        to=to,
        action=record.text,
        memory=snippets_of(context.get("memory_snippet"), record.trust),
        context=context.get("project_context"),
        at=record.created_at,
        status=_status(answer),
        answer=None if answer is None else answer.text,
        returned=()
        if answer is None
        else snippets_of(answer.data.get("memory_snippet"), answer.trust),
    )


def _status(answer: Record | None) -> str:
    if answer is None:
        return "open"
    said = answer.data.get("status")
    return said if said in _ENDED else "done"


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
