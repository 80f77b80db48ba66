"""What a docstring says of a function and of its parameters, in the two usual layouts."""

import re
from typing import Final

_SECTION: Final = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Notes?):\s*"
)
_ARGUMENTS: Final = ("Args", "Arguments", "Parameters")
_NAMED: Final = re.compile(r"\s+\*{0,2}(\w+)(?:\s*\([^)]*\))?:\s*(.*)")
_FIELD: Final = re.compile(r"\s*:param\s+(?:\w+\s+)?(\w+):\s*(.*)")
_MOST: Final = 1_024
"""Of a description; services refuse longer ones."""


def told_by(docstring: str) -> tuple[str, dict[str, str]]:
    """What a function does, and what each parameter is that the docstring names."""
    lines = docstring.splitlines()
    heads = [number for number, line in enumerate(lines) if _is_head(line)]
    text = "\n".join(lines[: heads[0]] if heads else lines).strip()
    told: dict[str, str] = {}
    for number in heads:
        section = _SECTION.fullmatch(lines[number])
        if section is None:
            _take(lines[number:], _FIELD, told)
            break
        if section[1] in _ARGUMENTS:
            _take(_body(lines[number + 1 :]), _NAMED, told)
    return text[:_MOST], {name: words[:_MOST] for name, words in told.items()}


def _is_head(line: str) -> bool:
    return bool(_SECTION.fullmatch(line) or line.lstrip().startswith(":param"))


def _body(lines: list[str]) -> list[str]:
    """The lines of a section: those that are indented."""
    end = next((n for n, line in enumerate(lines) if line[:1].strip()), len(lines))
    return lines[:end]


def _take(lines: list[str], pattern: re.Pattern[str], told: dict[str, str]) -> None:
    name, outer = "", 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        found = pattern.fullmatch(line)
        if found and (not name or indent <= outer):
            name, outer = found[1], indent
            told.setdefault(name, found[2].strip())
        elif name and line.strip() and indent > outer:
            told[name] = f"{told[name]} {line.strip()}".strip()
