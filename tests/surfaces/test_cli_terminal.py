"""On a terminal: colours, questions, and nothing stored that could steer it."""

import json
import re
from pathlib import Path

import pytest

from lamina.surfaces.cli.marks import safe_json, visible
from tests.surfaces.shell import Answer, Call, on_terminal

EVIL = "[bold]mark[/bold] :smile: \x1b]0;title\x07 \x1b[2J \x9b31m \u202eabc\u2066 \r tea\u200f"
STEERING = re.compile("[\x07\x9b\u202e\u2066\u200f]|\x1b\\]|\x1b\\[2J|\r(?!\n)")


def _shown(tmp_path: Path, *arguments: str, typed: bytes = b"") -> Answer:
    return on_terminal("--dir", "store", *arguments, cwd=tmp_path, typed=typed)


@pytest.mark.parametrize(
    "command", [("list",), ("recall", "tea"), ("get", "k"), ("history", "k"), ("export",)]
)
def test_stored_text_cannot_steer_the_terminal(
    command: tuple[str, ...], lamina: Call, tmp_path: Path
) -> None:
    assert lamina("remember", EVIL, "--key", "k", "--data", json.dumps({"x": EVIL})).status == 0
    answer = _shown(tmp_path, *command)
    assert answer.status == 0
    assert not STEERING.search(answer.out)
    unwrapped = re.sub(r"\x1b\[[\d;]*m|\s", "", answer.out)
    assert "[bold]mark[/bold]:smile:" in unwrapped


def test_plain_output_and_json_are_safe_too(lamina: Call) -> None:
    lamina("remember", EVIL, "--key", "k")
    for flags in ((), ("--json",)):
        for command in (("list",), ("get", "k"), ("recall", "tea")):
            assert not STEERING.search(lamina(*command, *flags).out)
    assert lamina("get", "k", "--json").json["text"] == EVIL


def test_matched_words_stand_out(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks green teas")
    assert "\x1b[1;33mteas\x1b[0m" in _shown(tmp_path, "recall", "tea").out


def test_erase_asks_and_takes_no_for_an_answer(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks tea", "--key", "tea")
    refused = _shown(tmp_path, "erase", "tea", typed=b"n\n")
    assert refused.status == 1
    assert "Ann drinks tea" in refused.out
    assert "Nothing was erased." in refused.out
    assert lamina("get", "tea").status == 0
    assert "complete" in _shown(tmp_path, "erase", "tea", typed=b"y\n").out
    assert lamina("get", "tea").status == 3


def test_long_work_shows_a_bar(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks tea")
    assert "Exporting" in _shown(tmp_path, "export", "out.jsonl").out
    assert "Importing" in on_terminal("--dir", "other", "import", "out.jsonl", cwd=tmp_path).out


def test_escapes_keep_line_breaks_and_the_meaning_of_json() -> None:
    assert visible("a\tb\nc\x1bd\U000e0041") == "a\tb\nc\\x1bd\\U000e0041"
    text = json.dumps({"x": "\x7f\u202e\U000e0041é"}, ensure_ascii=False)
    assert json.loads(safe_json(text)) == json.loads(text)
    assert safe_json(text).isprintable()
