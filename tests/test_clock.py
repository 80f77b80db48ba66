"""A jump of the clock expires and purges nothing without consent, and answers stay in order."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import InvalidInputError, Memory, NotFoundError, clock
from lamina.core import chain
from lamina.core.instants import to_text
from lamina.stores.base import Severity
from tests.places import STORES, mem, where

__all__ = ["mem"]

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
YEAR = timedelta(days=365.25)
JUMPS = (10 * YEAR, -10 * YEAR, 3 * YEAR, -3 * YEAR, 1000 * YEAR, timedelta(hours=-1))


class Hand:
    """Turns the clock. It goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture(autouse=True)
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    turned = Hand()
    monkeypatch.setattr(clock, "now", turned)
    return turned


def _fill(mem: Memory) -> None:
    for number in range(5):
        mem.remember(f"lease number {number}", key=f"lease-{number}", expires="30d")
        mem.remember(f"lease number {number} renewed", key=f"lease-{number}", expires="60d")
        mem.remember(f"fact number {number}", scope=f"project/p{number % 2}")


def _answers(mem: Memory) -> dict[str, Any]:
    """What a user sees, in the order in which they see it."""
    return {
        "query": [record.text for record in mem.query(limit=1000)],
        "by expiry": [record.text for record in mem.query(order_by="expires_at")],
        "recall": [hit.record.text for hit in mem.recall("lease number", k=100).hits],
        "count": mem.count(),
        "get": mem.get("lease-3").text,
        "history": [version.event.rev for version in mem.history("lease-2")],
        "events": {
            name: [(event.seq, event.record) for event in mem.store.events(name)]
            for name in mem.store.streams()
        },
    }


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_a_jump_changes_no_answer_and_purges_nothing(
    mem: Memory, hand: Hand, jump: timedelta
) -> None:
    _fill(mem)
    mem.configure("history.knowledge", "1d")
    before = _answers(mem)
    hand.at += jump
    assert _answers(mem) == before
    assert mem.maintain().pruned == 0
    hand.at -= jump
    assert _answers(mem) == before


@pytest.mark.parametrize("kind", STORES)
def test_a_new_handle_is_no_more_gullible(hand: Hand, kind: str, tmp_path: Path) -> None:
    with lamina.open(where(kind, tmp_path / "store")) as mem:
        _fill(mem)
        before = _answers(mem)
        hand.at += 10 * YEAR
        assert mem.project("p0").count() == 8
        assert mem.agent("finn").count() == 5
        assert _answers(mem) == before
    if kind != "ephemeral":
        with lamina.open(where(kind, tmp_path / "store")) as again:
            assert _answers(again) == before


def test_what_is_written_meanwhile_is_in_order_and_not_stamped_wrongly(
    mem: Memory, hand: Hand
) -> None:
    _fill(mem)
    texts = []
    for number, jump in enumerate((10 * YEAR, -20 * YEAR, 10 * YEAR, 10 * YEAR, -10 * YEAR)):
        hand.at += jump
        mem.remember(f"written at jump {number}", scope=f"project/new-{number}")
        mem.remember(f"lease of jump {number}", expires="7d")
        texts += [f"written at jump {number}", f"lease of jump {number}"]
        assert [record.text for record in mem.query(limit=len(texts))] == texts[::-1]
    for name in mem.store.streams():
        events = mem.store.events(name)
        assert list(chain.verify(events)) == []
        assert all(NOW <= event.at <= NOW + timedelta(hours=1) for event in events)
    for record in mem.query({"text": {"$prefix": "lease of"}}, limit=100):
        assert record.expires_at is not None
        assert timedelta(days=6) < record.expires_at - NOW < timedelta(days=8)
    assert {finding.severity for finding in mem.check()} == {Severity.OK}


def test_when_the_clock_is_back_time_goes_on(mem: Memory, hand: Hand) -> None:
    mem.remember("a lease", key="lease", expires="7d")
    hand.at += 10 * YEAR
    mem.remember("meanwhile", key="note")
    hand.at = NOW + timedelta(days=6)
    mem.remember("back again", key="note")
    newest = mem.history("note")[-1].event.at
    assert NOW + timedelta(days=6) < newest < NOW + timedelta(days=6, hours=1)
    assert mem.get("lease").text == "a lease"
    hand.at = NOW + timedelta(days=8)
    with pytest.raises(NotFoundError):
        mem.get("lease")


def test_consent_lets_time_go_on(mem: Memory, hand: Hand) -> None:
    _fill(mem)
    mem.remember("for good", key="kept")
    hand.at += 10 * YEAR
    [finding] = [one for one in mem.check() if one.check == "clock"]
    assert finding.severity is Severity.NOTE
    assert "10 years ahead" in finding.message
    assert "expiry waits" in finding.message
    name, value = finding.remedy.split()[-2:]
    mem.configure(name, value)
    assert mem.count({"key": {"$prefix": "lease"}}) == 0
    assert mem.recall("lease").hits == ()
    assert mem.get("kept").text == "for good"
    kept = mem.remember("a new decade", expires="1d")
    assert mem.get(kept.id).created_at.year == 2036
    assert [one.severity for one in mem.check() if one.check == "clock"] == [Severity.OK]


