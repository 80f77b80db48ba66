"""Writes the fixture of the newest format, once, when a release introduces it.

    python -m tests.stores.released.make

A released fixture is never made again: it is what users have on their disks.
"""

import gzip
import sys
import tempfile
from pathlib import Path

import lamina
from lamina import clock
from lamina.embedding import Vectors
from lamina.exchange import export_lines
from lamina.stores.sqlite import formats
from lamina.testing.embedders import FakeEmbedder
from tests.test_exchange import fill

DIMENSIONS = 8
"""Of the vectors in it, which are made without a model."""
HITS = 3
"""How often each current record in it was of use."""


def main() -> None:
    """Fill a store with a bit of everything and keep its file and its export."""
    target = Path(__file__).parent / f"format-{formats.NEWEST}.db.gz"
    if target.exists():
        sys.exit(f"{target.name} is released; it stays as it is")
    with tempfile.TemporaryDirectory() as folder:
        with lamina.open(folder) as mem:
            fill(mem)
            gone = mem.remember("erased before the release")
            Vectors(mem.store, FakeEmbedder(DIMENSIONS)).make()
            mem.erase(gone.id)
            mem.store.note_use({one.id: HITS for one in mem.query()}, clock.now())
            lines = list(export_lines(mem, history=True))
        packed = gzip.compress((Path(folder) / "lamina.db").read_bytes(), mtime=0)
    target.write_bytes(packed)
    export = target.with_name(f"format-{formats.NEWEST}.jsonl")
    export.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
