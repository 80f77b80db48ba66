"""Run by `test_time_zones` under several time zones: 200 operations whose answers must not differ.

Prints one JSON document: what the local zone is, and every answer without its ids.
"""

import json
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lamina
from lamina import InvalidInputError, Memory, clock
from lamina.core.record import to_json
from tests.places import STORES, where

OPERATIONS = 200
# Each hour holds the end of summer time of one zone: its local times come twice.
FOLDS = (datetime(2026, 4, 4, 13, 30, tzinfo=UTC), datetime(2026, 11, 1, 8, 30, tzinfo=UTC))


class Ticking:
    """A clock that goes on by a minute with every operation, through both folds."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self) -> datetime:
        half = OPERATIONS // 2
        start = FOLDS[0] if self.number < half else FOLDS[1]
        return start + timedelta(minutes=self.number % half)


def spoken(chance: random.Random, now: datetime) -> Any:
    """An expiry in one of the ways in which people give one."""
    at = now + timedelta(minutes=chance.randrange(1, 90))
    local = datetime.fromtimestamp(at.timestamp()).astimezone()
    return chance.choice((None, "30m", "2h", at, local, local.isoformat(), timedelta(minutes=20)))


def play(mem: Memory, ticking: Ticking) -> Iterator[Any]:
    """The operations, each with its answer."""
    chance = random.Random(46)
    for number in range(OPERATIONS):
        ticking.number = number
        key = f"k{chance.randrange(12)}"
        expires = spoken(chance, ticking())
        match chance.randrange(6):
            case 0 | 1 | 2:
                mem.remember(f"{key} at {number}", key=key, expires=expires)
                yield plain(mem.get(key))
            case 3:
                yield [plain(record) for record in mem.query({"layer": "knowledge"})]
            case 4 if mem.count({"key": key}):
                mem.forget(key)
                yield mem.count()
            case _:
                naive = datetime.fromtimestamp(ticking().timestamp())
                yield [refused(mem, naive), refused(mem, naive.isoformat())]
    yield [[event.seq, str(event.at)] for event in mem.store.events("global", limit=1000)]


def plain(record: lamina.Record) -> dict[str, Any]:
    """A record without its id, which is drawn anew each time."""
    return {name: value for name, value in to_json(record).items() if name != "id"}


def refused(mem: Memory, expires: Any) -> str:
    """What a time without a zone is answered with."""
    try:
        mem.remember("naive", expires=expires)
    except InvalidInputError as error:
        return error.message
    return "taken"


def main() -> None:
    """Play on every store."""
    clock.now = ticking = Ticking()
    answers = {}
    for kind in STORES:
        with lamina.open(where(kind, Path(sys.argv[1]) / kind)) as mem:
            answers[kind] = list(play(mem, ticking))
    local = [datetime.fromtimestamp(fold.timestamp()).isoformat() for fold in FOLDS]
    print(json.dumps({"local": local, "answers": answers}))


if __name__ == "__main__":
    main()
