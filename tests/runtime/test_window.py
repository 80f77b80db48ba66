"""The window: everything is counted, and what has no room is left out where it hurts least."""

from typing import Any

import pytest

from lamina.errors import BudgetError
from lamina.runtime import Agent, Limits
from lamina.runtime.turns import Group
from lamina.runtime.window import Fixed, fit
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, finn

NOTHING = Fixed("prompt", "", [])


def words(text: str) -> int:
    return len(text.split())


def user(text: str, *, is_request: bool = False) -> Group:
    return Group([{"role": "user", "content": text}], request="r-1" if is_request else "")


def step(result: str) -> Group:
    call = {"id": "1", "name": "t", "arguments": {}}
    return Group(
        [{"role": "assistant", "content": "", "tool_calls": [call]},
         {"role": "tool", "content": result, "tool_call_id": "1"}]
    )  # fmt: skip


def test_every_part_is_counted_and_the_sum_is_what_goes_out() -> None:
    fixed = Fixed("be good", "a b c", [{"name": "t", "description": "one two"}])
    history = [user("x y", is_request=True), step("r r r r")]
    messages, window = fit(fixed, history, 1000, words)
    assert (window.system, window.memory, window.results) == (2 + 4, 3, 4 + 4)
    assert window.tools > 0
    assert window.total == sum(words(one["content"]) + 4 for one in messages) + window.tools + 1
    assert window.free == 1000 - window.total
    assert (window.left_out, window.shortened) == (0, 0)


def test_the_oldest_goes_first_and_head_request_and_end_stay() -> None:
    middle = [user(f"{number} " * 40) for number in range(10)]
    history = [user("how it began"), *middle, user("the request", is_request=True), step("end")]
    messages, window = fit(NOTHING, history, 200, words)
    contents = [one["content"].split() for one in messages[1:]]
    assert contents[0] == ["how", "it", "began"]
    assert contents[1][:2] == ["[7", "earlier"]
    assert [one[0] for one in contents[2:5]] == ["7", "8", "9"]
    assert contents[5] == ["the", "request"]
    assert contents[-1] == ["end"]
    assert window.left_out == 7
    assert window.total <= 200


def test_a_long_result_is_cut_before_the_request_is_lost() -> None:
    history = [user("the request", is_request=True), step("word " * 5000)]
    messages, window = fit(NOTHING, history, 300, words)
    assert messages[1]["content"] == "the request"
    assert "characters…" in messages[-1]["content"]
    assert window.shortened >= 1
    assert window.total <= 300


def test_an_answer_longer_than_the_window_is_cut() -> None:
    long = Group([{"role": "assistant", "content": "word " * 5000}])
    messages, window = fit(NOTHING, [user("the request", is_request=True), long], 300, words)
    assert messages[1]["content"] == "the request"
    assert window.total <= 300


def test_what_cannot_fit_is_an_error() -> None:
    with pytest.raises(BudgetError, match="does not fit"):
        fit(NOTHING, [user("word " * 500, is_request=True)], 300, words)


def test_a_run_reports_its_window_and_never_exceeds_it() -> None:
    def read(page: int) -> str:
        """Read a page."""
        return "lorem ipsum dolor " * 300

    with finn() as memory:
        memory.fact.save("colour", "blue")
        lines: list[Any] = [*(calls("read", page=n) for n in range(8)), "Read."]
        model = ScriptedModel(lines)
        done = Agent(memory, model, [read], limits=Limits(window=4000)).run("Read all pages")
        window = done.window
        assert window.budget == 4000 >= window.total
        assert min(window.system, window.memory, window.history, window.results, window.tools) > 0
        assert window.left_out > 0
        assert all(asked[1]["content"] == "Read all pages" for asked in model.asked)


def test_old_results_are_notes_and_the_transcript_is_whole() -> None:
    def read(page: int) -> str:
        """Read a page."""
        return f"page {page}: " + "lorem ipsum " * 50

    with finn() as memory:
        model = ScriptedModel([*(calls("read", page=n) for n in range(7)), "Read."])
        Agent(memory, model, [read]).run("Read all pages")
        shown = [one["content"] for one in model.asked[-1] if one["role"] == "tool"]
        assert ["lorem" in one for one in shown] == [False] * 2 + [True] * 5
        kept = [one for one in memory.session("main").read() if one.kind == "tool_result"]
        assert all("lorem" in one.text for one in kept)
