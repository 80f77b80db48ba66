"""Packs the harvested texts and pairs, and the teacher, into the few files that training reads.

python -m training.pack HARVEST VOCABULARY TEACHER.safetensors OUT
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from lamina.embedders.wordpiece import WordPiece
from training.quantise import quantised

MOST_PIECES, MOST_CHARACTERS, WHOLE_SHARE = 254, 560, 0.12
MOST_TEXTS = {"Persona": 60_000, "wordnet": 30_000, "Topical": 26_000, "common-voice": 26_000}
MOST_PAIRS = {"probe": 22_000, "heading": 5_000}
MOST_OF_A_SOURCE = 11_000
MOST_OF_A_KIND = 9_000
MOST_OF_A_PACKAGE = {"text": 380, "docstring": 220, "heading": 96}


class Pool:
    """Token sequences, each stored once."""

    def __init__(self, wordpiece: WordPiece) -> None:
        self._wordpiece = wordpiece
        self._unknown = wordpiece.encode("\U000e0fff", 9)[1:-1] or [100]
        self._places: dict[bytes, int] = {}
        self.sequences: list[np.ndarray] = []

    def place(self, text: str) -> int | None:
        """Where the text's pieces are in the pool; None where most of them are unknown."""
        numbers = self._wordpiece.encode(text, MOST_PIECES + 2)[1:-1]
        unknown = numbers.count(self._unknown[0])
        if not numbers or (len(numbers) > 4 and unknown > len(numbers) // 4):
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
    """At most so many items, in runs: neighbours are the harder to tell apart."""
    starts = list(range(0, len(items), run))
    draw.shuffle(starts)
    return [item for start in starts[: most // run] for item in items[start : start + run]]


def most(source: str, kind: str) -> int:
    """How many items of one kind a source may give."""
    if source.startswith("pypi:"):
        return MOST_OF_A_PACKAGE.get(kind, 96)
    if kind != "text":
        return 40_000 if "Persona" in source else MOST_PAIRS.get(kind, MOST_OF_A_KIND)
    named = [count for name, count in MOST_TEXTS.items() if name in source]
    return named[0] if named else MOST_OF_A_SOURCE


def pack_texts(harvest: Path, wordpiece: WordPiece, out: Path) -> None:
    """Writes the pool of sequences and the pairs that point into it."""
    draw, pool = random.Random(5), Pool(wordpiece)
    pairs: list[tuple[int, int, int]] = []
    kinds: dict[str, int] = {}
    for (source, kind), items in grouped(harvest / "pairs.jsonl").items():
        for _, query, document in runs(items, most(source, kind), draw):
            one, other = pool.place(query[:700]), pool.place(document[:MOST_CHARACTERS])
            if one is not None and other is not None and one != other:
                pairs.append((one, other, kinds.setdefault(kind, len(kinds))))
    for (source, kind), items in grouped(harvest / "texts.jsonl").items():
        for (text,) in draw.sample(items, min(len(items), most(source, kind))):
            pool.place(text if draw.random() < WHOLE_SHARE else text[:MOST_CHARACTERS])
    (out / "kinds.json").write_text(json.dumps(list(kinds)))
    packed = {
        "tokens": np.concatenate(pool.sequences),
        "lengths": np.array([len(sequence) for sequence in pool.sequences], np.uint8),
        "pairs": np.array(pairs, np.int32),
    }
    for name, array in packed.items():
        print(name, array.shape)
        (out / f"{name}.z").write_bytes(zlib.compress(array.tobytes(), 2))


def pack_teacher(weights: Path, out: Path) -> None:
    """Writes the teacher with its matrices as int8 rows, each with a float16 scale."""
    packed: dict[str, np.ndarray] = {}
    for name, value in load_file(str(weights)).items():
        if value.ndim == 2 and "position" not in name:
            packed[f"{name}|q"], scales = quantised(value)
            packed[f"{name}|s"] = scales[:, None]
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
