"""Hooks in the settings file of a harness: ours are put in and taken out, the rest stays."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import loads
from lamina.errors import InvalidInputError
from lamina.surfaces.hooks.told import KEEPING, PROMPT, START, TOOL
from lamina.surfaces.json_text import with_member, without_member

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_INSTALLED: Final = {
    "claude": (START, PROMPT, *KEEPING),
    # What each turn leaves is kept when it stops, and Codex tells of no other end.
    "codex": (START, PROMPT, "Stop"),
}
_PATIENCE: Final = {START: 10, PROMPT: 10, TOOL: 10}
_PATIENCE_TO_KEEP: Final = 30
_OURS: Final = re.compile(r"\bhook\s+\w+\s+--harness\s+(claude|codex)\b")
_MEMBER: Final = "hooks"


def wanted(harness: str, program: Sequence[str], *, tools: bool) -> dict[str, dict[str, Any]]:
    """The hooks of a harness, by event."""
    events = [*_INSTALLED[harness], *([TOOL] if tools else [])]
    found = {}
    for event in events:
        command = shlex.join([*program, "hook", event, "--harness", harness])
        found[event] = {
            "type": "command", "command": command,
            "timeout": _PATIENCE.get(event, _PATIENCE_TO_KEEP),
        }  # fmt: skip
    return found


def with_hooks(text: str, where: Path, hooks: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings in which these hooks are the ones of ours that there are."""
    before = _table(_settings(text, where), where)
    after: dict[str, Any] = {}
    for event, groups in _events(before, where):
        after[event] = [one for one in (_put(g, event, hooks) for g in groups) if one is not None]
    for event, ours in hooks.items():
        if not any(_is_ours(one) for group in after.get(event, []) for one in _hooks(group)):
            after[event] = [*after.get(event, []), {"hooks": [dict(ours)]}]
    # What somebody left empty is theirs.
    kept = {event: one for event, one in after.items() if one or before.get(event) == one}
    return text if kept == before else _changed(text, before, kept)


def _changed(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text with other hooks, and all else in it as it was written."""
    if not after:
        return without_member(text, [_MEMBER])
    for event in before.keys() - after.keys():
        text = without_member(text, [_MEMBER, event])
    for event, groups in after.items():
        if before.get(event) != groups:
            text = with_member(text, [_MEMBER, event], groups)
    return text


def _put(group: Any, event: str, hooks: Mapping[str, Mapping[str, Any]]) -> Any:
    """A group whose hook of ours is the one wanted; none where nothing else was in it."""
    before = _hooks(group)
    after = [dict(hooks[event]) if _is_ours(one) else one for one in before
             if not _is_ours(one) or event in hooks]  # fmt: skip
    return None if before and not after else {**group, "hooks": after} if before else group


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and "lamina" in command and bool(_OURS.search(command))


def _hooks(group: Any) -> list[Any]:
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _settings(text: str, where: Path) -> dict[str, Any]:
    try:
        found = loads(text, str(where)) if text.strip() else {}
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{where} cannot be read: {error.message}",
            remedy="Put it in order first; --print shows what belongs into it",
        ) from None
    if not isinstance(found, dict):
        raise _unfit(where, "is no JSON object")
    return found


def _table(settings: dict[str, Any], where: Path) -> dict[str, Any]:
    table = settings.get(_MEMBER, {})
    if not isinstance(table, dict):
        raise _unfit(where, "has `hooks` that are no JSON object")
    return dict(table)


def _events(table: dict[str, Any], where: Path) -> list[tuple[str, list[Any]]]:
    for event, groups in table.items():
        if not isinstance(groups, list):
            raise _unfit(where, f"has hooks of `{event:.40}` that are no list")
    return list(table.items())


def _unfit(where: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"{where} {why}", remedy="Put it in order first; --print shows what belongs into it"
    )
