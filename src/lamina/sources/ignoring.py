"""Ignore files: which paths their patterns mean, exactly as git reads them.

Pure: lines in, answers out. A pattern with a slash is tied to the folder of its file, any other
holds at every depth below it; the last pattern that matches decides, and those of an inner folder
come after those of an outer one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

_CLASSES: Final = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_STARS: Final = re.compile(r"\A\*{2,}\Z")
_NEVER: Final = "(?!)"
_NO_SLASH: Final = "[^/]"
_FOLDERS: Final = f"(?:{_NO_SLASH}+/)*"


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of one ignore file."""

    folder: str
    """The folder of the file, as a prefix of the paths it speaks about: empty, or ending in `/`."""
    pattern: re.Pattern[str]
    by_name: bool
    """Whether it is about the last part of a path alone."""
    folders_only: bool
    ignores: bool
    own: bool = False
    """Whether it is meant for Lamina, not for git."""

    def decides(self, path: str, *, is_folder: bool) -> bool:
        """Whether the rule has something to say about a path."""
        if (self.folders_only and not is_folder) or not path.startswith(self.folder):
            return False
        inside = path[len(self.folder) :]
        if self.by_name:
            inside = inside.rpartition("/")[2]
        return self.pattern.fullmatch(inside) is not None


def parse_rules(text: str, folder: str = "", *, own: bool = False) -> list[Rule]:
    """The rules of one ignore file; `folder` is where it lies, relative to the root."""
    lines = _as_bytes(text.removeprefix("\ufeff")).split("\n")
    prefix = _as_bytes(f"{folder}/") if folder else ""
    rules = (_rule(line.removesuffix("\r"), prefix) for line in lines)
    return [replace(rule, own=own) for rule in rules if rule is not None]


def is_ignored(rules: Sequence[Rule], path: str, *, is_folder: bool) -> bool:
    """Whether a path is ignored by rules in the order of their weight, the weightiest last."""
    rule = deciding(rules, path, is_folder=is_folder)
    return rule is not None and rule.ignores


def deciding(rules: Sequence[Rule], path: str, *, is_folder: bool) -> Rule | None:
    """The rule that has the last word on a path, if any speaks of it."""
    meant = _as_bytes(path)
    found = (rule for rule in reversed(rules) if rule.decides(meant, is_folder=is_folder))
    return next(found, None)


def _as_bytes(text: str) -> str:
    """One character for each byte: git matches bytes, so that `?` is half an umlaut."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _rule(line: str, folder: str) -> Rule | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith("/")
    pattern = pattern[:-1] if folders_only else pattern
    if not pattern:
        return None
    by_name = "/" not in pattern
    compiled = re.compile(_expression(pattern.removeprefix("/")), re.DOTALL)
    return Rule(folder, compiled, by_name, folders_only, ignores)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    if bare == line:
        return line
    backslashes = len(bare) - len(bare.rstrip("\\"))
    # The last backslash protects one space, unless it is itself protected.
    return bare + " " if backslashes % 2 else bare


def _expression(pattern: str) -> str:
    """A pattern as a regular expression over the path below the folder.

    The names between two `**` are looked for once, from the left: where they stand first leaves
    most to the rest, so that no other place has to be tried.
    """
    parts = [_STARS.sub("**", part) for part in pattern.split("/")]
    if len(parts) == 1:
        return _part(parts[0])
    head, *runs = _between_stars(parts)
    found = "".join(f"{_part(part)}/" for part in head)
    if not runs:
        return found.removesuffix("/")
    last = runs.pop()
    middle = ("".join(f"{_part(part)}/" for part in run) for run in runs if run)
    found += "".join(f"(?>{_FOLDERS}?{run})" for run in middle)
    return found + (_FOLDERS + "/".join(map(_part, last)) if last else ".+")


def _between_stars(parts: Iterable[str]) -> list[list[str]]:
    """The names before, between and after the parts that are `**`."""
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(part)
    return runs


def _part(part: str) -> str:
    """One name of a pattern; what stands between two stars is looked for once, from the left."""
    runs: list[str] = [""]
    at = 0
    while at < len(part):
        if part[at] == "*":
            while part[at : at + 1] == "*":
                at += 1
            runs.append("")
            continue
        found, at = _single(part, at)
        if found == _NEVER:
            return _NEVER
        runs[-1] += found
    head, *middle = runs
    if not middle:
        return head
    tail = middle.pop()
    between = "".join(f"(?>{_NO_SLASH}*?{run})" for run in middle)
    return f"{head}{between}{_NO_SLASH}*{tail}"


def _single(part: str, at: int) -> tuple[str, int]:
    """What stands for one character, and where the next begins."""
    match part[at]:
        case "?":
            return _NO_SLASH, at + 1
        case "\\":
            if at + 1 == len(part):
                return _NEVER, at + 1
            return re.escape(part[at + 1]), at + 2
        case "[":
            return _bracket(part, at)
        case other:
            return re.escape(other), at + 1


def _bracket(part: str, at: int) -> tuple[str, int]:
    """A set such as `[a-z]`, `[!x]` or `[[:alpha:]_]`; one that does not end matches nothing."""
    start = at + 1
    negated = part[start : start + 1] in ("!", "^")
    start += negated
    members: list[str] = []
    at = start
    while at < len(part):
        if part[at] == "]" and at > start:
            inside = "".join(members)
            return f"(?!/)[{'^' if negated else ''}{inside}]", at + 1
        if part.startswith("[:", at):
            name, closed, _ = part[at + 2 :].partition(":]")
            if closed and name.isalpha():
                if name not in _CLASSES:
                    return _NEVER, at
                members.append(_CLASSES[name])
                at += len(name) + 4
                continue
        low, at = _member(part, at)
        high = low
        if part[at : at + 1] == "-" and part[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(part, at + 1)
        # The first end of a range counts also where the range is the wrong way round.
        members += [re.escape(low)] if low else []
        members += [f"{re.escape(low)}-{re.escape(high)}"] if low < high else []
    return _NEVER, at


def _member(part: str, at: int) -> tuple[str, int]:
    if part[at] == "\\":
        return part[at + 1 : at + 2], at + 2
    return part[at], at + 1
