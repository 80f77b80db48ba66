"""Notices that wait to be written: how many, in which order, and until when."""

import threading
from collections.abc import Sequence

import pytest

from lamina.core.announcements import MOST_NOTICES, MemoryFlush, Notice
from lamina.errors import StoreUnavailableError
from lamina.stores.sql.notepad import Notepad


def flush(session: str) -> Notice:
    return Notice(said=MemoryFlush(session_id=session), by="ann", scope="global", layer="session")


class Paper:
    """Where a notepad writes to, and which may be out of reach."""

    def __init__(self) -> None:
        self.erase = 1
        self.in_reach = True
        self.written: list[tuple[str, int]] = []
        self.came = threading.Event()

    def last_erase(self) -> int:
        return self.erase

    def write(self, notices: Sequence[Notice], since: int) -> None:
        if not self.in_reach:
            raise StoreUnavailableError("out of reach")
        self.written += [(notice.said.payload()["session_id"], since) for notice in notices]
        self.came.set()


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def notepad(paper: Paper) -> Notepad:
    return Notepad(paper.last_erase, paper.write)


@pytest.mark.parametrize("many", [1, 100, 250])
def test_notices_are_written_without_being_asked_for(
    notepad: Notepad, paper: Paper, many: int
) -> None:
    notepad.add([flush(f"s{number}") for number in range(many)])
    assert paper.came.wait(20)
    assert paper.written == [(f"s{number}", 1) for number in range(many)]


def test_what_could_not_be_written_waits_in_order(notepad: Notepad, paper: Paper) -> None:
    paper.in_reach = False
    notepad.add([flush("one")])
    notepad.drain()
    paper.erase = 2
    notepad.add([flush("two")])
    notepad.drain()
    paper.in_reach = True
    notepad.drain()
    # Both come as from before the erase, because one of them does: it is for the store to refuse.
    assert paper.written == [("one", 1), ("two", 1)]
    notepad.add([flush("three")])
    notepad.drain()
    assert paper.written[2:] == [("three", 2)]


def test_no_more_wait_than_would_be_kept(notepad: Notepad, paper: Paper) -> None:
    paper.in_reach = False
    notepad.add([flush("old")] * 50)
    notepad.drain()
    notepad.add([flush("new")] * MOST_NOTICES)
    notepad.drain()
    waiting, _ = notepad.take()
    assert {notice.said.payload()["session_id"] for notice in waiting} == {"new"}
    assert len(waiting) == MOST_NOTICES
