"""The write benchmark measures what it says, on a disk, and leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from lamina.bench.measure import check_disk
from lamina.bench.write import CROWD, PROCESSES, THREADS, Plan
from lamina.errors import InvalidInputError
from lamina.opening import open as open_memory
from lamina.stores.filesystem import is_in_memory, kind_of
from tests.bench.told import shown
from tests.surfaces.shell import caller, run

SPREAD = {"p50_ms", "p99_ms", "worst_ms"}
CROWDED = {"writers", "writes", "per_second", "least_share", "most_share", *SPREAD}
TINY = ("bench", "write", "--records", "30", "--seconds", "0.02")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on a real disk: the system's temporary folder may be none."""
    usual = tmp_path_factory.getbasetemp()
    around = Path(__file__).parent if is_in_memory(kind_of(usual)) else usual
    with TemporaryDirectory(dir=around) as folder:
        assert not is_in_memory(kind_of(Path(folder).resolve()))
        yield Path(folder)


@pytest.fixture(scope="module")
def found(disk: Path) -> dict[str, Any]:
    """What a run measured that keeps the large store and removes the rest."""
    answer = run(*TINY, "--dir", str(disk), "--keep", "--json")
    assert answer.status == 0, answer.err
    measured: dict[str, Any] = answer.json
    return measured


def _check_crowds(found: dict[str, Any], numbers: tuple[int, ...]) -> None:
    assert list(found) == [str(number) for number in numbers]
    for number, crowd in zip(numbers, found.values(), strict=True):
        assert set(crowd) == {*CROWDED, "ratio_to_one"}
        assert crowd["writers"] == number
        # However short the time, each writer writes more than once.
        assert crowd["writes"] >= 2 * number
        assert 0 < crowd["p50_ms"] <= crowd["p99_ms"] <= crowd["worst_ms"]
        assert 0 < crowd["least_share"] <= 1 <= crowd["most_share"]


def test_a_run_gives_every_figure(found: dict[str, Any], disk: Path) -> None:
    assert (found["bench"], found["records"]) == ("write", 30)
    assert {"python", "sqlite", "system", "cpus"} == set(found["machine"])
    assert found["filesystem"] == (kind_of(disk.resolve()) or "unknown")
    assert set(found["raw"]) == SPREAD
    assert set(found["single"]) == {*CROWDED, "ratio_to_raw"}
    assert found["batch"]["records_per_second"] > 0
    _check_crowds(found["threads"], THREADS)
    _check_crowds(found["processes"], PROCESSES)
    _check_growth(found["growth"])
    _check_size(found)


def _check_growth(found: dict[str, Any]) -> None:
    sorts = {"single": 1, f"threads_{CROWD}": CROWD, f"processes_{CROWD}": CROWD}
    assert set(found) == {"from", "to", "worst", "aim", *sorts}
    assert (found["from"], found["to"]) == (30, 30)
    for name, writers in sorts.items():
        assert set(found[name]) == {"small", "large", "ratio", "ratio_p50"}
        assert found[name]["small"]["writers"] == found[name]["large"]["writers"] == writers
    assert found["worst"] == max(found[name]["ratio"] for name in sorts)


def _check_size(found: dict[str, Any]) -> None:
    for reads in found["reads"].values():
        assert set(reads) == {"stored", "get_p50_ms", "recall_p50_ms"}
        assert reads["stored"] > 30
    opening, resident, feed = found["opening"], found["resident"], found["feed"]
    # A whole process takes longer than what it does.
    assert 0 < opening["open_p50_ms"] <= opening["open_worst_ms"]
    assert opening["open_p50_ms"] + opening["first_recall_p50_ms"] < opening["process_p50_ms"]
    assert resident["opened_kb"] > 1000
    assert len(resident["after_kb"]) > 1
    assert resident["growth_kb"] == resident["after_kb"][-1] - resident["after_kb"][0]
    assert set(feed["wake"]) == SPREAD
    assert feed["wakes"] > 1
    assert feed["idle_seconds"] > 0
    assert feed["idle_cpu_percent"] > 0
    assert found["log_kb"]["large"] > 0


def test_a_run_leaves_nothing_but_the_large_store(found: dict[str, Any], disk: Path) -> None:
    kept = Plan(disk, 30, 0.02).kept
    assert list(disk.iterdir()) == [kept]
    with open_memory(kept, project="bench") as mem:
        assert mem.count() > 30


def test_a_person_sees_tables_and_where_the_large_store_is(
    found: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = shown(found, caller(capsys, tmp_path), monkeypatch, "--records", "30", "--keep")
    assert answer.status == 0, answer.err
    for expected in (" times", "32 threads", "8 processes", "recall, ", "idle subscriber"):
        assert expected in answer.out
    assert str(Plan(tmp_path, 30, 0.02).kept) in answer.err


def test_a_file_system_in_memory_is_refused_by_name() -> None:
    in_memory = [path for path in (Path("/dev/shm"), Path("/run")) if path.is_dir()]
    for path in in_memory:
        kind = kind_of(path.resolve())
        if is_in_memory(kind):
            with pytest.raises(InvalidInputError, match=kind):
                check_disk(path)


@pytest.mark.parametrize("records", [0, -1, 1_000_001])
def test_a_size_that_makes_no_sense_is_refused(tmp_path: Path, records: int) -> None:
    with pytest.raises(InvalidInputError, match="`records`"):
        Plan(tmp_path, records, 1.0)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 61.0, float("nan"), float("inf")])
def test_a_time_that_makes_no_sense_is_refused(tmp_path: Path, seconds: float) -> None:
    with pytest.raises(InvalidInputError, match="`seconds`"):
        Plan(tmp_path, 1, seconds)
