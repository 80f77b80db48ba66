"""Many vectors are found by a graph, which a fold builds; few are compared one by one."""

from concurrent.futures import ThreadPoolExecutor
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
from tests.postgres.opened import opened
from tests.postgres.parted import sid_of
from tests.postgres.server import run_sql
from tests.postgres.shared import server

SPACE = "made up"
_USED = (
    "select coalesce(sum(idx_scan), 0)::int from pg_stat_all_indexes"
    " where schemaname = '{schema}' and indexrelname = 'vector_graph_1_0'"
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


def _fold(mem: Memory) -> None:
    while mem.store.fold_is_due():
        # The worker of this process may have it in hand.
        mem.store.fold()


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
        _fold(mem)
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)
        assert asked
        # What may be looked at is little: all of it is compared, and nothing else is seen.
        asked.clear()
        assert _nearest(mem, "project/a/task/small", 3) == _expected(ids, 3, SMALL)
        assert not asked
        mem.store.leave_space(SPACE)
        assert _nearest(mem, "project/a", 50) == []


def test_a_project_with_partitions_of_its_own_has_a_graph_of_its_own(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []
    by_graph = nearest.Nearest._by_graph

    def explained(asked: Any, sid: int, sight: Any, limit: int) -> Any:
        sql = nearest._BY_GRAPH.format(
            sight=sight.sql, space=asked._space.number, home=asked._home(sid), dimensions=8
        )
        given = (asked._asked, sid, *sight.parameters, asked._asked, limit)
        asked._connection.execute("set local enable_sort = off")
        told = asked._connection.execute(f"explain (costs off) {sql}", given)
        plans.append("\n".join(line for (line,) in told))
        return by_graph(asked, sid, sight, limit)

    with lamina.open(address) as mem:
        ids = _filled(mem)
        mem.remember_many([{"text": f"cup {at}", "scope": "project/b"} for at in range(120)])
        waiting = mem.store.unembedded(SPACE, 200)
        made = [
            Embedded(one.id, one.rev, point.tobytes())
            for one, point in zip(waiting, POINTS, strict=False)
        ]
        mem.store.embed(SPACE, made)
        _fold(mem)
        mem.configure("project.partition_at", "250")
        [arranged] = mem.store.arrange()
        assert not mem.store.fold_is_due()
        monkeypatch.setattr(nearest.Nearest, "_by_graph", explained)
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)
        sid = sid_of(address, "a")
        assert f"Index Scan using vector_graph_1_{sid} on vector_{sid} x" in plans[0]
        assert "vector_rest" not in plans[0]
        _nearest(mem, "project/b", 3)
        assert "Index Scan using vector_graph_1_0 on vector_rest x" in plans[1]
        assert f"vector_{sid}" not in plans[1]
        plans.clear()
        assert _nearest(mem, "project/a/task/small", 3) == _expected(ids, 3, SMALL)
        assert plans == []


def test_the_server_does_use_the_graph(address: str) -> None:
    with lamina.open(address) as mem:
        _filled(mem)
        _fold(mem)
        assert _nearest(mem, "project/a", 50)
    # What a session did is counted at its end at the latest.
    schema = parse(address).schema
    used = run_sql(server().superuser(), _USED.format(schema=schema))
    assert used != [(0,)], used


def test_a_graph_that_was_broken_off_is_built_anew_and_nobody_uses_it_before(address: str) -> None:
    with lamina.open(address) as mem:
        ids = _filled(mem)
        _fold(mem)
        # As whoever was killed leaves it behind.
        graph = f"'{parse(address).schema}.vector_graph_1_0'::regclass"
        broken = f"update pg_index set indisvalid = false where indexrelid = {graph}"
        run_sql(server().superuser(), broken)
        assert mem.store.fold_is_due()
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)
        _fold(mem)
        assert _nearest(mem, "project/a", 50) == _expected(ids, 50, MANY)


def test_a_graph_in_the_making_holds_up_neither_vectors_nor_an_erase(address: str) -> None:
    making = "select count(*) from pg_stat_progress_create_index where phase like 'waiting%'"
    with (
        lamina.open(address) as mem,
        lamina.open(address) as other,
        opened(address) as connections,
        ThreadPoolExecutor(1) as threads,
    ):
        ids = _filled(mem)
        # It waits at its end for whoever began to read before, and holds all its locks meanwhile.
        with connections.reading() as reader:
            reader.execute("select count(*) from vector").first()
            folding = threads.submit(mem.store.fold)
            while run_sql(server().superuser(), making) == [(0,)]:
                assert not folding.done()
            other.erase(ids[0])
            new = other.remember("cup", scope="project/a").id
            other.store.embed(SPACE, [Embedded(new, 1, POINTS[0].tobytes())])
            assert not folding.done()
        folding.result(30)
        assert not mem.store.fold_is_due()
        assert _nearest(mem, "project/a", 0)[0] == new
