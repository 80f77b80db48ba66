"""How fast a store is as it grows: writing, indexing, opening, recalling, next to a plain search.

One store is brought from size to size and measured at each. Whoever asks does so in a process of
its own, and what is compared is asked the same questions over the same texts and vectors.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from lamina import clock
from lamina.bench.asking import embedder
from lamina.bench.crowds import Child
from lamina.bench.filling import Filled, following
from lamina.bench.measure import Phase, Spread, check_disk, machine, ratio
from lamina.bench.mix import EACH, Asked, Mix
from lamina.bench.plain import PlainFiles
from lamina.bench.texts import BLOCK, Texts
from lamina.core.embedder_spec import DEFAULT
from lamina.errors import InvalidInputError

STEPS: Final = (10_000, 100_000, 1_000_000)
MOST: Final = 10_000_000
_WARM: Final = 5
_WARM_SEED: Final = 5
_NEAREST: Final = 100
_FOLLOWED: Final = 1_000
_MANY: Final = BLOCK


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    steps: tuple[int, ...] = STEPS
    """The sizes at which to stop and measure, each greater than the one before."""
    embedder: str = "static"
    each: int = EACH
    """How many questions of each sort."""

    def __post_init__(self) -> None:
        rising = all(one < two for one, two in zip(self.steps, self.steps[1:], strict=False))
        if not self.steps or not rising or not 1 <= self.steps[0] <= self.steps[-1] <= MOST:
            raise InvalidInputError(
                f"`steps` must rise within 1 to {MOST:,}: {', '.join(map(str, self.steps))}"
            )
        if self.each < 1:
            raise InvalidInputError(f"`each` must be at least 1, not {self.each}")


@dataclass(slots=True)
class _Run:
    """One run, and where it works."""

    plan: Plan
    phase: Phase
    folder: Path
    texts: Texts = field(default_factory=Texts)

    def measured(self) -> list[dict[str, Any]]:
        """The figures at each size."""
        store = Filled(self.folder / "store", self.texts, self.plan.embedder)
        plain = PlainFiles(self.folder / "plain")
        mix = Mix(self.texts, min(self.plan.steps[0], BLOCK))
        found, before = [], 0
        for records in self.plan.steps:
            grown = store.grow(records, self.phase)
            grown["vectors"]["embedder_per_second"] = self._compare_with(plain, before, records)
            figures = {"records": records, **grown, "disk": store.disk()}
            asked = self._asked(store, plain, mix)
            found.append({**figures, **asked, "single_write": store.write_singly()})
            before = records
        return found

    def _compare_with(self, plain: PlainFiles, first: int, last: int) -> float:
        """Take the same texts into the plain search; how fast the embedder is when left alone."""
        with self.phase(f"Plain search of {last:,}", last - first) as advance:
            pieces = self.texts.some(first, last)
            seconds = plain.add(pieces, embedder(self.plan.embedder), advance)
        return round((last - first) / seconds, 1)

    def _asked(self, store: Filled, plain: PlainFiles, mix: Mix) -> dict[str, Any]:
        """Ask Lamina and the plain search the same questions, one after the other."""
        warm = mix.questions(_WARM, seed=_WARM_SEED)
        asked = mix.questions(self.plan.each)
        with self.phase("Recall", 5) as advance:
            start = clock.stopwatch()
            with Child("recall", store.folder, warm[0].text) as ours:
                opened = ours.hear()
                ready = clock.stopwatch() - start
                whole = timings(ours, warm, asked, scoped=False)
                advance(1)
                scoped = timings(ours, warm, asked, scoped=True)
                advance(2)
                resident = scoped["kb"]
                near = _told(ours, {"nearest": [one.text for one in asked[:_NEAREST]]})
                advance(3)
            with Child("plain", plain.folder, self.plan.embedder) as theirs:
                theirs.hear()
                every = _plain_timings(theirs, warm, asked, content=False)
                content = _plain_timings(theirs, warm, asked, content=True)
                advance(4)
                exact = _told(theirs, {"nearest": [one.text for one in asked[:_NEAREST]]})
                advance(5)
        return {
            "recall": spread(asked, whole),
            "recall_in_scope": spread(asked, scoped),
            "plain": {**spread(asked, every), "resident_mb": _mb(every["kb"]),
                      "content_words": spread(asked, content)},
            "cold": {**opened, "process_ready_ms": round(ready * 1000, 1)},
            "resident_mb": _mb(resident),
            "vector_recall@10": _overlap(near, exact, store.ids),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """What one run measured."""

    plan: Plan
    filesystem: str
    load: float
    """How many processes wanted a core when it began; figures of a busy machine are slow ones."""
    steps: Sequence[dict[str, Any]]
    following: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The figures at each size, with what they come to against the plain search."""
        return {
            "bench": "speed",
            "machine": machine(),
            "load": self.load,
            "filesystem": self.filesystem,
            "records": self.plan.steps[-1],
            "embedder": self.plan.embedder,
            "following": self.following,
            "steps": [{**step, "against_plain": _against(step)} for step in self.steps],
            "growth": self.growth(),
        }

    def growth(self) -> dict[str, list[tuple[float, float]]]:
        """What becomes slower with size, as points to plot."""
        lines = {
            "recall p50": ("recall", "p50_ms"),
            "recall p99": ("recall", "p99_ms"),
            "recall in a scope of 1 %, p50": ("recall_in_scope", "p50_ms"),
            "plain search p50": ("plain", "p50_ms"),
        }
        return {
            name: [(step["records"], step[part][figure]) for step in self.steps]
            for name, (part, figure) in lines.items()
        }


