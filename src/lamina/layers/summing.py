"""What a log says in short: picked out of its entries by rule, never worded anew."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.sealed import REDACTED, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from lamina.core.record import Record

SHARE: Final = 0.1
"""How much of a log its summary may be."""
_LEAST_BYTES: Final = 1_000
_LONGEST_LINE: Final = 160
_DECISION: Final = re.compile(r"\b(decid|decision|chose|instead of|agreed|from now on)", re.I)


def size(entries: Iterable[Record]) -> int:
    """How many bytes the texts of these records have."""
    return sum(len(entry.text.encode()) for entry in entries)


def summary(entries: Sequence[Record]) -> str:
    """When, how many of what kind, and then what went wrong, was decided and was said about it.

    `entries` are oldest first. Of what is left out the number is told.
    """
    first, last = entries[0].created_at, entries[-1].created_at
    kinds = Counter(entry.kind for entry in entries)
    head = [
        f"{len(entries)} entries from {_when(first)} to {_when(last)} UTC:"
        f" {', '.join(f'{many} {kind}' for kind, many in sorted(kinds.items()))}"
    ]
    if tools := Counter(str(e.data["tool"]) for e in entries if e.data.get("tool")):
        head.append(f"Tools: {', '.join(f'{_cut(t)} {n}' for t, n in tools.most_common(10))}")
    room = max(_LEAST_BYTES, round(size(entries) * SHARE)) - len("\n".join(head).encode())
    return "\n".join([*head, *_sections(entries, room)])


def _sections(entries: Sequence[Record], room: int) -> Iterator[str]:
    """What there is to tell, each sort within its share of the room."""
    told = [(title, said) for title, belongs in _SORTS if (said := _said(entries, belongs))]
    for done, (title, said) in enumerate(told):
        share = room // (len(told) - done)
        lines = [f"{title}:"]
        for number, one in enumerate(said):
            text = one.shown()
            if len("\n".join([*lines, text]).encode()) > share and number:
                lines.append(f"- and {len(said) - number} more before")
                break
            lines.append(text)
        room -= len("\n".join(lines).encode())
        yield from lines


@dataclass(slots=True)
class _Said:
    """A line that was said, perhaps more than once."""

    text: str
    last: datetime
    times: int = 0

    def shown(self) -> str:
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"- {_when(self.last)} {self.text}{often}"


def _said(entries: Sequence[Record], belongs: Callable[[Record], bool]) -> list[_Said]:
    """Each line once, the newest first."""
    found: dict[str, _Said] = {}
    for entry in reversed(entries):
        if belongs(entry):
            line = _cut(entry.text)
            found.setdefault(line, _Said(line, entry.created_at)).times += 1
    return list(found.values())


def _decides(entry: Record) -> bool:
    return entry.kind in ("THOUGHT", "SYSTEM") and bool(_DECISION.search(entry.text))


_SORTS: Final[tuple[tuple[str, Callable[[Record], bool]], ...]] = (
    ("Errors", lambda entry: entry.kind == "ERROR"),
    ("Said by people", lambda entry: entry.kind == "USER_FEEDBACK"),
    ("Decisions", lambda entry: "archive_id" not in entry.data and _decides(entry)),
    ("Summaries before", lambda entry: "archive_id" in entry.data),
)


def _cut(text: str) -> str:
    """The first line of a text, without references to what is sealed."""
    line = REFERENCE.sub(REDACTED, text.strip().partition("\n")[0])
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def _when(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M")
