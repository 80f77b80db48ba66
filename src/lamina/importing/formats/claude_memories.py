"""What Claude has noted about its user, as it stands in an export: one text, and one a project."""

from collections.abc import Iterator
from typing import Any, Final

from lamina.core.record import Trust
from lamina.importing.formats.items import Found, Item, some, text_of

_TEXT: Final = "conversations_memory"
_PROJECTS: Final = "project_memories"
_BOLD: Final = "**"


def is_memory(value: dict[str, Any]) -> bool:
    """Whether this is what was noted, and not a conversation."""
    return isinstance(value.get(_TEXT), str) or isinstance(value.get(_PROJECTS), dict)


def memories(found: Found) -> Iterator[Item]:
    """The notes, paragraph by paragraph, each with the heading above it."""
    projects = found.value.get(_PROJECTS)
    texts = {"": found.value.get(_TEXT), **(projects if isinstance(projects, dict) else {})}
    owner = text_of(found.value.get("account_uuid"))
    for project, text in texts.items():
        for heading, number, said in _paragraphs(text_of(text)):
            yield Item(
                place=found.place, identity=("memory", owner, project, heading, str(number)),
                text=said, kind="fact", trust=Trust.AGENT, source="assistant",
                data=some(heading=heading, project=project),
            )  # fmt: skip


def _paragraphs(text: str) -> Iterator[tuple[str, int, str]]:
    heading, number = "", 0
    for part in filter(None, (one.strip() for one in text.split("\n\n"))):
        first, _, rest = part.partition("\n")
        if title := _title(first):
            heading, number, part = title, 0, rest.strip()
        if part:
            number += 1
            yield heading, number, part


def _title(line: str) -> str:
    """What a line says that is nothing but a heading."""
    line = line.strip()
    if line.startswith("#"):
        return line.lstrip("#").strip()
    inner = line.removeprefix(_BOLD).removesuffix(_BOLD)
    is_bold = len(inner) == len(line) - 2 * len(_BOLD) and _BOLD not in inner
    return inner.strip().rstrip(":") if is_bold else ""
