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
    "command",
    [
        ("list",),
        ("recall", "tea"),
        ("recall", "tea", "--explain", "--floor", "0"),
        ("get", "k"),
        ("history", "k"),
        ("export",),
    ],
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


def test_a_question_cannot_steer_the_terminal_either(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks tea", "--key", "k")
    for asked in (("recall", EVIL), ("why-not", "k", EVIL), ("why-not", "k", EVIL, "--json")):
        answer = _shown(tmp_path, *asked)
        assert answer.status == 0
        assert not STEERING.search(answer.out)
    assert lamina("why-not", "k", EVIL, "--json").json["query"] == EVIL


def test_matched_words_stand_out(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks green teas")
    assert "\x1b[1;33mteas\x1b[0m" in _shown(tmp_path, "recall", "tea").out


def _rows(answer: Answer) -> list[str]:
    return re.sub(r"\x1b\[[\d;]*m", "", answer.out).splitlines()


@pytest.mark.parametrize("columns", [60, 140])
def test_a_list_shows_the_text_first_and_ids_whole(
    columns: int, lamina: Call, tmp_path: Path
) -> None:
    texts = ["Deploys go out on Tuesdays, after the review", "Ann drinks tea"]
    ids = [
        lamina("remember", texts[0], "--key", "deploy-day", "--kind", "convention", "-q").out,
        lamina("remember", texts[1], "--layer", "episode", "--scope", "project/web", "-q").out,
    ]
    for command in (("list",), ("recall", "deploys", "tea")):
        rows = _rows(on_terminal("--dir", "store", *command, cwd=tmp_path, columns=columns))
        assert any(text in rows[0] for text in texts)
        assert max(map(len, rows)) <= columns
        for name in ids:
            assert any(name.strip() in row for row in rows)


def test_a_list_names_what_differs(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "one")
    assert not any("knowledge" in row for row in _rows(_shown(tmp_path, "list")))
    lamina("remember", "two", "--layer", "episode", "--scope", "project/web")
    rows = _rows(_shown(tmp_path, "list"))
    assert "episode · project/web" in rows[1]
    assert "knowledge · global" in rows[3]


def test_a_speaker_is_named_when_there_is_something_to_say(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Ann drinks tea")
    finn = ("--project", "web", "--as", "finn")
    lamina(*finn, "remember", "Bob drinks tea", "--scope", "project/web")
    for command in (("list",), ("recall", "tea")):
        shown = "\n".join(_rows(_shown(tmp_path, *command)))
        assert "finn (agent)" in shown
        assert "user" not in shown
    his, ours = lamina("list", "-q").out.split()
    assert "source      finn (agent)\n" in lamina("get", his).out
    assert "source      user\n" in lamina("get", ours).out


def test_older_versions_are_mentioned_when_there_are_any(lamina: Call) -> None:
    lamina("remember", "Ann drinks tea", "--key", "tea")
    assert "left out" not in lamina("recall", "tea").out
    lamina("remember", "Ann drinks green tea", "--key", "tea")
    assert "1 older version left out" in lamina("recall", "tea").out


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


def test_settings_and_artifacts_fit_in_eighty_columns(lamina: Call, tmp_path: Path) -> None:
    def shown(*command: str) -> str:
        answer = on_terminal("--dir", "store", *command, cwd=tmp_path, columns=80)
        return re.sub(r"\x1b\[[\d;]*m", "", answer.out)

    (tmp_path / "lexer.py").write_text("x")
    lamina("artifacts", "register", str(tmp_path / "lexer.py"), "--workspace", str(tmp_path),
           "--task", "lexer", "--description", "the lexer")  # fmt: skip
    row = next(row for row in shown("artifacts").splitlines() if "lexer.py" in row)
    assert re.search(r" \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +the lexer", row)
    settings = shown("config", "show", "log.").splitlines()
    assert "log.tail = 20  (default)" in settings
    assert max(map(len, settings)) <= 80
