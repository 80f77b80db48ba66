"""Filling a store by the hundred thousand: how fast, and how fast vectors and indexes follow."""

import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.bench.asking import embedder
from lamina.bench.measure import Phase, Spread
from lamina.bench.texts import BLOCK, Texts, drafts
from lamina.core.settings import EMBEDDER
from lamina.embedders.protocol import Embedder, Role
from lamina.errors import StoreError
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.stores.sqlite import INDEXES

BATCH: Final = 1_000
_SINGLE: Final = 30
_APART: Final = 1_000_000
"""Blocks of texts that are written one by one are none of those that a store is filled with."""
_SHORTEST_PAUSE_SECONDS: Final = 0.02
_LOOKING: Final = 0.05
"""The share of the time that goes into looking how far it has come."""
_STALLED_SECONDS: Final = 120.0
_RARE: Final = 3


@dataclass(slots=True)
class Filled:
    """A store that grows, and which record each text became."""

    folder: Path
    texts: Texts
    spec: str
    ids: list[str] = field(default_factory=list)

    def grow(self, records: int, phase: Phase) -> dict[str, Any]:
        """Bring the store to so many records: write, let vectors follow, build the indexes."""
        with self._open() as mem:
            ingest = self._write(mem, records, phase)
            vectors = follow(mem, phase)
        # As after a loss: all indexes are built from the records, which is the most it can take.
        shutil.rmtree(self.folder / INDEXES, ignore_errors=True)
        with self._open() as mem, phase("Index", 1) as advance:
            start = clock.stopwatch()
            mem.store.fold()
            index = {"build_seconds": round(clock.stopwatch() - start, 3)}
            advance(1)
        return {"ingest": ingest, "vectors": vectors, "index": index}

    def write_singly(self) -> dict[str, float]:
        """How long one write takes, with everything that makes it be found.

        What was written is forgotten again: the plain search has nothing of it.
        """
        texts = self.texts.block(_APART + len(self.ids) // BLOCK)[:_SINGLE]
        waits, written = [], []
        with self._open() as mem:
            for draft in drafts(texts, 0):
                start = clock.stopwatch()
                written.append(mem.remember(**draft).id)
                waits.append(clock.stopwatch() - start)
            mem.forget(*written)
        spread = Spread.of(waits)
        return {"p50_ms": spread.p50_ms, "p99_ms": spread.p99_ms}

    def disk(self) -> dict[str, float]:
        """How many bytes a record takes, and where."""
        sizes = {path: path.stat().st_size for path in self.folder.rglob("*") if path.is_file()}
        derived = sum(size for path, size in sizes.items() if INDEXES in path.parts)
        per = {"bytes_per_record": sum(sizes.values()), "of_them_derived": derived}
        return {name: round(size / len(self.ids), 1) for name, size in per.items()}

    def _open(self) -> Memory:
        mem = open_memory(self.folder)
        if not self.ids:
            mem.configure(EMBEDDER, self.spec)
        return mem

    def _write(self, mem: Memory, records: int, phase: Phase) -> dict[str, Any]:
        first, seconds, last = len(self.ids), 0.0, ""
        with phase(f"Writing up to {records:,}", records - first) as advance:
            for texts in self.texts.some(first, records):
                asked = drafts(texts, len(self.ids))
                for at in range(0, len(asked), BATCH):
                    batch = asked[at : at + BATCH]
                    start = clock.stopwatch()
                    receipt = mem.remember_many(batch)
                    seconds += clock.stopwatch() - start
                    self.ids += [outcome.id for outcome in receipt.outcomes]
                    last = batch[-1]["text"]
                    advance(len(self.ids) - first)
        hits = mem.recall(_rarest(self.texts, last), floor=0.0).hits
        return {
            "records": records - first,
            "per_second": round((records - first) / seconds, 1),
            "found_when_acknowledged": self.ids[-1] in {hit.record.id for hit in hits},
        }


def follow(mem: Memory, phase: Phase) -> dict[str, Any]:
    """Wait until every record has its vector; a backlog that does not shrink is an error."""
    backlog = mem.vectors().pending
    start = moved = clock.stopwatch()
    pending, pause = backlog, _SHORTEST_PAUSE_SECONDS
    with phase("Vectors", max(backlog, 1)) as advance:
        while pending:
            time.sleep(pause)
            asked = clock.stopwatch()
            left = mem.vectors().pending
            pause = max(_SHORTEST_PAUSE_SECONDS, (clock.stopwatch() - asked) / _LOOKING)
            if left < pending:
                moved = clock.stopwatch()
            elif clock.stopwatch() - moved > _STALLED_SECONDS:
                raise StoreError(f"{left:,} vectors wait and nobody makes them")
            else:
                # Whoever asks sees to what waits, or has it seen to.
                mem.recall("vectors")
            pending = left
            advance(backlog - pending)
    took = clock.stopwatch() - start
    return {"backlog": backlog, "seconds": round(took, 3),
            "per_second": round(backlog / took, 1) if backlog else None}  # fmt: skip


def following(folder: Path, spec: str, records: int, phase: Phase) -> dict[str, Any]:
    """How fast vectors follow in a store, next to how fast their embedder is when left alone."""
    [texts] = Texts().some(0, records)
    mine = embedder(spec)
    mine.embed(texts[:1], Role.DOCUMENT)
    with open_memory(folder) as mem:
        mem.configure(EMBEDDER, spec)
        alone = _embedded(mine, texts)
        mem.remember_many(drafts(texts, 0))
        found = follow(mem, phase)
        # Before and after, because a machine is not equally busy all the time.
        alone += _embedded(mine, texts)
    own, rate = 2 * records / alone, found["per_second"] or 0.0
    return {"records": records, "own_per_second": round(own, 1),
            "followed_per_second": rate, "share": round(rate / own, 3)}  # fmt: skip


def _embedded(mine: Embedder, texts: list[str]) -> float:
    start = clock.stopwatch()
    mine.embed(texts, Role.DOCUMENT)
    return clock.stopwatch() - start


def _rarest(texts: Texts, text: str) -> str:
    """The words of a text that few others have."""
    rank = {word: rank for rank, word in enumerate(texts.words)}
    known = sorted(
        {word for word in text.rstrip(".").split() if word in rank}, key=rank.__getitem__
    )
    return " ".join(known[-_RARE:]) or text
