"""Many random histories against the model: `python -m tests.model.long --steps 50000`.

A history is short and begins with an empty store, so that comparing stays cheap; its seed alone
repeats it. One JSON line for each store goes to standard output, progress to standard error.
"""

import argparse
import json
import random
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from tests.model.places import PLACES
from tests.model.rules import RULES, History

STEPS_PER_HISTORY = 200
# Weights: what makes histories interesting, before what only looks at them.
WEIGHTS = {
    "write": 6, "edit": 6, "move": 5, "adopt": 4, "batch": 5, "repeat": 4, "erase": 2, "tick": 2,
    "ask": 6, "search": 3, "look back": 4, "listen": 3,
}  # fmt: skip


def run_history(place: str, folder: Path, *, seed: int, steps: int) -> int:
    """Run one history and return how many steps it had; a divergence raises `AssertionError`."""
    chance = random.Random(f"{place} {seed}")
    names = sorted(RULES)
    weights = [WEIGHTS.get(name, 1) for name in names]
    with PLACES[place](folder) as reopen:
        history = History(reopen)
        try:
            for name in chance.choices(names, weights, k=steps):
                history.run(name, chance.choice)
        finally:
            history.store.flush()
        history.close()
    return history.steps


def run_many(place: str, *, steps: int, seed: int) -> dict[str, object]:
    """Run histories until there were enough steps; count those that diverged."""
    start, done, divergences, first = perf_counter(), 0, 0, seed
    while done < steps:
        length = min(STEPS_PER_HISTORY, steps - done)
        with tempfile.TemporaryDirectory() as folder:
            try:
                run_history(place, Path(folder), seed=seed, steps=length)
            except Exception:
                divergences += 1
                print(f"\n{place}: a divergence with --seed {seed}", file=sys.stderr)
                traceback.print_exc()
        done += length
        seed += 1
        print(f"\r{place}: {done:,} of {steps:,} steps", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    seconds = round(perf_counter() - start, 1)
    return {
        "store": place, "steps": done, "divergences": divergences, "seed": first,
        "seconds": seconds,
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; the status says whether anything diverged."""
    parser = argparse.ArgumentParser(prog="python -m tests.model.long", description=__doc__)
    parser.add_argument("--steps", type=int, default=50_000, help="for each store")
    parser.add_argument("--store", choices=PLACES, action="append", help="only this one")
    parser.add_argument("--seed", type=int, default=1, help="of the first history")
    chosen = parser.parse_args(arguments)
    status = 0
    for place in chosen.store or PLACES:
        result = run_many(place, steps=chosen.steps, seed=chosen.seed)
        print(json.dumps(result), flush=True)
        status |= bool(result["divergences"])
    return status


if __name__ == "__main__":
    sys.exit(main())
