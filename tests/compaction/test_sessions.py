"""Compaction of sessions on every store: nothing lost, nothing torn, everything taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import ConflictError, Memory, Record, State
from lamina.events import MemoryCompact, MemoryFlush
from lamina.layers.sessions import Session
from lamina.memory import AgentMemory
from tests.places import STORES, where

SECRET = "ghp_" + "k3jQz81mVtR7xYbN20aLwPdE5sHcUf946TgO"


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        opened.configure("compaction.threshold_tokens", "400")
        opened.configure("flush.threshold_tokens", "300")
        yield opened


ONE_STORE = pytest.mark.parametrize("whole", ["ephemeral"], indirect=True)
"""For what is decided before a store is asked."""


@pytest.fixture
def finn(whole: Memory) -> AgentMemory:
    return whole.agent("finn", project="web")


def talk(session: Session, first: int, last: int) -> None:
    """Turns that all say something of their own."""
    session.extend(
        [
            {"role": "user" if number % 2 else "assistant", "id": f"m-{number}",
             "text": f"Heron{number} nests on rock {number} and eats {number} fish."}
            for number in range(first, last)
        ]
    )  # fmt: skip


def texts(records: list[Record]) -> list[str]:
    return [record.text for record in records]


@ONE_STORE
def test_a_short_session_stays_as_it_is(finn: AgentMemory) -> None:
    session = finn.session("s")
    assert session.compact(force=True) is None
    talk(session, 0, 10)
    assert session.compact() is None
    assert session.compact(force=True) is None
    assert not session.pressure().compact_due
    assert texts(session.view()) == texts(session.read())


def test_old_messages_give_way_to_one_summary(finn: AgentMemory) -> None:
    session = finn.session("s")
    talk(session, 0, 40)
    before = session.read()
    full = session.pressure()
    assert (full.compact_due, full.tokens) == (True, sum(one.tokens for one in before))
    done = session.compact()
    assert done is not None
    assert (done.entries, done.before_tokens) == (30, full.tokens)
    assert done.after_tokens == session.pressure().tokens < done.before_tokens
    summary, *rest = session.view()
    assert (summary.kind, texts(rest)) == ("summary", texts(before[30:]))
    assert summary.data["archive_id"] == done.archive_id
    assert (summary.data["first"], summary.data["last"]) == ("m-0", "m-29")
    assert [one.id for one in session.cited(summary)] == [one.id for one in before[:30]]
    assert {one.state for one in session.cited(summary)} == {State.ARCHIVED}
    kept = finn.query({"layer": "archive", "kind": "original"}, limit=100)
    assert {one.data["archive_id"] for one in kept} == {done.archive_id}
    assert sorted(texts(kept)) == sorted(texts(before[:30]))
    for old in before[:30:7]:
        hits = finn.recall(old.text, layers=["archive"], k=3).hits
        assert any(hit.record.data.get("entry") == old.id for hit in hits)


def test_a_second_summary_takes_in_the_first_and_is_taken_back(finn: AgentMemory) -> None:
    session = finn.session("s")
    talk(session, 0, 30)
    one = session.compact(force=True)
    talk(session, 30, 60)
    middle = texts(session.view())
    two = session.compact(force=True)
    assert one is not None
    assert two is not None
    summaries = [record for record in session.read() if record.kind == "summary"]
    assert texts(summaries) == [two.summary]
    assert "Summaries before:" in two.summary
    assert "20 messages" in two.summary
    originals = finn.query({"layer": "archive", "kind": "original"}, limit=100)
    assert {f"Heron{n} nests on rock {n} and eats {n} fish." for n in range(50)} < {
        record.text for record in originals
    }
    finn.undo(two.receipt.tx)
    assert texts(session.view()) == middle
    assert finn.count({"layer": "archive", "kind": "original"}) == 20


def test_a_compaction_is_taken_back_whole(finn: AgentMemory) -> None:
    session = finn.session("s")
    talk(session, 0, 30)
    before = session.read()
    done = session.compact(force=True)
    assert done is not None
    talk(session, 30, 32)
    finn.undo(done.receipt.tx)
    assert texts(session.view()) == texts(session.read())
    assert texts(session.read())[:30] == texts(before)
    assert finn.count({"layer": "archive"}) == 0


def test_what_was_said_and_archived_is_not_said_again(finn: AgentMemory) -> None:
    session = finn.session("s")
    talk(session, 0, 30)
    session.compact(force=True)
    with pytest.raises(ConflictError, match="said already"):
        session.append("assistant", "Again", id="m-0")
    session.append("user", "Another role may share it", id="m-0")
    for many in (3, 1_200):
        fresh = [{"role": "user", "text": "x", "id": f"n-{n}"} for n in range(many)]
        old = {"role": "user", "text": "x", "id": "m-1"}
        with pytest.raises(ConflictError, match="m-1"):
            session.extend([*fresh, old])


@ONE_STORE
def test_a_call_and_its_result_are_never_torn_apart(whole: Memory, finn: AgentMemory) -> None:
    for keep in range(1, 9):
        whole.configure("compaction.keep_recent", str(keep))
        session = finn.session(f"s-{keep}")
        for number in range(4):
            named = {"id": f"c-{number}"} if number % 2 else {}
            session.extend(
                [
                    {"role": "user", "text": f"Look for heron {number}"},
                    {"role": "tool_call", "text": f"heron {number}", "tool": "grep", **named},
                    {"role": "tool_call", "text": f"rock {number}", "tool": "find"},
                    {"role": "tool_result", "text": f"found heron {number}", **named},
                    {"role": "tool_result", "text": f"found rock {number}"},
                ]
            )
        assert session.compact(force=True) is not None
        left = session.view()
        assert len(left) >= keep + 1
        for result in (one for one in left if one.kind == "tool_result"):
            assert result.text.removeprefix("found ") in texts(left)


def test_a_secret_travels_into_the_archive_and_not_into_the_summary(finn: AgentMemory) -> None:
    session = finn.session("s")
    session.append("user", f"The login is {SECRET} for now")
    talk(session, 0, 12)
    done = session.compact(force=True)
    assert done is not None
    assert "secret://redacted" in done.summary
    [copy] = finn.query({"layer": "archive", "data.entry_type": "user", "text": {"$ne": ""},
                         "data.entry": session.cited(session.view()[0])[0].id})  # fmt: skip
    [reference] = [word for word in copy.text.split() if word.startswith("secret://")]
    assert finn.reveal(copy.id, reference) == SECRET


@ONE_STORE
def test_a_summary_is_believed_no_more_than_what_it_sums_up(finn: AgentMemory) -> None:
    session = finn.session("s")
    page: Any = {"layer": "session", "kind": "tool_result", "via": "web", "scope": session.scope}
    finn.remember("A page says that herons bark", **page)
    for round_number in range(3):
        talk(session, round_number * 20, round_number * 20 + 20)
        done = session.compact(force=True, summarise=lambda records, most: "Herons bark.")
        assert done is not None
        assert session.view()[0].trust is lamina.Trust.WEB
        assert finn.get(done.archive_id).trust is lamina.Trust.WEB


@ONE_STORE
def test_the_agent_is_asked_once_before_each_compaction(finn: AgentMemory) -> None:
    session = finn.session("s")
    start = finn.cursor()
    assert not session.flush()
    talk(session, 0, 30)
    saved: list[list[Record]] = []

    def failing(messages: list[Record]) -> None:
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError):
        session.flush(failing)
    assert session.pressure().flush_due
    assert session.flush(saved.append)
    assert (len(saved), len(saved[0])) == (1, 30)
    assert not session.pressure().flush_due
    assert not session.flush(saved.append)
    done = session.compact(force=True)
    assert done is not None
    talk(session, 30, 60)
    assert session.flush()
    told = list(finn.events(start, names=["memory:flush", "memory:compact"]))
    assert [type(one) for one in told] == [MemoryFlush, MemoryCompact, MemoryFlush]
    compacted = told[1]
    assert isinstance(compacted, MemoryCompact)
    assert (compacted.session_id, compacted.before, compacted.after) == (
        "s", done.before_tokens, done.after_tokens
    )  # fmt: skip


@ONE_STORE
def test_flushing_can_be_switched_off(whole: Memory, finn: AgentMemory) -> None:
    whole.configure("flush.enabled", "off")
    talk(finn.session("s"), 0, 40)
    assert not finn.session("s").pressure().flush_due
    assert not finn.session("s").flush()


@ONE_STORE
def test_old_results_leave_the_view_and_nothing_else(finn: AgentMemory) -> None:
    session = finn.session("s")
    for number in range(8):
        call = {"id": f"c-{number}", "tool": "grep"}
        session.append("tool_call", f"grep heron {number}", **call)
        session.append("tool_result", f"heron {number} nests on a rock\n" * 20, **call)
    transcript = session.read()
    seen = session.view()
    whole_ones = [one.text.startswith("heron") for one in seen if one.kind == "tool_result"]
    assert whole_ones == [False] * 3 + [True] * 5
    assert "result of grep left out" in seen[1].text
    assert [one for one in seen if one.kind == "tool_call"] == transcript[::2]
    assert session.read() == transcript
    fewer = [one.text for one in session.view(keep_tool_results=0) if one.kind == "tool_result"]
    assert not any(text.startswith("heron") for text in fewer)
    with pytest.raises(lamina.InvalidInputError, match="keep_tool_results"):
        session.view(keep_tool_results=-1)


@ONE_STORE
def test_what_is_being_worked_on_stays_as_it_was_said(finn: AgentMemory) -> None:
    session = finn.session("s")
    session.append("user", "The falcon migration must keep every ring number")
    talk(session, 0, 40)
    finn.now.update("falcon migration with ring numbers")
    assert session.compact() is not None
    assert "The falcon migration must keep every ring number" in texts(session.view())
    talk(session, 40, 80)
    finn.now.update("something else entirely")
    assert session.compact() is not None
    assert "The falcon migration must keep every ring number" not in texts(session.view())


@ONE_STORE
def test_a_thread_tells_the_story_of_a_compacted_session(finn: AgentMemory) -> None:
    talk(finn.session("one"), 0, 3)
    two = finn.session("two", continues="one")
    first = two.append("user", "Begin here")
    talk(two, 10, 30)
    assert two.compact(force=True) is not None
    three = finn.session("three", continues="two")
    three.append("user", "Go on", cites=[first.id])
    assert [one.name for one in three.thread()] == ["one", "two", "three"]
    [cited] = three.cited(three.read()[0])
    assert cited.text == "Begin here"
    assert finn.session.names() == ["three", "two", "one"]


def test_of_two_who_compact_at_once_one_does(finn: AgentMemory) -> None:
    session = finn.session("s")
    talk(session, 0, 30)

    def meanwhile(records: Any, most: int) -> str:
        session.compact(force=True)
        return "Herons nest on rocks."

    with pytest.raises(ConflictError):
        session.compact(force=True, summarise=meanwhile)
    assert finn.count({"layer": "archive", "kind": "summary"}) == 1
    session.append("user", "said while a model thinks")
    assert session.view()[-1].text == "said while a model thinks"


def test_compactions_are_taken_back_one_after_the_other_while_the_session_goes_on(
    finn: AgentMemory,
) -> None:
    session = finn.session("s")
    talk(session, 0, 40)
    first = session.compact()
    talk(session, 40, 80)
    second = session.compact()
    talk(session, 80, 85)
    assert first is not None
    assert second is not None
    with pytest.raises(ConflictError):
        finn.undo(first.receipt.tx)
    finn.undo(second.receipt.tx)
    finn.undo(first.receipt.tx)
    assert [one.key for one in session.read()] == [f"m-{number}" for number in range(85)]
    assert finn.query({"layer": "archive"}) == []
