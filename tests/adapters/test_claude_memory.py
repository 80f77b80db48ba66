"""Claude's memory tool on a memory: what its own tests do not ask."""

from typing import Any

import anyio
import pytest
from anthropic.lib.tools import ToolError

from lamina import Memory
from lamina.adapters import virtual_files
from lamina.adapters.claude_memory import AsyncLaminaMemoryTool, LaminaMemoryTool
from lamina.adapters.virtual_files import Files
from lamina.memory import AgentMemory
from tests.places import plain

__all__ = ["plain"]


@pytest.fixture
def agent(plain: Memory) -> AgentMemory:
    return plain.agent("claude", project="web")


@pytest.fixture
def tool(agent: AgentMemory) -> LaminaMemoryTool:
    return LaminaMemoryTool(agent)


def call(tool: LaminaMemoryTool, command: str, **arguments: Any) -> str:
    """A command as a model sends it."""
    return str(tool.call({"command": command, **arguments}))


def text_at(tool: LaminaMemoryTool, path: str) -> str:
    file = tool.files.read(path)
    assert file is not None
    return file.text


def test_files_are_found_by_recall(agent: AgentMemory, tool: LaminaMemoryTool) -> None:
    call(tool, "create", path="/memories/team.md", file_text="Ada reviews all database changes")
    [hit] = agent.recall("who reviews database changes?").hits
    assert (hit.record.key, hit.record.layer) == ("/memories/team.md", "notebook")


def test_every_edit_is_a_version_and_can_be_undone(
    agent: AgentMemory, tool: LaminaMemoryTool
) -> None:
    call(tool, "create", path="/memories/a.md", file_text="one\n")
    call(tool, "str_replace", path="/memories/a.md", old_str="one", new_str="two")
    call(tool, "insert", path="/memories/a.md", insert_line=1, insert_text="three")
    versions = agent.history(agent.get("/memories/a.md").id)
    assert [one.record and one.record.text for one in versions] == [
        "one\n",
        "two\n",
        "two\nthree\n",
    ]
    call(tool, "delete", path="/memories/a.md")
    with pytest.raises(ToolError, match="does not exist"):
        call(tool, "view", path="/memories/a.md")
    agent.undo(list(agent.changes())[-1].event.tx)
    assert text_at(tool, "/memories/a.md") == "two\nthree\n"


def test_a_rename_is_one_change_and_takes_secrets_along(
    agent: AgentMemory, tool: LaminaMemoryTool
) -> None:
    secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
    call(tool, "create", path="/memories/d/key.txt", file_text=f"token: {secret}")
    call(tool, "create", path="/memories/d/e/f.txt", file_text="beside")
    shown = call(tool, "view", path="/memories/d/key.txt")
    assert secret not in shown
    assert "secret://" in shown
    call(tool, "rename", old_path="/memories/d", new_path="/memories/new/place")
    renamed = list(agent.changes())[-1].event.tx
    assert sorted(tool.files.sizes()) == [
        "/memories/new/place/e/f.txt",
        "/memories/new/place/key.txt",
    ]
    moved = agent.get("/memories/new/place/key.txt")
    assert agent.reveal(moved.id, moved.text.split()[-1]) == secret
    assert moved.data["moved"]["was"] == "/memories/d/key.txt"
    agent.undo(renamed)
    assert sorted(tool.files.sizes()) == ["/memories/d/e/f.txt", "/memories/d/key.txt"]


def test_directories_are_listed_two_levels_deep(tool: LaminaMemoryTool) -> None:
    for path in ("b/x.txt", "b/c/d/e.txt", "a.txt", ".hidden", "b/.h/y"):
        call(tool, "create", path=f"/memories/{path}", file_text="12345")
    assert call(tool, "view", path="/memories/").splitlines()[1:] == [
        "25B\t/memories/",
        "5B\t/memories/a.txt",
        "10B\t/memories/b/",
        "5B\t/memories/b/c/",
        "5B\t/memories/b/x.txt",
    ]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/memoriesx/a", "must start"), ("memories/a", "must start"), ("", "must start"),
        ("/memories/../memory", "escape"), ("/memories/a/../../x", "escape"),
        ("/memories/a\x00b", "invisible|NUL"), ("/memories/" + "x" * 600, "limit"),
        ("/memories/a\u202eb", "invisible"),
        ("/memories/ghp_0123456789abcdefABCDEF0123456789abcd", "secret"),
    ],
)  # fmt: skip
def test_paths_that_are_none_are_refused(tool: LaminaMemoryTool, path: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        call(tool, "create", path=path, file_text="x")
    assert tool.files.sizes() == {}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("view", {"path": "/memories/a\x00b"}), ("view", {"path": "/memories/\ud800"}),
        ("create", {"path": "/memories/b", "file_text": None}),
        ("create", {"path": "/memories/b", "file_text": "half of a \ud83d"}),
        ("insert", {"path": "/memories/a", "insert_line": "first", "insert_text": "x"}),
        ("insert", {"path": "/memories/a", "insert_line": 1, "insert_text": {}}),
        ("str_replace", {"path": "/memories/a", "old_str": ["x"], "new_str": "y"}),
        ("str_replace", {"path": "/memories/a", "old_str": "x", "new_str": {"y": 1}}),
    ],
)  # fmt: skip
def test_what_a_model_gets_wrong_is_told_to_it(
    tool: LaminaMemoryTool, command: str, arguments: dict[str, Any]
) -> None:
    call(tool, "create", path="/memories/a", file_text="x")
    with pytest.raises(ToolError):
        call(tool, command, **arguments)
    assert tool.files.sizes() == {"/memories/a": 1}
    assert text_at(tool, "/memories/a") == "x"


