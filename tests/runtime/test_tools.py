"""Tools: whatever one does, a call ends in words for the model."""

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import pytest

import lamina
from lamina import InvalidInputError, skills
from lamina.core.chat import ToolCall
from lamina.runtime.rendering import NOTHING
from lamina.runtime.tools import MOST_HANGING, MOST_NESTED, Late, Outcome, Toolbox, tool, toolbox
from lamina.skills import About, Skill
from tests.runtime.apart import end_me

SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"


def ask(box: Toolbox, name: str, **arguments: Any) -> Outcome:
    return box.call(ToolCall("c-1", name, arguments))


def add(first: int, second: Annotated[int, "what is added"] = 1) -> int:
    """Add two numbers.

    Args:
        first (int): the one to begin with,
            whichever it is
        second: not read, for the hint says more

    Returns:
        The sum.
    """
    return first + second


def test_a_function_is_told_as_its_signature_and_docstring_say() -> None:
    def look(
        path: str,
        depth: float | None = None,
        names: list[str] | None = None,
        sort: Literal["name", "size"] = "name",
        *,
        more: Annotated[dict[str, bool], About("anything")] | None = None,
        **rest: Any,
    ) -> None: ...

    box = toolbox([add, look, end_me])
    told = {one["name"]: one for one in box.offered}
    assert told["add"]["description"] == "Add two numbers."
    assert told["add"]["parameters"] == {
        "type": "object",
        "properties": {
            "first": {
                "type": "integer", "description": "the one to begin with, whichever it is",
            },
            "second": {"type": "integer", "description": "what is added"},
        },
        "required": ["first"],
        "additionalProperties": False,
    }  # fmt: skip
    assert told["end_me"]["parameters"]["properties"]["how"]["description"] == "in which way"
    assert told["end_me"]["description"] == "Do what only a process of its own survives."
    schema = told["look"]["parameters"]
    assert schema["required"] == ["path"]
    assert schema["additionalProperties"] is True
    assert schema["properties"] == {
        "path": {"type": "string"},
        "depth": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "sort": {"enum": ["name", "size"]},
        "more": {"type": "object", "description": "anything"},
    }
    assert not ask(box, "look", path="x", depth=1, sort="size", other=[1]).is_error
    wrongs: list[dict[str, Any]] = [{"depth": "1"}, {"names": [1]}, {"sort": "age"}, {"more": []}]
    for wrong in wrongs:
        outcome = ask(box, "look", path="x", **wrong)
        assert outcome.is_error
        assert f"`{next(iter(wrong))}`" in outcome.text


class _Unspeakable:
    pass


