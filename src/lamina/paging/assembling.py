"""The assembler: hot state first, then what recall finds in each tier, within the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from lamina import clock
from lamina.core.scope import Scope
from lamina.core.sealed import REFERENCE
from lamina.core.settings import LOG_TAIL, SPLIT
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError
from lamina.paging.context import Context, Entry, LeftOut, render
from lamina.paging.cutting import SHORTEST, cut_to
from lamina.paging.shares import check_split, shared_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.core.record import Record
    from lamina.layers.face import Door

USUAL_BUDGET: Final = 4_000
_SMALLEST: Final = 64
_LARGEST: Final = 10_000_000
_HOT: Final = 0.4
"""The most that hot state may take of a budget while recall wants the rest."""
_HOT_PARTS: Final = {"now": 0.4, "fact": 0.2, "tasks": 0.15, "log": 0.25}
"""How hot state shares its part; what one does not need the next may use."""
_CANDIDATES: Final = 80
_LAYERS: Final = ("knowledge", "fact", "notebook", "episode", "item", "source", "task", "artifact")
_NO_ROOM: Final = "there was no room for it any more"
_SHOWN: Final = "it is shown as hot state already"
_SEALED: Final = "[a sealed secret]"


class ContextOptions(TypedDict, total=False):
    """What may be said about a context."""

    budget: int
    """How many tokens it may take, marks included."""
    split: str | Mapping[str, float] | None
    """How much of what is recalled comes from task, project and global; as `40/40/20`."""
    task: str | None
    """The task at hand: its notes are the first tier."""
    layers: Sequence[str] | None
    """The layers that are searched; sessions only when they are named."""
    hot: bool
    """Whether NOW, facts, open tasks and the tail of the log come first, as is usual."""
    count: Callable[[str], int] | None
    """Counts the tokens of a text, as the model does; estimated otherwise."""


@dataclass(frozen=True, slots=True)
class _Asked:
    budget: int
    shares: dict[str, float]
    layers: list[str]
    hot: bool
    count: Callable[[str], int]


def assemble(door: Door, query: str, options: ContextOptions) -> Context:
    """Build the context of an agent for a question."""
    return _Assembler(door, _asked(door, options)).build(query)


class _Assembler:
    def __init__(self, door: Door, asked: _Asked) -> None:
        self._door = door
        self._asked = asked
        self._count = asked.count
        self._marker = clock.fresh_id()[-10:]
        self._entries: list[Entry] = []
        self._left: list[LeftOut] = []
        self._considered = 0

    def build(self, query: str) -> Context:
        room = self._asked.budget - self._count(render((), self._marker)) - 60
        spent = self._hot(int(room * _HOT)) if self._asked.hot else 0
        shares = self._recalled(query, room - spent) if query.strip() else {}
        entries = self._fitting()
        text = render(entries, self._marker)
        return Context(
            entries, tuple(self._left), self._asked.budget, self._count(text) if text else 0,
            self._considered, shares, self._marker, self._door.principal.name, clock.now(),
        )  # fmt: skip

    # -- hot state

    def _hot(self, room: int) -> int:
        spent = 0
        for part, share in _HOT_PARTS.items():
            most = min(room - spent, int(room * share) + max(0, room - spent) // 4)
            spent += self._fill(part, [(one, None) for one in self._of(part)], most)
        return spent

    def _of(self, part: str) -> list[Record]:
        own, root = self._door.scope.path, (self._door.principal.root or self._door.scope).path
        ask = self._door.query
        match part:
            case "now":
                return ask(
                    {"layer": "now", "scope": own, "kind": {"$in": ["objective", "next_steps"]}}
                )
            case "fact":
                return ask(
                    {"layer": "fact", "scope": {"$in": sorted({own, root, "global"})}}, limit=50
                )
            case "tasks":
                going = {
                    "layer": "task",
                    "scope": root,
                    "data.status": {"$in": ["active", "blocked", "open"]},
                }
                found = ask(going, limit=50)
                return sorted(found, key=lambda one: -_priority(one))
            case _:
                tail = int(self._door.settings()[LOG_TAIL])
                return ask({"layer": "log", "scope": own}, limit=tail)

    # -- what is recalled

    def _recalled(self, query: str, room: int) -> dict[str, int]:
        found = self._door.recall(query, k=_CANDIDATES, layers=self._asked.layers)
        shown = {entry.record.id for entry in self._entries}
        tiers: dict[str, list[tuple[Record, float | None]]] = {}
        for hit in found.hits:
            if hit.record.id in shown:
                self._left.append(LeftOut(hit.record, _SHOWN))
            else:
                tiers.setdefault(_tier(hit.record), []).append((hit.record, hit.score))
        wanted = {
            tier: sum(self._count(_line(record)) + 1 for record, _ in found)
            for tier, found in tiers.items()
        }
        given = shared_out(room, self._asked.shares, wanted)
        return {tier: self._fill(tier, found, given[tier]) for tier, found in tiers.items()}

    def _fill(self, part: str, found: Iterable[tuple[Record, float | None]], most: int) -> int:
        """Show as many as fit, the best first; the first that does not fit may be cut."""
        spent = 0
        for record, score in found:
            line = _line(record)
            tokens = self._count(line) + 1
            self._considered += tokens
            left = most - spent
            shown = (
                line
                if tokens <= left
                else cut_to(line, left - 1, self._count)
                if left > SHORTEST
                else None
            )
            if shown is None:
                self._left.append(LeftOut(record, _NO_ROOM))
                continue
            tokens = self._count(shown) + 1
            spent += tokens
            self._entries.append(Entry(record, part, shown, tokens, score, shown != line))
        return spent

    def _fitting(self) -> tuple[Entry, ...]:
        """What was chosen, less the least likely if estimates of the parts were too low."""
        entries = list(self._entries)
        while entries and self._count(render(tuple(entries), self._marker)) > self._asked.budget:
            last = min(
                range(len(entries)),
                key=lambda n: (entries[n].score is None, entries[n].score or 0.0),
            )
            self._left.append(LeftOut(entries.pop(last).record, _NO_ROOM))
        return tuple(entries)


def _asked(door: Door, options: ContextOptions) -> _Asked:
    unknown = sorted(set(options) - set(ContextOptions.__annotations__))
    if unknown:
        raise InvalidInputError(f"`{unknown[0]:.40}` is not something a context can be told")
    budget = options.get("budget", USUAL_BUDGET)
    if (
        isinstance(budget, bool)
        or not isinstance(budget, int)
        or not _SMALLEST <= budget <= _LARGEST
    ):
        raise InvalidInputError(
            f"`budget` must be a number of tokens from {_SMALLEST} to {_LARGEST:,},"
            f" not {budget!r:.40}"
        )
    split = options.get("split")
    layers = options.get("layers")
    return _Asked(
        budget,
        check_split(door.settings()[SPLIT] if split is None else split),
        list(_LAYERS if layers is None else layers),
        options.get("hot", True),
        options.get("count") or estimate_tokens,
    )


def _tier(record: Record) -> str:
    scope = Scope.of(record.scope)
    if scope.part("task") is not None:
        return "task"
    return "global" if scope.stream == "global" else "project"


def _line(record: Record) -> str:
    """One memory with when, by whom and how far it is believed."""
    label = f"{record.updated_at:%Y-%m-%d} {record.source}/{record.trust.value}"
    name = f"{record.key}: " if record.key and record.layer != "session" else ""
    text = REFERENCE.sub(_SEALED, record.text).strip().replace("\n", "\n  ")
    return f"- [{label}] {name}{text}"


def _priority(record: Record) -> float:
    urgent: Any = record.data.get("priority", 0)
    return float(urgent) if isinstance(urgent, int | float) else 0.0
