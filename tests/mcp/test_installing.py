"""`lamina mcp --install`: our server in a client's settings, and nothing else touched."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from lamina import InvalidInputError
from lamina.surfaces.cli.main import main
from lamina.surfaces.mcp.installing import CLIENTS, block, installed

COMMAND = ["lamina", "mcp", "--as", "finn"]
OTHER = '{\n\t"theme": "dark",  \n\t"mcpServers": {\n\t\t"git": {"command": "git-mcp"}\n\t}\n}'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("level", ["user", "project"])
def test_a_new_file_holds_the_server_and_a_second_time_changes_nothing(
    home: Path, client: str, level: str
) -> None:
    chosen = CLIENTS[client]
    if level == "project" and chosen.project is None:
        with pytest.raises(InvalidInputError, match="no settings of a project"):
            installed(client, level, COMMAND, home)
        return
    change = installed(client, level, COMMAND, home)
    change.apply()
    text = change.path.read_text(encoding="utf-8")
    assert change.path.is_relative_to(home)
    assert text == block(client, COMMAND) + "\n"
    found = tomllib.loads(text)["mcp_servers"] if client == "codex" else json.loads(text)
    server = found["lamina"] if client == "codex" else found[chosen.member]["lamina"]
    assert [server["command"], *server["args"]] == COMMAND
    assert not installed(client, level, COMMAND, home).is_any
    assert not change.backup.exists()


@pytest.mark.parametrize(
    "before",
    [
        OTHER,
        OTHER.replace("\n", "\r\n"),
        '{"mcpServers": {}}',
        '{"mcpServers":{"lamina":{"command":"old","args":["{"]},"z":1},"a":[1.50,1e3]}',
        '{"a": {"mcpServers": 1}, "ü": "}"}\n\n',
        "{ }",
    ],
)
def test_what_else_is_in_a_json_file_stays_as_it_was_written(home: Path, before: str) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(before.encode())
    path.chmod(0o640)
    change = installed("cursor", "user", COMMAND, home)
    change.apply()
    expected = json.loads(before)
    expected.setdefault("mcpServers", {})["lamina"] = {"command": "lamina", "args": COMMAND[1:]}
    assert json.loads(path.read_bytes()) == expected
    for piece in ('"theme": "dark",  ', '"git": {"command": "git-mcp"}', "1.50,1e3", '"ü": "}"'):
        assert (piece in before) == (piece in path.read_text(encoding="utf-8"))
    assert path.stat().st_mode & 0o777 == 0o640
    assert change.backup.read_bytes() == before.encode()
    assert not installed("cursor", "user", COMMAND, home).is_any


@pytest.mark.parametrize(
    "before",
    [
        '# mine\nmodel = "o9"\n',
        '[mcp_servers.git]\ncommand = "git-mcp"\n\n[tui]\ncolour = true\n',
        'a = 1\n[mcp_servers.lamina]\ncommand = "old"\nargs = [\n  "x",\n]\n[tui] # keep\nb = 2\n',
    ],
)
def test_what_else_is_in_a_toml_file_stays_as_it_was_written(home: Path, before: str) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(before, encoding="utf-8")
    installed("codex", "user", COMMAND, home).apply()
    expected = tomllib.loads(before)
    ours = {"command": "lamina", "args": COMMAND[1:]}
    expected.setdefault("mcp_servers", {})["lamina"] = ours
    after = path.read_text(encoding="utf-8")
    assert tomllib.loads(after) == expected
    for piece in ("# mine", "# keep", 'command = "git-mcp"'):
        assert (piece in before) == (piece in after)
    assert not installed("codex", "user", COMMAND, home).is_any


@pytest.mark.parametrize(
    ("client", "before"),
    [
        ("cursor", "{"),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("vscode", '{\n  // a comment\n  "servers": {}\n}'),
        ("codex", "= broken"),
        ("codex", 'mcp_servers = {git = {command = "x"}}\n'),
        ("codex", "mcp_servers = 3\n"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(
    home: Path, client: str, before: str
) -> None:
    path = home / CLIENTS[client].user
    path.parent.mkdir(parents=True)
    path.write_text(before, encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be changed") as caught:
        installed(client, "user", COMMAND, home)
    assert "lamina" in caught.value.remedy
    assert path.read_text(encoding="utf-8") == before


def test_the_command_line_installs_and_prints(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--install", "claude", "--level", "project", "--as", "finn", "--dir", "memory"]
    assert main(["mcp", *options, "--print"]) == 0
    shown = json.loads(capsys.readouterr().out)
    server = shown["mcpServers"]["lamina"]
    assert server["args"] == ["mcp", "--dir", str(home / "memory"), "--as", "finn"]
    assert not (home / ".mcp.json").exists()
    assert main(["mcp", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] is True
    assert json.loads((home / ".mcp.json").read_text(encoding="utf-8")) == shown
    assert main(["mcp", *options]) == 0
    assert "already" in capsys.readouterr().out
    assert main(["mcp", "--print"]) == 2
    assert not (home / "memory").exists()


def test_what_would_keep_a_client_from_starting_it_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--install", "cursor"]) == 0
    assert "lamina[mcp]" not in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setenv("PATH", str(home))
    assert main(["mcp", "--install", "cursor", "--level", "project"]) == 0
    told = capsys.readouterr().err
    assert "pip install 'lamina[mcp]'" in told
    assert "not on your PATH" in told
