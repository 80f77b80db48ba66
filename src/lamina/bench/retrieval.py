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
from lamina.bench.beside import Beside
from lamina.bench.crossing import SEED, Crossed, crossed
from lamina.bench.measure import Phase, machine
from lamina.bench.scoring import DEPTH
from lamina.bench.sets import Collection, RetrievalSet, load
from lamina.bench.stores import POSTGRES, SQLITE, Fresh, places
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
    stores: tuple[str, ...] = (SQLITE,)
    """Which kinds of store, one after the other."""
    address: str | None = None
    """A Postgres that is there already; otherwise one is started."""

    def __post_init__(self) -> None:
        if self.address is not None and POSTGRES not in self.stores:
            raise InvalidInputError(
                "`address` names a Postgres, and none is measured", remedy="Add --store postgres"
            )
        if self.limit is not None and self.limit < 1:
            raise InvalidInputError(f"`limit_queries` must be at least 1, not {self.limit}")
        check_spec(self.embedder)


def measure(plan: Plan, phase: Phase) -> Beside:
    """Measure in scratch stores, which are removed afterwards."""
    chosen = [one.sampled(plan.limit) for one in load(plan.data, plan.sets)]
    # Stray questions come from all sets, so that choosing some of them changes no figure.
    every = [one.sampled(plan.limit) for one in load(plan.data)]
    lost = {one.name: crossed(one, every) for one in chosen if one.questions}
    names = [one.name for one in ABLATIONS] if plan.ablations else []
    found = {}
    for kind in plan.stores:
        with places(kind, plan.folder, plan.address) as fresh:
            run = _Run(plan, phase, kind, fresh)
            answers = [run.asked(one, lost[one.name]) for one in chosen if one.questions]
        found[kind] = RetrievalFigures(run.config, answers, names)
    return Beside(found)


@dataclass(slots=True)
class _Run:
    """One run over all sets, in one kind of store."""

    plan: Plan
    phase: Phase
    kind: str
    fresh: Fresh
    config: dict[str, Any] = field(default_factory=dict)

    def asked(self, chosen: RetrievalSet, lost: Sequence[Crossed]) -> SetAnswers:
        """Tell the stores of a set one after the other, and ask each."""
        found = SetAnswers(chosen.name)
        sizes = [len(one.documents) + len(one.questions) for one in chosen.collections]
        with self.phase(self._named(chosen.name), sum(sizes)) as advance:
            for number, collection in enumerate(chosen.collections):
                before, documents = sum(sizes[:number]), len(collection.documents)

                def tell(share: float, before: int = before, documents: int = documents) -> None:
                    advance(before + int(share * documents))

                with self._told(collection, found, tell) as store:
                    _ask(store, [one for one in lost if one.store == number], found)
                    if self.plan.ablations:
                        _ask_without(store, found)
                advance(before + sizes[number])
        if self.plan.runs is not None:
            _write(self.plan.runs / self.kind if self._is_one_of_many else self.plan.runs, found)
        return found

    @property
    def _is_one_of_many(self) -> bool:
        return len(self.plan.stores) > 1

    def _named(self, name: str) -> str:
        return f"{name}, {self.kind}" if self._is_one_of_many else name

    @contextmanager
    def _told(
        self, collection: Collection, found: SetAnswers, tell: Callable[[float], None]
    ) -> Iterator[Told]:
        with self.fresh() as place, told(place, collection, self.plan.embedder, tell) as store:
            # What is loaded at the first question of a process belongs to none of them.
            store.ask(_WARM)
            self.config = self.config or _config(self.plan, self.kind, store)
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


def _config(plan: Plan, kind: str, store: Told) -> dict[str, Any]:
    """What the figures depend on."""
    health = store.mem.vectors()
    return {
        "store": kind,
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
