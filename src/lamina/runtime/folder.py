"""What people have put into an agent's folder for it: directives and skills, both in Markdown.

    agents/finn/directives/style.md     goes into the system prompt, as far as there is room
    agents/finn/skills/deploy.md        named in the prompt, read by the agent when it needs it
    agents/finn/skills/deploy/SKILL.md  the same

No code is run from there. Agents write beside these folders, and whoever could get a file into one
would run code with the rights of the process; tools are registered in Python instead.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.core.text import estimate_tokens
from lamina.files.layout import place_of, root_of
from lamina.runtime.recipes import Recipe, read_recipe, use_skill
from lamina.sealing import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lamina.memory import Memory
    from lamina.signatures import Skill

_T = TypeVar("_T")
DIRECTIVES: Final = "directives"
SKILLS: Final = "skills"
MOST_TOKENS: Final = 2_000
"""How many tokens of the prompt directives may take; as many again the list of skills."""
MOST_BYTES: Final = 20_000
"""How large one file may be."""
_MOST_FILES: Final = 200
_MOST_LISTED: Final = 5_000
_MOST_TOLD: Final = 20
_PAGE: Final = ".md"
_OWN_PAGE: Final = "SKILL.md"
_CODE: Final = ".py"
_NO_CODE: Final = "code is not run from here; register the function as a tool"
_NO_ROOM: Final = "no room is left in the prompt"


@dataclass(frozen=True, slots=True)
class Directive:
    """What an agent is told to do, always."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """What an agent finds in its folder."""

    directives: tuple[Directive, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Files with the reason."""

    def prompt(self) -> str:
        """What goes into the system prompt: the directives, and which skills there are."""
        parts = []
        if self.directives:
            parts.append("# Directives of the people you work for")
            parts += [f"## {one.file}\n{one.text}" for one in self.directives]
        missing = [file for file, reason in self.left_out if reason == _NO_ROOM]
        if missing:
            parts.append(f"(Left out for want of room: {', '.join(missing[:_MOST_TOLD])})")
        if self.recipes:
            lines = [one.line() for one in self.recipes]
            parts.append(
                "# Skills\nInstructions for some sorts of work. Read the one that fits with the"
                " tool use_skill before you begin such work:\n" + "\n".join(lines)
            )
        return "\n\n".join(parts)

    def tools(self) -> tuple[Skill, ...]:
        """The tool that reads a skill, where there are any."""
        return (use_skill(self.recipes),) if self.recipes else ()


def read_folder(
    memory: Memory,
    *,
    most_tokens: int = MOST_TOKENS,
    count: Callable[[str], int] = estimate_tokens,
) -> Given:
    """What lies in the folder of an agent now; nothing where the store has no folder."""
    root = root_of(memory.store.location)
    if root is None:
        return Given()
    folder = place_of(memory.scope).folder
    if not os.path.isdir(root / folder):
        return Given()
    left_out: list[tuple[str, str]] = []
    rules = [
        Directive(_shown(file), text)
        for file, text in _pages(root, f"{folder}/{DIRECTIVES}", left_out)
    ]
    recipes: dict[str, Recipe] = {}
    for file, text in _pages(root, f"{folder}/{SKILLS}", left_out):
        made = read_recipe(_shown(file), text)
        if isinstance(made, str) or made.name in recipes:
            reason = made if isinstance(made, str) else "another skill has the same name"
            left_out.append((_shown(file), reason))
        else:
            recipes[made.name] = made
    directives = _fitting(rules, lambda one: f"## {one.file}\n{one.text}", most_tokens, count)
    offered = _fitting(list(recipes.values()), Recipe.line, most_tokens, count)
    left_out += [(one.file, _NO_ROOM) for one in rules if one not in directives]
    left_out += [(one.file, _NO_ROOM) for one in recipes.values() if one not in offered]
    return Given(tuple(directives), tuple(offered), tuple(left_out))


def _pages(root: Path, folder: str, left_out: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The pages of a folder in the order of their names, each with what it says."""
    from lamina.sources.reading import UnreadableError, read_document

    taken = 0
    for name, is_folder in _names(root, folder, left_out):
        page = f"{name}/{_OWN_PAGE}" if is_folder and folder.endswith(SKILLS) else name
        label = f"{folder.rpartition('/')[2]}/{page}"
        reason = _why_not(name, folder, is_folder=is_folder)
        if not reason and taken == _MOST_FILES:
            reason = f"only {_MOST_FILES} are read"
        if not reason:
            taken += 1
            try:
                text = read_document(root, f"{folder}/{page}", most=MOST_BYTES, now_ns=0).text
            except UnreadableError as error:
                reason = error.reason
            else:
                # What a person has left there by mistake must not go to a model.
                text = scrub(text.replace("\0", "")).strip()
                reason = "" if text else "empty"
                if text:
                    yield label, text
        if reason:
            left_out.append((_shown(label), reason))


def _names(root: Path, folder: str, left_out: list[tuple[str, str]]) -> list[tuple[str, bool]]:
    from lamina.sources.beneath import open_folder

    try:
        with open_folder(root, folder) as opened, os.scandir(opened) as entries:
            listed = [*islice(entries, _MOST_LISTED + 1)]
            found = sorted((one.name, one.is_dir(follow_symlinks=False)) for one in listed)
    except FileNotFoundError:
        return []
    except OSError:
        left_out.append((folder.rpartition("/")[2], "no folder that can be read"))
        return []
    if len(found) > _MOST_LISTED:
        reason = f"it holds more than {_MOST_LISTED:,} files; some were not looked at"
        left_out.append((folder.rpartition("/")[2], reason))
    return [(name, is_folder) for name, is_folder in found if not name.startswith(".")]


def _why_not(name: str, folder: str, *, is_folder: bool) -> str:
    if is_folder:
        return "" if folder.endswith(SKILLS) else "a folder"
    if name.endswith(_CODE):
        return _NO_CODE
    return "" if name.lower().endswith(_PAGE) else "no Markdown"


def _fitting(
    ones: list[_T], text: Callable[[_T], str], most: int, count: Callable[[str], int]
) -> list[_T]:
    """Those that have room, in their order."""
    fitting, room = [], most
    for one in ones:
        size = count(text(one))
        if size <= room:
            room -= size
            fitting.append(one)
    return fitting


def _shown(name: str) -> str:
    """A name that cannot break a line, or be no text at all."""
    plain = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(one if one.isprintable() else "\ufffd" for one in plain)[:200]
