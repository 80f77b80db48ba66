"""Crowds of writers: what each got is counted right, and everything that was counted is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lamina.bench.crowds import LEAST, Child, Crew, Crowd, Round, threads
from lamina.bench.drafts import draft, question
from lamina.bench.growth import Growth, prepare
from lamina.bench.measure import Spread
from lamina.errors import StoreError
from lamina.memory import Memory
from lamina.opening import open as open_memory


@contextmanager
def unseen(_: str, total: int) -> Iterator[Callable[[int], None]]:
    assert total > 0
    yield lambda done: None


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "store", project="bench") as opened:
        yield opened


def test_a_crowd_counts_over_its_rounds() -> None:
    first = Round([[0.001] * 6, [0.002] * 2], 0.5)
    second = Round([[0.001] * 6, [0.009] * 2], 1.5)
    crowd = Crowd.of([first, second])
    assert (crowd.writers, crowd.writes, crowd.per_second) == (2, 16, 8.0)
    assert crowd.wait == Spread(p50_ms=1.0, p99_ms=9.0, worst_ms=9.0)
    # An even share would be 8 writes each; they got 12 and 4.
    assert (crowd.least_share, crowd.most_share) == (0.5, 1.5)


def test_growth_is_above_one_when_the_large_store_is_slower() -> None:
    fast = Crowd.of([Round([[0.001] * 10], 0.01)])
    slow = Crowd.of([Round([[0.002] * 10], 0.03)])
    assert Growth(fast, slow).ratio == 3.0
    assert Growth(fast, slow).ratio_p50 == 2.0


def test_threads_write_what_they_count(mem: Memory) -> None:
    found = threads(mem, 3, 0.02)
    counted = sum(len(waits) for waits in found.waits)
    assert len(found.waits) == 3
    assert counted >= 3 * LEAST
    # Each thread wrote once before the watch started.
    assert mem.count() == counted + 3


def test_processes_write_what_they_count_to_the_store_they_are_told(tmp_path: Path) -> None:
    stores = [tmp_path / "one", tmp_path / "other"]
    with Crew.of(2, stores) as crew:
        found = [crew.write(0, 2, 0.02), crew.write(0, 1, 0.02)]
    counted = sum(len(waits) for one in found for waits in one.waits)
    assert [len(one.waits) for one in found] == [2, 1]
    stored = []
    for store in stores:
        with open_memory(store, project="bench") as opened:
            stored.append(opened.count())
    assert stored == [counted + 2, 2]


def test_a_process_that_dies_is_noticed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match="ended before it answered"),
        Crew.of(2, [tmp_path / "file"]),
    ):
        pytest.fail("a crew on no store")
    assert "Error" in capfd.readouterr().err


def test_a_process_that_is_not_needed_any_more_ends(tmp_path: Path) -> None:
    with Child("write", 0, tmp_path / "store") as child:
        assert child.hear() == "ready"
    assert child.status == 0


def test_a_prepared_store_is_filled_up_not_built_again(mem: Memory) -> None:
    prepare(mem, 7, unseen)
    first = {record.id for record in mem.query()}
    prepare(mem, 7, unseen)
    assert mem.count() == len(first) == 7
    prepare(mem, 12, unseen)
    assert mem.count() == 12
    assert {record.text for record in mem.query()} == {draft(n)["text"] for n in range(12)}


def test_memories_differ_and_can_be_found_by_their_words(mem: Memory) -> None:
    prepare(mem, 200, unseen)
    assert len({draft(number)["text"] for number in range(200)}) == 200
    assert draft(17) == draft(17)
    found = [hit.record.text for hit in mem.recall(question(17), k=200).hits]
    assert draft(17)["text"] in found
    assert len(found) < 200
