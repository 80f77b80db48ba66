"""What the rules find: one statement of a file, with where it stands and how sure it is. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LONGEST_SENTENCE: Final = 600
"""What goes on for longer was not written as one sentence, and no rule looks at it."""
LONGEST_TITLE: Final = 100
LONGEST_CONTENT: Final = 2_000

_LINK: Final = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,300}(?: [^()]{0,100})?\)|\[[^\[\]]{0,100}\])"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_MARKS: Final = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~")
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement: an entity, claim, task, decision or note."""

    kind: str
    title: str
    content: str
    line: int
    """Where it begins; the first line of a file is 1."""
    confidence: float
    """How often a finding of this rule is what its kind says."""
    rule: str
    section: str = ""
    """The headings above it."""
    done: bool | None = None
    """Whether a task that says so is done."""

    @property
    def identity(self) -> str:
        """What makes it the same statement after an edit elsewhere in its file.

        A section is told from another of its name by the sections around it.
        """
        named = f"{self.section} {self.title}" if self.rule == "section" else self.title
        return f"{self.kind}:{normalised(named)}"


def plain(text: str) -> str:
    """Words without the marks of Markdown, on one line."""
    shown = _TAG.sub("", _LINK.sub(r"\1", text[:LONGEST_CONTENT]))
    return " ".join(_MARKS.sub("", shown).split())


def shortened(text: str, limit: int = LONGEST_TITLE) -> str:
    """The text, cut between words where it is too long."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return f"{(head[: head.rfind(' ')] if ' ' in head else head).rstrip()}…"


def normalised(title: str) -> str:
    """What two spellings of one title have in common."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return _BETWEEN_WORDS.sub(" ", folded).strip()
