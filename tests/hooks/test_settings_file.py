"""Hooks in the settings of a harness: put in once, taken out again, and all else stays."""

import json
from pathlib import Path

import pytest

from lamina.errors import ConflictError, InvalidInputError
from lamina.surfaces.hooks import installing
from lamina.surfaces.hooks.settings_file import wanted, with_hooks

FILE = Path("settings.json")
HOOKS = wanted("claude", ["lamina"], tools=False)
OTHERS = {
    "model": "opus",
    "hooks": {
        "Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}],
    },
}


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_what_is_there_stays_and_goes_back_to_what_it_was(indent: int | str) -> None:
    before = json.dumps(OTHERS, indent=indent, ensure_ascii=False) + "\n"
    after = with_hooks(before, FILE, HOOKS)
    assert with_hooks(after, FILE, HOOKS) == after
    table = json.loads(after)["hooks"]
    assert table["Stop"][0] == OTHERS["hooks"]["Stop"][0]  # type: ignore[index]
    assert table["Stop"][1]["hooks"][0]["command"] == "lamina hook Stop --harness claude"
    assert with_hooks(after, FILE, {}) == before


@pytest.mark.parametrize(
    "before",
    [
        '{"a": [1.50, 1e3], "ü": "\\u00fc"}',
        '{ "hooks" : {"PreToolUse": [ ]}, "a":1 }',
        '{"hooks": {}}',
        '{\r\n\t"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]},\r\n\t"a": 1\r\n}',
        '{"hooks": {"Stop": [{"hooks": [{"command": "two\u2028lines"}]}]}}',
        r'{"hooks": {"Stop": [{"hooks": [{"command": "half \ud83d"}]}]}}',
        "{}",
    ],
)
def test_nothing_else_is_written_anew(before: str) -> None:
    after = with_hooks(before, FILE, HOOKS)
    assert HOOKS.keys() <= json.loads(after)["hooks"].keys()
    for piece in ("[1.50, 1e3]", "\\u00fc", '"PreToolUse": [ ]', '\t"a": 1\r\n'):
        assert (piece in before) == (piece in after)
    gone = with_hooks(after.encode().decode(), FILE, {})
    assert json.loads(gone) == {one: what for one, what in json.loads(before).items() if what != {}}


def test_another_way_to_start_replaces_the_old_one_where_it_was() -> None:
    first = with_hooks(json.dumps(OTHERS), FILE, HOOKS)
    again = with_hooks(first, FILE, wanted("claude", ["python3", "-m", "lamina"], tools=True))
    assert "python3 -m lamina hook Stop --harness claude" in again
    assert '"lamina hook' not in again
    assert "PostToolUse" in again
    assert "PostToolUse" not in with_hooks(again, FILE, HOOKS)


def test_an_empty_file_is_a_start() -> None:
    assert list(json.loads(with_hooks("", FILE, HOOKS))["hooks"]) == list(HOOKS)


@pytest.mark.parametrize(
    "text", ["{", "[]", "// no\n{}", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a":1,"a":2}']
)
def test_a_file_that_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"settings\.json"):
        with_hooks(text, FILE, HOOKS)


def test_a_link_is_followed_and_rights_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    installing.installed(link, "codex", ["--as", "dev"], tools=False).apply()
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "lamina hook Stop --harness codex --as dev" in real.read_text(encoding="utf-8")
    removed = installing.removed(link)
    removed.apply()
    assert json.loads(real.read_text(encoding="utf-8")) == {}
    assert not installing.removed(link).is_any


def test_what_somebody_else_writes_in_the_meantime_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"model": "opus"}', encoding="utf-8")
    change = installing.installed(path, "claude", [], tools=False)
    path.write_text('{"model": "haiku"}', encoding="utf-8")
    with pytest.raises(ConflictError, match="in the meantime"):
        change.apply()
    assert json.loads(path.read_text(encoding="utf-8")) == {"model": "haiku"}


def test_half_of_a_character_stays_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(r'{"name": "cut \ud83d", "smile": "\ud83d\ude00"}', encoding="utf-8")
    installing.installed(path, "claude", [], tools=False).apply()
    told = json.loads(path.read_text(encoding="utf-8"))
    assert (told["name"], told["smile"]) == ("cut \ud83d", "\U0001f600")
