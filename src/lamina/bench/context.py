"""How much of what a question needs is in a context of a given size, and how long that takes.

Each store of a set is told its documents and asked its questions. A question counts where its
evidence is among the entries that are shown whole. Next to it stand two plain ways of filling the
same budget, with the same labels and marks: what was said last, and what is nearest by vector.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np

from lamina import clock
from lamina.bench.asking import embedder
from lamina.bench.filling import Filled
from lamina.bench.measure import Phase, Spread, machine
from lamina.bench.mix import Mix
from lamina.bench.sets import Collection, Question, load
from lamina.bench.telling import Told, told
from lamina.bench.texts import BLOCK, Texts
from lamina.core.embedder_spec import DEFAULT, check_spec
from lamina.core.indexing import embedded_text
from lamina.core.record import Record
from lamina.core.text import estimate_tokens
from lamina.embedders.protocol import Role
from lamina.errors import InvalidInputError
from lamina.layers.face import every
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.paging.context import Head, as_text
from lamina.paging.lines import line_of

BUDGETS: Final = (1_000, 2_000, 4_000, 8_000)
OURS, RECENT, NEAREST = "lamina", "recent", "vector"
_WARM: Final = 10
_ROUNDS: Final = ("any", "all")
_PROJECT: Final = "bench"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    data: Path | None
    sets: tuple[str, ...] = ("locomo",)
    limit: int | None = None
    """How many questions of each set."""
    records: int = 0
    """How large the store is in which contexts are timed; none where it is 0."""
    embedder: str = DEFAULT
    each: int = 20
    """How many contexts are timed for each of six sorts of questions."""
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise InvalidInputError(f"`limit_queries` must be at least 1, not {self.limit}")
        if not 0 <= self.records <= 10_000_000:
            raise InvalidInputError(f"`records` must be from 0 to 10,000,000, not {self.records}")
        check_spec(self.embedder)


def measure(plan: Plan, phase: Phase) -> dict[str, Any]:
    """Measure in scratch stores, which are removed afterwards."""
    found: dict[str, Any] = {
        "embedder": plan.embedder, "budgets": list(BUDGETS), "limit_queries": plan.limit,
        "sets": {}, "machine": machine(),
    }  # fmt: skip
    chosen = load(plan.data, plan.sets) if plan.data is not None else []
    for one in (each.sampled(plan.limit) for each in chosen):
        scores = _Scores()
        with phase(one.name, len(one.collections)) as advance:
            for number, collection in enumerate(one.collections, 1):
                _ask(collection, plan, scores)
                advance(number)
        found["sets"][one.name] = scores.to_json()
    if plan.records:
        found["speed"] = _timed(plan, phase)
    return found


@dataclass(slots=True)
class _Scores:
    """What was found, by way and budget."""

    questions: int = 0
    rows: dict[tuple[str, int, str], list[float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def take(self, way: str, budget: int, question: Question, shown: set[str]) -> None:
        inside = question.gold & shown
        for name, is_inside in (("any", bool(inside)), ("all", inside == question.gold)):
            self.rows.setdefault((way, budget, name), []).append(float(is_inside))

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"questions": self.questions}
        for name in _ROUNDS:
            found[name] = {str(budget): self._at(budget, name) for budget in BUDGETS}
        if self.seconds:
            found["ms_p50"] = Spread.of(self.seconds).p50_ms
        return found

    def _at(self, budget: int, name: str) -> dict[str, float]:
        means = {
            way: round(fmean(self.rows.get((way, budget, name), [0.0])), 4)
            for way in (OURS, RECENT, NEAREST)
        }
        best = max(means[RECENT], means[NEAREST])
        return {**means, "ratio": round(means[OURS] / best, 3) if best else 0.0}


def _ask(collection: Collection, plan: Plan, scores: _Scores) -> None:
    answered = [one for one in collection.questions if one.gold]
    if not answered:
        return
    with (
        tempfile.TemporaryDirectory(prefix="lamina-bench-", dir=plan.folder) as folder,
        told(Path(folder), collection, plan.embedder, lambda share: None) as store,
    ):
        plain = _Plain(store, plan.embedder, [one.text for one in answered])
        mem = store.mem.project(_PROJECT)
        for number, question in enumerate(answered):
            scores.questions += 1
            for budget in BUDGETS:
                start = clock.stopwatch()
                context = mem.context(
                    question.text, budget=budget, layers=store.layers, now=collection.newest
                )
                scores.seconds.append(clock.stopwatch() - start)
                whole = {one.record.id for one in context.entries if not one.is_cut}
                shown = {store.documents[one] for one in whole if one in store.documents}
                scores.take(OURS, budget, question, shown)
                for way, order in ((RECENT, plain.recent), (NEAREST, plain.nearest[number])):
                    scores.take(way, budget, question, plain.fitting(order, budget))


class _Plain:
    """The documents of a store in two plain orders, as lines like those of a context."""

    def __init__(self, store: Told, spec: str, questions: Sequence[str]) -> None:
        records = _records(store)
        count = estimate_tokens
        self._documents = [store.documents[one.id] for one in records]
        self._tokens = [line_of(one, count).tokens for one in records]
        head = Head("0" * 12, _PROJECT, clock.now(), always=("project",))
        self._frame = count(as_text((), head))
        when = [(one.valid_from or one.created_at, number) for number, one in enumerate(records)]
        self.recent = [number for _, number in sorted(when, reverse=True)]
        self.nearest = _nearest(records, spec, questions)

    def fitting(self, order: Sequence[int], budget: int) -> set[str]:
        """The documents that fit, in their order; one that is too long makes room for others."""
        left, shown = budget - self._frame, set()
        for number in order:
            if self._tokens[number] <= left:
                left -= self._tokens[number]
                shown.add(self._documents[number])
            if left < 10:
                break
        return shown


def _records(store: Told) -> list[Record]:
    found = every(store.mem, {"layer": {"$in": list(store.layers)}})
    return [one for one in found if one.id in store.documents]


def _nearest(records: Sequence[Record], spec: str, questions: Sequence[str]) -> list[list[int]]:
    """For each question every document, the nearest first."""
    model = embedder(spec)
    texts = [embedded_text(one) for one in records]
    rows = np.vstack(
        [model.embed(texts[n : n + 256], Role.DOCUMENT) for n in range(0, len(texts), 256)]
    )
    asked = model.embed(list(questions), Role.QUERY)
    return [list(np.argsort(-(rows @ one), kind="stable")) for one in asked]


def _timed(plan: Plan, phase: Phase) -> dict[str, Any]:
    """How long a context takes in a large store, of which one project is a quarter."""
    texts = Texts()
    scratch = tempfile.TemporaryDirectory(prefix="lamina-bench-", dir=plan.folder)
    with scratch as folder:
        store = Filled(Path(folder) / "store", texts, "static")
        store.grow(plan.records, phase)
        with open_memory(store.folder) as mem, phase("Contexts", 1) as advance:
            agent = _at_work(mem)
            asked = Mix(texts, min(plan.records, BLOCK)).questions(plan.each)
            times = [_seconds(agent.context, one.text) for one in [*asked[:_WARM], *asked]]
            advance(1)
            spread = Spread.of(times[_WARM:])
            seen = agent.count()
    return {
        "records": plan.records, "seen_by_the_agent": seen, "contexts": len(asked),
        "p50_ms": spread.p50_ms, "p99_ms": spread.p99_ms, "worst_ms": spread.worst_ms,
    }  # fmt: skip


def _at_work(mem: Memory) -> Memory:
    """An agent with everything that hot state is made of."""
    [some] = mem.query({"layer": "knowledge"}, limit=1)
    agent = mem.agent("finn", project=some.scope.split("/")[1])
    agent.now.update("Ship the parser", ["write it", "test it", "ship it"])
    for number in range(30):
        agent.log.thought(f"step {number} of the parser went well")
        agent.fact.save(f"fact-{number}", f"value number {number}")
        agent.task.add(f"t-{number}", f"Do the part number {number}")
        agent.knowledge.put("decision", f"decision-{number}", f"The part {number} is done by hand")
    return agent


def _seconds(ask: Callable[[str], object], question: str) -> float:
    start = clock.stopwatch()
    ask(question)
    return clock.stopwatch() - start
