"""One line in the log for a tool that a harness has used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.errors import ConflictError
from lamina.surfaces.hooks.messages import call_text

if TYPE_CHECKING:
    from lamina.core.draft import Draft
    from lamina.memory import AgentMemory
    from lamina.surfaces.hooks.told import Told

_TELLING: Final = ("command", "file_path", "path", "pattern", "query", "url", "description")
"""What of the arguments of a tool says most, the first that is there."""


def log_tool(agent: AgentMemory, told: Told) -> None:
    """Log the use of a tool, once."""
    from lamina.runtime.journal import one_line

    tool = told.text("tool_name")
    if not tool:
        return
    draft: Draft = {
        "layer": "log", "kind": "TOOL_USE", "via": "tool",
        "text": one_line(call_text(tool, _telling(told.said.get("tool_input")))),
        "data": {"tool": tool, "session": told.session},
    }  # fmt: skip
    if told.text("tool_use_id"):
        draft |= {"key": told.text("tool_use_id")[:120], "expect": 0}
    try:
        agent.remember_many([draft])
    except ConflictError:
        return


def _telling(given: object) -> Any:
    if not isinstance(given, dict):
        return given
    return next((given[name] for name in _TELLING if isinstance(given.get(name), str)), given)
