"""What fades, how fast, and what never does."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.record import Record, Trust
from lamina.core.staleness import LASTING, STALE, faded, stale
from lamina.core.usage import Usage
from lamina.testing.builders import NOON, a_record

HALF = 90


def old(days: int, **fields: Any) -> Record:
    then = NOON - timedelta(days=days)
    given = {"trust": Trust.AGENT, "created_at": then, "updated_at": then}
    return a_record("learned", **{**given, **fields})


def used(hits: int, days: int) -> Usage:
    return Usage(hits, NOON - timedelta(days=days))


def test_half_of_it_has_faded_after_a_half_life() -> None:
    assert faded(old(0), None, NOON, HALF) == 0
    assert faded(old(HALF), None, NOON, HALF) == pytest.approx(0.5)
    assert faded(old(2 * HALF), None, NOON, HALF) == pytest.approx(STALE)
    assert faded(old(-5), None, NOON, HALF) == 0


def test_a_recall_makes_it_fresh_again() -> None:
    assert faded(old(500), used(1, 0), NOON, HALF) == 0
    # A count from before the last change says nothing about what it says now.
    assert faded(old(10), used(0, 400), NOON, HALF) == faded(old(10), None, NOON, HALF)


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ({"importance": 0.8}, {"importance": 0.5}),
        ({"importance": 0.5}, {"importance": 0.1}),
        ({"confidence": 1.0}, {"confidence": 0.5}),
        ({"trust": Trust.USER}, {"trust": Trust.SYSTEM}),
        ({"trust": Trust.SYSTEM}, {"trust": Trust.AGENT}),
        ({"trust": Trust.AGENT}, {"trust": Trust.WEB}),
    ],
)
def test_what_lasts_longer(longer: dict[str, Any], shorter: dict[str, Any]) -> None:
    assert faded(old(100, **longer), None, NOON, HALF) < faded(
        old(100, **shorter), None, NOON, HALF
    )


def test_what_was_used_often_lasts_longer_but_not_for_ever() -> None:
    scores = [faded(old(400), used(hits, 200), NOON, HALF) for hits in (1, 5, 63)]
    assert scores == sorted(scores, reverse=True)
    assert faded(old(400), used(10**9, 200), NOON, HALF) == scores[-1] > 0.3


def test_a_persons_word_lasts_four_times_as_long() -> None:
    mine, theirs = old(4 * 180, trust=Trust.USER), old(180)
    assert faded(mine, None, NOON, HALF) == pytest.approx(faded(theirs, None, NOON, HALF))


def test_what_is_important_never_fades() -> None:
    kept = old(36_500, importance=LASTING, confidence=0.0, trust=Trust.WEB)
    assert stale([kept], {}, now=NOON, half_life_days=1, least=1e-9) == []


def test_the_most_faded_come_first_with_reasons() -> None:
    web = old(400, trust=Trust.WEB, importance=0.2, confidence=0.5)
    older, plain, fresh = old(301), old(300), old(30)
    found = stale(
        [fresh, plain, web, older], {plain.id: used(1, 299)}, now=NOON, half_life_days=HALF
    )
    assert [one.record for one in found] == [web, older, plain]
    assert found[0].reasons == (
        "unchanged for 400 days", "no use was counted", "importance 0.2", "confidence 0.5",
        "trust web",
    )  # fmt: skip
    assert found[2].reasons == ("unchanged for 300 days", "used 1 time, last 299 days ago")
    assert found[2].used == used(1, 299)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


RECORDS = st.builds(
    old, st.integers(0, 700_000), importance=st.floats(0, 1), confidence=st.floats(0, 1),
    trust=st.sampled_from(Trust),
)  # fmt: skip


@given(RECORDS, st.builds(used, st.integers(0, 10**12), st.integers(-10, 700_000)),
       st.integers(1, 36_500))  # fmt: skip
def test_a_score_is_a_share(record: Record, usage: Usage, half_life: int) -> None:
    assert 0 <= faded(record, usage, NOON, half_life) <= 1
