"""The write benchmark measures what it says, on a disk, and leaves nothing behind."""

from pathlib import Path

import pytest

from lamina.bench.write import BATCH, ROUNDS, THREADS, check_disk, measure, steps
from lamina.errors import InvalidInputError
from lamina.stores.filesystem import is_in_memory, kind_of
from tests.surfaces.shell import run


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A folder on a real disk: the system's temporary folder may be none."""
    here = Path(__file__).parent
    folder = here if is_in_memory(kind_of(tmp_path)) else tmp_path
    assert not is_in_memory(kind_of(folder.resolve()))
    return folder


def test_a_run_gives_every_figure_and_cleans_up(disk: Path) -> None:
    before = sorted(disk.iterdir())
    counted: dict[str, int] = {}

    def count(what: str, number: int) -> None:
        counted[what] = counted.get(what, 0) + number

    found = measure(disk, 5, count).to_json()
    assert sorted(disk.iterdir()) == before
    assert counted["single writes"] == 5
    assert counted["one batch"] == BATCH
    assert sum(counted.values()) == steps(5)
    # However few records are asked for, each thread writes more than once.
    assert all(counted[f"{n} threads"] >= 2 * n * ROUNDS for n in THREADS)
    assert found["reads"]["stored"] > BATCH + counted["32 threads"]
    assert set(found["reads"]) == {"stored", "get_p50_ms", "recall_p50_ms"}
    assert found["bench"] == "write"
    assert set(found["single"]) == {"p50_ms", "p99_ms", "ratio_to_raw"}
    assert set(found["raw"]) == {"p50_ms", "p99_ms"}
    assert found["batch"]["size"] == BATCH
    assert list(found["threads"]) == [str(number) for number in THREADS]
    assert {"python", "sqlite", "cpus"} <= set(found["machine"])
    assert found["filesystem"] == (kind_of(disk.resolve()) or "unknown")


def test_a_file_system_in_memory_is_refused_by_name() -> None:
    in_memory = [path for path in (Path("/dev/shm"), Path("/run")) if path.is_dir()]
    for path in in_memory:
        kind = kind_of(path.resolve())
        if is_in_memory(kind):
            with pytest.raises(InvalidInputError, match=kind):
                check_disk(path)


def test_the_command_prints_one_document(disk: Path) -> None:
    answer = run("bench", "write", "--dir", str(disk), "--records", "3", "--json")
    assert answer.status == 0, answer.err
    assert answer.json["records"] == 3
    shown = run("bench", "write", "--dir", str(disk), "--records", "3")
    assert "32 threads" in shown.out
    assert "recall, " in shown.out
