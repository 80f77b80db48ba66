"""A run that broke off: what is left of it, and how it goes on."""

from pathlib import Path

import pytest

from lamina.core.chat import Message
from lamina.errors import InvalidInputError, ModelUnavailableError
from lamina.runtime import Agent, tool
from lamina.runtime.intake import says_continue
from lamina.testing import ScriptedModel
from tests.places import STORES
from tests.runtime.scenes import calls, finn, interrupted, logged, said


@pytest.mark.parametrize("store", STORES)
def test_a_model_that_went_down_is_taken_up_where_it_was(store: str, tmp_path: Path) -> None:
    sent: list[str] = []

    def send(to: str) -> str:
        sent.append(to)
        return "sent"

    with finn(store, tmp_path) as memory:
        memory.now.update("Write to everybody", ["Print the labels"])
        down = ModelUnavailableError("nobody answers at port 11434")
        model = ScriptedModel([calls("send", to="maya"), down, calls("send", to="noor"), "Both."])
        agent = Agent(memory, model, [send])
        with pytest.raises(ModelUnavailableError):
            agent.run("Write to maya and noor")
        kind, line = logged(memory)[-1]
        assert (kind, line) == ("ERROR", "ModelUnavailableError: nobody answers at port 11434")
        assert "Traceback" in memory.log.tail(1)[0].text
        assert memory.now.read().next_steps == (
            "Recover: ModelUnavailableError: nobody answers at port 11434",
            "Wait until the model answers again",
            "Then continue after step 1 of: Write to maya and noor",
            "Print the labels",
        )
        done = agent.run("Continue, please.")
        assert (done.reply, done.is_resumed, sent) == ("Both.", True, ["maya", "noor"])
        shown = model.asked[2]
        assert "Recover: ModelUnavailableError" in shown[0]["content"]
        assert [one["role"] for one in shown[1:]] == ["user", "assistant", "tool", "user"]
        # What was planned before stands again, and the run has ended.
        assert memory.now.read().next_steps == ("Print the labels",)
        with pytest.raises(InvalidInputError, match="nothing to continue"):
            agent.resume()
        ids = [(one.key, one.kind) for one in memory.session("main").read()]
        assert len(ids) == len(set(ids)) == 7


class UnspeakableError(Exception):
    """What cannot even be told."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


ENDS = [
    RuntimeError("a bug"),
    KeyboardInterrupt(),
    SystemExit(3),
    UnspeakableError(),
    OSError("\ud800\0"),
]
TOLD = ("RuntimeError: a bug", "The run was interrupted by hand", "SystemExit: 3",
        "UnspeakableError", "OSError: \ufffd\ufffd")  # fmt: skip


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
def test_bugs_and_interruptions_leave_the_way_on(error: BaseException) -> None:
    def broken(messages: list[Message]) -> str:
        raise error

    with finn() as memory:
        with pytest.raises(type(error)):
            Agent(memory, broken).run("Do it")
        kind, line = logged(memory)[-1]
        assert kind == "ERROR"
        assert line == TOLD[ENDS.index(error)]
        assert memory.now.read().next_steps[-1] == "Then continue after step 0 of: Do it"
        assert Agent(memory, lambda _: "Done.").resume().reply == "Done."
        assert said(memory) == [("user", "Do it"), ("assistant", "Done.")]
        assert memory.now.read().next_steps == ()


@pytest.mark.parametrize("store", STORES)
def test_only_what_may_be_repeated_is_when_nobody_knows(store: str, tmp_path: Path) -> None:
    ran: list[str] = []

    @tool(safe_to_repeat=True)
    def look(at: str) -> str:
        """Look at something."""
        ran.append(f"look {at}")
        return "seen"

    def send(to: str) -> str:
        """Send a letter."""
        ran.append(f"send {to}")
        return "sent"

    asked = [calls("send", to="a"), calls("look", at="b"), calls("send", to="c")]
    expected = {
        # Nothing is known of the first call without a result; those behind it were not begun.
        0: (["look b", "send c"], ["It is not known whether", "seen", "sent"]),
        1: (["look b", "send c"], ["done", "seen", "sent"]),
        2: ([], ["done", "done", "It is not known whether"]),
        3: ([], ["done", "done", "done"]),
    }
    for done, (did, told) in expected.items():
        with finn(store, tmp_path / str(done)) as memory:
            interrupted(memory, *asked, done=done)
            ran.clear()
            model = ScriptedModel(["All is well."])
            assert Agent(memory, model, [look, send]).run("continue").is_resumed
            assert ran == did
            results = [one["content"] for one in model.asked[0] if one["role"] == "tool"]
            for text, beginning in zip(results, told, strict=True):
                assert text.startswith(beginning)


def test_a_secret_in_a_call_is_not_sent_as_its_reference() -> None:
    ran: list[str] = []

    def login(password: str) -> str:
        ran.append(password)
        return "in"

    with finn() as memory:
        interrupted(memory, calls("login", password="x"), calls("login", password="hunter2-Qx9!"))
        Agent(memory, ScriptedModel(["Well."]), [tool(login, safe_to_repeat=True)]).resume()
        assert not any("secret://" in one for one in ran)


def test_another_request_gives_up_what_was_open() -> None:
    with finn() as memory:
        interrupted(memory, calls("send", to="a"), calls("send", to="b"))
        model = ScriptedModel(["Sunny."])
        done = Agent(memory, model).run("How is the weather?")
        assert not done.is_resumed
        results = [text for role, text in said(memory) if role == "tool_result"]
        assert "not known whether" in results[0]
        assert "was not made" in results[1]
        with pytest.raises(InvalidInputError, match="nothing to continue"):
            Agent(memory, model).resume()


def test_continue_without_anything_open_is_a_request_like_any_other() -> None:
    with finn() as memory:
        memory.now.update("Bake bread", ["Knead the dough"])
        model = ScriptedModel(["I knead the dough."])
        assert not Agent(memory, model).run("continue").is_resumed
        assert "Knead the dough" in model.asked[0][0]["content"]


def test_a_call_that_failed_before_is_told_to_have() -> None:
    def fetch(page: int) -> str:
        """Fetch a page."""
        raise OSError(f"page {page} is gone")

    with finn() as memory:
        model = ScriptedModel([calls("fetch", page=1), "Gone.", calls("fetch", page=2),
                               calls("fetch", page=1), "Gone again."])  # fmt: skip
        agent = Agent(memory, model, [fetch])
        agent.run("Fetch page 1")
        agent.run("Fetch 2 and 1")
        results = [text for role, text in said(memory) if role == "tool_result"]
        assert ["has failed once before" in text for text in results] == [False, False, True]
        assert [kind for kind, _ in logged(memory)].count("ERROR") == 3
        assert "Traceback" in next(one.text for one in memory.log.tail() if one.kind == "ERROR")


SAYINGS = (
    "continue", "Continue.", "please continue", "Go on!", "OK, carry on please", "keep going",
    "yes, go ahead", "Continue where you left off.", "continue from where you were", "Resume",
    "please continue with the task", "proceed…", "carry on from there, please",
)  # fmt: skip
REQUESTS = (
    "continue with chapter two", "go on holiday", "Resume the server", "proceed to the next file",
    "Why did you not continue?", "keep going until noon", "", "continue" * 2,
)  # fmt: skip


def test_there_are_many_ways_to_say_continue() -> None:
    assert [text for text in SAYINGS if not says_continue(text)] == []
    assert [text for text in REQUESTS if says_continue(text)] == []
