"""Every call that a client can make of a server: what it takes, what it answers, and how safely.

The first part is `lamina.stores.base.Store`, method by method; the second is what must run where
the store is, because it needs the vault or the model, or would be a hundred calls otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from lamina.answering import Answered
from lamina.core.access import Reach
from lamina.core.announcements import Audience, Noted, Notice
from lamina.core.chain import Head
from lamina.core.changes import Commit, Event, Receipt, Version
from lamina.core.ids import RecordId
from lamina.core.principal import Principal
from lamina.core.record import Record
from lamina.core.retention import Pruned, Retention
from lamina.core.sealed import Sealed
from lamina.core.usage import Usage
from lamina.core.vectors import Embedded, Progress
from lamina.errors import InvalidInputError
from lamina.remote.codec import Codec, codec_of
from lamina.results import Erasure, ErasurePlan, Recall, VectorHealth, WhyNot
from lamina.stores.base import Capability, Finding, Page, Repair, ScrubReport
from lamina.stores.questions import Found, Lot, Query, Search

if TYPE_CHECKING:
    from lamina.core.canonical import Json

PREFIX: Final = "/api/store"
MOST: Final = 10_000
"""How many ids one question may name; who has more asks several times."""
WALKED: Final = 200
"""How many records travel together where all of a stream are asked for."""
_Ids = tuple[RecordId, ...]
_Places = Mapping[str, int] | None
_Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Me:
    """What a server tells a client about the two of them."""

    version: str
    principal: Principal
    identity: str
    capabilities: frozenset[Capability]
    settings: Mapping[str, str]
    most_bytes: int
    """How much can be sent at once."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a server."""

    name: str
    takes: Mapping[str, Any] = field(default_factory=dict)
    """The arguments, all of them named, with their types."""
    answer: Any = type(None)
    again: bool = True
    """Whether it may be asked again when nobody knows whether it was heard."""

    def written(self, arguments: Mapping[str, Any]) -> Json:
        """The arguments as they are sent."""
        return {name: codec_of(kind).write(arguments[name]) for name, kind in self.takes.items()}

    def read(self, sent: Json) -> dict[str, Any]:
        """The arguments as they were meant, or an error that says what is wrong with them."""
        if not isinstance(sent, dict) or sent.keys() != self.takes.keys():
            names = ", ".join(self.takes) or "nothing"
            raise InvalidInputError(f"`{self.name}` takes {names}, each of them once")
        return {name: codec_of(kind).read(sent[name], name) for name, kind in self.takes.items()}

    @property
    def answers(self) -> Codec:
        """How its answer travels."""
        return codec_of(self.answer)


_STORE: Final = (
    # A client gives every commit an idempotency key.
    Call("commit", {"commit": Commit}, Receipt),
    Call("get", {"reach": Reach, "ids": _Ids, "as_of": _Places}, list[Record]),
    Call("find", {"reach": Reach, "place": str}, Record | None),
    Call("query", {"query": Query}, list[Record]),
    Call("count", {"query": Query}, int),
    Call("census", {"query": Query}, list[Lot]),
    Call("search", {"search": Search}, Found),
    Call("unembedded", {"space": str, "limit": int}, list[Record]),
    Call("waits", {"space": str, "reach": Reach}, bool),
    Call("embed", {"space": str, "made": tuple[Embedded, ...], "wait": bool}, int),
    Call("progress", {"space": str}, Progress),
    Call("spaces", {}, list[str]),
    Call("dimensions", {"space": str}, int),
    Call("leave_space", {"space": str}),
    Call("fold"),
    Call("fold_is_due", {}, bool),
    Call("versions", {"reach": Reach, "record_id": RecordId}, list[Version]),
    Call("events", {"stream": str, "after": int, "limit": int | None}, list[Event]),
    Call("transaction", {"tx": RecordId}, list[Event]),
    Call("streams", {}, list[str]),
    Call("position", {"streams": _Names | None, "at": datetime | None}, dict[str, Head]),
    Call("changes", {"reach": Reach, "after": Mapping[str, int], "limit": int}, Page),
    Call("pulse", {}, int),
    Call("wait", {"pulse": int, "seconds": float}, bool),
    Call("note", {"notices": tuple[Notice, ...]}, again=False),
    Call("noted", {"audience": Audience, "after": int, "limit": int}, Noted),
    Call("note_use", {"used": Mapping[RecordId, int], "at": datetime, "root": str}, again=False),
    Call("usage", {"reach": Reach, "ids": _Ids}, dict[RecordId, Usage]),
    Call("newest_instant", {}, datetime | None),
    Call("sealed", {"record_id": RecordId}, list[Sealed]),
    Call("has_sealed", {}, bool),
    Call("settings", {}, dict[str, str]),
    Call("configure", {"name": str, "value": str | None}),
    Call("tombstones", {"ids": _Ids}, frozenset[RecordId]),
    Call("saying", {"reach": Reach, "texts": _Names}, list[RecordId]),
    Call("scrub", {"erased": tuple[bytes, ...]}, ScrubReport),
    Call("check", {}, list[Finding]),
    Call("repair", {}, Repair),
    Call("audit", {"streams": _Names | None}, list[Finding]),
    Call("reindex", {}, int),
    Call("prunable", {"retention": Retention}, Pruned),
    Call("prune", {"retention": Retention}, Pruned),
    Call("tidy", {}, bool),
    Call("flush"),
)

_AFAR: Final = (
    Call("me", {}, Me),
    Call("recall", {"by": Principal, "query": str, "how": dict[str, Any], "told": bool}, Recall),
    Call("answered", {"by": Principal}, Answered),
    Call("why_not", {"by": Principal, "name": str, "query": str, "how": dict[str, Any]}, WhyNot),
    Call("erase", {"by": Principal, "ids": _Ids}, Erasure, again=False),
    Call("would_erase", {"by": Principal, "ids": _Ids}, ErasurePlan),
    Call("reveal", {"by": Principal, "record_id": RecordId, "reference": str}, str, again=False),
    Call("fingerprint", {"value": bytes}, str),
    Call("vectors", {}, VectorHealth),
    Call("catch_up", {}, str | None),
)

WALK: Final = Call("walk", {"reach": Reach, "stream": str}, tuple[Record, ...])
"""Answered in lines, some records in each; the last line is empty."""
CALLS: Final = {call.name: call for call in (*_STORE, *_AFAR)}


def own_key(commit: Commit) -> str:
    """The idempotency key of a commit for which nobody has asked for one: no other has it."""
    return f"client:{commit.tx}"