def test_a_range_that_is_none_shows_all(tool: LaminaMemoryTool) -> None:
    call(tool, "create", path="/memories/a", file_text="x")
    for wrong in (["a", "b"], [None, None], "1,2", 5, [1]):
        assert call(tool, "view", path="/memories/a", view_range=wrong).endswith("1\tx")


def test_a_name_is_found_however_its_letters_are_composed(tool: LaminaMemoryTool) -> None:
    call(tool, "create", path="/memories/cafe\u0301", file_text="x")
    assert "x" in call(tool, "view", path="/memories/caf\u00e9")
    assert "x" in call(tool, "view", path="/memories/cafe\u0301")


def test_a_secret_that_is_not_there_is_not_repeated(tool: LaminaMemoryTool) -> None:
    credential = "ghp_0123456789abcdefABCDEF0123456789abcd"
    call(tool, "create", path="/memories/a", file_text=f"It is {credential}")
    with pytest.raises(ToolError) as refusal:
        call(tool, "str_replace", path="/memories/a", old_str=credential, new_str="gone")
    assert credential not in str(refusal.value)


def test_files_are_no_directories_and_directories_no_files(tool: LaminaMemoryTool) -> None:
    call(tool, "create", path="/memories/a/b", file_text="x")
    with pytest.raises(ToolError, match="is a file"):
        call(tool, "create", path="/memories/a/b/c", file_text="x")
    with pytest.raises(ToolError, match="already exists"):
        call(tool, "create", path="/memories/a", file_text="x")
    with pytest.raises(ToolError, match="is not a file"):
        call(tool, "str_replace", path="/memories/a", old_str="x", new_str="y")
    with pytest.raises(ToolError, match="into itself"):
        call(tool, "rename", old_path="/memories/a", new_path="/memories/a/b/c")


def test_contents_stay_as_they_are(tool: LaminaMemoryTool) -> None:
    text = "Žluťoučký\r\n\U0001f980\u200d\n\n  tab\t\n\n"
    call(tool, "create", path="/memories/ä/Ω.md", file_text=text)
    assert text_at(tool, "/memories/ä/Ω.md") == text
    call(tool, "insert", path="/memories/ä/Ω.md", insert_line=0, insert_text="first\n")
    assert text_at(tool, "/memories/ä/Ω.md") == f"first\n{text}"
    call(tool, "create", path="/memories/empty", file_text="")
    assert call(tool, "view", path="/memories/empty").endswith(":\n     1\t")


def test_a_long_file_is_kept_in_parts(
    agent: AgentMemory, tool: LaminaMemoryTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virtual_files, "_LONGEST", 64)
    text = "".join(f"line {number} é\n" for number in range(40))
    call(tool, "create", path="/memories/long", file_text=text)
    assert text_at(tool, "/memories/long") == text
    call(tool, "str_replace", path="/memories/long", old_str="line 39", new_str="the last")
    assert text_at(tool, "/memories/long").endswith("the last é\n")
    assert tool.files.sizes() == {"/memories/long": len(text.encode()) + 1}
    call(tool, "rename", old_path="/memories/long", new_path="/memories/moved")
    short = text_at(tool, "/memories/moved")
    tool.files.rewrite("/memories/moved", lambda _: "short")
    assert (text_at(tool, "/memories/moved"), len(short)) == ("short", len(text) + 1)
    assert agent.count({"layer": "notebook"}) == 1
    assert tool.clear_all_memory() == "All memory cleared"
    assert agent.count({"layer": "notebook"}) == 0


def test_two_edits_at_once_are_both_kept(agent: AgentMemory) -> None:
    files = Files(agent)
    files.create("/memories/a", "x")

    def slow(text: str) -> str:
        if text == "x":
            Files(agent).rewrite("/memories/a", lambda now: f"{now}y")
        return f"{text}z"

    files.rewrite("/memories/a", slow)
    file = files.read("/memories/a")
    assert file is not None
    assert file.text == "xyz"


def test_other_agents_do_not_see_the_files(plain: Memory, tool: LaminaMemoryTool) -> None:
    call(tool, "create", path="/memories/a", file_text="mine")
    assert Files(plain.agent("other", project="web")).sizes() == {}


def test_the_asynchronous_tool_does_the_same(agent: AgentMemory) -> None:
    tool = AsyncLaminaMemoryTool(agent)

    async def play() -> object:
        await tool.call({"command": "create", "path": "/memories/a", "file_text": "x\n"})
        await tool.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"})
        return await tool.call({"command": "view", "path": "/memories/b"})

    assert (
        anyio.run(play)
        == "Here's the content of /memories/b with line numbers:\n     1\tx\n     2\t"
    )
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
