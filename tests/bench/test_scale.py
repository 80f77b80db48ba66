"""The benchmark of large stores compares both in one run, and leaves nothing behind."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import lamina
from lamina.bench import own_server
from lamina.bench.agents import Crowd, live
from lamina.bench.scale import Plan, clients
from lamina.errors import InvalidInputError, UnsupportedError
from lamina.stores.filesystem import is_in_memory, kind_of
from lamina.surfaces.cli.bench_scale import report
from lamina.surfaces.cli.marks import Grid
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server
from tests.serving import serving
from tests.surfaces.shell import run

TINY = (
    "bench", "scale", "--records", "40", "--clients", "1", "--each", "1", "--seconds", "1",
    "--servers", "1", "--agents", "0", "--json",
)  # fmt: skip
SCHEMAS = "select count(*) from pg_namespace where nspname like 'lamina_bench%'"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a real disk: the system's temporary folder may be none."""
    around = Path(__file__).parent if is_in_memory(kind_of(tmp_path)) else tmp_path
    with TemporaryDirectory(dir=around) as folder:
        yield Path(folder)


@pytest.mark.timeout(300)
def test_a_run_gives_every_figure_and_cleans_up(disk: Path) -> None:
    answer = run(*TINY, "--dir", str(disk), "--address", fresh_address())
    assert answer.status == 0, answer.err
    assert list(disk.iterdir()) == []
    assert run_sql(server().superuser(), SCHEMAS) == [(0,)]
    found = answer.json
    assert (found["bench"], found["records"]) == ("scale", 40)
    for side in ("postgres", "sqlite"):
        assert found["load_in"][side]["per_second"] > 0
        assert found["load_in"][side]["bytes_per_record"] > 500
        assert found["recall"][side]["whole"]["p50_ms"] > 0
        assert found["recall"][side]["in_scope"]["p50_ms"] > 0
        assert 0 <= found["wake"][side]["p50_ms"] <= found["wake"][side]["p99_ms"]
    [ways] = found["write"].values()
    assert set(ways) == {"plain", "postgres", "postgres_apart", "sqlite"}
    assert ways["plain"]["ratio_to_plain"] == 1.0
    assert all(one["ratio_to_plain"] > 0 for one in ways.values())
    moved = found["partitions"]
    # Those that were written to meanwhile are as large as a tiny store.
    assert moved["projects"] >= 1
    assert moved["records"] >= 20
    for when in ("before", "meanwhile"):
        assert all(moved[when][where]["writes"] >= 4 for where in ("inside", "elsewhere"))
    shown = [one for one in report(found) if isinstance(one, Grid)]
    assert len(shown) == 3


def test_nothing_is_measured_without_a_server(monkeypatch: pytest.MonkeyPatch, disk: Path) -> None:
    monkeypatch.setattr(own_server, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="no Postgres"), own_server.place(None, disk):
        pass


@pytest.mark.parametrize("text", ["", "1,x", "0", "4,-1"])
def test_clients_are_numbers(text: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="clients"):
        Plan(tmp_path, clients=clients(text))


def test_agents_work_on_servers_and_every_failure_is_told_by_kind() -> None:
    with lamina.open(":memory:") as mem, serving(mem) as one, serving(mem) as other:
        mem.configure("recall.embedder", "off")
        ports = [int(server.url.rpartition(":")[2]) for server in (one, other)]
        shown = [one.headers_of("team", "admin", "team0"), one.headers_of("team", "admin", "team1")]
        done = asyncio.run(live(Crowd(ports, 6, 0.8, shown, pause=0.05)))
        assert done["errors"] == {}
        each = [kind["operations"] for kind in done["kinds"].values()]
        assert done["operations"] == sum(each) >= 6
        assert mem.count() >= done["kinds"]["remember"]["operations"]
        strangers = [{"Authorization": "Bearer nobody"}]
        refused = asyncio.run(live(Crowd(ports, 1, 0.2, strangers, pause=0.05)))
        assert sum(refused["errors"].values()) == refused["operations"] > 0
        assert all(": 401 " in kind for kind in refused["errors"])
