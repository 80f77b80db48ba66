"""What a model says it has read, believed after a look: of the right shape, and with its evidence.

Pure. Whatever is not as it was asked for is left out, and it is said why; nothing is repaired.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.compaction.sayings import HOSTILE
from lamina.core.canonical import is_keepable
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from lamina.core.record import Record

MOST: Final = 20
"""From one question."""
LONGEST_TEXT: Final = 500
LONGEST_KEY: Final = 80
LONGEST_QUOTE: Final = 1_000
_LONGEST_ANSWER: Final = 60_000
_LEAST_QUOTE: Final = 6
_FIELDS: Final = frozenset(("kind", "text", "from", "quote"))
_THINKS, _THOUGHT = "<think>", "</think>"
_FENCE: Final = "```"
_LANGUAGES: Final = ("", "json")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")


class UnreadableAnswerError(Exception):
    """An answer is not a list of statements at all; the message says what it is instead."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that a model is shown, by the name it knows it under."""

    name: str
    text: str
    """As it is shown: without secrets, and cut where it is long."""
    record: Record | None = None
    """Where it is from."""

    @property
    def is_of_people(self) -> bool:
        """Whether people said it, not a model."""
        return self.record is not None and self.record.kind == "user"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a model has read in a piece."""

    kind: str
    text: str
    quote: str
    piece: Piece
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model was asked about, as far as its answer has to keep to it."""

    pieces: Mapping[str, Piece]
    kinds: Collection[str]
    marker: str
    """What only the question holds: an answer with it is the question again."""
    keyed: bool = False
    """Whether each statement has a key."""
    own: Collection[str] = ()
    """The kinds that only the words of people themselves are evidence for."""


def read(answer: str, asked: Asked) -> tuple[list[Statement], list[str]]:
    """The statements in an answer that can be believed, and why the others cannot.

    Raises:
        UnreadableAnswerError: There is no list in it.
    """
    found: list[Statement] = []
    left_out: list[str] = []
    told = _listed(answer, asked.marker)
    for number, one in enumerate(told[:MOST], start=1):
        try:
            found.append(_statement(one, asked))
        except InvalidInputError as error:
            left_out.append(f"statement {number}: {error.message}")
    if len(told) > MOST:
        left_out.append(f"{len(told) - MOST} statements more than were asked for")
    return found, left_out


def normal(text: str) -> str:
    """What two copies of one text have in common, whatever became of marks and spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.translate(_QUOTES).split())


_QUOTES: Final = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--")


def _listed(answer: str, marker: str) -> list[Any]:
    if len(answer) > _LONGEST_ANSWER:
        raise UnreadableAnswerError("the answer is far too long")
    if marker in answer:
        raise UnreadableAnswerError("the answer is the question again")
    try:
        told = json.loads(_bare(answer))
    except (ValueError, RecursionError):
        raise UnreadableAnswerError("the answer is not JSON") from None
    if not isinstance(told, list):
        raise UnreadableAnswerError("the answer is not a list")
    return told


def _bare(answer: str) -> str:
    """An answer without what some models think aloud first, and the fence many set JSON apart with.

    Nothing else is taken off: what is said beside the list may be what it is really about.
    """
    text = answer.strip()
    if text.startswith(_THINKS) and _THOUGHT in text:
        text = text.partition(_THOUGHT)[2].strip()
    first, _, rest = text.partition("\n")
    is_fenced = first.startswith(_FENCE) and text.endswith(_FENCE) and rest
    if is_fenced and first.removeprefix(_FENCE).strip() in _LANGUAGES:
        return rest.removesuffix(_FENCE)
    return text


def _statement(one: Any, asked: Asked) -> Statement:
    wanted = _FIELDS | {"key"} if asked.keyed else _FIELDS
    if not isinstance(one, dict) or one.keys() != wanted:
        raise InvalidInputError("it has not the fields that were asked for")
    if any(not isinstance(value, str) or not is_keepable(value) for value in one.values()):
        raise InvalidInputError("a field is not text")
    if one["kind"] not in asked.kinds:
        raise InvalidInputError("its kind is none of those that were asked for")
    piece = asked.pieces.get(one["from"])
    if piece is None:
        raise InvalidInputError("it cites what was not shown")
    if one["kind"] in asked.own and not piece.is_of_people:
        raise InvalidInputError("nobody said that of themselves")
    # Spelled otherwise, a key would stand for something else.
    text, key = " ".join(one["text"].split()), normal(one["key"]) if asked.keyed else None
    if not 0 < len(text) <= LONGEST_TEXT or len(one["quote"]) > LONGEST_QUOTE:
        raise InvalidInputError("its text is empty or too long")
    if HOSTILE.search(text):
        raise InvalidInputError("it reads as an instruction")
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise InvalidInputError("its key is empty or too long")
    _check_evidence(text, one["quote"], piece.text)
    return Statement(one["kind"], text, " ".join(one["quote"].split()), piece, key)


def _check_evidence(text: str, quote: str, shown: str) -> None:
    said, cited = normal(shown), normal(quote)
    if len(cited) < min(_LEAST_QUOTE, len(said)) or cited not in said:
        raise InvalidInputError("its quote does not stand where it says")
    numbers = {*_NUMBER.findall(said)}
    if any(number not in numbers for number in _NUMBER.findall(normal(text))):
        raise InvalidInputError("it has a number that nobody said")