def test_an_hour_or_a_year_is_no_reason_to_doubt(mem: Memory, hand: Hand) -> None:
    mem.remember("a lease", key="lease", expires="7d")
    for later in (timedelta(hours=1), YEAR):
        hand.at = NOW + later
        assert [one.severity for one in mem.check() if one.check == "clock"] == [Severity.OK]
    with pytest.raises(NotFoundError):
        mem.get("lease")


def test_a_clock_that_was_set_back_does_not_bring_back_what_had_run_out(
    mem: Memory, hand: Hand
) -> None:
    mem.remember("a lease", key="lease", expires="7d")
    hand.at += timedelta(days=8)
    mem.remember("something later")
    for back in (timedelta(days=3), 10 * YEAR):
        hand.at = NOW + timedelta(days=8) - back
        with pytest.raises(NotFoundError):
            mem.get("lease")
        kept = mem.remember("a lease under the old clock", expires="1h")
        assert mem.count({"id": kept.id}) == 1
    [finding] = [one for one in mem.check() if one.check == "clock"]
    assert (finding.severity, "10 years behind" in finding.message) == (Severity.NOTE, True)


def test_a_new_store_believes_the_clock(mem: Memory, hand: Hand) -> None:
    hand.at += 100 * YEAR
    kept = mem.remember("the first memory", expires="1d")
    assert mem.get(kept.id).created_at.year == 2126
    assert [one.severity for one in mem.check() if one.check == "clock"] == [Severity.OK]
    hand.at += timedelta(days=2)
    assert mem.count() == 0


def test_only_the_owner_of_the_store_vouches_for_a_clock(mem: Memory, hand: Hand) -> None:
    _fill(mem)
    hand.at += 10 * YEAR
    for handle in (mem.project("p0"), mem.agent("finn", project="p0")):
        with pytest.raises(lamina.ForbiddenError):
            handle.configure("clock.accept", to_text(hand.at))
    for value in ("2036-01-01", "soon", "", "2036-01-01T00:00:00"):
        with pytest.raises(InvalidInputError, match=r"clock\.accept"):
            mem.configure("clock.accept", value)
    mem.configure("clock.accept", "none")
    assert mem.count({"key": {"$prefix": "lease"}}) == 5


def test_reading_asks_the_store_for_the_time_once(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(mem)
    asked = []
    newest = mem.store.newest_instant

    def counted() -> datetime | None:
        asked.append(1)
        return newest()

    monkeypatch.setattr(mem.store, "newest_instant", counted)
    reader = mem.project("p0")
    for _ in range(5):
        reader.query()
        reader.recall("fact")
    assert len(asked) == 1


def _script(chance: random.Random) -> Iterator[tuple[str, str]]:
    for number in range(60):
        key = f"k{chance.randrange(8)}"
        yield chance.choice(("put", "put", "put", "forget", "count")), f"{key} {number}"


def _play(mem: Memory, verb: str, said: str) -> object:
    key = said.split()[0]
    match verb:
        case "put":
            return mem.remember(said, key=key, expires="45d").rev
        case "forget" if mem.count({"key": key}):
            return mem.forget(key).rev
    return mem.count()


@pytest.mark.parametrize("seed", range(3))
def test_a_life_under_jumping_clocks_is_the_same_life(mem: Memory, hand: Hand, seed: int) -> None:
    """The same operations under a steady clock and under one that jumps before each of them."""
    jumps = random.Random(seed)
    with lamina.open(":memory:") as steady:
        for one in (steady, mem):
            one.remember("the first", key="first")
        for verb, said in _script(random.Random(seed)):
            hand.at = NOW + timedelta(minutes=1)
            expected = _play(steady, verb, said)
            hand.at += jumps.choice((timedelta(), 10 * YEAR, -10 * YEAR, timedelta(hours=-1)))
            assert _play(mem, verb, said) == expected
        hand.at = NOW + timedelta(minutes=2)
        assert _told(mem) == _told(steady)


def _told(mem: Memory) -> list[Any]:
    records = mem.query({"state": {"$in": ["current", "forgotten"]}}, limit=1000)
    plain: dict[str, Any] = {"created_at": NOW, "updated_at": NOW, "expires_at": None, "id": "x"}
    return [replace(record, **plain) for record in records]


@pytest.mark.parametrize("argument", ["expires", "valid_from"])
def test_a_naive_time_is_refused_whatever_the_clock_says(
    mem: Memory, hand: Hand, argument: str
) -> None:
    mem.remember("there", key="there")
    for jump in (timedelta(), 10 * YEAR):
        hand.at += jump
        for value in (datetime(2026, 12, 1), "2026-12-01T00:00:00"):
            with pytest.raises(InvalidInputError, match=argument):
                mem.remember("naive", **{argument: value})  # type: ignore[arg-type]
    assert mem.count() == 1
