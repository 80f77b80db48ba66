"""Processes write, make vectors, fold and search at once, and segments answer as the tables do.

Each search compares the two in one snapshot. In the end everything must be foldable and in order.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from lamina.core.access import EVERYTHING
from lamina.core.settings import BUILTIN, ENGINE, LANCE
from lamina.core.text import query_terms
from lamina.stores.questions import Search
from lamina.stores.sqlite.store import SqliteStore
from tests.faults.agreement import all_of, disagreements
from tests.faults.child import Child, Line
from tests.faults.children.sharer import WORDS
from tests.faults.report import Report, Tell
from tests.stores import segmented

ROLES = ("write", "write", "embed", "fold", "fold", "search", "search")


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let processes share a store for `size` seconds."""
    store = _made(folder, BUILTIN)
    return _shared(store, "sharing", size, seed, tell)


def run_tables(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """The same with vectors in tables of LanceDB, replaced while others have them open."""
    store = _made(folder, LANCE)
    return _shared(store, "tables", size, seed, tell)


def _made(folder: Path, engine: str) -> Path:
    store = folder / "store"
    store.mkdir(parents=True)
    with closing(SqliteStore(store)) as made:
        made.configure(ENGINE, engine)
    return store


def _shared(store: Path, name: str, size: int, seed: int, tell: Tell) -> Report:
    children = [
        Child("sharer", str(store), str(seed), str(number), role, str(size))
        for number, role in enumerate(ROLES)
    ]
    said = [line for child in children for line in child.finish(size + 120)]
    report = Report(name, seed, sum(line.get("done", 0) for line in said))
    wrong = [child.complaint for child in children if child.complaint]
    wrong += all_of(_violations(store, said))
    report.violations = [f"seed {seed}: {line}" for line in wrong]
    for role in ROLES:
        report.figures[role] = sum(one["done"] for one in said if one.get("role") == role)
    tell(size, size)
    return report


def _violations(folder: Path, said: list[Line]) -> Iterator[str]:
    for line in said:
        yield from line.get("wrong", ())
    with segmented.large_for_a_while(), closing(SqliteStore(folder)) as store:
        store.fold()
        yield from (
            f"{one.check}: {one.message}" for one in store.check() if one.severity.is_damage
        )
        for word in WORDS:
            search = Search(reach=EVERYTHING, terms=query_terms(word), limit=100_000)
            yield from segmented.disagreements(store, search)
    yield from disagreements(folder)
    if odd := [path.name for path in segmented.files(folder) if path.name.startswith(".")]:
        yield f"files are left over: {odd}"
