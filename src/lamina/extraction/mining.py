"""A text and its language in, findings out: which rules look at what. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from lamina.extraction.comments import commented, has_comments
from lamina.extraction.findings import LONGEST_CONTENT, Finding, normalised, plain, shortened
from lamina.extraction.labels import labelled, telling
from lamina.extraction.pages import Contents, Section, contents
from lamina.extraction.passages import Form, Passage
from lamina.extraction.statements import stated
from lamina.sources.chunks import Page
from lamina.sources.languages import language_of

RULES: Final = 1
"""Counts up when files are to be read anew, because other things would now be found in them."""
PROSE: Final = frozenset(("markdown", "text", "rst"))
_DECIDED: Final = ("decision", "decision outcome", "choice")
_AROUND: Final = frozenset(("context", "consequences", "price", "status", "alternatives"))
"""What stands beside a decision on a page that records one."""
_PART: Final = re.compile(r"\*\*([A-Za-z ]{3,30})[.:]?\*\*[.:]?\s*")
_FEWEST_WORDS: Final = 4
_FOREIGN: Final = ("license", "licence", "copying")


def is_read(file: str) -> bool:
    """Whether a file may state something of its project: data and licences do not."""
    name, language = file.rpartition("/")[2].lower(), language_of(file)
    return not name.startswith(_FOREIGN) and (language in PROSE or has_comments(language))


def mine(text: str, language: str) -> list[Finding]:
    """What a text states, in order; of two rules that see one sentence, the surer one counts."""
    found = [*_found(Page(text), language)]
    best: dict[tuple[int, str, str], Finding] = {}
    for one in (one for one in found if one.title and one.content):
        place = (one.line, one.kind, normalised(one.title))
        if place not in best or best[place].confidence < one.confidence:
            best[place] = one
    return sorted(best.values(), key=lambda one: (one.line, one.kind, one.title))


def _found(page: Page, language: str) -> Iterator[Finding]:
    if language in PROSE:
        yield from _told(page)
    elif has_comments(language):
        yield from _commented(page, language)


def _commented(page: Page, language: str) -> Iterator[Finding]:
    for passage in commented(page, language):
        yield from labelled(passage) or stated(passage)


def _told(page: Page) -> Iterator[Finding]:
    read = contents(page)
    decided = _record_of_decision(read)
    if decided is not None:
        yield decided
    for section in read.sections:
        note = _note(section)
        is_said = decided and section.begins and section.begins.first == decided.line
        if note is not None and not is_said:
            yield note
    for passage in read.passages:
        found = labelled(passage) or [*stated(passage)]
        # What the page as a whole decides is not said twice.
        yield from (one for one in found if decided is None or _place(one) != _place(decided))


def _place(finding: Finding) -> tuple[int, str]:
    return finding.line, finding.kind


def _record_of_decision(read: Contents) -> Finding | None:
    """The decision of a page that is one: context, decision and consequences under one title."""
    parts = {normalised(one.heading.title): one.begins for one in reversed(read.sections)}
    parts |= {name: one for one in reversed(read.passages) if (name := _part(one))}
    said = next((parts[name] for name in _DECIDED if parts.get(name)), None)
    if said is None or not said.above or not parts.keys() & _AROUND:
        return None
    text = shortened(_whole(said, read.passages), LONGEST_CONTENT)
    return Finding(
        "decision", shortened(said.above[0]), text, said.first, 0.9, "record", said.section
    )


def _whole(part: Passage, passages: list[Passage]) -> str:
    """What a part says, up to the next one."""
    said = [plain(_PART.sub("", part.text[:LONGEST_CONTENT], count=1))]
    for one in passages[passages.index(part) + 1 :]:
        if one.above != part.above or _part(one) or sum(map(len, said)) > LONGEST_CONTENT:
            break
        said.append(plain(one.text[:LONGEST_CONTENT]))
    return "\n".join(filter(None, said))


def _part(passage: Passage) -> str:
    """The name of a part that is set in bold instead of a heading."""
    found = _PART.match(passage.lines[0])
    return normalised(found[1]) if found else ""


def _note(section: Section) -> Finding | None:
    """A section by its title and what it begins with; nothing where it only holds others."""
    begins = section.begins
    if begins is None or not section.heading.title or telling(section.heading.title):
        return None
    said = plain(begins.text)
    if begins.form is not Form.PARAGRAPH or len(said.split()) < _FEWEST_WORDS:
        return None
    return Finding(
        "note", section.heading.title, shortened(said, LONGEST_CONTENT), section.heading.first, 0.8,
        "section", " > ".join(section.above),
    )  # fmt: skip