def by_place(one: int, /) -> None: ...
def any_number(*ones: int) -> None: ...
def strange(one: _Unspeakable) -> None: ...
def two(one: int | str) -> None: ...
def missing(one: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([add, add], "two tools have the name `add`"),
        ([lambda: 1], "cannot be the name of a tool"),
        ([Skill("a b", "", {"type": "object"}, add)], "cannot be the name of a tool"),
        ([Skill("x" * 65, "", {"type": "object"}, add)], "cannot be the name of a tool"),
        ([Skill("x", "", {"type": "string"}, add)], "no schema of an object"),
        ([Skill("x", "", None, add)], "no schema of an object"),  # type: ignore[arg-type]
        ([Skill("x", "", {"type": "object"}, 3)], "`execute` of `x`"),  # type: ignore[arg-type]
        ([Skill("x", "", {"type": "object", "bad": {1, 2}}, add)], "the parameters of x"),
        ([replace(skills.Skill("x", "", {"type": "object"}, add), seconds=0)], "`seconds`"),
        ([by_place], "`by_place` takes `one` by its place"),
        ([any_number], "`any_number` takes `ones` by its place"),
        ([strange], "`one` of `strange`"),
        ([two], "`one` of `two`"),
        ([missing], "that `missing` takes cannot be read"),
        ([_Unspeakable], "is no tool"),
        ([3], "is no tool"),
        ("add", "`tools` must be a list"),
        (None, "`tools` must be a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_tool_is_refused_by_name(tools: Any, words: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        toolbox(tools)
    assert words in str(caught.value)


def test_a_tool_in_a_function_cannot_run_apart() -> None:
    def inner() -> None: ...

    with pytest.raises(InvalidInputError, match="`inner` cannot run apart"):
        toolbox([tool(inner, apart=True)])


def test_methods_objects_and_coroutines_are_tools() -> None:
    class Counter:
        """Counts."""

        def __init__(self) -> None:
            self.value = 0

        def up(self, by: int = 1) -> int:
            """Count up."""
            self.value += by
            return self.value

    async def wait_for_it(word: str) -> str:
        """Say it later."""
        return f"{word}!"

    box = toolbox([Counter().up, wait_for_it, tool(functools.partial(add, 3), name="add_to_3")])
    assert ask(box, "up", by=4).text == "4"
    assert ask(box, "wait_for_it", word="so").text == "so!"
    assert ask(box, "add_to_3", second=4).text == "7"


def test_a_call_that_cannot_be_run_says_why() -> None:
    box = toolbox([add, end_me])
    near = ask(box, "ad")
    assert near.is_error
    assert "no tool `ad`. Did you mean add? There are: add, end_me" in near.text
    assert "There are: add, end_me" in ask(box, "quantum").text
    assert "nor any other" in ask(toolbox([]), "add").text
    assert "`first` is missing" in ask(box, "add").text
    assert "`third` is not one of its arguments" in ask(box, "add", first=1, third=3).text
    assert "It takes: first, second" in ask(box, "add", first=1, third=3).text
    assert "`first` must be a whole number" in ask(box, "add", first="1").text
    assert "not JSON" in box.call(ToolCall("c", "add", {}, wrong="not JSON")).text
    odd: Any = [1]
    assert "must be an object" in box.call(ToolCall("c", "add", odd)).text
    numbered: Any = {1: 2}
    assert "names that are text" in box.call(ToolCall("c", "add", numbered)).text
    many = toolbox([tool(add, name=f"add_{number}") for number in range(500)])
    assert len(ask(many, "zzz").text) < 2_000


class _MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def test_a_tool_that_raises_is_told_to_the_model_and_traced_for_the_log() -> None:
    def fail(how: str) -> None:
        """Fail."""
        raise {
            "value": ValueError("no such row \ud800"), "exit": SystemExit(3), "mute": _MuteError(),
            "ours": lamina.NotFoundError("nothing is there", remedy="Look elsewhere"),
            "interrupt": KeyboardInterrupt(),
        }[how]  # fmt: skip

    box = toolbox([fail])
    raised = ask(box, "fail", how="value")
    assert (raised.text, raised.is_error) == ("ValueError: no such row \ufffd", True)
    assert "in fail" in raised.trace
    assert ask(box, "fail", how="exit").text == "SystemExit: 3"
    assert ask(box, "fail", how="mute").text == "_MuteError"
    assert ask(box, "fail", how="ours").text == "nothing is there. Look elsewhere"
    assert ask(box, "fail", how="interrupt").text == "KeyboardInterrupt"


def test_a_tool_that_hangs_is_given_up_and_its_late_result_dropped() -> None:
    go, heard, told = threading.Event(), threading.Event(), list[Late]()

    def hang() -> str:
        """Hang."""
        go.wait(50)
        return "much too late"

    def listen(late: Late) -> None:
        told.append(late)
        heard.set()

    box = toolbox([tool(hang, seconds=0.01), add], on_late=listen)
    outcome = ask(box, "hang")
    assert outcome.is_error
    assert "took longer than 0.01 seconds" in outcome.text
    assert "will be dropped" in outcome.text
    assert (box.hanging, told) == (1, [])
    assert ask(box, "add", first=1).text == "2"
    for _ in range(MOST_HANGING):
        ask(box, "hang")
    assert box.hanging == MOST_HANGING
    assert "still hang" in ask(box, "add", first=1).text
    go.set()
    assert heard.wait(50)
    assert (told[0].name, told[0].text) == ("hang", "much too late")


def test_a_tool_apart_is_ended_and_may_crash() -> None:
    box = toolbox([end_me])
    assert ask(box, "end_me", how="answer").text == "answered"
    assert "ended with status 7" in ask(box, "end_me", how="exit").text
    ended = ask(toolbox([replace(end_me, seconds=0.01)]), "end_me", how="sleep")
    assert "its process was ended" in ended.text
    assert "`how`" in ask(box, "end_me", how="shout").text


@dataclass
class _Point:
    x: int
    y: set[int]


class _Hostile:
    def __repr__(self) -> str:
        raise ValueError("no")


def _circle() -> list[object]:
    round_and_round: list[object] = []
    round_and_round.append(round_and_round)
    return round_and_round


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: None, NOTHING),
        (lambda: "", "(empty text)"),
        (lambda: "a\0b\udcff", "a\ufffdb\ufffd"),
        (lambda: {"é": [1, None, True]}, '{"é": [1, null, true]}'),
        (lambda: b"caf\xc3\xa9", "café"),
        (lambda: b"\xff\xfe\x00", "(3 bytes that are no text)"),
        (lambda: _Point(1, {2, 1}), '{"x": 1, "y": [1, 2]}'),
        (_circle, "[[...]]"),
        (_Hostile, '"(a _Hostile that cannot be shown)"'),
    ],
)  # fmt: skip
def test_whatever_a_tool_returns_becomes_text(make: Callable[[], object], text: str) -> None:
    box = toolbox([Skill("make", "", {"type": "object"}, make)])
    outcome = ask(box, "make")
    assert (outcome.text, outcome.is_error) == (text, False)


