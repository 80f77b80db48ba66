"""Counts that wait to be written: how many, for how long, and until when."""

import threading
from datetime import timedelta

import pytest

from lamina.core.ids import RecordId
from lamina.core.usage import Usage
from lamina.errors import StoreUnavailableError
from lamina.stores.sql.soon import Soon
from lamina.stores.sql.tally import Counts, Tally
from lamina.testing.builders import NOON, WEB

ONE, TWO = RecordId("one"), RecordId("two")


class Paper:
    """Where a tally writes to, and which may be out of reach."""

    def __init__(self) -> None:
        self.in_reach = True
        self.written: list[Counts] = []
        self.came = threading.Event()
        self.tried = 0
        self.again = threading.Event()

    def write(self, counts: Counts) -> None:
        self.tried += 1
        if self.tried > 1:
            self.again.set()
        if not self.in_reach:
            raise StoreUnavailableError("out of reach")
        self.written.append({root: dict(known) for root, known in counts.items()})
        self.came.set()


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def tally(paper: Paper) -> Tally:
    return Tally(paper.write)


def test_many_are_written_without_being_asked_for(tally: Tally, paper: Paper) -> None:
    tally.add({RecordId(f"r{number}"): 1 for number in range(600)}, WEB, NOON)
    assert paper.came.wait(20)
    assert len(paper.written[0][WEB]) == 600


def test_a_batch_is_one_sum_for_each_record_and_root(tally: Tally, paper: Paper) -> None:
    for number in range(10):
        tally.add({ONE: 1}, WEB, NOON + timedelta(minutes=number))
        tally.add({ONE: 1, TWO: 2}, "", NOON)
    assert tally.of([ONE]) == [
        (ONE, WEB, Usage(10, NOON + timedelta(minutes=9))),
        (ONE, "", Usage(10, NOON)),
    ]
    tally.end()
    last = NOON + timedelta(minutes=9)
    assert paper.written == [
        {WEB: {ONE: Usage(10, last)}, "": {ONE: Usage(10, NOON), TWO: Usage(20, NOON)}}
    ]
    assert tally.of([ONE, TWO]) == []


def test_what_could_not_be_written_goes_on_waiting(tally: Tally, paper: Paper) -> None:
    paper.in_reach = False
    tally.add({ONE: 1}, WEB, NOON)
    tally.drain()
    tally.add({ONE: 2}, WEB, NOON)
    assert tally.of([ONE]) == [(ONE, WEB, Usage(3, NOON))]
    paper.in_reach = True
    tally.drain()
    tally.drain()
    assert paper.written == [{WEB: {ONE: Usage(3, NOON)}}]


def test_who_was_refused_is_in_no_hurry(tally: Tally, paper: Paper) -> None:
    paper.in_reach = False
    tally.add({ONE: 1}, WEB, NOON)
    tally.drain()
    tried = paper.tried
    for start in range(0, 3_000, 300):
        tally.add({RecordId(f"r{start + n}"): 1 for n in range(300)}, WEB, NOON)
    assert not paper.again.wait(0.2)
    assert paper.tried == tried == 1


def test_no_more_wait_than_there_is_room_for(tally: Tally, paper: Paper) -> None:
    paper.in_reach = False
    for start in range(0, 12_000, 400):
        tally.add({RecordId(f"r{start + n}"): 1 for n in range(400)}, WEB, NOON)
    paper.in_reach = True
    tally.drain()
    assert sum(len(batch[WEB]) for batch in paper.written) == 10_000


def test_work_asked_for_twice_is_done_once() -> None:
    done: list[int] = []
    came = threading.Event()

    def work() -> None:
        done.append(1)
        came.set()

    soon = Soon(work, 60.0)
    soon.ask()
    soon.ask()
    assert done == []
    soon.ask(now=True)
    assert came.wait(20)
    assert done == [1]
