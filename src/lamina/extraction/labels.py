"""Statements that say themselves what they are: boxes, labels, lists under a telling heading. Pure.

These are nearly certain, because somebody wrote the word for it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from lamina.extraction.findings import LONGEST_CONTENT, Finding, normalised, plain, shortened
from lamina.extraction.passages import Form, Passage


class _Label(NamedTuple):
    kind: str
    confidence: float
    rule: str


_TASK: Final = _Label("task", 0.95, "tag")
_NOTE: Final = _Label("note", 0.85, "label")
_CLAIM: Final = _Label("claim", 0.85, "label")
_DECISION: Final = _Label("decision", 0.9, "label")
_MEANT: Final = _TASK._replace(confidence=0.85, rule="label")
_CHOICE: Final = _DECISION._replace(confidence=0.75)


def _words(label: _Label, *words: str) -> dict[str, _Label]:
    return dict.fromkeys(words, label)


_LABELS: Final = {
    **_words(_TASK, "todo", "fixme", "xxx", "hack", "bug"),
    **_words(_MEANT, "to do", "action item", "next step", "tbd"),
    **_words(_DECISION, "decision", "decided", "we decided"),
    **_words(_CHOICE, "rejected", "chosen", "choice"),
    **_words(_CLAIM, "claim", "fact", "assumption", "invariant", "requirement", "constraint"),
    **_words(_CLAIM, "guarantee", "hypothesis", "finding"),
    **_words(_NOTE, "note", "nb", "important", "warning", "caution", "caveat", "gotcha"),
    **_words(_NOTE, "tip", "hint", "remember", "attention"),
}
_ANY: Final = "|".join(sorted(_LABELS, key=len, reverse=True))
_BOLD: Final = r"(?:\*\*|__)?"
_LABEL: Final = re.compile(
    rf"{_BOLD}(?P<label>{_ANY})s?{_BOLD}(?:\([^()]{{1,40}}\))?{_BOLD}\s?[:：]{_BOLD}\s*(?P<text>.*)"
    rf"|(?:\*\*|__)(?P<bold>{_ANY})s?[.:](?:\*\*|__)\s*(?P<said>.*)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r"(?P<label>TODO|FIXME|XXX|HACK|BUG|NOTE|NB)(?P<who>\([^()]{1,40}\))?\s*[:：-]?\s+(?P<text>\S.*)"
)
_ALERT: Final = re.compile(
    r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?P<text>.*)", re.IGNORECASE
)
_TASKS: Final = _Label("task", 0.75, "list")
_DECISIONS: Final = _Label("decision", 0.8, "list")
_CLAIMS: Final = _Label("claim", 0.7, "list")
_UNDER: Final = {
    **_words(_TASKS, "todo", "todos", "to do", "tasks", "open tasks", "next steps", "action items"),
    **_words(_TASKS, "actions", "roadmap", "backlog", "open questions", "still to do"),
    **_words(_DECISIONS, "decisions", "key decisions", "design decisions", "decisions made"),
    **_words(_CLAIMS, "assumptions", "invariants", "constraints", "guarantees", "requirements"),
    **_words(_CLAIMS, "claims", "findings"),
}
"""What a heading says of the list below it."""
_FEWEST_WORDS: Final = 2


def labelled(passage: Passage) -> list[Finding]:
    """What a passage says under its own label; nothing where it bears none."""
    if passage.done is not None:
        return [_made(passage, _TASK._replace(rule="box"), passage.first, passage.text)]
    found = [*_tagged(passage)]
    return found or [*_listed(passage)]


def is_labelled(words: str) -> bool:
    """Whether these words are a label, and name nothing."""
    return normalised(words).rstrip("s") in _LABELS or normalised(words) in _LABELS


def telling(heading: str) -> str:
    """The kind of everything that is listed under a heading; empty where it tells none."""
    label = _UNDER.get(normalised(heading))
    return label.kind if label else ""


def _tagged(passage: Passage) -> Iterator[Finding]:
    """Every label of a passage with what follows it, up to the next one."""
    found = [(at, _label_of(line, passage.form)) for at, line in enumerate(passage.lines)]
    starts = [(at, *label) for at, label in found if label is not None]
    ends = [at for at, _, _ in starts[1:]] + [len(passage.lines)]
    for (start, label, text), end in zip(starts, ends, strict=False):
        said = " ".join((text, *passage.lines[start + 1 : end]))
        if len(plain(said).split()) >= _FEWEST_WORDS:
            yield _made(passage, label, passage.first + start, said)


def _label_of(line: str, form: Form) -> tuple[_Label, str] | None:
    line = line[:LONGEST_CONTENT]
    if form is Form.QUOTE and (alert := _ALERT.match(line)):
        return _NOTE, alert["text"]
    if found := _LABEL.match(line):
        label = _LABELS[normalised(found["label"] or found["bold"])]
        return label, found["text"] or found["said"] or ""
    if form is Form.COMMENT and (found := _TAG.match(line)):
        label = _LABELS[found["label"].lower()]
        return label if found["who"] else label._replace(confidence=0.85), found["text"]
    return None


def _listed(passage: Passage) -> Iterator[Finding]:
    """An item of a list whose heading says what its items are."""
    label = _UNDER.get(normalised(passage.above[-1])) if passage.above else None
    if label and passage.form is Form.ITEM and len(passage.text.split()) > _FEWEST_WORDS:
        yield _made(passage, label, passage.first, passage.text)


def _made(passage: Passage, label: _Label, line: int, said: str) -> Finding:
    words = plain(said)
    return Finding(
        label.kind, shortened(words), shortened(words, LONGEST_CONTENT), line, label.confidence,
        label.rule, passage.section, passage.done,
    )  # fmt: skip
