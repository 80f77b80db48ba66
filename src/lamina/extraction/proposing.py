"""Proposals of a model: asked for politely, believed little, and never in the way.

What a proposer says is kept as a proposal that waits for a person, if it cites a line that is
there. Whatever else it does, extraction goes on without it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from lamina.core.canonical import is_keepable
from lamina.core.chat import MOST_CONFIDENT
from lamina.core.layers import LAYERS
from lamina.core.names import check_name
from lamina.extraction.findings import LONGEST_CONTENT, Finding, plain, shortened
from lamina.sealing import scrub
from lamina.sources.chunks import Page
from lamina.sources.cutting import cut_text

_MOST_PROPOSALS: Final = 50
"""From one excerpt."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a file, with its secrets taken out."""

    file: str
    language: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """One statement that a proposer sees in an excerpt."""

    kind: str
    """An `entity`, `claim`, `task`, `decision` or `note`."""
    title: str
    content: str
    line: int
    """The line of the file that says so."""
    confidence: float = MOST_CONFIDENT


class ProposerError(Exception):
    """The proposer failed; the message says how, without what it was told."""


class Proposer(Protocol):
    """Somebody to be asked what an excerpt states, such as a language model."""

    @property
    def name(self) -> str:
        """What its proposals are marked with."""

    def __call__(self, excerpt: Excerpt, /) -> Iterable[Proposal]:
        """What the excerpt states; it may raise whatever it likes."""


def name_of(proposer: Proposer) -> str:
    """The name of a proposer, if Lamina can use it."""
    return check_name(getattr(proposer, "name", None), "propose.name")


def proposed(proposer: Proposer, file: str, text: str, language: str) -> list[Finding]:
    """What a proposer finds in a file, without what cites nothing.

    Raises:
        ProposerError: It failed; nothing of what it said about the file is used.
    """
    page, name = Page(text), name_of(proposer)
    found: list[Finding] = []
    for chunk in cut_text(text, language):
        shown = scrub(chunk.text)
        if shown.count("\n") != chunk.text.count("\n"):
            # A secret of several lines was taken out, so that lines can no longer be cited.
            continue
        excerpt = Excerpt(file, language, chunk.first, chunk.last, shown)
        found += (
            _finding(one, name) for one in _asked(proposer, excerpt) if _cites(one, excerpt, page)
        )
    return sorted(found, key=lambda one: (one.line, one.kind, one.title))


def _asked(proposer: Proposer, excerpt: Excerpt) -> list[Proposal]:
    try:
        return list(_first(proposer(excerpt)))
    except Exception as error:
        # What it says is not repeated, for it may quote the text.
        name, kind = name_of(proposer), type(error).__name__
        raise ProposerError(f"the proposer `{name}` failed with {kind}") from None


def _first(said: Iterable[Proposal]) -> Iterator[Proposal]:
    for number, one in enumerate(said):
        if number >= _MOST_PROPOSALS:
            return
        if isinstance(one, Proposal) and _is_sound(one):
            yield one


def _is_sound(one: Proposal) -> bool:
    texts = (one.title, one.content)
    return (
        one.kind in LAYERS["item"].kinds
        and all(isinstance(text, str) and plain(text) and is_keepable(text) for text in texts)
        and type(one.line) is int
        and type(one.confidence) in (int, float)
        and 0 <= one.confidence <= 1
    )


def _cites(one: Proposal, excerpt: Excerpt, page: Page) -> bool:
    return excerpt.first <= one.line <= excerpt.last and not page.is_blank(one.line)


def _finding(one: Proposal, name: str) -> Finding:
    return Finding(
        one.kind, shortened(plain(one.title)), shortened(one.content.strip(), LONGEST_CONTENT),
        one.line, min(float(one.confidence), MOST_CONFIDENT), name,
    )  # fmt: skip
