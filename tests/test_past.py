"""Reading the past through the front door: by instant and by cursor."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina import Memory, clock
from lamina.errors import InvalidInputError, NotFoundError
from tests.places import mem

__all__ = ["mem"]

MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)


def at(hour: float) -> datetime:
    return MORNING + timedelta(hours=hour)


@pytest.fixture
def hour(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says, in hours of the day; a test may change it."""
    said = [0.0]
    monkeypatch.setattr(clock, "now", lambda: at(said[0]))
    return said


def test_the_past_is_read_by_instant(mem: Memory, hour: list[float]) -> None:
    for number, text in enumerate(("Postgres 15", "Postgres 16", "SQLite")):
        hour[0] = number * 2.0
        mem.remember(text, key="db")
    read = [mem.get("db", as_of=at(when)).text for when in (0, 1, 2, 3, 4, 99)]
    assert read == ["Postgres 15", "Postgres 15", "Postgres 16", "Postgres 16", "SQLite", "SQLite"]
    with pytest.raises(NotFoundError):
        mem.get("db", as_of=at(-1))
    record = mem.get("db")
    assert mem.get(record.id, as_of="2026-03-01T09:30:00+01:00").text == "Postgres 15"


def test_the_past_is_read_by_cursor(mem: Memory) -> None:
    mem.remember("a red kettle", key="k")
    mem.remember("a blue cup")
    before = mem.cursor()
    mem.remember("a green pan", key="k")
    mem.forget(*(record.id for record in mem.query({"key": None})))
    assert mem.get("k", as_of=before).text == "a red kettle"
    assert {record.text for record in mem.query(as_of=before)} == {"a red kettle", "a blue cup"}
    assert (mem.count(as_of=before), mem.count()) == (2, 1)
    assert [hit.record.text for hit in mem.recall("kettle", as_of=before).hits] == ["a red kettle"]
    assert mem.recall("kettle").abstained
    assert mem.recall("pan", as_of=before).abstained


def test_a_change_takes_one_back_to_the_moment_after_it(mem: Memory) -> None:
    for number in range(4):
        mem.remember(f"value {number}", key="k")
    read = [mem.get("k", as_of=change.cursor).text for change in mem.changes()]
    assert read == [f"value {number}" for number in range(4)]


def test_what_has_run_out_since_was_there_then(mem: Memory, hour: list[float]) -> None:
    mem.remember("a meeting at ten", expires="3h")
    hour[0] = 2.0
    there = mem.cursor()
    hour[0] = 5.0
    assert mem.count() == 0
    assert mem.count(as_of=there) == mem.count(as_of=at(2)) == 1
    assert mem.count(as_of=at(4)) == 0
    assert [hit.record.text for hit in mem.recall("meeting", as_of=there).hits] == [
        "a meeting at ten"
    ]


def test_states_of_the_past_can_be_asked_for(mem: Memory) -> None:
    mem.remember("kept", key="k")
    there = mem.cursor()
    mem.forget("k")
    assert mem.count({"state": "forgotten"}, as_of=there) == 0
    assert mem.count({"state": "forgotten"}) == 1


def test_the_past_of_others_stays_theirs(mem: Memory) -> None:
    web, shop = mem.project("web"), mem.project("shop")
    shop.remember("a hidden kettle", key="k")
    there = mem.cursor()
    web.remember("ours")
    assert web.recall("kettle", as_of=there).abstained
    assert web.query(as_of=there) == []
    assert web.count(as_of=there) == 0


def test_python_takes_days_and_spans_like_the_command_line(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("here", key="k")
        today = mem.get("k").created_at.date().isoformat()
        assert mem.count(as_of=today) == mem.count(as_of="0s") == 1
        assert mem.count(as_of="2020-01-01") == mem.count(as_of="7d") == 0


@pytest.mark.parametrize("when", ["yesterday", datetime(2026, 3, 1), 5, "2026-03-01T12:00:00"])
def test_what_is_no_time_is_refused(when: datetime, tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("here", key="k")
        for call in (
            lambda: mem.get("k", as_of=when),
            lambda: mem.query(as_of=when),
            lambda: mem.count(as_of=when),
            lambda: mem.recall("here", as_of=when),
        ):
            with pytest.raises(InvalidInputError, match="`as_of`"):
                call()
