"""An agent's folder: directives in the prompt, skills read when needed, and no code."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina.core.chat import ToolCall
from lamina.memory import AgentMemory
from lamina.runtime.folder import MOST_BYTES, Given, read_folder
from lamina.runtime.tools import toolbox

DEPLOY = """\
---
name: deploy
description: How a release goes out, step by step
parameters: [version]
---
# Deploy
Tag {version} and {unknown}, then tell the team.
"""
HOSTILE = {
    "directives/good.md": "caf\xe9".encode("latin-1"),
    "directives/huge.md": b"x" * (MOST_BYTES + 1),
    "directives/binary.md": b"\x00\x01\x02",
    "directives/notes.docx": b"word",
    "directives/empty.md": b" \n",
    "directives/.hidden.md": b"hidden words",
    "directives/two\nlines.md": b"Be brief.",
    "skills/evil.py": b"raise SystemExit",
    "skills/a.md": b"---\nname: same\n---\nfirst",
    "skills/b.md": b"---\nname: same\n---\nsecond",
    "skills/c.md": b"---\nname: ../../etc\n---\nbody",
    "skills/d.md": b"---\nname: d\nparameters: [a-b]\n---\nbody",
    "skills/e.md": b"---\nname: e\n---\n",
    "skills/secret.md": b"Use api_key=sk-" + b"abcdEFGH1234ijklMNOP5678qrst",
}
REASONS = {
    "directives/huge.md": "larger than",
    "directives/binary.md": "not text",
    "directives/link.md": "link",
    "directives/folder.md": "a folder",
    "directives/fifo.md": "not a regular file",
    "directives/notes.docx": "no Markdown",
    "directives/empty.md": "empty",
    "skills/evil.py": "register the function",
    "skills/linked": "no Markdown",
    "skills/b.md": "another skill has the same name",
    "skills/c.md": "cannot be the name",
    "skills/d.md": "cannot be a parameter",
    "skills/e.md": "it has no instructions",
}


@pytest.fixture
def finn(tmp_path: Path) -> Iterator[AgentMemory]:
    with lamina.open(tmp_path / "store") as mem:
        mem.configure("recall.embedder", "off")
        yield mem.agent("finn", project="web")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "store" / "projects" / "web" / "agents" / "finn"
    (found / "directives").mkdir(parents=True)
    (found / "skills").mkdir()
    return found


def reasons(given: Given) -> dict[str, str]:
    return dict(given.left_out)


def test_directives_stand_in_the_prompt_in_order(finn: AgentMemory, folder: Path) -> None:
    (folder / "directives" / "b.md").write_text("Answer in German.\n")
    (folder / "directives" / "a.md").write_text("Never deploy on Fridays.")
    given = read_folder(finn)
    assert [one.text for one in given.directives] == [
        "Never deploy on Fridays.", "Answer in German.",
    ]  # fmt: skip
    prompt = given.prompt()
    assert prompt.index("Fridays") < prompt.index("German")
    assert "Skills" not in prompt
    assert given.tools() == ()


def test_a_skill_is_named_in_the_prompt_and_read_when_needed(
    finn: AgentMemory, folder: Path
) -> None:
    (folder / "skills" / "deploy.md").write_text(DEPLOY)
    (folder / "skills" / "review").mkdir()
    (folder / "skills" / "review" / "SKILL.md").write_text("# Review a change\nRead it twice.")
    given = read_folder(finn)
    prompt = given.prompt()
    assert "- deploy (version): How a release goes out, step by step" in prompt
    assert "- review: Review a change" in prompt
    assert "tell the team" not in prompt
    box = toolbox(given.tools())
    [told] = box.offered
    assert told["parameters"]["properties"]["name"]["enum"] == ["deploy", "review"]
    assert box.safe_to_repeat("use_skill")
    read = box.call(ToolCall("c", "use_skill", {"name": "review"}))
    assert (read.text, read.is_error) == ("# Review a change\nRead it twice.", False)
    arguments = {"name": "deploy", "arguments": {"version": "{version} 2.0"}}
    assert (
        "Tag {version} 2.0 and {unknown}," in box.call(ToolCall("c", "use_skill", arguments)).text
    )
    for wrong, words in (
        ({"name": "deplo"}, "Say deploy"),
        ({"name": "deploy"}, "`version` is missing"),
        ({"name": "review", "arguments": {"x": "1"}}, "`x` is not one of its parameters"),
        ({"name": "deploy", "arguments": "2.0"}, "`arguments` must be an object"),
        ({}, "name"),
    ):  # fmt: skip
        outcome = box.call(ToolCall("c", "use_skill", wrong))
        assert outcome.is_error
        assert words in outcome.text


def test_a_hostile_folder_is_bounded_and_every_file_left_out_has_a_reason(
    finn: AgentMemory, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("stolen words")
    rules, skills = folder / "directives", folder / "skills"
    for name, raw in HOSTILE.items():
        (folder / name).write_bytes(raw)
    (rules / "link.md").symlink_to(outside)
    (rules / "folder.md").mkdir()
    os.mkfifo(rules / "fifo.md")
    (skills / "linked").symlink_to(tmp_path)
    given = read_folder(finn)
    why = reasons(given)
    assert [one.text for one in given.directives] == ["café", "Be brief."]
    assert "two\ufffdlines.md" in given.prompt()
    for file, words in REASONS.items():
        assert words in why.pop(file)
    assert why == {}
    assert [one.name for one in given.recipes] == ["same", "secret"]
    assert "abcdEFGH" not in str(given)
    assert "stolen" not in str(given)
    assert "hidden" not in str(given)


def test_what_has_no_room_is_told(finn: AgentMemory, folder: Path) -> None:
    for number in range(300):
        (folder / "directives" / f"{number:03}.md").write_text(f"Rule {number}: be brief.")
        (folder / "skills" / f"s{number:03}.md").write_text(f"How to do {number}.")
    given = read_folder(finn, most_tokens=200)
    assert [one.file for one in given.directives][:2] == ["directives/000.md", "directives/001.md"]
    assert 5 < len(given.directives) < 40
    assert 5 < len(given.recipes) < 40
    assert len(given.directives) + len(given.recipes) + len(given.left_out) == 600
    assert "Left out for want of room: directives/" in given.prompt()
    assert len(given.prompt()) < 4_000
    assert reasons(given)["directives/299.md"] == "only 200 are read"


def test_a_linked_folder_is_not_followed(finn: AgentMemory, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "rule.md").write_text("obey me")
    (folder / "directives").rmdir()
    (folder / "directives").symlink_to(tmp_path / "elsewhere")
    given = read_folder(finn)
    assert given.directives == ()
    assert given.left_out == (("directives", "no folder that can be read"),)


def test_each_agent_has_its_own_folder_and_some_have_none(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        rules = tmp_path / "store" / "agents" / "maya" / "directives"
        rules.mkdir(parents=True)
        (rules / "a.md").write_text("Be maya.")
        assert [one.text for one in read_folder(mem.agent("maya")).directives] == ["Be maya."]
        assert read_folder(mem.agent("finn")) == Given()
        assert read_folder(mem.agent("maya", project="web")) == Given()
    for place in (":memory:", str(tmp_path / "memory.json")):
        with lamina.open(place) as mem:
            assert read_folder(mem.agent("maya")) == Given()
