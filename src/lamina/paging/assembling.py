"""The assembler: hot state first, then what recall finds in each tier, within the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.shares import TIERS, shared_out
from lamina.layers.splits import Splits
from lamina.paging.asking import Asked, ContextOptions, asked
from lamina.paging.choosing import Candidate, Chosen
from lamina.paging.context import BLOCKS, Context, Entry, Head, as_blocks, as_text
from lamina.paging.hot import LONGEST, MEMORY_SHARE, SHARES, hot_state
from lamina.paging.lines import line_of
from lamina.paging.parts import Reasons
from lamina.paging.shown import remember_shown
from lamina.paging.tiers import found_by, in_tiers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.layers.face import Door
    from lamina.recalling import Recalls
    from lamina.results import Hit

_HALVES: Final = {"hot": 0.4, "recalled": 0.6}
"""How a context is shared by what is always shown and what was asked for."""
_TITLE: Final = 8
"""What the title of a part takes at most."""
_MARKER: Final = 12

Parts = dict[str, list[Candidate]]


_NAMED: Final = ("now", "log", "fact")


def assemble(door: Door, recalls: Recalls, query: str, options: ContextOptions) -> Context:
    """Build the context of an agent for a question; without one, of hot state alone."""
    return _Assembler(door, recalls, asked(door, options)).build(query)


class _Assembler:
    def __init__(self, door: Door, recalls: Recalls, wanted: Asked) -> None:
        self._door = door
        self._recalls = recalls
        self._asked = wanted
        self._chosen = Chosen(wanted.count)
        self._rooms: dict[str, int] = {}
        self._lacking: list[str] = []
        marker = clock.fresh_salt().hex()[:_MARKER]
        self._head = Head(
            marker, door.principal.name, clock.now(), always=_NAMED if wanted.empty else ()
        )

    def build(self, query: str) -> Context:
        """Gather, share the room out, fill it, and see that it fits."""
        hot = self._hot() if self._asked.hot else {}
        hits, lacking = found_by(self._door, self._recalls, query, self._asked)
        self._lacking += lacking
        tiers = in_tiers(self._door, hits, self._asked)
        parts = [name for name, found in (hot | tiers).items() if found]
        frame = self._count_of((), replace(self._head, always=("now",)))
        room = max(0, self._asked.budget - frame - _TITLE * len(parts))
        if "memory" in hot:
            hot["memory"] = self._within(hot["memory"], int(room * MEMORY_SHARE))
        wanted = {"hot": _tokens(hot), "recalled": _tokens(tiers)}
        self._fill(hot, SHARES, shared_out(room, _HALVES, wanted)["hot"])
        # What hot state could make no use of goes to what was asked for.
        self._fill(tiers, self._asked.split, room - self._chosen.spent)
        context = self._fitted()
        self._hand_out(query, context, hits)
        return context

    def _hot(self) -> Parts:
        """What there is of hot state, each entry short enough."""
        found: Parts = {}
        more: set[str] = set()
        for name, part in hot_state(self._door, self._asked.session).items():
            more |= {name} if part.has_more else set()
            found[name] = [
                Candidate(one, line_of(one, self._asked.count), name, longest=LONGEST)
                for one in part.records
            ]
            self._lacking += [part.lacks] if part.lacks else []
            for record, why in part.left:
                self._chosen.leave(record, why)
        self._head = replace(self._head, more=frozenset(more))
        return found

    def _within(self, candidates: list[Candidate], most: int) -> list[Candidate]:
        """The first ones, as far as they have room together."""
        left, fitting = most, []
        for one in candidates:
            left -= one.tokens
            if left >= 0:
                fitting.append(one)
                continue
            self._chosen.crowded.add(one.part)
            self._chosen.leave(one.record, Reasons.NO_ROOM)
        return fitting

    def _fill(self, parts: Parts, shares: Mapping[str, float], room: int) -> None:
        """Show as many as fit of each part; what one leaves over, others may use."""
        wanted = {name: _tokens({name: found}) for name, found in parts.items()}
        portions = shared_out(room, shares, wanted)
        self._rooms |= {name: int(room * share) for name, share in shares.items()}
        before = self._chosen.spent
        missed: list[Candidate] = []
        for name in shares:
            missed += self._chosen.take(parts.get(name, []), portions[name])
        missed.sort(key=lambda one: -(one.score or 0.0))
        self._chosen.take_rest(missed, room - (self._chosen.spent - before))

    def _fitted(self) -> Context:
        """What was chosen, less the least likely where the parts together take more than each."""
        entries = self._chosen.in_order()
        while True:
            crowded = self._chosen.crowded & SHARES.keys()
            head = replace(self._head, more=self._head.more | crowded)
            tokens = self._count_of(entries, head)
            if tokens <= self._asked.budget or not entries:
                break
            self._chosen.drop(entries, tokens - self._asked.budget)
        return Context(
            tuple(entries), self._chosen.left_out(), self._asked.budget, tokens,
            self._chosen.considered, dict(self._asked.split), self._asked.origin, head, self._tell,
            self._rooms, tuple(self._lacking),
        )  # fmt: skip

    def _count_of(self, entries: Sequence[Entry], head: Head) -> int:
        shown = as_blocks if self._asked.form == BLOCKS else as_text
        text = shown(entries, head)
        return self._asked.count(text) if text else 0

    def _hand_out(self, query: str, context: Context, hits: Sequence[Hit]) -> None:
        """Count what is shown as handed out, and know it again when it comes back."""
        shown = set(context.ids)
        self._recalls.hand_out(query, [hit for hit in hits if hit.record.id in shown])
        remember_shown(self._door, context.entries)

    def _tell(self, shown: Sequence[Entry], used: Sequence[Entry]) -> None:
        self._recalls.count_use([entry.record.id for entry in used])
        if self._asked.teaches:
            Splits(self._door, self._door.scope).tell(_by_tier(shown), _by_tier(used))


def _tokens(parts: Parts) -> int:
    return sum(one.tokens for found in parts.values() for one in found)


def _by_tier(entries: Sequence[Entry]) -> dict[str, int]:
    return {tier: sum(entry.part == tier for entry in entries) for tier in TIERS}
