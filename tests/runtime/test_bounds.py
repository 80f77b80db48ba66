"""Whatever a model does, a run ends with an answer or a clear error, and can be continued."""

from itertools import repeat
from typing import Any

import pytest

from lamina.core.chat import Reply, ToolCall
from lamina.errors import BudgetError, InvalidInputError, ModelError
from lamina.runtime import Agent, Limits
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, finn, logged, said


def ping(number: int = 0) -> str:
    """Say pong."""
    return "pong"


BAD: list[tuple[Any, str]] = [
    ("x" * 3_000_000, "3,000,000 characters"),
    (Reply(""), "answered with nothing, twice"),
    (Reply(" \n "), "answered with nothing, twice"),
    (None, "answered with NoneType"),
    ({"text": "hi"}, "answered with dict"),
    (Reply(text=7), "answered with Reply"),  # type: ignore[arg-type]
    (Reply(tool_calls=("ping",)), "asked for a tool with str"),  # type: ignore[arg-type]
    (Reply(tool_calls=None), "asked for tools with NoneType"),  # type: ignore[arg-type]
    (Reply(tool_calls=(calls("ping"),)), "the same call of `ping` over and over"),
]


@pytest.mark.parametrize(("answer", "told"), BAD)
def test_a_model_that_answers_badly_is_an_error_that_can_be_continued(
    answer: Any, told: str
) -> None:
    with finn() as memory:
        with pytest.raises(ModelError, match=told):
            Agent(memory, lambda _: answer, [ping]).run("Hello?")
        kind, line = logged(memory)[-1]
        assert kind == "ERROR"
        assert line.startswith("ModelError")
        assert memory.now.read().next_steps[0].startswith("Recover: ModelError")
        assert Agent(memory, lambda _: "Well.", [ping]).run("continue").reply == "Well."


def test_an_empty_answer_is_asked_for_once_more() -> None:
    with finn() as memory:
        model = ScriptedModel([Reply(""), "Here I am."])
        assert Agent(memory, model).run("Hello?").reply == "Here I am."
        assert "was empty" in model.asked[1][-1]["content"]
        assert len(said(memory)) == 2


def test_steps_are_bounded_and_continue_goes_on() -> None:
    with finn() as memory:
        lines: list[Any] = [*(calls("ping", number=n) for n in range(5)), "At last."]
        agent = Agent(memory, ScriptedModel(lines), [ping], limits=Limits(steps=3))
        with pytest.raises(ModelError, match="not answered after 3 steps"):
            agent.run("Ping five times")
        assert agent.run("continue").reply == "At last."
        assert [role for role, _ in said(memory)].count("tool_result") == 5


WRONG: list[tuple[ToolCall, str]] = [
    (calls("pong"), "no tool `pong`"),
    (calls("ping", number="many"), "`number`"),
    (calls("ping", colour="red"), "`colour`"),
    (ToolCall("1", "ping", {}, wrong="not JSON: {"), "not JSON"),
    (ToolCall("1", "ping", {"number": float("nan")}), "cannot be"),
    (ToolCall("1", "ping", {"number": "x" * 1_200_000}), "cannot be"),
    (ToolCall("1", "ping", {}, wrong=5), "cannot be read: 5"),  # type: ignore[arg-type]
    (ToolCall("1", "", {}), "no tool"),
    (ToolCall("1", "ping\0\ud800" * 100, {}), "no tool"),
]


def test_a_wrong_call_is_told_to_the_model() -> None:
    with finn() as memory:
        for call, told in WRONG:
            model = ScriptedModel([call, "I see."])
            Agent(memory, model, [ping]).run("Ping")
            assert told in model.asked[1][-1]["content"], call.name[:20]


def test_too_many_calls_at_once_are_not_made() -> None:
    with finn() as memory:
        many = Reply(tool_calls=tuple(calls("ping", number=n) for n in range(1000)))
        model = ScriptedModel([many, "Enough."])
        done = Agent(memory, model, [ping], limits=Limits(calls=4)).run("Ping a lot")
        assert len(done.steps[0].calls) == 4
        assert "996 more calls were not made" in str(model.asked[1])


def test_the_same_call_in_a_row_is_stopped_before_it_is_an_error() -> None:
    with finn() as memory:
        model = ScriptedModel([*repeat(calls("ping"), 5), "I stop."])
        done = Agent(memory, model, [ping]).run("Ping")
        assert [step.calls[0].is_error for step in done.steps] == [False] * 3 + [True] * 2


def test_tokens_of_a_run_are_bounded() -> None:
    with finn() as memory:
        dear = [Reply("", (calls("ping", number=n),), 600, 10) for n in range(9)]
        with pytest.raises(BudgetError, match="1,220 tokens"):
            Agent(memory, ScriptedModel(dear), [ping], limits=Limits(tokens=1000)).run("Ping")


def test_what_no_record_can_hold_is_marked() -> None:
    with finn() as memory:
        assert Agent(memory, lambda _: "a\0b\ud800c").run("Hello?").reply == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "many"])
def test_bounds_are_numbers(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="`window` must be"):
        Limits(window=value)


def test_a_script_that_has_ended_says_so() -> None:
    with pytest.raises(ModelError, match="script has ended"):
        ScriptedModel([]).chat([])
