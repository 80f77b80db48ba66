"""What the shell offers while a person types."""

from pathlib import Path
from typing import NamedTuple

import pytest
from click.shell_completion import ShellComplete

import lamina as package
from lamina.surfaces.cli.main import cli
from lamina.surfaces.cli.session import Session
from tests.meta.children import run_python
from tests.surfaces.shell import SOURCE, Call, clean_environment


class Offer(NamedTuple):
    """One thing the shell may put there, or leave to its own files."""

    sort: str
    value: str


def offers(*typed: str) -> list[Offer]:
    """What is offered for the last word."""
    session = Session()
    try:
        shell = ShellComplete(cli, {"obj": session}, "lamina", "_LAMINA_COMPLETE")
        found = shell.get_completions(list(typed[:-1]), typed[-1])
    finally:
        session.close()
    return [Offer(item.type, item.value) for item in found]


def words(*typed: str) -> list[str]:
    return [offer.value for offer in offers(*typed)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("list", "--layer", "kn"), "knowledge"),
        (("recall", "x", "--layer", ""), "episode"),
        (("remember", "x", "--layer", "no"), "notebook"),
        (("--role", "or"), "orchestrator"),
        (("list", "--role", ""), "reader"),
        (("list", "--state", "fo"), "forgotten"),
        (("list", "--order-by", "up"), "updated_at"),
        (("query", "{}", "--order-by", ""), "-importance"),
        (("remember", "x", "--via", ""), "web"),
        (("edit", "k", "--via", "to"), "tool"),
        (("remember", "x", "--kind", "de"), "decision"),
        (("get", "k", "--kind", ""), "convention"),
        (("config", "get", ""), "secrets.seal"),
        (("config", "set", "recall.embedder", ""), "static"),
        (("why-not", "k", "x", "--layer", "ep"), "episode"),
        (("reindex", "--embedder", "ol"), "ollama:"),
        (("completion", "z"), "zsh"),
        (("log", ""), "tail"),
        (("tasks", "mo"), "move"),
        (("log", "--kind", "TO"), "TOOL_USE"),
        (("log", "add", "x", "--kind", ""), "ERROR"),
        (("fact", "set", "k", "v", "--category", "pre"), "preference"),
        (("episodes", "record", "t", "fa"), "failed"),
        (("tasks", "move", "t", "do"), "done"),
        (("artifacts", "--type", ""), "patch"),
        (("maintain", "--only", "ev"), "eviction"),
        (("promote", "--to", ""), "experience"),
        (("help", "rem"), "remember"),
        (("help", ""), "exit-codes"),
    ],
)
def test_known_values_are_offered(typed: tuple[str, ...], expected: str) -> None:
    found = words(*typed)
    assert expected in found
    assert all(word.startswith(typed[-1]) for word in found)


def test_the_kinds_are_those_of_the_layer_that_was_named() -> None:
    assert words("remember", "x", "--layer", "blackboard", "--kind", "") == ["signal"]
    assert words("list", "--layer", "task", "--kind", "") == ["task"]


def test_the_values_are_those_of_the_setting_that_was_named() -> None:
    assert words("config", "set", "secrets.seal", "") == ["on", "off"]
    assert words("config", "set", "beauty", "") == []


@pytest.mark.parametrize(
    "command", ["get", "edit", "forget", "erase", "history", "reveal", "why-not"]
)
def test_keys_and_ids_are_offered(command: str, lamina: Call, tmp_path: Path) -> None:
    kept = lamina("remember", "x", "--key", "deploy-day", "--quiet").out.strip()
    lamina("remember", "y", "--key", "deploy-hour")
    lamina("remember", "z", "--key", "payroll")
    lamina("forget", "deploy-hour")
    store = ("--dir", str(tmp_path / "store"))
    assert words(*store, command, "dep") == ["deploy-day"]
    assert set(words(*store, command, "")) == {"deploy-day", "payroll"}
    assert kept in words(*store, command, kept[:10])
    assert words(command, *store, "pay") == ["payroll"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("fact", "get"), "editor"),
        (("blackboard", "wait"), "task:a"),
        (("tasks", "show"), "lexer"),
        (("episodes", "--task"), "lexer"),
    ],
)
def test_the_keys_of_a_layer_are_offered(
    typed: tuple[str, ...], expected: str, lamina: Call, tmp_path: Path
) -> None:
    lamina("remember", "x", "--key", "elsewhere")
    lamina("fact", "set", "editor", "helix")
    lamina("blackboard", "publish", "task:a", "done")
    lamina("tasks", "add", "lexer", "write it")
    assert words("--dir", str(tmp_path / "store"), *typed, "") == [expected]
    assert words("--dir", str(tmp_path / "store"), *typed, "zz") == []
    assert words("--dir", str(tmp_path / "missing"), *typed, "") == []


