"""Retrieval in Postgres next to SQLite: the same answers, and nothing is left behind."""

from pathlib import Path

import pytest

from lamina.bench import own_server
from lamina.bench.beside import MEASURES, points
from lamina.bench.retrieval import Plan
from lamina.bench.stores import KINDS, kinds
from lamina.errors import InvalidInputError
from lamina.opening import open as open_memory
from tests.bench.small_sets import write
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server
from tests.surfaces.shell import run

SCHEMAS = "select count(*) from pg_namespace where nspname like 'lamina_bench%'"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return write(folder)


def test_both_stores_are_told_and_asked_the_same(data: Path, tmp_path: Path) -> None:
    arguments = (
        "bench", "retrieval", "--data", str(data), "--dir", str(tmp_path / "scratch"),
        "--embedder", "static", "--no-ablations", "--store", "sqlite,postgres",
        "--address", fresh_address(), "--run-dir", str(tmp_path / "runs"),
    )  # fmt: skip
    answer = run(*arguments, "--json")
    assert answer.status == 0, answer.err
    found = answer.json
    other = found["beside"]["postgres"]
    assert (found["config"]["store"], other["config"]["store"]) == KINDS
    for name, one in found["sets"].items():
        assert [one[measure] for measure in MEASURES] == [
            other["sets"][name][measure] for measure in MEASURES
        ]
        assert set(other["points"]["sets"][name].values()) == {0.0}
        lines = [(tmp_path / "runs" / kind / f"{name}.run.jsonl").read_text() for kind in KINDS]
        assert lines[0] == lines[1]
    assert other["answered_otherwise"] == {"garden": 0, "harbour": 0}
    assert run_sql(server().superuser(), SCHEMAS) == [(0,)]
    assert list((tmp_path / "scratch").iterdir()) == []
    shown = run(*arguments, "--sets", "garden").out
    assert "postgres, points against sqlite\tunlike\tmrr" in shown
    assert "garden\t0\t+0.00" in shown


def test_postgres_alone_looks_as_sqlite_alone_does(data: Path, tmp_path: Path) -> None:
    answer = run(
        "bench", "retrieval", "--data", str(data), "--dir", str(tmp_path), "--embedder", "off",
        "--no-ablations", "--store", "postgres", "--address", fresh_address(), "--json",
    )  # fmt: skip
    assert answer.status == 0, answer.err
    assert answer.json["config"]["store"] == "postgres"
    assert "beside" not in answer.json


def test_points_tell_which_is_better() -> None:
    assert points({"mrr": 0.5, "silent": 0.25}, {"mrr": 0.515, "all@10": 1.0}) == {"mrr": 1.5}


@pytest.mark.parametrize("text", ["", "redis", "sqlite,sqlite", "sqlite;postgres"])
def test_a_store_that_cannot_be_measured_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="sqlite or postgres or both"):
        kinds(text)


def test_an_address_without_postgres_is_refused(data: Path) -> None:
    with pytest.raises(InvalidInputError, match="none is measured"):
        Plan(data, address=fresh_address())


def test_keys_of_stores_that_were_measured_go_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_KEYS", str(tmp_path / "keys"))
    with own_server.place(fresh_address(), tmp_path) as address, open_memory(address) as mem:
        mem.remember("the key is AKIAIOSFODNN7EXAMPLQ")
        assert len(list((tmp_path / "keys").iterdir())) == 1
    assert list((tmp_path / "keys").iterdir()) == []
