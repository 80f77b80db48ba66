"""How well recall finds what it was told: sets of questions, asked of the product as it is.

Each store of a set begins empty, is told its documents, and is asked its questions as a user would
ask them. It is asked some questions of other stores as well, which it should not answer. Nothing of
a question but its text reaches the store, and nothing of a document's id.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lamina.bench.ablations import ABLATIONS, Laboratory
from lamina.bench.answers import NO_FLOOR, PLAIN, USUAL, RetrievalFigures, SetAnswers
from lamina.bench.crossing import SEED, Crossed, crossed
from lamina.bench.measure import Phase, machine
from lamina.bench.scoring import DEPTH
from lamina.bench.sets import Collection, RetrievalSet, load
from lamina.bench.telling import Told, told
from lamina.core.embedder_spec import DEFAULT, check_spec
from lamina.core.settings import FLOOR
from lamina.errors import InvalidInputError
from lamina.release import version

_WARM: Final = "Where does the road lead?"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    data: Path
    sets: tuple[str, ...] = ()
    """Which of the sets; all of them unless some are named."""
    limit: int | None = None
    """How many questions of each set."""
    embedder: str = DEFAULT
    ablations: bool = True
    runs: Path | None = None
    """Where to write what was found, for another program to score."""
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise InvalidInputError(f"`limit_queries` must be at least 1, not {self.limit}")
        check_spec(self.embedder)


def measure(plan: Plan, phase: Phase) -> RetrievalFigures:
    """Measure in scratch stores, which are removed afterwards."""
    chosen = [one.sampled(plan.limit) for one in load(plan.data, plan.sets)]
    # Stray questions come from all sets, so that choosing some of them changes no figure.
    every = [one.sampled(plan.limit) for one in load(plan.data)]
    run = _Run(plan, phase)
    found = []
    for one in chosen:
        if one.questions:
            found.append(run.asked(one, crossed(one, every)))
            if plan.runs is not None:
                _write(plan.runs, found[-1])
    names = [one.name for one in ABLATIONS] if plan.ablations else []
    return RetrievalFigures(run.config, found, names)


@dataclass(slots=True)
class _Run:
    """One run over all sets."""

    plan: Plan
    phase: Phase
    config: dict[str, Any] = field(default_factory=dict)

    def asked(self, chosen: RetrievalSet, lost: Sequence[Crossed]) -> SetAnswers:
        """Tell the stores of a set one after the other, and ask each."""
        found = SetAnswers(chosen.name)
        sizes = [len(one.documents) + len(one.questions) for one in chosen.collections]
        with self.phase(chosen.name, sum(sizes)) as advance:
            for number, collection in enumerate(chosen.collections):
                before, documents = sum(sizes[:number]), len(collection.documents)

                def tell(share: float, before: int = before, documents: int = documents) -> None:
                    advance(before + int(share * documents))

                with self._told(collection, found, tell) as store:
                    _ask(store, [one for one in lost if one.store == number], found)
                    if self.plan.ablations:
                        _ask_without(store, found)
                advance(before + sizes[number])
        return found

    @contextmanager
    def _told(
        self, collection: Collection, found: SetAnswers, tell: Callable[[float], None]
    ) -> Iterator[Told]:
        scratch = tempfile.TemporaryDirectory(prefix="lamina-bench-", dir=self.plan.folder)
        with scratch as folder, told(Path(folder), collection, self.plan.embedder, tell) as store:
            # What is loaded at the first question of a process belongs to none of them.
            store.ask(_WARM)
            self.config = self.config or _config(self.plan, store)
            found.documents += len(collection.documents)
            found.written_seconds += store.written_seconds
            found.embedded_seconds += store.embedded_seconds
            yield store


def _ask(store: Told, lost: Sequence[Crossed], found: SetAnswers) -> None:
    """Ask a store its own questions, and those of others."""
    for question in store.collection.questions:
        usual, free = store.ask(question.text), store.ask(question.text, floor=0.0)
        found.take_both(store.collection.name, question, usual, free)
        found.take(PLAIN, store.collection.name, question, store.ask(question.text, k=None))
    for one in lost:
        found.take_stray(one.origin, store.ask(one.text), store.ask(one.text, floor=0.0))


def _ask_without(store: Told, found: SetAnswers) -> None:
    """Ask a store its own questions again, each time without one of the signals."""
    for ablation, changed in Laboratory(store).variants():
        if changed is None:
            found.repeat(ablation.name, len(store.collection.questions))
            continue
        for question in store.collection.questions:
            answer = changed.ask(question.text, floor=0.0)
            found.take(ablation.name, store.collection.name, question, answer)


def _config(plan: Plan, store: Told) -> dict[str, Any]:
    """What the figures depend on."""
    health = store.mem.vectors()
    return {
        "embedder": plan.embedder,
        "space": health.space,
        "floor": store.mem.settings()[FLOOR],
        "k": DEPTH,
        "now": "the time of the newest document of a store",
        "seed": SEED,
        "limit_queries": plan.limit,
        "lamina": version(),
        "machine": machine(),
    }


def _write(folder: Path, found: SetAnswers) -> None:
    """Leave what was found as lines that another program can score."""
    folder.mkdir(parents=True, exist_ok=True)
    for way, suffix in ((USUAL, ""), (NO_FLOOR, ".no-floor")):
        lines = (json.dumps(line) + "\n" for line in found.ranked[way])
        (folder / f"{found.name}{suffix}.run.jsonl").write_text("".join(lines), encoding="utf-8")