def sizes(records: int | None, steps: str | None) -> tuple[int, ...]:
    """The sizes to measure at: those that were listed, or tenfolds up to the largest."""
    if steps is not None:
        try:
            return tuple(int(step) for step in steps.split(","))
        except ValueError:
            raise InvalidInputError(
                f"`steps` are numbers with commas between them, not {steps!r:.60}"
            ) from None
    if records is None:
        return STEPS[:2]
    return (*(step for step in STEPS if step < records), records)


def measure(plan: Plan, phase: Phase) -> SpeedFigures:
    """Measure in a scratch folder, which is removed afterwards."""
    embedder(plan.embedder)
    kind = check_disk(plan.folder)
    load = round(os.getloadavg()[0], 2)
    scratch = Path(tempfile.mkdtemp(prefix="lamina-bench-", dir=plan.folder))
    try:
        followed = {
            spec: following(scratch / f"following-{at}", spec, min(many, plan.steps[0]), phase)
            for at, (spec, many) in enumerate({DEFAULT: _FOLLOWED, plan.embedder: _MANY}.items())
        }
        return SpeedFigures(plan, kind, load, _Run(plan, phase, scratch).measured(), followed)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def timings(
    child: Child, warm: Sequence[Asked], asked: Sequence[Asked], *, scoped: bool
) -> dict[str, Any]:
    """Ask some questions to warm up, then those that count."""
    for questions in (warm, asked):
        pairs = [(one.text, one.scope if scoped else None) for one in questions]
        found: dict[str, Any] = _told(child, {"questions": pairs})
    return found


def _plain_timings(
    child: Child, warm: Sequence[Asked], asked: Sequence[Asked], *, content: bool
) -> dict[str, Any]:
    for questions in (warm, asked):
        texts = [one.text for one in questions]
        found: dict[str, Any] = _told(child, {"questions": texts, "content": content})
    return found


def _told(child: Child, request: dict[str, Any]) -> Any:
    child.tell(json.dumps(request))
    return child.hear()


def spread(asked: Sequence[Asked], timings: dict[str, Any]) -> dict[str, Any]:
    """The spread over all questions, and the middle of each sort."""
    sorts: dict[str, list[float]] = {}
    for one, took in zip(asked, timings["seconds"], strict=True):
        sorts.setdefault(one.kind, []).append(took)
    whole, cpu = Spread.of(timings["seconds"]), Spread.of(timings["cpu"])
    return {"p50_ms": whole.p50_ms, "p99_ms": whole.p99_ms, "worst_ms": whole.worst_ms,
            "cpu_p50_ms": cpu.p50_ms, "cpu_p99_ms": cpu.p99_ms,
            "kinds": {kind: Spread.of(took).p50_ms for kind, took in sorts.items()}}  # fmt: skip


def _against(step: dict[str, Any]) -> dict[str, float]:
    """How many times faster recall is than the plain search, and how much slower in a scope."""
    ours, plain = step["recall"]["p50_ms"], step["plain"]
    return {
        "faster_p50": ratio(plain["p50_ms"], ours),
        "faster_cpu_p50": ratio(plain["cpu_p50_ms"], step["recall"]["cpu_p50_ms"]),
        "faster_p50_content_words": ratio(plain["content_words"]["p50_ms"], ours),
        "scope_to_whole_p50": ratio(step["recall_in_scope"]["p50_ms"], ours),
    }


def _overlap(near: list[list[str]], exact: list[list[int]], ids: Sequence[str]) -> float:
    """The share of the nearest texts that the index finds."""
    return round(
        fmean(
            len({ids[at] for at in right} & set(found)) / len(right)
            for found, right in zip(near, exact, strict=True)
        ),
        4,
    )


def _mb(kilobytes: int) -> float:
    return round(kilobytes / 1024, 1)
