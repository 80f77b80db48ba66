"""Many vectors are found by a graph, which a fold builds; few are compared one by one."""

from typing import Any

import numpy as np
import pytest

import lamina
from lamina.core.scope import Scope
from lamina.core.vectors import Embedded, Vector
from lamina.memory import Memory
from lamina.stores.postgres import graphs, nearest
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.store import PostgresStore
from lamina.stores.questions import Search
from tests.postgres.server import run_sql
from tests.postgres.shared import server

SPACE = "made up"
_USED = (
    "select coalesce(sum(idx_scan), 0)::int from pg_stat_all_indexes"
    " where schemaname = '{schema}' and indexrelname like 'vector_rest_body%'"
)
MANY, SMALL = 300, 12
POINTS = np.random.default_rng(1).normal(size=(MANY, 8)).astype("<f4")
POINTS /= np.linalg.norm(POINTS, axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def _many_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many vectors count as many already."""
    for module in (graphs, nearest):
        monkeypatch.setattr(module, "FEW", 100)


def _filled(mem: Memory) -> list[str]:
    mem.configure("recall.embedder", "off")
    scopes = ["project/a/task/small" if number < SMALL else "project/a" for number in range(MANY)]
    made = mem.remember_many([{"text": f"tea {at}", "scope": one} for at, one in enumerate(scopes)])
    ids = [one.id for one in made.outcomes]
    embedded = [Embedded(one, 1, point.tobytes()) for one, point in zip(ids, POINTS, strict=True)]
    mem.store.embed(SPACE, embedded)
    return [str(one) for one in ids]


def _nearest(mem: Memory, scope: str, at: int) -> list[str]:
    reach = mem.reach.within(Scope.of(scope))
    asked = Search(reach=reach, terms=(), vector=Vector(SPACE, POINTS[at].tobytes()), limit=5)
    found = mem.store.search(asked)
    assert found.degraded == () or mem.store.fold_is_due()
    best = sorted(found.matches, key=lambda match: -(match.cosine or -1.0))
    return [str(match.record.id) for match in best[:5]]


def _expected(ids: list[str], at: int, number: int) -> list[str]:
    cosines = POINTS[:number] @ POINTS[at]
    return [ids[place] for place in np.argsort(-cosines)[:5]]


def test_a_fold_builds_what_is_due_and_finds_the_same(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    by_graph = nearest.Nearest._by_graph

    def noting(*given: Any) -> Any:
        asked.append(True)
        return by_graph(*given)

    monkeypatch.setattr(nearest.Nearest, "_by_graph", noting)
    with lamina.open(address) as mem:
        assert isinstance(mem.store, PostgresStore)
        ids = _filled(mem)
        assert mem.store.fold_is_due()
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)
        assert not asked
        mem.store.fold()
        assert not mem.store.fold_is_due()
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)
        assert asked
        # What may be looked at is little: all of it is compared, and nothing else is seen.
        asked.clear()
        assert _nearest(mem, "project/a/task/small", 3) == _expected(ids, 3, SMALL)
        assert not asked
        mem.store.leave_space(SPACE)
        assert _nearest(mem, "project/a", 50) == []


def test_the_server_does_use_the_graph(address: str) -> None:
    with lamina.open(address) as mem:
        _filled(mem)
        mem.store.fold()
        assert _nearest(mem, "project/a", 50)
    # What a session did is counted at its end at the latest.
    schema = parse(address).schema
    used = run_sql(server().superuser(), _USED.format(schema=schema))
    assert used != [(0,)], used
