"""A skill that is written down: instructions in Markdown, which an agent reads when it needs them.

---
name: deploy
description: How a release goes out
parameters: [version]
---
Tag {version}, wait for the build, then tell the team.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from lamina.core.markdown.matter import read_matter
from lamina.core.markdown.structure import front_matter, lines_of
from lamina.errors import InvalidInputError, NotFoundError
from lamina.signatures import Skill

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_PARAMETER: Final = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
_MOST_PARAMETERS: Final = 20
_MOST_DESCRIPTION: Final = 300
_FOLDED: Final = frozenset((">", "|", ">-", "|-"))
"""What begins a value of several lines, which is not read."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A skill in words."""

    name: str
    description: str
    text: str
    file: str
    parameters: tuple[str, ...] = ()

    def line(self) -> str:
        """What an agent is told of it before it reads it."""
        takes = f" ({', '.join(self.parameters)})" if self.parameters else ""
        return f"- {self.name}{takes}: {self.description}"

    def filled(self, arguments: dict[str, Any]) -> str:
        """The instructions, with what stands for their parameters."""
        for name in arguments:
            if name not in self.parameters:
                raise InvalidInputError(
                    f"`{name:.40}` is not one of its parameters: skill `{self.name}`",
                    remedy=f"It takes: {', '.join(self.parameters) or 'nothing'}",
                )
        missing = [name for name in self.parameters if name not in arguments]
        if missing:
            raise InvalidInputError(
                f"`{missing[0]}` is missing: skill `{self.name}`",
                remedy=f"It takes: {', '.join(self.parameters)}",
            )
        if not arguments:
            return self.text
        # In one go, so that what is put in is not looked at for parameters again.
        pattern = "|".join(re.escape(name) for name in arguments)
        return re.sub(rf"\{{({pattern})\}}", lambda found: str(arguments[found[1]]), self.text)


def read_recipe(file: str, text: str) -> Recipe | str:
    """The skill that a page describes, or why it describes none."""
    lines = lines_of(text)
    end = front_matter(lines)
    matter = read_matter(lines[:end])
    body = "\n".join(lines[end:]).strip()
    folder, _, page = file.rpartition("/")
    stem = folder.rpartition("/")[2] if page == "SKILL.md" else page.rpartition(".")[0]
    name = " ".join(matter.get("name", ())) or stem
    if not _NAME.fullmatch(name):
        return f"{name!r:.60} cannot be the name of a skill"
    if not body:
        return "it has no instructions"
    parameters = matter.get("parameters", ())
    wrong = next((one for one in parameters if not _PARAMETER.fullmatch(one)), None)
    if wrong is not None or len(parameters) > _MOST_PARAMETERS:
        return f"{wrong!r:.60} cannot be a parameter" if wrong else "it has too many parameters"
    said = " ".join(matter.get("description", ()))
    if not said or said in _FOLDED:
        said = body.splitlines()[0].lstrip("# ")
    said = " ".join(said.split())[:_MOST_DESCRIPTION]
    return Recipe(name, said, body, file, tuple(dict.fromkeys(parameters)))


def use_skill(recipes: Sequence[Recipe]) -> Skill:
    """The tool by which an agent reads one of its skills."""
    by_name = {one.name: one for one in recipes}
    schema = {
        "type": "object",
        "properties": {
            "name": {
                "type": "string", "enum": list(by_name), "description": "Which of your skills.",
            },
            "arguments": {"type": "object", "description": "What it takes, by name."},
        },
        "required": ["name"],
        "additionalProperties": False,
    }  # fmt: skip

    def read(name: str, arguments: dict[str, Any] | None = None) -> str:
        found = by_name.get(name) if isinstance(name, str) else None
        if found is None:
            near = get_close_matches(str(name)[:64], by_name, n=3) or list(by_name)[:20]
            raise NotFoundError(
                f"`name` is none of your skills: {name!r:.60}", remedy=f"Say {', '.join(near)}"
            )
        if not isinstance(arguments, dict | None):
            raise InvalidInputError("`arguments` must be an object of names and values")
        return found.filled(arguments or {})

    told = "Read the instructions of one of your skills, then follow them."
    return Skill("use_skill", told, schema, read, safe_to_repeat=True)
