"""A session that has become long: its older messages give way to a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.compaction.archiving import ARCHIVE_ID, AT_ONCE, KEPT, LAST, Plan, name_of, weight
from lamina.compaction.checking import summarised
from lamina.compaction.pairing import pairs, whole
from lamina.compaction.relevance import scores
from lamina.compaction.sayings import is_summary
from lamina.compaction.timing import RELEVANT
from lamina.compaction.unfinished import needed
from lamina.core.record import State
from lamina.core.text import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.compaction.checking import Summarise
    from lamina.compaction.timing import Limits
    from lamina.core.record import Record
    from lamina.core.scope import Scope

_SHARE: Final = 0.1
_LEAST, _MOST = 200, 2_000
"""How many tokens a summary may have."""
_RELEVANT_SHARE: Final = 20
"""What stays beyond the last messages has a twentieth of the threshold, at most."""


def live(messages: Sequence[Record]) -> list[Record]:
    """The last summary first, and then what it does not speak of.

    What a summary of ours replaced is archived; one that somebody wrote stands for all before it.
    """
    place = max((n for n, one in enumerate(messages) if one.kind == "summary"), default=None)
    if place is None:
        return list(messages)
    before = messages[:place] if ARCHIVE_ID in messages[place].data else []
    return [messages[place], *before, *messages[place + 1 :]]


def as_archived(messages: Sequence[Record]) -> list[Record]:
    """A whole transcript with the states its messages had, as its summaries tell them."""
    gone: set[int] = set()
    for place, summary in enumerate(messages):
        if summary.kind != "summary" or ARCHIVE_ID not in summary.data:
            continue
        kept, last = summary.data.get(KEPT), summary.data.get(LAST)
        stays = set(map(str, kept)) if isinstance(kept, list) else set()
        names = [name_of(one) for one in messages[:place]]
        if last in names:
            until = place - 1 - names[::-1].index(last)
            gone |= {n for n in range(until + 1) if names[n] not in stays}
    return [
        replace(one, state=State.ARCHIVED) if n in gone else one for n, one in enumerate(messages)
    ]


def chosen(messages: Sequence[Record], about: frozenset[str], limits: Limits) -> set[int]:
    """The places of the messages that stay: the last ones, and a few that still matter.

    A call of a tool and its result stay together, and with them what an unfinished run needs.
    """
    older = max(0, len(messages) - limits.keep)
    stays = whole(set(range(older, len(messages))), messages) | needed(messages)
    room = limits.compact_at // _RELEVANT_SHARE
    ranked = sorted(enumerate(scores(messages, about)[:older]), key=lambda one: (-one[1], -one[0]))
    many = 0
    for place, score in ranked:
        message = messages[place]
        if score < RELEVANT or many >= max(1, limits.keep // 2):
            break
        if message.kind in ("user", "assistant") and message.tokens <= room and place not in stays:
            stays.add(place)
            room -= message.tokens
            many += 1
    return stays


def plan(
    messages: Sequence[Record],
    place: Scope,
    stays: set[int],
    why: str,
    summarise: Summarise | None = None,
) -> Plan | None:
    """What compacting would do; nothing, when nothing but a summary would go."""
    going = [one for number, one in enumerate(messages) if number not in stays][:AT_ONCE]
    if all(is_summary(one) for one in going):
        return None
    gone = {one.id for one in going}
    room = max(_LEAST, min(_MOST, round(weight(going) * _SHARE)))
    going.sort(key=lambda one: one.created_at)
    return Plan(
        "session", place, tuple(going), tuple(one for one in messages if one.id not in gone),
        summarised(going, room, summarise), why,
    )  # fmt: skip


def pruned(messages: Sequence[Record], keep: int) -> list[Record]:
    """The messages as they go before a model: of results of tools only the last ones are whole."""
    results = [n for n, message in enumerate(messages) if message.kind == "tool_result"]
    old = set(results[: max(0, len(results) - keep)])
    calls = pairs(messages)
    return [
        _noted(message, messages[calls[n]] if n in calls else None) if n in old else message
        for n, message in enumerate(messages)
    ]


def _noted(result: Record, call: Record | None) -> Record:
    """A result with a note in place of its text, unless the text is as short."""
    said = call or result
    tool = str(said.data.get("tool", "a tool"))[:60]
    note = f"[result of {tool} left out: {result.tokens:,} tokens, message {result.id}]"
    tokens = estimate_tokens(note)
    return result if result.tokens <= tokens else replace(result, text=note, tokens=tokens)
