"""A compaction carried out: a summary in the place of records, every one of them archived.

One transaction copies the records to layer `archive`, writes the summary there and where they were,
and marks them as archived. So a crash leaves all of it or nothing, and `undo` takes it back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.core.instants import to_text
from lamina.core.record import State, Trust
from lamina.core.text import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.announcements import Announcement
    from lamina.core.changes import Change, Put, Receipt
    from lamina.core.draft import Draft, Via
    from lamina.core.principal import Principal, Surface
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.stores.base import Store
    from lamina.writing import WritePath

AT_ONCE: Final = 10_000
"""What is longer is compacted from its oldest records on, so many at a time."""
ARCHIVE_ID: Final = "archive_id"
FIRST: Final = "first"
LAST: Final = "last"
KEPT: Final = "kept"
COMPACTED: Final = "compacted"
_CITES: Final = "cites"
_MOST_CITED: Final = 100
_KINDS: Final = {"log": "SYSTEM", "session": "summary"}
"""What a summary is where it stands."""
_KB: Final = 1024


class Door(Protocol):
    """What compaction needs of a handle."""

    principal: Principal
    store: Store

    def path_for(self, surface: Surface) -> WritePath:
        """The write path, for changes of several sorts in one commit."""

    def query(
        self,
        where: Mapping[str, Any] | None = None,
        *,
        order_by: str | None = None,
        limit: int = 100,
        scope: str | None = None,
    ) -> list[Record]:
        """Records that match a filter."""

    def settings(self) -> dict[str, str]:
        """Every setting with what holds here."""

    def announce(self, event: Announcement, *, scope: str | None = None) -> Announcement:
        """Tell those who listen."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a compaction would do; nothing has happened yet."""

    layer: str
    place: Scope
    going: tuple[Record, ...]
    """What gives way to the summary, oldest first."""
    staying: tuple[Record, ...]
    """What stays as it is, oldest first."""
    summary: str
    why: str
    """Why now, in words."""

    @property
    def before_bytes(self) -> int:
        """How many bytes the texts have that would go."""
        return size(self.going)

    @property
    def after_bytes(self) -> int:
        """How many the summary has."""
        return len(self.summary.encode())

    @property
    def before_tokens(self) -> int:
        """How many tokens there are, what stays included."""
        return weight(self.going) + weight(self.staying)

    @property
    def after_tokens(self) -> int:
        """How many there would be."""
        return estimate_tokens(self.summary) + weight(self.staying)


@dataclass(frozen=True, slots=True)
class Compaction:
    """What became of a log or a session."""

    archive_id: str
    """What the summary in the archive is called; the records there name it in `data`."""
    entries: int
    """How many records gave way to the summary."""
    before_bytes: int
    after_bytes: int
    before_tokens: int
    after_tokens: int
    summary: str
    why: str
    """Why it was time, in words."""
    receipt: Receipt
    """`undo` with its transaction brings everything back as it was."""


def size(records: Sequence[Record]) -> int:
    """How many bytes the texts of these records have."""
    return sum(len(record.text.encode()) for record in records)


def weight(records: Sequence[Record]) -> int:
    """How many tokens these records have."""
    return sum(record.tokens for record in records)


def carry_out(door: Door, plan: Plan) -> Compaction:
    """Do what a plan says, all of it in one commit.

    Raises:
        ConflictError: Somebody compacted or changed these records since the plan was made.
    """
    path = door.path_for(door.principal.surface)
    least: Via = Trust.lowest(*(record.trust for record in plan.going)).value
    head: Draft = {
        "layer": "archive", "kind": "summary", "text": plan.summary, "via": least,
        "data": _figures(plan),
    }  # fmt: skip
    [kept] = path.puts([head], plan.place)
    stands: Draft = {
        "layer": plan.layer, "kind": _KINDS[plan.layer], "text": plan.summary, "via": least,
        "data": _mark(plan, kept.id),
    }  # fmt: skip
    changes: list[Change] = [kept, *path.puts([stands], plan.place)]
    changes += _originals(door.store, path, plan, kept.id)
    changes += [path.move(record, State.ARCHIVED) for record in plan.going]
    receipt = path.commit(changes)
    return Compaction(
        kept.id, len(plan.going), plan.before_bytes, plan.after_bytes, plan.before_tokens,
        plan.after_tokens, plan.summary, plan.why, receipt,
    )  # fmt: skip


def _figures(plan: Plan) -> dict[str, Any]:
    return {
        "entries_count": len(plan.going), "of": plan.layer,
        "original_size_kb": round(plan.before_bytes / _KB, 3),
        "new_size_kb": round(plan.after_bytes / _KB, 3),
    }  # fmt: skip


def _mark(plan: Plan, archive_id: str) -> dict[str, Any]:
    """What a summary says of what it replaces: from where to where, and what of that has stayed."""
    first, last = plan.going[0], plan.going[-1]
    mark: dict[str, Any] = {
        ARCHIVE_ID: archive_id, COMPACTED: len(plan.going),
        FIRST: name_of(first), LAST: name_of(last),
    }  # fmt: skip
    # Those said later than the last that went have not been in question.
    between = [name_of(one) for one in plan.staying if one.created_at <= last.created_at]
    if between:
        mark[KEPT] = between
    if plan.layer == "session":
        ids = [record.id for record in plan.going]
        mark[_CITES] = ids if len(ids) <= _MOST_CITED else [ids[0], ids[-1]]
    return mark


def name_of(record: Record) -> str:
    """What a record is called where it stands, in a transcript as well."""
    return str(record.key or record.id)


def _originals(store: Store, path: WritePath, plan: Plan, archive_id: str) -> list[Put]:
    """A copy of each record, with what was sealed in it."""
    drafts: list[Draft] = [
        {
            "layer": "archive", "kind": "original", "text": record.text,
            "via": record.trust.value, "tags": list(record.tags), "valid_from": record.created_at,
            "data": {
                ARCHIVE_ID: archive_id, "entry": record.id, "entry_type": record.kind,
                "at": to_text(record.created_at), "source": record.source,
                "metadata": record.data,
            },
        }
        for record in plan.going
    ]  # fmt: skip
    copies = path.puts(drafts, plan.place)
    return [
        replace(copy, sealed=(*copy.sealed, *store.sealed(record.id)))
        for copy, record in zip(copies, plan.going, strict=True)
    ]
