"""Notes of Basic Memory: observations with a category and a context, and relations, in Markdown.

A note is about one thing, its title, which the items below do not repeat; so what is kept of them
names it. Everything else is Markdown like any other.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lamina.core.layers import LAYERS
from lamina.importing.formats.items import tags_of

NAME: Final = "basic-memory"
_CATEGORY: Final = re.compile(r"\[(?![ xX/-]\])([^\[\]()\n]{1,64})\][ \t]+(?=[^\s(])")
_RELATION: Final = re.compile(
    r"(\w[\w -]{0,63}?)[ \t]{0,9}\[\[([^\[\]|\n]{1,255})(?:\|[^\[\]\n]{0,255})?\]\]"
)
_LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class Observed:
    """What an item of such a note says."""

    text: str
    kind: str
    tags: tuple[str, ...]
    data: dict[str, Any]


def subject_of(matter: Mapping[str, tuple[str, ...]], title: str, file: str) -> str:
    """What a note of Basic Memory is about; empty for a note of anything else."""
    if not ("permalink" in matter and {"title", "type"} & matter.keys()):
        return ""
    named = matter.get("title") or (title,)
    return named[0] or file.rpartition("/")[2].rpartition(".")[0]


def observed(text: str, subject: str) -> Observed | None:
    """An item taken apart, if it is an observation or a relation."""
    if found := _CATEGORY.match(text):
        category, rest = found[1].strip(), text[found.end() :].strip()
        is_kind = category.lower() in LAYERS["knowledge"].kinds
        return Observed(
            text=_about(subject, rest),
            kind=category.lower() if is_kind else "fact",
            tags=tags_of([category]),
            data=_said(entity=subject, category=category, context=_context(rest)),
        )
    found = _RELATION.match(text)
    rest = text[found.end() :].strip() if found else ""
    if found is None or (rest and not _context(rest)):
        return None
    how, other = found[1].strip(), found[2].strip()
    return Observed(
        text=f"{subject} {how.replace('_', ' ')} {other} {rest}".rstrip(),
        kind="relation",
        tags=(),
        data=_said(
            **{"from": subject, "to": other, "relationType": how, "context": _context(rest)}
        ),
    )


def _context(text: str) -> str:
    """What stands in brackets at the end."""
    start = text.rfind("(", -_LONGEST)
    inside = text[start + 1 : -1] if start >= 0 and text.endswith(")") else ""
    return "" if ")" in inside else inside.strip()


def _about(subject: str, text: str) -> str:
    return text if subject.casefold() in text.casefold() else f"{subject}: {text}"


def _said(**values: str | None) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
