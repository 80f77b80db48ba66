"""The JSON shapes of pages, and of memories in the words of the four-layer design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.core.instants import to_text
from lamina.core.scope import Scope
from lamina.surfaces.wire import record_out, version_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.core.changes import Version
    from lamina.core.record import Record
    from lamina.layers.handed import Handoff, Snippet


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the records that match, and the way to the next."""

    records: list[Record]
    total: int
    cursor: str | None


def page_out(page: Page, name: str, one_out: Callable[[Record], dict[str, Any]]) -> dict[str, Any]:
    """A page, its records under a name."""
    shown = [one_out(one) for one in page.records]
    return {name: shown, "total": page.total, "cursor": page.cursor}


def history_out(versions: Sequence[Version], total: int | None = None) -> dict[str, Any]:
    """The versions of a record, and how many there are where these are the last of them."""
    shown = [version_out(one) for one in versions]
    return {"versions": shown, "total": len(shown) if total is None else total}


def whole_out(records: Sequence[Record]) -> dict[str, Any]:
    """The only page there is: all that was asked for."""
    return page_out(Page(list(records), len(records), None), "records", record_out)


def knowledge_out(record: Record) -> dict[str, Any]:
    """What is known, as an entry with a category, a key and a value."""
    return {
        "id": record.id,
        "project": _project(record),
        "category": record.kind,
        "key": record.key,
        "value": record.text,
        "source": record.source,
        "confidence": record.confidence + 0.0,
        "created_at": to_text(record.created_at),
        "updated_at": to_text(record.updated_at),
        "rev": record.rev,
    }


def episode_out(record: Record) -> dict[str, Any]:
    """What was tried for a task, by whom, and how it went."""
    said = record.data
    return {
        "id": record.id,
        "project": _project(record),
        "task_id": _text(said, "task"),
        "agent_id": record.source,
        "action": record.kind,
        "approach": _text(said, "approach") if "approach" in said else record.text,
        "outcome": _text(said, "outcome"),
        "duration_ms": _number(said, "duration_ms"),
        "tokens_in": _number(said, "tokens_in"),
        "tokens_out": _number(said, "tokens_out"),
        "created_at": to_text(record.created_at),
    }


def artifact_out(record: Record) -> dict[str, Any]:
    """A file that a task has produced."""
    return {
        "id": record.id,
        "project": _project(record),
        "task_id": _text(record.data, "task"),
        "agent_id": record.source,
        "type": record.kind,
        "path": record.key,
        "description": record.text,
        "size_bytes": _number(record.data, "size"),
        "checksum": _text(record.data, "sha256"),
        "created_at": to_text(record.created_at),
    }


def handoff_out(handoff: Handoff) -> dict[str, Any]:
    """A request from one agent to another, and its answer once there is one."""
    return {
        "id": handoff.id,
        "from": handoff.sender,
        "to": handoff.to,
        "action": handoff.action,
        "memory": [_snippet_out(one) for one in handoff.memory],
        "context": handoff.context,
        "at": to_text(handoff.at),
        "status": handoff.status,
        "answer": handoff.answer,
        "returned": [_snippet_out(one) for one in handoff.returned],
    }


def _snippet_out(snippet: Snippet) -> dict[str, Any]:
    return {
        "text": snippet.text,
        "source": snippet.source,
        "trust": snippet.trust.value,
        "record": snippet.record,
    }


def _project(record: Record) -> str | None:
    return Scope.of(record.scope).part("project")


def _text(said: Mapping[str, Any], name: str) -> str | None:
    """A text that is kept; null where another hand has written something else there."""
    found = said.get(name)
    return found if isinstance(found, str) else None


def _number(said: Mapping[str, Any], name: str) -> float | None:
    found = said.get(name)
    return found if type(found) in (int, float) else None
