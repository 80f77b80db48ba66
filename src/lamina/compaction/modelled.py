"""A summary worded by a model: asked with the records as data, and believed after a look."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from lamina.compaction.checking import SLACK, check_summary, refused
from lamina.compaction.extracting import extract
from lamina.compaction.sayings import when
from lamina.core.sealed import hidden
from lamina.core.text import estimate_tokens
from lamina.errors import LaminaError
from lamina.fencing import Fence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.compaction.checking import Summarise
    from lamina.core.chat import Message, Model
    from lamina.core.record import Record

READS: Final = 6_000
"""How many tokens a model is shown unless told otherwise: small ones do not read more."""
_WORDS_FOR_TOKENS: Final = 0.5
_LEAST_WORDS: Final = 30
_KNOWN: Final = 0.4
"""The share of its words that a summary has from what it sums up."""
_STEM: Final = 4
_log: Final = logging.getLogger(__name__)
_WORD: Final = re.compile(r"\w{4,}")
_TASK: Final = """\
You sum up what an agent said and did, for the same agent, which goes on from your summary alone.
{fenced}
Keep decisions and their reasons, errors, numbers, names, what people asked for and corrected, and
questions that are still open, oldest first. Add nothing that is not said there.
Answer with plain sentences, at most {words} words: no headings, no JSON, no quotation of this."""


def by_model(model: Model, *, otherwise: Summarise | None = None, reads: int = READS) -> Summarise:
    """What sums records up by asking a model.

    `otherwise` is asked when the model failed or its answer cannot be used, as with
    `lamina.compaction.extract`; without it the compaction is refused. What has more tokens than it
    `reads` is extracted first.
    """

    def summarise(records: Sequence[Record], most_tokens: int, /) -> str:
        try:
            return _asked(model, records, most_tokens, reads)
        except Exception as error:  # models of others fail in ways of their own
            if otherwise is None:
                raise
            why = error.message if isinstance(error, LaminaError) else error
            _log.warning("the rules sum up in the place of %s: %s", model.name, why)
            return otherwise(records, most_tokens)

    return summarise


def _asked(model: Model, records: Sequence[Record], most_tokens: int, reads: int) -> str:
    fence = Fence()
    words = max(_LEAST_WORDS, round(most_tokens * _WORDS_FOR_TOKENS))
    task, shown = (
        _TASK.format(fenced=fence.words("data to be summed up"), words=words),
        _shown(records, reads),
    )
    messages: list[Message] = [
        {"role": "system", "content": task},
        {"role": "user", "content": fence.around(shown)},
    ]
    # Cut off in the middle it is of no use: what may be a little longer may be said to its end.
    reply = model.chat(messages, max_tokens=round(most_tokens * SLACK))
    check_summary(reply.text, records, most_tokens)
    if not reply.is_whole:
        raise refused("was cut off by the model")
    if fence.secret in reply.text:
        raise refused("holds the marker of the question")
    if any(line in reply.text for line in task.splitlines()):
        raise refused("is the question itself")
    if _known(reply.text, shown) < _KNOWN:
        raise refused("speaks of something else")
    return reply.text.strip()


def _shown(records: Sequence[Record], reads: int) -> str:
    lines = [f"[{when(one.created_at)} {one.kind}] {hidden(one.text)}" for one in records]
    told = "\n".join(lines)
    return told if estimate_tokens(told) <= reads else extract(records, reads)


def _known(told: str, shown: str) -> float:
    """The share of the words of a summary that were said, whatever their ending."""
    words = [word[:_STEM].casefold() for word in _WORD.findall(told)]
    said = {word[:_STEM].casefold() for word in _WORD.findall(shown)}
    return sum(word in said for word in words) / len(words) if words else 0.0