def test_only_keys_within_the_project_are_offered(lamina: Call, tmp_path: Path) -> None:
    lamina("--project", "web", "remember", "x", "--key", "mine")
    lamina("--project", "api", "remember", "y", "--key", "theirs")
    store = ("--dir", str(tmp_path / "store"))
    assert words(*store, "--project", "web", "get", "") == ["mine"]
    assert words(*store, "--project", "web", "--as", "finn", "get", "th") == []


def test_no_more_than_fifty_names_are_offered(lamina: Call, tmp_path: Path) -> None:
    for number in range(51):
        lamina("remember", "x", "--key", f"key-{number}")
    assert len(words("--dir", str(tmp_path / "store"), "get", "key")) == 50


def test_whatever_is_wrong_nothing_is_offered(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "lamina.db").write_bytes(bytes(range(256)) * 40)
    assert words("--dir", str(broken), "get", "") == []
    assert words("--dir", str(tmp_path / "missing"), "get", "") == []
    assert words("--dir", str(broken), "--project", "Bad Name", "get", "x") == []
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


def test_files_and_directories_are_left_to_the_shell() -> None:
    assert offers("import", "me") == [Offer("file", "me")]
    assert offers("export", "") == [Offer("file", "")]
    assert offers("--dir", "st") == [Offer("dir", "st")]
    assert offers("list", "--dir", "") == [Offer("dir", "")]


def test_the_shell_is_answered(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "x", "--key", "deploy-day")
    asked = {"_LAMINA_COMPLETE": "bash_complete", "COMP_WORDS": "lamina --dir store get de"}
    env = clean_environment(tmp_path) | asked | {"COMP_CWORD": "4", "PYTHONPATH": SOURCE}
    child = run_python("-m", "lamina.surfaces.cli.main", cwd=tmp_path, env=env)
    assert (child.stdout, child.stderr) == ("plain,deploy-day\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_call_lamina(shell: str, lamina: Call) -> None:
    assert "_LAMINA_COMPLETE" in lamina("completion", shell).out


def test_a_shell_must_be_named(lamina: Call) -> None:
    assert (
        lamina("completion").err == "Error: no shell was named\nTry: Use one of: bash, zsh, fish\n"
    )
    assert "'tcsh'" in lamina("completion", "tcsh").err


def test_agents_and_projects_are_offered(lamina: Call, store: Path) -> None:
    lamina("--project", "web", "--as", "finn", "log", "add", "hm")
    lamina("--project", "shop", "--as", "maya", "now", "think")
    at = ("--dir", str(store))
    assert words(*at, "--as", "") == ["finn", "maya"]
    assert words(*at, "log", "--as", "f") == ["finn"]
    assert words(*at, "--project", "") == ["shop", "web"]
    assert words("--dir", str(store / "nowhere"), "--as", "") == []


def test_sessions_tasks_and_proposals_are_offered(lamina: Call, store: Path) -> None:
    with package.open(store) as mem:
        mem.configure("recall.embedder", "off")
        mem.configure("knowledge.accept", "review")
        finn = mem.agent("finn", project="web")
        finn.session("monday").append("user", "hello")
        finn.task.add("lexer", "write it")
        waiting = finn.knowledge.put("decision", "style", "tabs")
    at, web = ("--dir", str(store)), ("--project", "web")
    assert words(*at, *web, "--as", "finn", "compact", "--session", "") == ["monday"]
    assert words(*at, *web, "run", "--agent", "finn", "--session", "m") == ["monday"]
    assert words(*at, *web, "run", "--agent", "finn", "--session", "z") == []
    assert words(*at, *web, "context", "--task", "") == ["lexer"]
    assert words(*at, *web, "promote", "--accept", "") == [waiting.id]
    assert words("--dir", str(store / "nowhere"), "compact", "--session", "") == []
