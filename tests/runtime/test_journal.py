"""What a run writes is written once, by the one whose turn it is."""

import threading
import time

import pytest

from lamina import leasing
from lamina.core.chat import Message
from lamina.errors import BusyError, ConflictError
from lamina.runtime import Agent
from lamina.runtime.journal import Entry, Journal
from lamina.runtime.recovering import broke_off
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, finn, logged, said


def test_a_step_cannot_be_written_twice() -> None:
    with finn() as memory, leasing.take(memory, "s", scope=memory.scope) as lease:
        journal = Journal(memory, memory.session("main"), lease, "r-1")
        step = [Entry("tool_result", "3", "r-1-1-1")]
        journal.write(step, log=[Entry("TOOL_USE", "add gave 3")])
        with pytest.raises(ConflictError):
            journal.write(step, log=[Entry("TOOL_USE", "add gave 3")])
        assert (len(said(memory)), len(logged(memory))) == (1, 1)


def test_who_lost_the_turn_writes_nothing_more() -> None:
    with finn() as memory, leasing.take(memory, "s", scope=memory.scope, seconds=0.1) as lease:
        journal = Journal(memory, memory.session("main"), lease, "r-1")
        memory.forget("lease:s")
        while not lease.is_lost:
            time.sleep(0.01)
        with pytest.raises(BusyError, match="taken over"):
            journal.write([Entry("user", "late", "r-1")])
        broke_off(journal, 1, "late", RuntimeError("late"))
        assert said(memory) == logged(memory) == []
        assert memory.now.read().next_steps == ()


def test_runs_of_one_session_wait_for_each_other() -> None:
    begun = threading.Barrier(3)

    def slow(messages: list[Message]) -> str:
        time.sleep(0.02)
        return f"re: {messages[-1]['content']}"

    with finn() as memory:

        def talk(number: int) -> None:
            begun.wait()
            Agent(memory, slow).run(f"{number}", wait=30)

        threads = [threading.Thread(target=talk, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = [text for _, text in said(memory)]
        assert [f"re: {text}" for text in texts[::2]] == texts[1::2]
        assert sorted(texts[::2]) == ["0", "1", "2"]


def test_a_tool_that_runs_its_own_session_is_told_that_it_is_busy() -> None:
    with finn() as memory:

        def again() -> str:
            """Run the session that is running."""
            return Agent(memory, lambda _: "inner").run("inner").reply

        model = ScriptedModel([calls("again"), "Never mind."])
        done = Agent(memory, model, [again]).run("Do it again")
        assert done.steps[0].calls[0].is_error
        assert "is being worked on" in done.steps[0].calls[0].text


def test_a_run_that_was_taken_over_during_a_tool_writes_no_result() -> None:
    with finn() as memory:

        def slow() -> str:
            """Take so long that somebody else takes over."""
            [held] = memory.query({"layer": "blackboard", "kind": "lease"})
            memory.edit(held.id, expires=held.created_at)
            leasing.take(memory, "session:finn:main", scope=memory.scope)
            return "done"

        with pytest.raises(BusyError, match="taken over"):
            Agent(memory, ScriptedModel([calls("slow")]), [slow]).run("Be slow")
        assert [kind for kind, _ in said(memory)] == ["user", "tool_call"]
        assert [kind for kind, _ in logged(memory)] == ["SYSTEM"]
