"""Tools as the loop calls them: whatever a tool does is an outcome in words."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from lamina.skills import Skill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lamina.models.base import ToolCall


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call."""

    text: str
    is_error: bool = False
    seconds: float = 0.0
    bytes: int = 0


class Toolbox:
    """Tools by name."""

    def __init__(self, skills: Mapping[str, Skill]) -> None:
        self._skills = skills

    @property
    def offered(self) -> list[dict[str, Any]]:
        """What a model is told of them."""
        return [one.metadata for one in self._skills.values()]

    def safe_to_repeat(self, name: str) -> bool:
        """Whether a call of unknown outcome may simply be made again."""
        found = self._skills.get(name)
        return found is not None and getattr(found.execute, "safe_to_repeat", False) is True

    def call(self, call: ToolCall) -> Outcome:
        """Run a tool."""
        began = perf_counter()
        found = self._skills.get(call.name)
        if found is None:
            known = ", ".join(self._skills) or "none"
            return Outcome(f"There is no tool `{call.name}`. There are: {known}.", is_error=True)
        if call.wrong:
            return Outcome(f"The call was not made: {call.wrong}", is_error=True)
        try:
            made = found.execute(**call.arguments)
        except Exception as error:
            return Outcome(f"{type(error).__name__}: {error}", True, perf_counter() - began)
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, default=str)
        return Outcome(text, False, perf_counter() - began, len(text.encode()))


def toolbox(tools: Iterable[Skill | Callable[..., Any]]) -> Toolbox:
    """Make tools of skills and functions."""
    return Toolbox({one.name: one for one in map(_skill, tools)})


def _skill(tool: Skill | Callable[..., Any]) -> Skill:
    if isinstance(tool, Skill):
        return tool
    named: dict[str, Any] = {name: {} for name in inspect.signature(tool).parameters}
    schema = {"type": "object", "properties": named}
    return Skill(tool.__name__, inspect.getdoc(tool) or "", schema, tool)
