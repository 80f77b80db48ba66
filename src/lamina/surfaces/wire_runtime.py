"""The JSON shape of what the agent runtime answers with."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.runtime import Run, Window


def run_out(run: Run) -> dict[str, Any]:
    """What came of a run."""
    return {
        "reply": run.reply,
        "session": run.session,
        "run": run.id,
        "resumed": run.is_resumed,
        "steps": [
            {
                "id": step.id,
                "text": step.text,
                "calls": [
                    {"id": one.id, "tool": one.tool, "is_error": one.is_error} for one in step.calls
                ],
            }
            for step in run.steps
        ],
        "window": window_out(run.window),
        "remembered": list(run.context.ids),
        "tokens": {"in": run.tokens_in, "out": run.tokens_out},
    }


def window_out(window: Window) -> dict[str, Any]:
    """What was put before the model, in tokens."""
    return {**asdict(window), "total": window.total, "free": window.free}
