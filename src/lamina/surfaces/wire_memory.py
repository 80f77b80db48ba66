"""The JSON shapes of pages, and of memories in the words of the four-layer design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.core.instants import to_text
from lamina.core.scope import Scope
from lamina.surfaces.wire import record_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        "task_id": said.get("task"),
        "agent_id": record.source,
        "action": record.kind,
        "approach": said.get("approach", record.text),
        "outcome": said.get("outcome"),
        "duration_ms": said.get("duration_ms"),
        "tokens_in": said.get("tokens_in"),
        "tokens_out": said.get("tokens_out"),
        "created_at": to_text(record.created_at),
    }


def artifact_out(record: Record) -> dict[str, Any]:
    """A file that a task has produced."""
    return {
        "id": record.id,
        "project": _project(record),
        "task_id": record.data.get("task"),
        "agent_id": record.source,
        "type": record.kind,
        "path": record.key,
        "description": record.text,
        "size_bytes": record.data.get("size"),
        "checksum": record.data.get("sha256"),
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
