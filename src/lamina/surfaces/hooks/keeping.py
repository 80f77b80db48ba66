"""What was said in a session of a harness becomes messages of a session here, each once.

The place up to which a transcript was read is written in the same commit as the messages, and only
if nobody else has moved it: two hooks at once cannot keep anything twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.names import to_name
from lamina.core.settings import LOG_AUTO
from lamina.errors import ConflictError, InvalidInputError
from lamina.surfaces.hooks import books
from lamina.surfaces.hooks.transcripts import Place, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from lamina.core.draft import Draft
    from lamina.memory import AgentMemory
    from lamina.surfaces.hooks.messages import Message
    from lamina.surfaces.hooks.transcripts import Piece

_EVERY_STATE: Final = ["current", "proposed", "superseded", "archived", "forgotten"]
_TRIES: Final = 5
_SEARCHING_SECONDS: Final = 3.0
_SEARCHED_LENGTH: Final = 4_000
"""A search for what other processes may have shown takes long; a harness does not wait for it."""


class Keeper:
    """One transcript on its way into memory."""

    def __init__(self, agent: AgentMemory, session: str, path: Path, harness: str) -> None:
        self._agent = agent
        self._name = session
        self._scope = agent.session(session).scope
        self._path = path
        self._harness = harness
        self._book = f"transcript-{to_name(path.stem, 'file')}"
        self._logs = agent.settings()[LOG_AUTO] == "on"
        self._begun = clock.stopwatch()
        self._was_shown = _know_again(agent, books.shown(agent, session))

    def keep(self, is_late: Callable[[], bool]) -> int:
        """Keep what is new, as far as there is time; how many messages that are."""
        for _ in range(_TRIES):
            try:
                return self._keep(is_late)
            except ConflictError:
                # Another hook was faster: what it has kept is there to be seen now.
                continue
        return 0

    def _keep(self, is_late: Callable[[], bool]) -> int:
        book = self._agent.query({"layer": books.LAYER, "scope": self._scope, "key": self._book})
        rev = book[0].rev if book else 0
        start = Place.of(book[0].data) if book else Place()
        kept = 0
        for piece in pieces(self._path, self._harness, start):
            kept += self._commit(piece, rev)
            rev += 1
            if is_late():
                break
        return kept

    def _commit(self, piece: Piece, rev: int) -> int:
        """Keep one piece together with its place."""
        new = self._unknown(piece.messages)
        drafts = [draft for one in new for draft in self._drafts(one)]
        place: Draft = {
            "layer": books.LAYER, "scope": self._scope, "key": self._book, "expect": rev,
            "text": "", "data": {"offset": piece.place.offset, "check": piece.place.check},
        }  # fmt: skip
        try:
            self._agent.remember_many([*drafts, place])
        except InvalidInputError:
            # One message that cannot be kept must not keep all that follow from being kept.
            drafts = [one for one in drafts if self._is_kept(one)]
            self._agent.remember_many([place])
        return sum(one["layer"] == "session" for one in drafts)

    def _is_kept(self, draft: Draft) -> bool:
        try:
            self._agent.remember_many([draft])
        except InvalidInputError:
            return False
        return True

    def _unknown(self, messages: Sequence[Message]) -> list[Message]:
        """Those that were not kept before; what was forgotten since stays so."""
        if not messages:
            return []
        where: dict[str, Any] = {
            "layer": "session", "scope": self._scope, "state": {"$in": _EVERY_STATE},
            "key": {"$in": sorted({one.id for one in messages})},
        }  # fmt: skip
        known = {(one.kind, one.key) for one in self._agent.query(where, limit=1_000)}
        return [one for one in messages if (one.role, one.id) not in known]

    def _drafts(self, one: Message) -> Iterable[Draft]:
        """A message, and where a person asks for something, its line in the log."""
        text = self._own(one)
        if not text.strip():
            return
        data = {} if one.tool is None else {"tool": one.tool}
        draft: Draft = {
            "layer": "session", "scope": self._scope, "kind": one.role, "text": text,
            "key": one.id, "expect": 0, "data": data,
        }  # fmt: skip
        if one.at is not None:
            draft["valid_from"] = one.at
        yield {**draft, "via": "tool"} if one.role == "tool_result" else draft
        if one.role == "user" and self._logs:
            from lamina.runtime.journal import one_line

            yield {
                "layer": "log", "kind": "SYSTEM", "text": f"Asked: {one_line(text)}",
                "data": {"what": "intent", "session": self._name},
            }  # fmt: skip

    def _own(self, one: Message) -> str:
        """What somebody said of their own: not the memory that was put before them."""
        # Who was shown nothing repeats nothing, and to look for it takes its time.
        if one.role == "assistant" and self._was_shown:
            from lamina.paging.echoes import without_echoes

            spent = clock.stopwatch() - self._begun
            search = spent < _SEARCHING_SECONDS and len(one.text) <= _SEARCHED_LENGTH
            return without_echoes(self._agent, one.text, search=search)
        if "=== memory" not in one.text:
            return one.text
        from lamina.paging.fencing import outside

        return "\n".join(outside(one.text))


def _know_again(agent: AgentMemory, ids: Sequence[str]) -> bool:
    """Know what earlier hooks have shown, as if this process had; whether there is anything."""
    if not ids:
        return False
    from lamina.core.text import estimate_tokens
    from lamina.paging.context import Entry
    from lamina.paging.lines import line_of
    from lamina.paging.shown import remember_shown

    shown = agent.query(
        {"id": {"$in": sorted(set(ids))}, "state": {"$in": _EVERY_STATE}}, limit=1_000
    )
    lines = (line_of(one, estimate_tokens).text for one in shown)
    remember_shown(agent, [Entry(one, "", line, 0) for one, line in zip(shown, lines, strict=True)])
    return True
