"""The JSON shape of what the layers answer with besides records and receipts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.core.instants import to_text
from lamina.surfaces.wire import receipt_out, record_out

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lamina.core.staleness import Stale
    from lamina.layers.analytics import Rate, Span
    from lamina.layers.artifacts import Verified
    from lamina.layers.blackboard import Published
    from lamina.layers.now import Status
    from lamina.layers.subscription import News, Signal
    from lamina.paging import Context


def instant_out(then: datetime | None) -> str | None:
    """An instant as text; null where there is none."""
    return None if then is None else to_text(then)


def status_out(status: Status, scope: str) -> dict[str, Any]:
    """What is being done, and where that is said."""
    return {
        "scope": scope,
        "objective": status.objective,
        "next_steps": list(status.next_steps),
        "updated_at": instant_out(status.updated_at),
        "rev": status.rev,
    }


def signal_out(signal: Signal) -> dict[str, Any]:
    """What stands on the board under a key."""
    return {
        "key": signal.key,
        "value": signal.value,
        "publisher": signal.publisher,
        "published_at": to_text(signal.published_at),
        "rev": signal.rev,
        "expires_at": instant_out(signal.expires_at),
    }


def news_out(news: News) -> dict[str, Any]:
    """A change of the board; the signal is null when it is gone."""
    signal = None if news.signal is None else signal_out(news.signal)
    return {"key": news.key, "signal": signal, "cursor": news.cursor}


def published_out(done: Published) -> dict[str, Any]:
    """The receipt of a signal, and how it departs from what was declared."""
    return {**receipt_out(done.receipt), "drift": list(done.drift)}


def rate_out(rate: Rate) -> dict[str, Any]:
    """How one approach has done."""
    return {
        "approach": rate.approach,
        "completed": rate.completed,
        "failed": rate.failed,
        "success": rate.success,
        "duration_ms": rate.duration_ms,
        "tokens": rate.tokens,
    }


def span_out(span: Span) -> dict[str, Any]:
    """What an agent did in some days; its success is null when nothing ended in them."""
    return {
        "begins": to_text(span.begins),
        "completed": span.completed,
        "failed": span.failed,
        "success": span.success,
        "tokens": span.tokens,
    }


def verified_out(verified: Verified) -> dict[str, Any]:
    """One artifact, and how its file stands now."""
    return {
        "path": verified.path,
        "standing": verified.standing.value,
        "record": record_out(verified.record),
    }


def verification_out(found: Sequence[Verified], workspace: str, at: datetime) -> dict[str, Any]:
    """How the files of a workspace stand to what was registered, and when that was looked at."""
    return {
        "ok": all(one.standing.value == "same" for one in found),
        "workspace": workspace,
        "at": to_text(at),
        "artifacts": [verified_out(one) for one in found],
    }


def stale_out(found: Stale) -> dict[str, Any]:
    """A memory that may go, and why."""
    used = found.used
    return {
        "score": found.score,
        "reasons": list(found.reasons),
        "hits": 0 if used is None else used.hits,
        "last_used": instant_out(None if used is None else used.last),
        "record": record_out(found.record),
    }


def context_out(context: Context) -> dict[str, Any]:
    """What is put before a model, what was left out, and how the budget was shared."""
    return {
        "text": context.text,
        "messages": context.messages(),
        "blocks": context.blocks(),
        "budget": context.budget,
        "tokens": context.tokens,
        "considered": context.considered,
        "compression": round(context.compression, 4),
        "split": {"shares": context.split, "origin": context.origin},
        "parts": context.shares,
        "rooms": context.rooms,
        "entries": [
            {
                "id": entry.record.id, "part": entry.part, "tokens": entry.tokens,
                "score": entry.score, "cut": entry.is_cut, "line": entry.line,
            }
            for entry in context.entries
        ],
        "left_out": [{"id": one.record.id, "why": one.why} for one in context.left_out],
        "degraded": list(context.degraded),
    }  # fmt: skip
