"""What is worth keeping of what was said: sentences, each with the sort it belongs to.

Decided by rule, never worded anew: what people asked and corrected, decisions, errors, questions,
and sentences with figures and names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from lamina.core.sealed import REDACTED, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.record import Record

CORRECTED: Final = "Corrected by people"
PEOPLE: Final = "Said by people"
DECISIONS: Final = "Decisions"
ERRORS: Final = "Errors"
QUESTIONS: Final = "Questions"
FIGURES: Final = "Figures and names"
BEFORE: Final = "Summaries before"
SORTS: Final = (CORRECTED, PEOPLE, DECISIONS, ERRORS, QUESTIONS, FIGURES, BEFORE)
"""In the order in which a summary tells them; the first ones get their room first."""

_HEAD, _TAIL = 4_000, 2_000
"""Of a longer text nobody reads more: how it begins, and how it ends."""
_LONGEST: Final = 200
_NO_NEWS: Final = "Traceback (most recent call last)"
"""The first line of every trace; what went wrong stands elsewhere."""
_SENTENCE: Final = re.compile(
    # A full stop within a word or before a figure ends nothing: "v1.2", "No. 7".
    r"[^\n.!?。！？]+"
    r"(?:(?:[.!?]+(?=[^\s\"')\]])|\.(?=[ ]\d)|(?<=\d)\.(?=[ ][a-zäöü]))[^\n.!?。！？]*)*"
    r"[.!?。！？]*"
)
_DECIDES: Final = re.compile(
    r"\b(?:decid|decision|chose|instead of|agreed|from now on|we will use|settled on|opted|go with"
    r"|going with|entschied|entscheidung|beschlossen|vereinbart|ab jetzt|stattdessen)"
    r"|决定|选择了|改用|采用|同意",
    re.I,
)
_CORRECTS: Final = re.compile(
    r"^(?:no|nope|wrong|wait|nein|falsch)\b|, (?:not|nicht|sondern)\b"
    r"|\b(?:actually|instead|i meant|correction|not correct|(?:is|was|were) wrong|scratch that"
    r"|chang(?:ed?|ing) my mind|my mistake|should (?:be|have)|rather than|from now on|no longer"
    r"|never|stop \w+ing|do not|don't"
    r"|eigentlich|stimmt nicht|doch nicht|ich meinte|korrektur|nicht mehr|ab jetzt|niemals)\b"
    r"|不对|错了|应该是|更正|其实|不要|不再",
    re.I,
)
_FAILS: Final = re.compile(
    r"(?<!\b0 )(?<!\bno )\b(?:\w*errors?|\w*exceptions?|traceback|fail(?:s|ed|ing|ures?)?"
    r"|fatal|refused|denied|time(?:d |-)?out|panic|crash(?:ed|es|ing)?|could not|couldn't|unable to"
    r"|\w*fehler|fehlgeschlagen|(?:ge)?scheiter[tn]|abgelehnt|abgestürzt|zeitüberschreitung)\b"
    r"|错误|失败|异常|超时|拒绝|崩溃",
    re.I,
)
_THANKS: Final = re.compile(r"[A-Z]?[a-z]{1,10}[.!]*")
"""A word by itself, and no name of anything: it tells nothing without what it answers."""
_DIGITS: Final = re.compile(r"\d+")
_ASKS: Final = ("?", "？")
_FIGURE: Final = re.compile(
    r"\d+(?:[.,:]\d+)*|(?<=[a-z,;] )[A-Z][\w-]+|\b\w+(?:[._/-]\w+)+\b|`[^`]+`|\b[A-Z]{2,}\b"
)
_TOLD: Final = re.compile(r"- (\d{4}-\d\d-\d\d \d\d:\d\d) (.*?)(?: \((\d{1,9}) times\))?$")
HOSTILE: Final = re.compile(
    r"```|={3,}|<\|[^|]{0,40}\||</?(?:system|memory|context|assistant|user)\b"
    r"|^\s*(?:system|assistant)\s*:|\byou are now\b|\bnew instructions\b"
    r"|\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|all)\b"
    r".{0,20}\b(?:instructions?|rules|messages|prompts?)\b",
    re.I | re.M,
)
"""What a summary does not repeat: it would be read as something other than a summary."""


@dataclass(slots=True)
class Said:
    """A sentence that was said, perhaps more than once."""

    sort: str
    text: str
    last: datetime
    times: int = 1

    @property
    def figures(self) -> int:
        """How many figures and names it has, as far as that tells anything."""
        return min(3, len(_FIGURE.findall(self.text)))

    @property
    def form(self) -> str:
        """What it has in common with sentences that only tell other figures."""
        return _DIGITS.sub("0", self.text.casefold())

    def shown(self) -> str:
        """The line of a summary."""
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"- {when(self.last)} {self.text}{often}"


def when(instant: datetime) -> str:
    """An instant as summaries tell it."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def is_summary(record: Record) -> bool:
    """Whether a record is itself the summary of others."""
    return record.kind == "summary" or (record.layer == "log" and "archive_id" in record.data)


def sayings(record: Record) -> Iterator[Said]:
    """What of a record may stand in a summary."""
    if is_summary(record):
        yield from _told_before(record)
        return
    for number, sentence in enumerate(_sentences(record.text)):
        if sentence.startswith(_NO_NEWS):
            continue
        sort = _sort(record, sentence, is_first=number == 0)
        if sort and not HOSTILE.search(sentence):
            yield Said(sort, sentence, record.created_at)


def _sort(record: Record, sentence: str, *, is_first: bool) -> str:
    """The sort that a sentence belongs to; none, when it is not worth keeping."""
    if record.kind in ("user", "USER_FEEDBACK"):
        if sentence.endswith(_ASKS):
            return QUESTIONS
        if _CORRECTS.search(sentence):
            return CORRECTED
        return "" if _THANKS.fullmatch(sentence) else PEOPLE
    if record.kind == "ERROR" or record.data.get("is_error") is True:
        return ERRORS if is_first or _FAILS.search(sentence) else ""
    if record.kind != "tool_result" and _DECIDES.search(sentence):
        return DECISIONS
    if record.kind in ("assistant", "tool_result") and _FAILS.search(sentence):
        return ERRORS
    if sentence.endswith(_ASKS) and record.kind == "assistant":
        return QUESTIONS
    known = record.kind in ("assistant", "tool_result", "THOUGHT", "SYSTEM")
    return FIGURES if known and _FIGURE.search(sentence) else ""


def _sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text, without references to what is sealed."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    for found in _SENTENCE.finditer(REFERENCE.sub(REDACTED, text)):
        sentence = " ".join(found[0].split())
        if any(map(str.isalnum, sentence)):
            yield sentence if len(sentence) <= _LONGEST else sentence[: _LONGEST - 1] + "…"


def _told_before(record: Record) -> Iterator[Said]:
    """The lines of an earlier summary, in the sorts it had them in."""
    sort, at = BEFORE, record.created_at
    for line in REFERENCE.sub(REDACTED, record.text).splitlines():
        title = line.removesuffix(":")
        if title in SORTS and line.endswith(":"):
            sort = title
        elif found := _TOLD.fullmatch(line):
            if not HOSTILE.search(found[2]):
                yield Said(sort, found[2][:_LONGEST], _at(found[1], at), int(found[3] or 1))
        elif not line.startswith(("- and ", "Tools: ")):
            for sentence in _sentences(line):
                if not HOSTILE.search(sentence):
                    yield Said(BEFORE, sentence, at)


def _at(text: str, otherwise: datetime) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return otherwise
