"""What a log or a session says in short: picked out by rule, never worded anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from lamina.compaction.sayings import BEFORE, ERRORS, SORTS, sayings, when
from lamina.core.sealed import REDACTED, REFERENCE
from lamina.core.text import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.compaction.sayings import Said
    from lamina.core.record import Record

_NAMES: Final = {"log": "entries", "session": "messages"}
_MOST_TOOLS: Final = 10
_LONGEST_NAME: Final = 60


def extract(records: Sequence[Record], most_tokens: int) -> str:
    """When, how many of what kind, and then what is worth keeping, oldest first in each sort.

    `records` are oldest first. Each sentence stands once; of what is left out the number is told.
    """
    head = "\n".join(_head(records))
    room = most_tokens - estimate_tokens(head)
    return "\n".join([head, *_sections(_gathered(records), room)])


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


def _sections(sorts: dict[str, list[Said]], room: int) -> Iterator[str]:
    """What there is to tell, each sort within its share of the room."""
    told = [(sort, said) for sort, said in sorts.items() if said]
    for done, (sort, said) in enumerate(told):
        share = room // (len(told) - done)
        lines = _section(sort, said, share)
        if lines:
            room -= estimate_tokens("\n".join(lines)) + 1
            yield from lines


def _section(sort: str, said: list[Said], room: int) -> list[str]:
    """One sort: the weightiest of it that fit, as they were said."""
    left = room - estimate_tokens(f"{sort}:\n- and 10000 more")
    chosen = []
    # Of what was said at one instant the order tells which is newer.
    said.sort(key=lambda one: one.last)
    order = {id(one): place for place, one in enumerate(said)}
    for one in sorted(said, key=lambda one: (_weight(sort, one), order[id(one)]), reverse=True):
        price = estimate_tokens(one.shown()) + 1
        if price > left:
            break
        left -= price
        chosen.append(one)
    if not chosen:
        return []
    chosen.sort(key=lambda one: order[id(one)])
    more = [f"- and {len(said) - len(chosen)} more"] if len(chosen) < len(said) else []
    return [f"{sort}:", *(one.shown() for one in chosen), *more]


def _weight(sort: str, said: Said) -> int:
    """What went wrong last counts most; of all else, what tells figures and names."""
    return 0 if sort in (ERRORS, BEFORE) else said.figures
