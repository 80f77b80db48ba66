"""When a session is compacted: by size, earlier where it repeats itself, explained in words."""

from typing import Any

from lamina import Record
from lamina.compaction.pairing import pairs, whole
from lamina.compaction.timing import Limits, pressure, repeated
from lamina.testing.builders import a_record

NOTHING: frozenset[str] = frozenset()
LIMITS = Limits(compact_at=1_000, keep=2, flush_at=800)


def message(kind: str, text: str, tokens: int = 100, **more: Any) -> Record:
    return a_record(text=text, layer="session", kind=kind, tokens=tokens, **more)


def said(many: int, text: str = "line {0} says something quite new") -> list[Record]:
    return [message("user", text.format(number)) for number in range(many)]


def test_size_alone_decides_where_nothing_repeats() -> None:
    short, full, long = (pressure(said(many), NOTHING, LIMITS) for many in (7, 8, 10))
    assert (short.flush_due, short.compact_due) == (False, False)
    assert (full.flush_due, full.compact_due) == (True, False)
    assert (long.tokens, long.flush_due, long.compact_due) == (1_000, True, True)
    assert "due from 1,000 on" in long.why
    assert not pressure(said(10), NOTHING, LIMITS, was_flushed=True).flush_due


def test_repetition_brings_it_forward_but_never_below_half() -> None:
    same = said(5, "the same line that says nothing new")
    found = pressure(same, NOTHING, LIMITS)
    assert (found.compact_due, found.flush_due) == (True, True)
    assert "100% repeats" in found.why
    assert "due from 500 on" in found.why
    assert not pressure(same[:4], NOTHING, LIMITS).compact_due
    mixed = [*said(4), *said(4, "the same line that says nothing new")]
    assert not pressure(mixed[:6], NOTHING, LIMITS).compact_due
    assert pressure(mixed, NOTHING, LIMITS).compact_due


def test_what_is_being_worked_on_holds_it_back() -> None:
    same = [*said(6, "the falcon rings are counted here"), *said(2)]
    assert pressure(same, NOTHING, LIMITS).compact_due
    held = pressure(same, frozenset(("falcon", "rings")), LIMITS)
    assert not held.compact_due
    assert "100% is about what is being done" in held.why
    assert pressure([*same, *same], frozenset(("falcon", "rings")), LIMITS).compact_due


def test_a_result_is_superseded_by_the_same_call_made_again() -> None:
    talk = []
    for number in range(3):
        talk.append(message("tool_call", "read a.py", 10, key=f"c-{number}"))
        talk.append(message("tool_result", f"number {number} of this file", key=f"c-{number}"))
    assert repeated(talk) == [0, 100, 0, 100, 0, 0]
    talk[2] = message("tool_call", "read b.py", 10, key="c-1")
    assert repeated(talk) == [0, 100, 0, 0, 0, 0]


def test_a_call_that_was_never_answered_takes_no_other_answer() -> None:
    talk = [
        message("tool_call", "killed in its course"),
        message("user", "go on"),
        message("tool_call", "again"),
        message("tool_call", "by name", key="c-1"),
        message("tool_result", "named", key="c-1"),
        message("tool_result", "in order"),
        message("tool_result", "of nothing"),
    ]
    assert pairs(talk) == {4: 3, 5: 2}
    assert whole({2}, talk) == {2, 5}
    assert whole({4}, talk) == {3, 4}


def test_a_session_that_is_all_recent_is_left_alone() -> None:
    huge = [message("user", "one very long message", 5_000)]
    found = pressure(huge, NOTHING, LIMITS)
    assert (found.compact_due, found.flush_due) == (False, True)
