"""Which kind of knowledge stands under a heading, where the heading says so plainly."""

import re
from collections.abc import Sequence
from typing import Final

OTHERWISE: Final = "fact"
_MOST_WORDS: Final = 6
"""A longer heading is a sentence, and what it mentions is not what stands below it."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_TELLING: Final = (
    ("decision", ("decision", "decisions", "adr", "adrs")),
    ("preference", ("preference", "preferences")),
    ("pitfall", ("pitfall", "pitfalls", "gotcha", "gotchas", "caveat", "caveats")),
    ("pitfall", ("common mistakes",)),
    ("codebase", ("project structure", "repository structure", "directory structure", "codebase")),
    ("convention", ("convention", "conventions", "code style", "coding style", "style guide")),
    ("convention", ("coding standards", "coding guidelines", "naming")),
    ("architecture", ("architecture",)),
    ("pattern", ("pattern", "patterns")),
)


def kind_under(headings: Sequence[str]) -> str:
    """The kind that the innermost telling heading names; a fact where none does."""
    for title in reversed(headings):
        words = [word.lower() for word in _WORD.findall(title[:200])]
        if len(words) > _MOST_WORDS:
            continue
        said = f" {' '.join(words)} "
        for kind, phrases in _TELLING:
            if any(f" {phrase} " in said for phrase in phrases):
                return kind
    return OTHERWISE
