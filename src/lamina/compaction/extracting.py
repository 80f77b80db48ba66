"""What a log or a session says in short: picked out by rule, never worded anew."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from lamina.compaction.sayings import BEFORE, ERRORS, QUESTIONS, SORTS, sayings, when
from lamina.core.sealed import REDACTED, REFERENCE
from lamina.core.text import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.compaction.sayings import Said
    from lamina.core.record import Record

_NAMES: Final = {"log": "entries", "session": "messages"}
_MOST_TOOLS: Final = 10
_LONGEST_NAME: Final = 60
_PASSES: Final = 3
_SHORTEST: Final = 12
"""No line of a summary takes fewer tokens."""


def extract(records: Sequence[Record], most_tokens: int) -> str:
    """When, how many of what kind, and then what is worth keeping, oldest first in each sort.

    `records` are oldest first. Each sentence stands once; of what is left out the number is told.
    """
    head = list(_head(records))
    choice = _Choice(_gathered(records))
    told = "\n".join(head)
    for _ in range(_PASSES):
        # Line by line more is reckoned than the whole takes; that room is used as well.
        if not choice.fill(most_tokens - estimate_tokens(told)):
            break
        told = "\n".join([*head, *choice.lines()])
    return told


def _head(records: Sequence[Record]) -> Iterator[str]:
    first, last = records[0], records[-1]
    kinds = Counter(record.kind for record in records)
    yield (
        f"{len(records)} {_NAMES.get(first.layer, 'records')} from {when(first.created_at)} to"
        f" {when(last.created_at)} UTC:"
        f" {', '.join(f'{many} {kind}' for kind, many in sorted(kinds.items()))}"
    )
    tools = Counter(tool for record in records if (tool := _tool(record)))
    if tools:
        yield f"Tools: {', '.join(f'{tool} {n}' for tool, n in tools.most_common(_MOST_TOOLS))}"


def _tool(record: Record) -> str:
    """The name of the tool that a record says was used."""
    # A session tells of each use twice: when it was asked for, and what came of it.
    named = record.data.get("tool") if record.kind != "tool_result" else None
    return " ".join(REFERENCE.sub(REDACTED, str(named)).split())[:_LONGEST_NAME] if named else ""


def _gathered(records: Sequence[Record]) -> dict[str, list[Said]]:
    """What is worth keeping, by its sort, each sentence once, with when it was said last."""
    found: dict[str, Said] = {}
    for record in records:
        for said in sayings(record):
            known = found.pop(said.text.casefold(), None)
            if known is not None:
                said.times += known.times
                # A sentence belongs where it was most: what a person said is not a figure.
                said.sort = min(known.sort, said.sort, key=SORTS.index)
            found[said.text.casefold()] = said
    sorts: dict[str, list[Said]] = {sort: [] for sort in SORTS}
    for said in found.values():
        sorts[said.sort].append(said)
    return sorts


class _Choice:
    """What is told of what there is to tell, as far as there is room for it."""

    def __init__(self, sorts: dict[str, list[Said]]) -> None:
        self._sorts = {sort: said for sort, said in sorts.items() if said}
        self._waiting = {sort: _ranked(sort, said) for sort, said in self._sorts.items()}
        self._chosen: dict[str, set[int]] = {sort: set() for sort in self._sorts}

    def fill(self, room: int) -> bool:
        """Choose in turns one sentence of each sort, the weightiest first; whether any was.

        So every sort has its say where there is little room, and none is kept small where there is
        much.
        """
        before = room
        too_long: dict[str, list[Said]] = {sort: [] for sort in self._sorts}
        while room > _SHORTEST and any(self._waiting.values()):
            for sort, queue in self._waiting.items():
                if not queue:
                    continue
                one = queue.popleft()
                price = self._price(sort, one)
                if price > room:
                    too_long[sort].append(one)
                    continue
                room -= price
                self._chosen[sort].add(id(one))
        for sort, skipped in too_long.items():
            self._waiting[sort].extendleft(reversed(skipped))
        return room < before

    def _price(self, sort: str, one: Said) -> int:
        said = self._sorts[sort]
        beside = f"{sort}:\n- and {len(said)} more" if len(said) > 1 else f"{sort}:"
        title = 0 if self._chosen[sort] else estimate_tokens(beside) + 1
        return estimate_tokens(one.shown()) + 1 + title

    def lines(self) -> Iterator[str]:
        """The sorts and what was chosen of each, as it was said."""
        for sort, places in self._chosen.items():
            if places:
                more = len(self._sorts[sort]) - len(places)
                yield f"{sort}:"
                yield from (one.shown() for one in self._sorts[sort] if id(one) in places)
                yield from [f"- and {more} more"] if more else []


def _ranked(sort: str, said: list[Said]) -> deque[Said]:
    """The sentences of one sort, what is to be told first at the front."""
    # Of what was said at one instant the order tells which is newer.
    said.sort(key=lambda one: one.last)
    first: deque[Said] = deque()
    again: deque[Said] = deque()
    forms: set[str] = set()
    heavy = sorted(enumerate(said), key=lambda at: (_weight(sort, at[1]), at[0]), reverse=True)
    for _, one in heavy:
        # What differs from another in its figures alone tells less than something else.
        (again if one.form in forms else first).append(one)
        forms.add(one.form)
    return first + again


def _weight(sort: str, said: Said) -> int:
    """What went wrong or was asked last counts most; of all else, what tells figures and names."""
    return 0 if sort in (ERRORS, QUESTIONS, BEFORE) else said.figures
