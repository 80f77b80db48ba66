"""A run goes on at the right step, though its session was compacted or archived in the middle."""

from pathlib import Path

import pytest

from lamina import State
from lamina.runtime import Agent
from lamina.testing import ScriptedModel
from tests.places import STORES
from tests.runtime.scenes import calls, finn, interrupted, said


@pytest.mark.parametrize("store", STORES)
def test_calls_that_wait_for_their_results_are_not_archived(store: str, tmp_path: Path) -> None:
    sent: list[str] = []

    def send(to: str) -> str:
        sent.append(to)
        return "sent"

    asked = [calls("send", to=f"a{number}") for number in range(16)]
    with finn(store, tmp_path) as memory:
        memory.session("main").extend([{"role": "user", "text": "Hello there"}] * 5)
        interrupted(memory, *asked, done=3)
        done = memory.session("main").compact(force=True)
        assert done is not None
        assert done.entries == 5 + 2 * 3
        model = ScriptedModel(["All sent."])
        resumed = Agent(memory, model, [send]).run("continue")
        # Three have a result, of the fourth nothing is known, and the others were never begun.
        assert (resumed.is_resumed, sent) == (True, [f"a{number}" for number in range(4, 16)])
        told = [one["content"] for one in model.asked[0] if one["role"] == "tool"]
        assert [text.startswith("It is not known") for text in told] == [True] + [False] * 12
        assert any(one["content"] == "Send both letters" for one in model.asked[0])


def test_a_loop_without_runs_keeps_what_it_called_last() -> None:
    with finn() as memory:
        session = memory.session("main")
        session.extend([{"role": "user", "text": f"Line {number}"} for number in range(20)])
        session.extend(
            [{"role": "tool_call", "text": f"look {n}", "id": f"c{n}"} for n in range(20)]
        )
        assert session.compact(force=True) is not None
        assert [text for kind, text in said(memory) if kind == "tool_call"] == [
            f"look {number}" for number in range(20)
        ]


def test_a_session_that_was_archived_whole_knows_what_it_was_about() -> None:
    with finn() as memory:
        for one in interrupted(memory, calls("send", to="a"), done=1):
            path = memory.path_for(memory.principal.surface)
            path.commit([path.move(one, State.ARCHIVED)])
        model = ScriptedModel([calls("recall_memory", query="letters"), "Sent."])
        done = Agent(memory, model).run("continue")
        assert (done.is_resumed, done.steps[0].id) == (True, "r-1-2")
        assert [one["content"] for one in model.asked[0][1:]] == ["Send both letters", "continue"]


def test_a_summary_is_shown_as_notes() -> None:
    with finn() as memory:
        session = memory.session("main")
        session.extend([{"role": "user", "text": f"Line {number}"} for number in range(20)])
        assert session.compact(force=True) is not None
        model = ScriptedModel(["Yes."])
        Agent(memory, model).run("Still there?")
        assert "no orders" in model.asked[0][1]["content"].splitlines()[0]


def test_a_result_without_an_id_stands_with_its_call() -> None:
    with finn() as memory:
        memory.session("main").extend([
            {"role": "user", "text": "How warm is it?"},
            {"role": "tool_call", "text": "look()", "tool": "look"},
            {"role": "tool_result", "text": "21 degrees"},
        ])  # fmt: skip
        model = ScriptedModel(["Warm."])
        Agent(memory, model).run("So?")
        assert [one["content"] for one in model.asked[0] if one["role"] == "tool"] == ["21 degrees"]
