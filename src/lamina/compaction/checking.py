"""Summaries are believed after a look: what is empty, foreign or hostile changes nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Protocol

from lamina.compaction.extracting import extract
from lamina.compaction.sayings import HOSTILE
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record

SLACK: Final = 1.5
"""By how much a summary may be longer than was asked for."""
_CHARACTERS: Final = 12
"""What has more of them for each token is too long without being counted."""
_ID: Final = re.compile(r"(?<![0-9a-z])[0-9a-z]{26}(?![0-9a-z])")


class Summarise(Protocol):
    """Whatever sums records up."""

    def __call__(self, records: Sequence[Record], most_tokens: int, /) -> str:
        """The summary of records, oldest first, within so many tokens."""


def check_callable(function: object, argument: str) -> None:
    """Refuse what cannot be called before anything is asked of it."""
    if function is not None and not callable(function):
        raise InvalidInputError(
            f"`{argument}` must be a function, not {type(function).__name__}",
            remedy="Leave it out, or pass one",
        )


def summarised(records: Sequence[Record], most_tokens: int, summarise: Summarise | None) -> str:
    """The summary of records: ours, or another's once it was looked at.

    Raises:
        ModelError: The summary cannot be used; nothing was changed.
    """
    if summarise is None:
        return extract(records, most_tokens)
    told = summarise(records, most_tokens)
    check_summary(told, records, most_tokens)
    return told.strip()


def check_summary(told: object, records: Sequence[Record], most_tokens: int) -> None:
    """Refuse what is no summary of these records."""
    if not isinstance(told, str):
        raise refused(f"is no text but {type(told).__name__}")
    if not any(map(str.isalnum, told)):
        raise refused("is empty")
    most = round(most_tokens * SLACK)
    if len(told) > most * _CHARACTERS or estimate_tokens(told) > most:
        raise refused(f"has more than {most:,} tokens")
    if _is_json(told):
        raise refused("is JSON where text was asked for")
    if found := HOSTILE.search(told):
        raise refused(f"holds what reads as an instruction or a fence: {found[0]!r:.60}")
    known = {record.id for record in records}
    for named in _ID.findall(told):
        if named not in known and not any(named in record.text for record in records):
            raise refused(f"names a record that it does not sum up: {named}")


def refused(what: str) -> ModelError:
    """The error that says what is wrong with a summary."""
    return ModelError(
        f"the summary {what}",
        remedy="So nothing was compacted; try again, or without `summarise`: then it is extracted",
    )


def _is_json(told: str) -> bool:
    if told.strip()[:1] not in ("[", "{", '"'):
        return False
    try:
        json.loads(told)
    except (ValueError, RecursionError):
        return False
    return True
