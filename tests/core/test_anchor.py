"""Anchors: read back as written, refused when malformed, and a measure of every later history."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lamina.core import chain
from lamina.core.anchor import Anchor, departures, parse_anchor
from lamina.core.changes import Action, Event
from lamina.core.planning import Step
from lamina.errors import InvalidInputError
from lamina.testing.builders import NOON, WEB, a_commit, a_record, an_id
from tests.forging import chained

HASH = "ab" * 32
ANCHOR = Anchor("store-1", NOON, (("global", 3, HASH), (WEB, 12, "0" * 64)))


def test_an_anchor_reads_back_as_it_was_written() -> None:
    assert parse_anchor(ANCHOR.to_text()) == ANCHOR
    empty = Anchor("store-1", NOON, ())
    assert parse_anchor(empty.to_text()) == empty


def _with(**fields: Any) -> str:
    return json.dumps({**ANCHOR.to_json(), **fields})


def _with_head(**fields: Any) -> str:
    return _with(heads=[{"stream": "global", "seq": 3, "hash": HASH, **fields}])


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "null", "[]", "7", '"anchor"', "{}", ANCHOR.to_text()[:-10], ANCHOR.to_text() * 2,
        _with(format="lamina-anchor-2"), _with(format=None), _with(store=None), _with(store=7),
        _with(at="noon"), _with(at="2026-03-01T12:00:00"), _with(at=None), _with(heads=None),
        _with(heads={}), _with(heads=[7]), _with(heads=[[]]), _with(more=1),
        _with(heads=ANCHOR.to_json()["heads"] * 2),
        _with_head(seq=0), _with_head(seq=-1), _with_head(seq=True), _with_head(seq="3"),
        _with_head(seq=1.5), _with_head(hash=HASH[:-1]), _with_head(hash=HASH.upper()),
        _with_head(hash=None), _with_head(stream="nowhere"), _with_head(stream=None),
        _with_head(stream="project/web/task/t-1"), _with_head(more=1),
    ],
)  # fmt: skip
def test_what_is_no_anchor_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="`--anchor` is not an anchor"):
        parse_anchor(text, "--anchor")


def _events(length: int) -> list[Event]:
    heads: dict[str, chain.Head] = {}
    events: list[Event] = []
    for number in range(length):
        steps = [Step(Action.CREATED, None, a_record(str(number)))]
        events += chain.extend(
            a_commit(at=NOON + timedelta(seconds=number)), steps, heads, [bytes([number])]
        )
        heads[WEB] = chain.Head(events[-1].seq, events[-1].hash, events[-1].at)
    return events


EVENTS = _events(30)
KEPT = Anchor("store-1", NOON, ((WEB, len(EVENTS), EVENTS[-1].hash),))


def _is_noticed(events: list[Event], anchor: Anchor = KEPT) -> bool:
    """Whether the chain, or what an anchor says of it, gives a change away."""
    [(stream, seq, _)] = anchor.heads
    found = {one.seq: chain.Head(one.seq, one.hash) for one in events}
    last = chain.Head(events[-1].seq, events[-1].hash) if events else chain.Head()
    known = {stream: found.get(seq, last)}
    return bool(list(chain.verify(events)) or list(departures(anchor, known)))


def test_the_history_that_was_anchored_is_recognised_however_it_goes_on() -> None:
    assert not _is_noticed(EVENTS)
    for length in range(1, len(EVENTS)):
        past = Anchor("store-1", NOON, ((WEB, length, EVENTS[length - 1].hash),))
        assert not _is_noticed(EVENTS, past)


def _edited(rng: random.Random, events: list[Event]) -> list[Event]:
    at = rng.randrange(len(events))
    others: dict[str, Any] = {
        "tx": an_id(), "record": an_id(), "rev": 99, "action": Action.ERASED, "actor": "mallory",
        "surface": "elsewhere", "digest": "0" * 64,
    }  # fmt: skip
    field = rng.choice(sorted(others))
    return [*events[:at], replace(events[at], **{field: others[field]}), *events[at + 1 :]]


def _without_one(rng: random.Random, events: list[Event]) -> list[Event]:
    at = rng.randrange(len(events))
    return events[:at] + events[at + 1 :]


def _swapped(rng: random.Random, events: list[Event]) -> list[Event]:
    # Their times too, which must not go back.
    one, other = sorted(rng.sample(range(len(events)), 2))
    changed = list(events)
    changed[one] = replace(events[other], at=events[one].at)
    changed[other] = replace(events[one], at=events[other].at)
    return changed


def _cut(rng: random.Random, events: list[Event]) -> list[Event]:
    return events[: rng.randrange(len(events))]


def _cut_and_written_on(rng: random.Random, events: list[Event]) -> list[Event]:
    kept = _cut(rng, events)
    return kept + [replace(one, tx=an_id()) for one in events[len(kept) :]]


@pytest.mark.parametrize("forged", [False, True], ids=["as it is", "with every hash made anew"])
@pytest.mark.parametrize("tamper", [_edited, _without_one, _swapped, _cut, _cut_and_written_on])
def test_a_hundred_random_tamperings_are_all_noticed(
    tamper: Callable[[random.Random, list[Event]], list[Event]], forged: bool
) -> None:
    rng = random.Random(19)
    for trial in range(100):
        changed = tamper(rng, EVENTS)
        assert _is_noticed(chained(changed) if forged else changed), trial


def test_a_departure_says_what_became_of_the_stream() -> None:
    anchor = Anchor("store-1", NOON, ((WEB, 9, HASH),))

    def why(**found: chain.Head) -> str:
        [one] = departures(anchor, {WEB: found["head"]} if found else {})
        assert (one.stream, one.seq) == (WEB, 9)
        return one.reason

    assert "whole stream is gone" in why()
    assert "events 8 to 9 are gone" in why(head=chain.Head(7, HASH))
    assert "not the event that was anchored" in why(head=chain.Head(9, "0" * 64))
    assert list(departures(anchor, {WEB: chain.Head(9, HASH)})) == []