def test_fifty_megabytes_are_cut_to_head_and_tail() -> None:
    box = toolbox(
        [Skill("flood", "", {"type": "object"}, lambda: "é" + "x" * 50_000_000 + "END")],
        most_chars=1_000,
    )
    outcome = ask(box, "flood")
    assert outcome.bytes == 50_000_005
    assert len(outcome.text) < 1_200
    assert outcome.text.startswith("éxx")
    assert outcome.text.endswith("xEND")
    assert "49,999,004 of 50,000,004 characters left out here" in outcome.text


def test_tools_may_call_tools_but_not_for_ever() -> None:
    deepest = 0

    def again(level: int) -> str:
        """Call itself."""
        nonlocal deepest
        deepest = max(deepest, level)
        return ask(box, "again", level=level + 1).text

    box = toolbox([again])
    assert "calling one another" in ask(box, "again", level=1).text
    assert deepest == MOST_NESTED
    assert "calling one another" in ask(box, "again", level=1).text


def test_what_may_be_repeated_is_declared() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        box = toolbox([*skills.for_agent(finn), add, end_me])
        safe = [name for name in box.names if box.safe_to_repeat(name)]
        assert safe == ["update_status", "recall_memory", "save_fact", "get_fact", "end_me"]
        assert not box.safe_to_repeat("nothing")
        assert [one.name for one in toolbox(box)] == box.names
        assert ask(box, "save_fact", key="currency", value="EUR").text.startswith('{"id"')
        assert ask(box, "get_fact", key="currency").text == '{"key": "currency", "value": "EUR"}'


def test_a_secret_in_a_result_is_sealed_on_its_way_into_the_session() -> None:
    def leak() -> str:
        """Show the settings."""
        return f"region=eu aws_access_key_id={SECRET}"

    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        outcome = ask(toolbox([leak]), "leak")
        finn.session("s").append("tool_result", outcome.text, id="c-1")
        [kept] = finn.session("s").read()
        assert SECRET not in kept.text
        assert "secret://" in kept.text
