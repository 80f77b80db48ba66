"""Maintenance drops the history that may go, when it is told to, and asks before it drops much."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, clock
from lamina.exchange import export_lines, import_lines
from lamina.stores.base import Severity
from tests.places import mem

__all__ = ["mem"]

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Calendar:
    """A clock whose day the test chooses."""

    def __init__(self) -> None:
        self.day = 0

    def __call__(self) -> datetime:
        return NOW + self.day * DAY


@pytest.fixture(autouse=True)
def calendar(monkeypatch: pytest.MonkeyPatch) -> Calendar:
    chosen = Calendar()
    monkeypatch.setattr(clock, "now", chosen)
    return chosen


def _daily(mem: Memory, calendar: Calendar, days: int, **fields: str) -> str:
    """A record that was written anew every day; the id."""
    for _ in range(days):
        kept = mem.remember(f"as of day {calendar.day}", key="daily", **fields)  # type: ignore[arg-type]
        calendar.day += 1
    calendar.day -= 1
    return kept.id


def _kept(mem: Memory, record_id: str) -> list[int]:
    return [version.record.rev for version in mem.history(record_id) if version.record]


def test_nothing_goes_unless_the_layer_or_the_store_says_so(
    mem: Memory, calendar: Calendar
) -> None:
    kept = _daily(mem, calendar, 40)
    calendar.day += 600
    report = mem.maintain()
    assert (report.applied, report.pruned, report.versions) == (True, 0, 40)
    assert len(_kept(mem, kept)) == 40


def test_a_horizon_drops_what_was_replaced_longer_ago(mem: Memory, calendar: Calendar) -> None:
    kept = _daily(mem, calendar, 40)
    mem.configure("history.knowledge", "30d")
    for _ in range(200):
        mem.remember("filler")
    report = mem.maintain()
    # Today is day 39: what was replaced on day 9 is 30 days old and stays.
    assert _kept(mem, kept) == list(range(9, 41))
    assert (report.pruned, report.versions, report.asks) == (8, 240, False)
    assert mem.maintain().pruned == 0


def test_signals_go_after_a_month_unless_the_store_keeps_them(
    mem: Memory, calendar: Calendar
) -> None:
    kept = _daily(mem, calendar, 10, layer="blackboard", kind="signal")
    calendar.day += 31
    mem.configure("history.blackboard", "all")
    assert mem.maintain(dry_run=True).pruned == 0
    mem.configure("history.blackboard", "16/30d")
    assert mem.maintain(dry_run=True).pruned == 9
    mem.maintain(confirm=True)
    assert _kept(mem, kept) == [10]
    assert mem.get("daily").text == "as of day 9"


def test_a_dry_run_tells_the_same_and_changes_nothing(mem: Memory, calendar: Calendar) -> None:
    _daily(mem, calendar, 20)
    mem.configure("history.knowledge", "5")
    before = list(export_lines(mem, history=True))
    told = mem.maintain(dry_run=True)
    assert list(export_lines(mem, history=True)) == before
    assert (told.applied, told.pruned, told.asks, told.tidied) == (False, 14, True, False)
    done = mem.maintain(confirm=True)
    assert (done.applied, done.layers) == (True, told.layers)


def test_a_large_purge_is_refused_until_someone_agrees(mem: Memory, calendar: Calendar) -> None:
    kept = _daily(mem, calendar, 20)
    mem.configure("history.knowledge", "none")
    with pytest.raises(InvalidInputError, match=r"19 of the 20 versions kept \(95%\)") as caught:
        mem.maintain()
    assert "--yes" in caught.value.remedy
    assert len(_kept(mem, kept)) == 20
    assert mem.maintain(confirm=True).pruned == 19
    assert _kept(mem, kept) == [20]


def test_a_jump_of_the_clock_makes_a_purge_ask_or_not_happen(
    mem: Memory, calendar: Calendar
) -> None:
    kept = _daily(mem, calendar, 20)
    mem.configure("history.knowledge", "30d")
    calendar.day += 3652
    assert mem.maintain(confirm=True).pruned == 0
    calendar.day += 365 - 3652
    with pytest.raises(InvalidInputError, match="nobody has agreed"):
        mem.maintain()
    assert len(_kept(mem, kept)) == 20


def test_what_was_pruned_is_gone_and_everything_else_goes_on(
    mem: Memory, calendar: Calendar
) -> None:
    kept = _daily(mem, calendar, 8)
    receipt = mem.edit(kept, "as of now")
    mem.configure("history.knowledge", "none")
    mem.maintain(confirm=True)
    with pytest.raises(ConflictError, match="no longer kept"):
        mem.undo(receipt.tx)
    assert [version.record is None for version in mem.history(kept)] == [True] * 8 + [False]
    assert mem.edit(kept, "and on").rev == 10
    assert {finding.severity for finding in mem.check()} == {Severity.OK}
    with lamina.open(":memory:") as copy:
        import_lines(copy, export_lines(mem, history=True))
        assert copy.get("daily").text == "and on"


def test_receipts_go_when_nobody_repeats_them_any_more(mem: Memory, calendar: Calendar) -> None:
    mem.remember("first", idempotency_key="a")
    calendar.day += 20
    mem.remember("second", idempotency_key="b")
    calendar.day += 20
    assert mem.maintain().receipts == 1
    assert mem.remember("second", idempotency_key="b").repeated
    assert not mem.remember("first", idempotency_key="a").repeated


def test_only_the_owner_of_the_store_maintains_it_and_looks_it_over(mem: Memory) -> None:
    for handle in (mem.project("web"), mem.agent("finn", project="web")):
        with pytest.raises(ForbiddenError, match="maintain the store"):
            handle.maintain()
        with pytest.raises(ForbiddenError, match="look over the store"):
            handle.check()


@pytest.mark.parametrize("name", ["history.knowledge", "history.blackboard", "receipts.keep"])
@pytest.mark.parametrize("value", ["", "often", "-1", "30y", "all/7d"])
def test_a_setting_that_means_nothing_is_refused(mem: Memory, name: str, value: str) -> None:
    with pytest.raises(InvalidInputError, match=name):
        mem.configure(name, value)
    assert name not in mem.store.settings()


def test_maintenance_of_many_records_goes_through_all_of_them(
    tmp_path: Path, calendar: Calendar
) -> None:
    """More records than one page holds, and more to prune than one transaction takes."""
    with lamina.open(tmp_path) as mem:
        for version in range(3):
            for first in range(0, 2500, 500):
                numbers = range(first, first + 500)
                mem.remember_many(
                    {"text": f"{number} in version {version}", "key": f"k{number}", "layer": "task"}
                    for number in numbers
                    if version == 0 or number % 5 == 0
                )
            calendar.day += 1
        mem.configure("history.task", "36h")
        told = mem.maintain(dry_run=True)
        assert (told.versions, told.pruned) == (3500, 500)
        assert mem.maintain(confirm=True).pruned == 500
        assert mem.maintain(dry_run=True).pruned == 0
        assert _kept(mem, mem.get("k2495").id) == [2, 3]
        assert {finding.severity for finding in mem.check()} == {Severity.OK}


def test_maintenance_empties_the_log_unless_somebody_is_reading(tmp_path: Path) -> None:
    log = tmp_path / "lamina.db-wal"
    with lamina.open(tmp_path) as mem:
        mem.remember("words " * 1000)
        assert log.stat().st_size > 0
        assert mem.maintain().tidied
        assert log.stat().st_size == 0
