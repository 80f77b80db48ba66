"""Sets of questions that are small enough to score by hand."""

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GARDEN: list[dict[str, Any]] = [
    {
        "store": "garden",
        "corpus": [
            {"id": "d1", "text": "The tomatoes grow beside the southern wall.",
             "timestamp": "2024-05-01", "session": "s 1", "speaker": "Ada L."},
            {"id": "d2", "text": "I watered the tomatoes on Monday with the green can.",
             "timestamp": "2024-05-02T09:00:00", "session": "s 1", "speaker": "user"},
            {"id": "d3", "text": "The gardener painted the shed blue.",
             "timestamp": "2024-05-03T09:00:00+02:00", "session": "S 1!", "speaker": "assistant"},
            {"id": "d4", "text": "Nobody has mown the meadow since April.",
             "timestamp": None, "session": None, "speaker": None},
        ],
        "queries": [
            {"id": "q1", "text": "Which colour has the shed that the gardener painted?",
             "gold": ["d3"], "category": "colour", "gold_latest": ["d3"]},
            {"id": "q2", "text": "Who watered the tomatoes by the wall?",
             "gold": ["d1", "d2"], "category": "who"},
            {"id": "q3", "text": "qwzxv", "gold": [], "category": "nobody knows"},
        ],
    },
    {
        "store": "kitchen",
        "corpus": [
            {"id": "d1", "text": "The oven needs ten minutes to get hot."},
            {"id": "d2", "text": "Flour and sugar stand on the upper shelf."},
        ],
        "queries": [
            {"id": "q1", "text": "How many minutes does the oven need?", "gold": ["d1"]},
        ],
    },
]  # fmt: skip
HARBOUR: list[dict[str, Any]] = [
    {
        "store": "harbour",
        "corpus": [{"id": "d7", "text": "The ferry to the island leaves at noon."}],
        "queries": [{"id": "q1", "text": "When does the ferry leave?", "gold": ["d7"]}],
    }
]


def write(folder: Path) -> Path:
    """Write both sets, one of them packed."""
    lines = "".join(json.dumps(store) + "\n" for store in GARDEN)
    (folder / "garden.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "harbour.jsonl").write_text(json.dumps(HARBOUR[0]) + "\n\n", encoding="utf-8")
    (folder / "README.md").write_text("not a set", encoding="utf-8")
    return folder


@contextmanager
def unseen(_: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar that nobody watches; it must have something to do."""
    assert total > 0
    yield lambda done: None
