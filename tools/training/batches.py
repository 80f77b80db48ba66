"""The corpus on the GPU: whole texts and crops, the teacher's vectors for them, and batches."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from .model import ASK, END, START

if TYPE_CHECKING:
    from pathlib import Path

    from .teacher import Teacher

SIZES = ((16, 8192), (32, 8192), (64, 4096), (128, 2048), (256, 1024))
HELD_OUT = 8192


@dataclass(slots=True)
class Batch:
    """Padded token numbers, which of them count, and where the teacher puts each text."""

    tokens: torch.Tensor
    mask: torch.Tensor
    target: torch.Tensor


def unpacked(folder: Path, name: str) -> bytes:
    """A packed array, which may lie in several parts."""
    parts = sorted(folder.glob(f"{name}.z*"))
    return zlib.decompressobj().decompress(b"".join(part.read_bytes() for part in parts))


class Corpus:
    """Token sequences with views into them: whole, and cropped."""

    def __init__(self, folder: Path, crops: int, seed: int = 0) -> None:
        tokens = np.frombuffer(unpacked(folder, "tokens"), np.uint16).astype(np.int32)
        lengths = np.frombuffer(unpacked(folder, "lengths"), np.uint8).astype(np.int64)
        pairs = np.frombuffer(unpacked(folder, "pairs"), np.int32).reshape(-1, 3)
        lengths = lengths[: int(np.searchsorted(np.cumsum(lengths), len(tokens), "right"))]
        pairs = pairs[(pairs[:, :2] < len(lengths)).all(1)]
        self.kinds: list[str] = json.loads((folder / "kinds.json").read_text())
        self.tokens = torch.tensor(tokens, device="cuda")
        self.pairs = torch.tensor(pairs.copy(), device="cuda").long()
        self.commonness = torch.bincount(self.tokens, minlength=30_522).float() / len(tokens)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.starts, self.lengths = self._views(starts, lengths, crops, np.random.default_rng(seed))
        self.whole = len(lengths)
        self.target = torch.empty(0)
        bounds = [0, *[size - 2 for size, _ in SIZES]]
        self.buckets = [
            torch.nonzero((self.lengths > low) & (self.lengths <= high))[:, 0]
            for low, high in zip(bounds, bounds[1:], strict=False)
        ]
        self.held_out = self.buckets[1][-HELD_OUT:]
        self.buckets[1] = self.buckets[1][:-HELD_OUT]

    def _views(
        self, starts: np.ndarray, lengths: np.ndarray, crops: int, draw: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Every sequence whole, then crops of the longer ones."""
        all_starts, all_lengths = [starts], [lengths]
        for _ in range(crops):
            chosen = np.flatnonzero(lengths > 6)
            whole = lengths[chosen]
            kept = np.clip((draw.random(len(chosen)) ** 1.3 * whole).astype(np.int64), 3, whole)
            offset = (draw.random(len(chosen)) * (whole - kept + 1)).astype(np.int64)
            all_starts.append(starts[chosen] + offset)
            all_lengths.append(kept)
        return (
            torch.tensor(np.concatenate(all_starts), device="cuda"),
            torch.tensor(np.concatenate(all_lengths), device="cuda"),
        )

    def padded(
        self, views: torch.Tensor, size: int, asking: float = 0.0
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The views' tokens between two marks; a share starts with the mark of a question."""
        lengths = self.lengths[views].clamp(max=size - 2)
        places = torch.arange(size, device="cuda")[None]
        inside = (places > 0) & (places <= lengths[:, None])
        sources = (self.starts[views][:, None] + places - 1).clamp(0, len(self.tokens) - 1)
        tokens = torch.where(inside, self.tokens[sources].long(), 0)
        tokens[:, 0] = START
        if asking:
            tokens[torch.rand(len(views), device="cuda") < asking, 0] = ASK
        tokens.scatter_(1, (lengths + 1)[:, None], END)
        return tokens, places <= (lengths + 1)[:, None]

    def learn(self, teacher: Teacher, dimensions: int) -> None:
        """Embeds every view with the teacher, reduced to the directions that hold most of it."""
        sample = torch.randint(0, self.whole, (60_000,), device="cuda")
        vectors = torch.cat([teacher.embed(*self.padded(part, 128)) for part in sample.split(4096)])
        axes = torch.linalg.eigh(vectors.T @ vectors)[1].flip(1)[:, :dimensions]
        print("kept by the reduction", float((vectors @ axes).norm(dim=1).square().mean()))
        self.target = torch.empty(len(self.starts), dimensions, device="cuda", dtype=torch.float16)
        for (size, amount), bucket in zip(
            SIZES,
            [*self.buckets[:1], torch.cat([self.buckets[1], self.held_out]), *self.buckets[2:]],
            strict=True,
        ):
            for part in bucket.split(amount):
                reduced = teacher.embed(*self.padded(part, size)) @ axes
                self.target[part] = torch.nn.functional.normalize(reduced, dim=1).half()

    def draw(self, bucket: int, asking: float) -> Batch:
        """A batch of views of about one length."""
        size, amount = SIZES[bucket]
        views = self.buckets[bucket]
        chosen = views[torch.randint(0, len(views), (amount,), device="cuda")]
        return Batch(*self.padded(chosen, size, asking), self.target[chosen].float())


class Pairs:
    """Batches of pairs of one kind, in runs of neighbours."""

    RUN = 8

    def __init__(self, corpus: Corpus, favour: dict[str, float]) -> None:
        self._corpus = corpus
        query, document, kind = corpus.pairs.T
        short = torch.maximum(corpus.lengths[query], corpus.lengths[document]) <= 30
        self.groups: list[tuple[torch.Tensor, torch.Tensor, int, int]] = []
        weights = []
        for number, name in enumerate(corpus.kinds):
            for brief in (True, False):
                chosen = (kind == number) & (short == brief)
                count = int(chosen.sum())
                if count < 1500:
                    continue
                size, amount = (32, 3072) if brief else (128, 1280)
                self.groups.append((query[chosen], document[chosen], size, min(amount, count // 2)))
                weights.append(count**0.5 * favour.get(name, 1.0))
                print("pairs", name, brief, count)
        self._weights = np.array(weights) / sum(weights)
        self._draw = np.random.default_rng(1)

    def draw(self) -> tuple[Batch, Batch]:
        """Questions and the documents they look for."""
        queries, documents, size, amount = self.groups[
            self._draw.choice(len(self.groups), p=self._weights)
        ]
        runs = torch.randperm(len(queries) // self.RUN, device="cuda")[: amount // self.RUN]
        chosen = (runs[:, None] * self.RUN + torch.arange(self.RUN, device="cuda")).flatten()
        sides = []
        for views, asking, longest in ((queries[chosen], 0.75, 64), (documents[chosen], 0.0, 128)):
            padded = self._corpus.padded(views, min(size, longest), asking)
            sides.append(Batch(*padded, self._corpus.target[views].float()))
        return sides[0], sides[1]
