"""`lamina hook` as a harness runs it: it answers what it can, and always exits with 0."""

import json
import subprocess
import sys
from pathlib import Path

import lamina
from tests.hooks.transcripts import said, write
from tests.meta.children import run_python
from tests.surfaces.shell import clean_environment, run

BAD = [
    ("Stop", b""), ("Stop", b"{"), ("Stop", b"\xff\xfe"), ("SessionStart", b"[]"),
    ("UserPromptSubmit", b'{"prompt": 7, "session_id": {}, "cwd": 3}'),
    ("UserPromptSubmit", b'{"prompt": "a\\u0000b \\ud800", "session_id": "../../x"}'),
    ("Stop", b'{"transcript_path": "/nowhere/t.jsonl", "cwd": "/nowhere"}'),
    ("Stop", b'{"transcript_path": "/", "cwd": "\\u0000"}'),
    ("PostToolUse", b'{"tool_name": "X", "tool_input": [1], "tool_use_id": "\\n"}'),
    ("Invented", b"{}"), ("SessionStart --as", b"{}"), ("SessionStart --as Bad.Name", b"{}"),
    ("Stop --harness other", b"{}"), ("Stop --nonsense", b"{}"), ("Stop --dir /dev/null", b"{}"),
]  # fmt: skip
_DRIVER = """
import io, sys
from lamina.surfaces.cli.main import main

for line in open(sys.argv[1], encoding="utf-8"):
    words, _, given = line.rstrip("\\n").partition("\\t")
    sys.stdin = io.TextIOWrapper(io.BytesIO(bytes.fromhex(given)))
    status = main(["hook", *words.split()])
    if status:
        print(words, status)
"""


def test_whatever_a_harness_sends_the_status_is_zero(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.write_text("".join(f"{words}\t{given.hex()}\n" for words, given in BAD), encoding="utf-8")
    for is_there in (False, True):
        if is_there:
            lamina.open(tmp_path / ".lamina").close()
        done = run_python("-c", _DRIVER, str(cases), cwd=tmp_path, env=clean_environment(tmp_path))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (tmp_path / ".lamina" / "lamina.db").write_bytes(b"this is no database" * 500)
    assert run("hook", "SessionStart", cwd=tmp_path, stdin=b"{}") == (0, "", "")


def test_a_session_is_remembered_in_the_next_one(tmp_path: Path) -> None:
    with lamina.open(tmp_path / ".lamina") as opened:
        opened.configure("recall.embedder", "off")
        opened.fact.save("editor", "helix")
    (tmp_path / ".lamina" / "config.toml").write_text('project = "web"\n', encoding="utf-8")
    below = tmp_path / "deep" / "down"
    below.mkdir(parents=True)
    path = write(tmp_path / "t.jsonl", said("user", "The release branch is called heron", "u-1"))
    told = {"session_id": "S-1", "cwd": str(below), "transcript_path": str(path)}
    given = json.dumps(told).encode()
    command = [sys.executable, "-m", "lamina", "hook", "Stop", "--harness", "claude"]
    both = [
        subprocess.Popen(command, cwd="/", env=clean_environment(tmp_path), stdin=subprocess.PIPE)
        for _ in range(2)
    ]
    for one in both:
        one.communicate(given, timeout=50)
        assert one.returncode == 0
    asked = told | {"session_id": "s-2", "prompt": "What is the release branch called?"}
    answer = run("hook", "UserPromptSubmit", cwd=tmp_path, stdin=json.dumps(asked).encode())
    shown = answer.json["hookSpecificOutput"]
    assert shown["hookEventName"] == "UserPromptSubmit"
    assert "heron" in shown["additionalContext"]
    with lamina.open(tmp_path / ".lamina") as opened:
        [kept] = opened.query({"layer": "session"})
        assert kept.scope == "project/web/agent/claude/session/s-1"
        surfaces = {one.event.surface for one in opened.changes() if one.event.record == kept.id}
    assert surfaces == {"hook"}


def test_hooks_are_installed_and_removed(tmp_path: Path) -> None:
    shown = run("hook", "install", "claude", "--print", cwd=tmp_path)
    assert not (tmp_path / ".claude").exists()
    assert run("hook", "install", "claude", cwd=tmp_path).status == 0
    path = tmp_path / ".claude" / "settings.json"
    assert path.read_text(encoding="utf-8") == shown.out
    told = run("hook", "remove", "claude", "--json", cwd=tmp_path).json
    assert told["changed"]
    path.write_text("{", encoding="utf-8")
    assert run("hook", "install", "claude", "--project", cwd=tmp_path).status == 2


def test_what_a_team_shares_names_no_place_of_this_machine(tmp_path: Path) -> None:
    run("hook", "install", "codex", "--project", "--dir", "kept here", cwd=tmp_path)
    shared = json.loads((tmp_path / ".codex" / "hooks.json").read_text(encoding="utf-8"))
    [hook] = shared["hooks"]["Stop"][0]["hooks"]
    # But for the store, which is named from the root, as harnesses start hooks anywhere.
    where = f"--dir '{tmp_path.resolve() / 'kept here'}'"
    assert hook["command"] == f"lamina hook Stop --harness codex {where}"


def test_installing_hooks_says_what_is_still_to_do(tmp_path: Path) -> None:
    told = run("hook", "install", "codex", "--project", cwd=tmp_path).err
    assert "/hooks" in told
    assert "lamina init" in told
    run("init", "--project", "web", cwd=tmp_path)
    assert "lamina init" not in run("hook", "install", "codex", "--project", cwd=tmp_path).err
