"""Sixty-four processes open the same directory at once, and one store comes of it.

In every second round the directory holds a store of the first released format, which all of them
would bring up to date.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import lamina
from lamina.exchange import count_exported
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import DATABASE, driver, formats
from tests.faults.agreement import all_of, complaints, disagreements
from tests.faults.child import Child, Line
from tests.faults.children.operations import lay_old_store
from tests.faults.report import Report, Tell

PROCESSES = 64


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let the crowd in `size` times."""
    report = Report("first_open", seed, 0)
    for number in range(size):
        place = folder / str(number)
        if number % 2:
            place.mkdir()
            lay_old_store(place)
        wrong = _round(place, migrated=bool(number % 2))
        report.violations += [f"seed {seed}: round {number}: {line}" for line in wrong]
        report.trials += PROCESSES
        tell(number + 1, size)
    report.figures = {"rounds": size, "processes_each": PROCESSES}
    return report


def _round(place: Path, *, migrated: bool) -> list[str]:
    crowd = Child("crowd", str(place), str(PROCESSES))
    said = crowd.finish(300)
    complaint = [crowd.complaint] if crowd.complaint else []
    return [*complaint, *all_of(_violations(place, said, migrated=migrated))]


def _violations(place: Path, said: Sequence[Line], *, migrated: bool) -> Iterator[str]:
    yield from (line["error"] for line in said if "error" in line)
    kept = {line["kept"]: line["name"] for line in said if "kept" in line}
    if len(kept) != PROCESSES:
        yield f"{len(kept)} of {PROCESSES} processes got a receipt"
    if len({line["identity"] for line in said if "kept" in line}) > 1:
        yield "the processes do not agree which store it is"
    with lamina.open(place) as mem:
        found = {r.id: r.data["name"] for r in mem.query(limit=10_000) if "name" in r.data}
        if found != kept:
            yield f"{len(kept)} records were acknowledged and {len(found)} are there"
        if not migrated and count_exported(mem) != PROCESSES:
            yield f"there are {count_exported(mem)} records instead of {PROCESSES}"
        yield from complaints(mem)
    yield from disagreements(place)
    yield from _one_schema(place)


def _one_schema(place: Path) -> Iterator[str]:
    connection = driver.connect(place / DATABASE, create=False)
    try:
        version = one(connection, "pragma user_version")
        if version != formats.NEWEST:
            yield f"the schema has number {version} instead of {formats.NEWEST}"
        mode = one(connection, "pragma journal_mode")
        if mode != "wal":
            yield f"the journal mode is {mode}"
    finally:
        connection.close()
