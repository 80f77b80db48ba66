"""`lamina run`: an answer or a chat, with a scripted model in the place of a real one."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import lamina as package
from tests.embedders.servers import serving
from tests.models.servers import USAGE, piece, streaming
from tests.surfaces.shell import Call


def _script(folder: Path, *lines: Any) -> str:
    path = folder / "script.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


_FACT = {"name": "save_fact", "arguments": {"key": "colour", "value": "blue"}}


def test_an_agent_answers_with_its_tools_and_keeps_what_was_said(
    lamina: Call, tmp_path: Path
) -> None:
    script = _script(tmp_path, {"text": "I note that.", "calls": [_FACT]}, "Blue\x1b[2J it is.")
    who = ("--agent", "finn", "--project", "web")
    answer = lamina("run", *who, "--script", script, "My colour is blue")
    assert answer.status == 0, answer.err
    assert answer.out == "I note that.\nBlue\\x1b[2J it is.\n"
    assert "1 tool call" in answer.err
    assert lamina("fact", "get", "colour", "--as", "finn", "--project", "web").out.strip() == "blue"
    told = lamina("log", "--as", "finn", "--project", "web").out
    assert "Asked: My colour is blue" in told
    other = (*who, "--session", "s-2", "--script", script)
    again = lamina("run", *other, "--json", "And", "now?").json
    assert "Asked: And now?" in lamina("log", "--as", "finn", "--project", "web").out
    assert again["reply"] == "Blue\x1b[2J it is."
    assert again["session"] == "s-2"
    assert [call["tool"] for step in again["steps"] for call in step["calls"]] == ["save_fact"]
    assert again["window"]["total"] <= again["window"]["budget"]


def test_a_run_that_broke_off_is_continued(lamina: Call, tmp_path: Path) -> None:
    down = _script(tmp_path, {"calls": [_FACT]}, {"error": "nobody answers"})
    answer = lamina("run", "--agent", "finn", "--script", down, "My colour is blue")
    assert answer.status != 0
    assert "nobody answers" in answer.err
    assert "Recover" in lamina("now", "--as", "finn").out
    well = _script(tmp_path, "It is noted.")
    answer = lamina("run", "--agent", "finn", "--script", well, "--json", "continue")
    assert (answer.json["reply"], answer.json["resumed"]) == ("It is noted.", True)


def test_a_chat_goes_on_until_the_input_ends(
    lamina: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _script(tmp_path, "Hello.", {"error": "gone"}, "Back again.")
    typed = "hi\n\n/now\n/context\n/dance\nmore\ncontinue\n/quit\nnever\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    answer = lamina("run", "--agent", "finn", "--chat", "--script", script)
    assert answer.status == 0
    lines = answer.out.splitlines()
    assert lines[:2] == ["Hello.", "hi"]
    assert lines[-1] == "Back again."
    assert any(one.startswith("=== memory") for one in lines)
    assert "no command /dance" in answer.err
    assert "gone" in answer.err
    with package.open(tmp_path / "store") as mem:
        said = [one.text for one in mem.agent("finn").session("main").read()]
    assert said == ["hi", "Hello.", "more", "continue", "Back again."]


def test_a_chat_in_json_is_a_line_of_json_for_every_line(
    lamina: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _script(tmp_path, "Hello.", {"error": "gone"})
    monkeypatch.setattr(sys, "stdin", io.StringIO("hi\n/now\n/context\n/dance\nmore\n"))
    answer = lamina("run", "--agent", "finn", "--chat", "--json", "--script", script)
    assert (answer.status, answer.err) == (0, "")
    said, now, context, command, error = map(json.loads, answer.out.splitlines())
    assert said["reply"] == "Hello."
    assert now == {"objective": "hi", "next_steps": []}
    assert "Next steps" not in context["text"]
    assert "/dance" in command["error"]["message"]
    assert error["error"]["message"] == "gone"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--agent", "finn", "hello"), "no model is configured"),
        (("hello",), "nobody is named"),
        (("--agent", "finn"), "nothing is asked"),
        (("--agent", "finn", "--as", "maya", "hello"), "not the same"),
        (("--agent", "Not A Name", "hello"), "--as"),
        (("--agent", "finn", "--script", "missing.jsonl", "hello"), "--script"),
        (("--agent", "finn", "--script", "{script}", "--session", "A b", "hello"), "`session`"),
    ],
)
def test_a_wrong_call_says_the_way_out(
    arguments: tuple[str, ...], told: str, lamina: Call, tmp_path: Path
) -> None:
    lamina("remember", "something")
    script = _script(tmp_path, "Hello.")
    answer = lamina("run", *(one.format(script=script) for one in arguments))
    assert answer.status == 2
    assert told in answer.err
    assert "Try: " in answer.err


@pytest.mark.parametrize(
    "line", ["{", "7", '{"say": "x"}', '{"calls": [1]}', '{"text": 5}', "\xff"]
)
def test_a_script_that_cannot_be_read_is_named(line: str, lamina: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(line.encode("latin-1"))
    answer = lamina("run", "--agent", "finn", "--script", str(path), "hello")
    assert answer.status == 2
    assert "script" in answer.err
    assert not (tmp_path / "store").exists()


def test_a_server_answers_in_pieces_calls_tools_and_breaks_off(lamina: Call) -> None:
    begun = {"index": 0, "id": "c1", "function": {"name": "save_fact", "arguments": '{"key": "co'}}
    rest = {"index": 0, "function": {"arguments": 'lour", "value": "teal"}'}}
    asks = [piece({"role": "assistant", "content": ""}), piece({"tool_calls": [begun]}),
            piece({"tool_calls": [rest]}), piece({}, "tool_calls")]  # fmt: skip
    half = streaming([piece({"content": "It is"})], end="")
    told = [piece({"content": "It is "}), piece({"content": "teal."}), piece({}, "stop"),
            {"choices": [], "usage": USAGE}]  # fmt: skip
    with serving(streaming(asks), half, streaming(told)) as service:
        lamina("remember", "something")
        for name, value in {"url": f"{service.url}/v1", "name": "tiny"}.items():
            assert lamina("config", "set", f"model.{name}", value).status == 0
        answer = lamina("run", "--agent", "finn", "My colour is teal")
        # What went wrong is told on a line of its own.
        assert (answer.status, answer.out) == (75, "It is\n")
        assert "in the middle of its answer" in answer.err
        answer = lamina("run", "--agent", "finn", "continue")
    assert (answer.status, answer.out) == (0, "It is teal.\n")
    assert lamina("fact", "get", "colour", "--as", "finn").out == "teal\n"
    first, last = service.asked[0].body, service.asked[-1].body["messages"]
    assert first["stream"] is True
    assert "save_fact" in [one["function"]["name"] for one in first["tools"]]
    assert [one["role"] for one in last] == ["system", "user", "assistant", "tool", "user"]
    assert last[2]["tool_calls"][0]["id"] == last[3]["tool_call_id"]
