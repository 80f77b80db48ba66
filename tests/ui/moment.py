"""Lamina at a moment of our choosing, at which time stands still: pictures then change with the
pages alone.

    python -m tests.ui.moment 2026-03-12T15:30:00+00:00 --dir FOLDER serve
"""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from lamina import clock
from lamina.core.ids import RecordId, new_id


@contextmanager
def at(moment: datetime, whose: str) -> Iterator[None]:
    """Time stands still, and chance says what it said the last time, to each another thing."""
    real = clock.now, clock.fresh_id, os.urandom
    chance = random.Random(whose)
    clock.now = partial(_same, moment)
    clock.fresh_id = partial(_drawn, chance)
    os.urandom = chance.randbytes
    try:
        yield
    finally:
        clock.now, clock.fresh_id, os.urandom = real


def _same(moment: datetime) -> datetime:
    return moment


def _drawn(chance: random.Random) -> RecordId:
    return new_id(int(clock.now().timestamp() * 1_000), chance.randbytes(10))


def main(moment: str, *said: str) -> None:
    """Run a command at a moment."""
    from lamina.surfaces.cli.main import main as run

    with at(datetime.fromisoformat(moment), "a command"):
        run(list(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
