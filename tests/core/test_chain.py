"""The chain: every edit, deletion, swap and cut of a stream's events is noticed."""

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core import chain
from lamina.core.changes import Action, Event
from lamina.core.planning import Step
from lamina.testing.builders import NOON, a_commit, a_record, an_id

LENGTH = 7


def _events(length: int = LENGTH) -> list[Event]:
    heads: dict[str, chain.Head] = {}
    events: list[Event] = []
    for number in range(length):
        steps = [Step(Action.CREATED, None, a_record(str(number)))]
        commit = a_commit(at=NOON + timedelta(seconds=number))
        events += chain.extend(commit, steps, heads, [bytes([number])])
        last = events[-1]
        heads[last.stream] = chain.Head(last.seq, last.hash, last.at)
    return events


EVENTS = _events()
OTHERS: dict[str, Any] = {
    "stream": "project/other", "seq": 99, "tx": an_id(), "record": an_id(), "rev": 9,
    "action": Action.ERASED, "actor": "mallory", "surface": "cli",
    "at": NOON + timedelta(seconds=3, microseconds=1), "digest": "0" * 64, "hash": "0" * 64,
}  # fmt: skip


def _is_sound(events: list[Event]) -> bool:
    return not list(chain.verify(events))


def test_an_untouched_chain_holds() -> None:
    assert _is_sound(EVENTS)
    assert _is_sound([])
    assert _is_sound(EVENTS[:3])


def test_every_field_can_be_altered_in_the_test() -> None:
    assert set(OTHERS) == {item.name for item in fields(Event)}


@pytest.mark.parametrize("field", OTHERS)
@pytest.mark.parametrize("place", range(LENGTH))
def test_every_single_edit_is_noticed(field: str, place: int) -> None:
    edited = replace(EVENTS[place], **{field: OTHERS[field]})
    assert not _is_sound([*EVENTS[:place], edited, *EVENTS[place + 1 :]])


@pytest.mark.parametrize("place", range(LENGTH - 1))
def test_a_missing_event_is_noticed(place: int) -> None:
    assert not _is_sound(EVENTS[:place] + EVENTS[place + 1 :])


@pytest.mark.parametrize("place", range(LENGTH - 1))
def test_a_missing_event_is_noticed_even_when_the_rest_is_renumbered(place: int) -> None:
    rest = [replace(event, seq=event.seq - 1) for event in EVENTS[place + 1 :]]
    assert not _is_sound(EVENTS[:place] + rest)


def test_every_swap_is_noticed() -> None:
    for one in range(LENGTH):
        for other in range(one + 1, LENGTH):
            swapped = list(EVENTS)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            assert not _is_sound(swapped)
            swapped[one] = replace(swapped[one], seq=one + 1)
            swapped[other] = replace(swapped[other], seq=other + 1)
            assert not _is_sound(swapped)


def test_a_cut_in_the_middle_a_repeat_and_an_insertion_are_noticed() -> None:
    for start in range(1, LENGTH - 1):
        assert not _is_sound(EVENTS[start:])
        for end in range(start + 1, LENGTH):
            assert not _is_sound(EVENTS[:start] + EVENTS[end:])
        assert not _is_sound(EVENTS[:start] + [EVENTS[start - 1]] + EVENTS[start:])
        foreign = replace(_events(start + 1)[start], seq=start + 1)
        assert not _is_sound(EVENTS[:start] + [foreign] + EVENTS[start:])


def test_another_history_with_the_same_numbers_does_not_join() -> None:
    other = _events()
    for place in range(1, LENGTH):
        assert not _is_sound(EVENTS[:place] + other[place:])


def test_an_event_made_anew_breaks_the_one_behind_it() -> None:
    """Whoever rewrites one event and its hash has to rewrite all that follow."""
    forged = chain.extend(
        a_commit(at=EVENTS[2].at), [Step(Action.CREATED, None, a_record("forged"))],
        {EVENTS[1].stream: chain.Head(2, EVENTS[1].hash, EVENTS[1].at)}, [b"salt"],
    )  # fmt: skip
    assert _is_sound([*EVENTS[:2], *forged])
    assert not _is_sound([*EVENTS[:2], *forged, *EVENTS[3:]])


def test_a_break_says_where() -> None:
    [found, *_] = chain.verify(EVENTS[:2] + EVENTS[3:])
    assert (found.stream, found.seq) == ("project/web", 4)
    assert found.reason


@given(st.binary(max_size=32), st.binary(max_size=32))
def test_a_digest_depends_on_its_salt(one: bytes, other: bytes) -> None:
    record = a_record("guess me", id=an_id(1))
    assert (chain.digest(record, one) == chain.digest(record, other)) == (one == other)


def test_a_digest_depends_on_every_field_of_a_record() -> None:
    record = a_record("text", id=an_id(1), key="k")
    changed: dict[str, Any] = {
        "text": "other", "key": None, "rev": 2, "data": {"a": 1}, "tags": ("t",),
        "importance": 0.1, "confidence": 0.1, "source": "x", "scope": "global", "layer": "fact",
        "kind": "other", "tokens": 99, "expires_at": NOON, "valid_from": NOON,
        "supersedes": an_id(2), "id": an_id(2), "created_at": NOON - timedelta(1),
        "updated_at": NOON - timedelta(1), "trust": type(record.trust)("web"),
        "state": type(record.state)("archived"),
    }  # fmt: skip
    assert set(changed) == {item.name for item in fields(record)}
    for name, value in changed.items():
        other = replace(record, **{name: value})
        assert chain.digest(other, b"s") != chain.digest(record, b"s"), name
