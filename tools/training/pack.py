"""Packs the harvested texts and pairs, and the teacher, into the few files that training reads.

python -m training.pack HARVEST VOCABULARY TEACHER.safetensors OUT
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from lamina.embedders.wordpiece import WordPiece

MOST_TOKENS = 254
MOST_TEXTS_PER_SOURCE = 28_000
MOST_TEXTS_PER_PACKAGE = 1_100
MOST_PAIRS_PER_PACKAGE = 500
MOST_PAIRS = {"reply": 16_000, "probe": 30_000}
MOST_PAIRS_OF_A_KIND = 20_000


class Pool:
    """Token sequences, each stored once."""

    def __init__(self, wordpiece: WordPiece) -> None:
        self._wordpiece = wordpiece
        self._places: dict[bytes, int] = {}
        self.sequences: list[np.ndarray] = []

    def place(self, text: str) -> int | None:
        """Where the text's tokens are in the pool; None for a text of next to none."""
        numbers = self._wordpiece.encode(text, MOST_TOKENS)
        if not numbers or (
            len(numbers) > 4 and numbers.count(self._wordpiece.unknown) > len(numbers) // 4
        ):
            return None
        sequence = np.array(numbers, np.uint16)
        key = sequence.tobytes()
        if key not in self._places:
            self._places[key] = len(self.sequences)
            self.sequences.append(sequence)
        return self._places[key]


def grouped(path: Path) -> dict[tuple[str, str], list[list[str]]]:
    """The lines of a harvest file by source and kind."""
    groups: dict[tuple[str, str], list[list[str]]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            source, *rest = json.loads(line)
            groups[source, rest[0] if len(rest) == 3 else "text"].append(rest)
    return groups


def runs(items: list[list[str]], most: int, draw: random.Random, run: int = 8) -> list[list[str]]:
    """At most so many items, in runs of neighbours: neighbours make each other harder to tell apart."""
    starts = list(range(0, len(items), run))
    draw.shuffle(starts)
    return [item for start in starts[: most // run] for item in items[start : start + run]]


def pack_texts(harvest: Path, wordpiece: WordPiece, out: Path) -> None:
    """Writes the pool of sequences and the pairs that point into it."""
    draw, pool = random.Random(5), Pool(wordpiece)
    pairs: list[tuple[int, int, int]] = []
    kinds: dict[str, int] = {}
    for (source, kind), items in grouped(harvest / "pairs.jsonl").items():
        most = MOST_PAIRS.get(kind, MOST_PAIRS_OF_A_KIND)
        if source.startswith("pypi:"):
            most = MOST_PAIRS_PER_PACKAGE
        for _, query, document in runs(items, most, draw):
            one, other = pool.place(query), pool.place(document)
            if one is not None and other is not None and one != other:
                pairs.append((one, other, kinds.setdefault(kind, len(kinds))))
    for (source, _), items in grouped(harvest / "texts.jsonl").items():
        most = MOST_TEXTS_PER_PACKAGE if source.startswith("pypi:") else MOST_TEXTS_PER_SOURCE
        for (text,) in draw.sample(items, min(len(items), most)):
            pool.place(text)
    lengths = np.array([len(sequence) for sequence in pool.sequences], np.uint8)
    tokens = np.concatenate(pool.sequences)
    found = np.array(pairs, np.int32)
    named = {number: kind for kind, number in kinds.items()}
    counted = Counter(named[number] for number in found[:, 2].tolist())
    print(len(lengths), "sequences", len(tokens), "tokens", len(found), "pairs", dict(counted))
    (out / "kinds.json").write_text(json.dumps(list(kinds)))
    for name, array in (("tokens", tokens), ("lengths", lengths), ("pairs", found)):
        raw = array.tobytes()
        if name == "tokens":
            raw = (array & 255).astype(np.uint8).tobytes() + (array >> 8).astype(np.uint8).tobytes()
        (out / f"{name}.xz").write_bytes(lzma.compress(raw, preset=2))


def pack_teacher(weights: Path, out: Path) -> None:
    """Writes the teacher with its matrices as int8 rows, each with a float16 scale."""
    from safetensors.numpy import load_file

    packed: dict[str, np.ndarray] = {}
    for name, value in load_file(str(weights)).items():
        if value.ndim == 2 and "position" not in name:
            scale = np.abs(value).max(1, keepdims=True) / 127 + 1e-9
            packed[f"{name}|q"] = np.round(value / scale).astype(np.int8)
            packed[f"{name}|s"] = scale.astype(np.float16)
        elif value.ndim:
            packed[name] = value.astype(np.float16) if value.dtype.kind == "f" else value
    np.savez_compressed(out / "teacher.npz", **packed)


def main(harvest: str, vocabulary: str, teacher: str, out: str) -> None:
    """Packs everything."""
    pieces = Path(vocabulary).read_text("utf-8").split("\n")[:-1]
    target = Path(out)
    target.mkdir(parents=True, exist_ok=True)
    pack_texts(Path(harvest), WordPiece(pieces), target)
    pack_teacher(Path(teacher), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
