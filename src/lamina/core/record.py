"""The record: the one unit of memory, and the values it is made of.

Knowledge, messages, facts and tasks differ only in their layer. A record is an immutable value; a
change makes a new version of it with a higher `rev`.
"""

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from lamina.core import canonical
from lamina.core.canonical import Json
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text


class State(StrEnum):
    """Where a record stands in its life."""

    CURRENT = "current"
    PROPOSED = "proposed"
    """Waits for someone to accept it."""
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
    """Hidden, and can be brought back."""


INDEXED: Final = frozenset((State.CURRENT, State.PROPOSED, State.ARCHIVED))
"""The states whose words stay in the keyword index."""


class Trust(StrEnum):
    """Where a statement comes from, which is how far it is believed."""

    WEB = "web"
    TOOL = "tool"
    FILE = "file"
    AGENT = "agent"
    SYSTEM = "system"
    USER = "user"

    @property
    def rank(self) -> int:
        """Higher is believed more."""
        return _TRUST_ORDER[self]

    @staticmethod
    def lowest(*trusts: "Trust") -> "Trust":
        """What remains of several sources: never more than the least of them."""
        return min(trusts, key=lambda trust: trust.rank)


_TRUST_ORDER: Final = {trust: rank for rank, trust in enumerate(Trust)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What one version says: everything of a record that a new version may change."""

    kind: str
    text: str = ""
    data: dict[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    confidence: float = 1.0
    trust: Trust = Trust.USER
    source: str = "user"
    tokens: int = 0
    valid_from: datetime | None = None
    expires_at: datetime | None = None
    supersedes: RecordId | None = None

    @property
    def content(self) -> "Content":
        """The content alone, without what makes it a particular record."""
        return Content(**content_fields(self))

    def says_the_same(self, other: "Content") -> bool:
        """Whether the other version would tell a reader nothing new.

        Who said it, and which other record it replaced, is left aside.
        """
        mine = replace(
            self.content, trust=other.trust, source=other.source, supersedes=other.supersedes
        )
        # Python holds `True`, `1` and `1.0` to be equal; JSON does not.
        same_data = canonical.dumps(self.data) == canonical.dumps(other.data)
        return same_data and mine == other.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Content):
    """One memory as it stands at one revision: content, and what makes it this record."""

    id: RecordId
    scope: str
    layer: str
    key: str | None = None
    state: State = State.CURRENT
    created_at: datetime
    updated_at: datetime
    rev: int = 1

    def is_live(self, now: datetime) -> bool:
        """Whether the record is current and its time has not run out."""
        return self.state is State.CURRENT and (self.expires_at is None or self.expires_at > now)

    def with_content(self, content: Content) -> "Record":
        """The same record saying something else; `rev` and times are the engine's to set."""
        return replace(self, **content_fields(content))


_TIMES: Final = ("created_at", "updated_at", "valid_from", "expires_at")
CONTENT_FIELDS: Final = tuple(item.name for item in fields(Content))


def content_fields(content: Content) -> dict[str, Any]:
    """The content by field, for making a record of it."""
    return {name: getattr(content, name) for name in CONTENT_FIELDS}


def content_to_json(content: Content) -> dict[str, Json]:
    """What a version says, as plain JSON values."""
    return {
        "kind": content.kind,
        "text": content.text,
        "data": content.data,
        "tags": list(content.tags),
        # Stores keep no negative zero apart; adding zero takes its sign.
        "importance": content.importance + 0.0,
        "confidence": content.confidence + 0.0,
        "trust": content.trust.value,
        "source": content.source,
        "tokens": content.tokens,
        "valid_from": _optional(content.valid_from),
        "expires_at": _optional(content.expires_at),
        "supersedes": content.supersedes,
    }


def to_json(record: Record) -> dict[str, Json]:
    """The record as plain JSON values: the one shape used in files, output and over the wire."""
    said = content_to_json(record)
    return {
        "id": record.id,
        "scope": record.scope,
        "layer": record.layer,
        "kind": said.pop("kind"),
        "key": record.key,
        "state": record.state.value,
        **said,
        "created_at": to_text(record.created_at),
        "updated_at": to_text(record.updated_at),
        "rev": record.rev,
    }


def from_json(row: dict[str, Any]) -> Record:
    """The record that `to_json` wrote; a store reads its own writing, and checks nothing."""
    times = {name: row[name] and from_text(row[name]) for name in _TIMES}
    typed = {"state": State(row["state"]), "trust": Trust(row["trust"]), "tags": tuple(row["tags"])}
    return Record(**{**row, **times, **typed})


def canonical_bytes(record: Record) -> bytes:
    """The bytes that stand for this version, for digests and exports."""
    return canonical.dumps(to_json(record)).encode()


def _optional(instant: datetime | None) -> str | None:
    return None if instant is None else to_text(instant)
