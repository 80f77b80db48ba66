"""What one agent hands to another: an action, some memories, a context. Values without a store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from lamina import clock
from lamina.core.access import HANDED
from lamina.core.ids import RecordId, is_id
from lamina.core.record import Record, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lamina.apart import Apart
    from lamina.embedders.protocol import Embedder
    from lamina.recalling import How
    from lamina.results import Recall


@dataclass(frozen=True, slots=True)
class Snippet:
    """One memory as it was when it was handed over."""

    text: str
    source: str
    trust: Trust
    record: RecordId | None = None
    """The record that it was taken from; whoever has the snippet need not see that."""

    def to_data(self) -> dict[str, Any]:
        """As it is kept."""
        said = {"text": self.text, "source": self.source, "trust": self.trust.value}
        return said if self.record is None else {**said, "record": self.record}


@dataclass(frozen=True, slots=True)
class Handoff:
    """A request from one agent to another."""

    id: str
    sender: str
    to: str
    action: str
    memory: tuple[Snippet, ...]
    context: Any
    """What the receiver should know of the project, as text or JSON."""
    at: datetime
    status: str = "open"
    """`open`, `done` or `declined`."""
    answer: str | None = None
    returned: tuple[Snippet, ...] = ()
    """The memories that came with the answer."""

    def message(self) -> dict[str, Any]:
        """The request in the shape that agents exchange."""
        snippets = [one.to_data() for one in self.memory]
        return {
            "from": self.sender,
            "to": self.to,
            "type": "request",
            "payload": {
                "action": self.action,
                "context": {"memory_snippet": snippets, "project_context": self.context},
            },
        }


class Brief:
    """All that a skill sees: what it was handed. It reaches no store and can change nothing."""

    def __init__(
        self, handoff: Handoff, settings: Mapping[str, str], embedder: Embedder | None
    ) -> None:
        self.action = handoff.action
        self.sender = handoff.sender
        self.memory = handoff.memory
        self.context = handoff.context
        self._settings = dict(settings)
        self._embedder = embedder
        self._at = handoff.at

    def recall(self, query: str, **how: Unpack[How]) -> Recall:
        """Search the memories that were handed over, by words and meaning."""
        return self._apart.recall(query, how)

    @cached_property
    def _apart(self) -> Apart:
        from lamina.apart import Apart

        records = {
            one.record or str(number): Record(
                id=one.record or clock.fresh_id(),
                scope="global",
                layer=HANDED,
                kind="note",
                text=one.text,
                trust=one.trust,
                source=one.source,
                created_at=self._at,
                updated_at=self._at,
            )
            for number, one in enumerate(self.memory)
        }
        return Apart(list(records.values()), settings=self._settings, embedder=self._embedder)


def snippets_of(said: object, message: Trust) -> tuple[Snippet, ...]:
    """The memories in a message, believed no more than an agent, or than the message itself.

    What is none is left out: another wrote it.
    """
    most = max(message, Trust.AGENT, key=lambda trust: trust.rank)
    found = []
    for one in said if isinstance(said, list) else ():
        if isinstance(one, dict) and isinstance(one.get("text"), str):
            record = one.get("record")
            found.append(
                Snippet(
                    one["text"],
                    str(one.get("source", "")) or "unknown",
                    Trust.lowest(most, _trust(one.get("trust"))),
                    RecordId(str(record)) if is_id(record) else None,
                )
            )
    return tuple(found)


def _trust(said: object) -> Trust:
    try:
        return Trust(str(said))
    except ValueError:
        return Trust.WEB
