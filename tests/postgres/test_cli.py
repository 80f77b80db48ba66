"""The command line on a store in a database: what works in a directory works there."""

import json
from pathlib import Path

import pytest

from lamina.config import without_passwords
from lamina.stores.postgres.address import parse
from lamina.surfaces.cli.main import main
from tests.postgres.server import GUARDED, PASSWORD, run_sql
from tests.postgres.shared import fresh_address, server
from tests.surfaces.shell import Answer, Call

_QUOTED = PASSWORD.replace(" ", "%20")


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("LAMINA_DIR", "LAMINA_DIR_FILE", "LAMINA_PROJECT", "LAMINA_KEYS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls `lamina` in this process."""

    def run(*arguments: str) -> Answer:
        capsys.readouterr()
        status = main(arguments)
        return Answer(status, *capsys.readouterr())

    return run


@pytest.fixture
def lamina(call: Call, address: str) -> Call:
    """The same, on an empty store."""
    return lambda *arguments: call("--dir", address, *arguments)


def test_a_memory_is_kept_found_changed_and_erased(lamina: Call, tmp_path: Path) -> None:
    kept = lamina("remember", "Deploys go out on Tuesdays", "--key", "day", "--json").json
    assert (
        lamina("recall", "when do we deploy?", "--json").json["hits"][0]["record"]["key"] == "day"
    )
    assert "Tuesdays" in lamina("list").out
    assert "Tuesdays" in lamina("get", "day").out
    edited = lamina("edit", "day", "--text", "Deploys go out on Mondays", "--json")
    assert edited.status == 0
    assert lamina("undo", edited.json["tx"]).status == 0
    assert "Tuesdays" in lamina("get", "day").out
    assert len(lamina("history", "day", "--json").json["versions"]) == 3
    assert "Tuesdays" in lamina("context", "deploy", "--project", "web").out
    assert lamina("config", "set", "log.tail", "7").out == "7\n"
    assert lamina("maintain").status == 0
    assert lamina("reindex").status == 0
    assert lamina("audit", "verify").status == 0
    assert lamina("doctor").status == 0
    assert lamina("export", str(tmp_path / "all.jsonl")).status == 0
    assert lamina("forget", "day").status == 0
    erased = lamina("erase", kept["outcomes"][0]["id"], "--yes", "--json")
    # Nobody can look into the files of the server from here, and the report says so.
    assert (erased.status, erased.json["residue"]) == (9, [])
    assert erased.json["unlooked"]
    assert lamina("get", kept["outcomes"][0]["id"]).status == 3
    assert lamina("import", str(tmp_path / "all.jsonl")).status == 0
    assert lamina("token", "create", "ann", "--everywhere").status == 0
    assert "ann" in lamina("token", "list").out
    assert lamina("watch", "--once", "--json").status == 0
    assert not (tmp_path / ".lamina").exists()


@pytest.mark.parametrize("way", ["LAMINA_DIR", "LAMINA_DIR_FILE"])
def test_the_environment_names_a_database(
    way: str, call: Call, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "where").write_text(f"{address}\n")
    monkeypatch.setenv(way, str(tmp_path / "where") if way.endswith("_FILE") else address)
    assert call("remember", "Tea at four", "--project", "web").status == 0
    assert "Tea" in call("list", "--project", "web").out
    shown = call("config", "show", "--json").json["directory"]
    assert (shown["value"], shown["origin"]) == (parse(address).location, way)


def test_init_makes_a_store_and_what_only_looks_does_not(call: Call, tmp_path: Path) -> None:
    address = fresh_address()
    for looks in (("list",), ("doctor",), ("config",), ("export",)):
        answer = call("--dir", address, *looks)
        assert (answer.status, answer.out) == (3, "")
        assert f"there is no store in {parse(address).location}" in answer.err
    made = call("init", address, "--agent", "finn", "--json").json
    place = parse(address).location
    assert made == {"directory": place, "project": None, "agent": "finn", "begun": True}
    assert call("--dir", address, "init", "--project", "web").out == (
        f"{place} holds the memories of the project web.\n"
    )
    assert call("--dir", address, "list").status == 0
    assert call("--dir", address, "init", address).status == 2
    assert list(tmp_path.iterdir()) == []


def test_what_starts_a_store_says_so(call: Call) -> None:
    address = fresh_address()
    answer = call("--dir", address, "remember", "x")
    assert answer.status == 0
    assert f"A new store was made in {parse(address).location}" in answer.err


@pytest.mark.parametrize(
    "command", [("backup", "b"), ("restore", "b"), ("sync",), ("watch", "--files", "--once")],
    ids=" ".join,
)  # fmt: skip
def test_what_needs_a_folder_says_what_to_do_instead(
    command: tuple[str, ...], lamina: Call, tmp_path: Path
) -> None:
    answer = lamina(*command, "--json")
    told = answer.json["error"]
    assert (answer.status, told["code"]) in ((6, "unsupported"), (2, "invalid_input"))
    assert told["remedy"]
    assert list(tmp_path.iterdir()) == []


def test_secrets_are_sealed_under_a_key_at_home(lamina: Call, tmp_path: Path) -> None:
    kept = lamina("remember", "the password: hunter2-Xy9!", "--key", "p", "--json")
    assert kept.status == 0
    text = lamina("get", "p", "--json").json["text"]
    (key,) = (tmp_path / ".lamina" / "keys").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.parent.stat().st_mode & 0o777 == 0o700
    assert "hunter2" not in text


_EVERY = [
    ("remember", "x", "--key", "k"), ("recall", "x"), ("list",), ("get", "k"), ("get", "nothing"),
    ("history", "k"), ("context", "x"), ("config", "show"), ("config", "get", "log.tail"),
    ("token", "list"), ("doctor",), ("audit", "verify"), ("backup", "b"), ("restore", "b"),
    ("sync",), ("maintain",), ("export",), ("watch", "--once"), ("erase", "k", "--yes"),
    ("hook", "install", "claude"), ("mcp", "--install", "claude"), ("hook", "SessionStart"),
    ("nonsense",), ("list", "--nonsense"), ("init",), ("run",),
    ("ui", "--port", "99999"),
    ("serve", "--host", "0.0.0.0"),
]  # fmt: skip


def _guarded() -> str:
    address = server().address(parse(fresh_address()).schema, role=GUARDED, tcp=True)
    run_sql(server().superuser(), f"create schema {parse(address).schema} authorization {GUARDED}")
    return address


@pytest.mark.parametrize("form", ["", "--json"])
@pytest.mark.parametrize("how", ["right", "wrong", "nobody", "garbled", "in the query"])
def test_no_command_shows_a_password(
    how: str, form: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_DEBUG", "1")
    address, shown = _guarded(), _QUOTED
    if how == "wrong":
        shown = "not-the-password"
        address = address.replace(_QUOTED, shown)
    elif how == "nobody":
        address = address.replace(f":{server().port}", ":1")
    elif how == "garbled":
        address += "&sslmode=purple"
    elif how == "in the query":
        address = address.replace(f":{_QUOTED}", "") + f"&password={_QUOTED}"
    assert shown in address
    for command in _EVERY:
        # By its option, and where somebody forgot that it is one.
        for given in ((*command, "--dir", address), (address, *command)):
            answer = call(*given, *([form] if form else []))
            for told in (answer.out, answer.err):
                assert shown not in told, given
                assert PASSWORD not in told, given
            if given[-2:-1] == ("--dir",) and how not in ("right", "in the query") and not form:
                assert "Error" in answer.err or command[0] in ("hook", "mcp"), given
    for written in tmp_path.rglob("*"):
        assert not written.is_file() or shown not in written.read_text(errors="replace")


def test_a_wrong_password_is_told_in_one_line(call: Call) -> None:
    address = _guarded().replace(_QUOTED, "wrong")
    answer = call("--dir", address, "list", "--json")
    told = json.loads(answer.out)["error"]
    assert (answer.status, told["code"]) == (7, "store_error")
    assert "refuses the role and password" in told["message"]
    assert "PGPASSWORD" in told["remedy"]


def test_a_password_is_not_written_into_settings_of_others(call: Call) -> None:
    address = _guarded()
    refused = call("--dir", address, "mcp", "--install", "claude")
    assert refused.status == 2
    assert "has a password in it" in refused.err
    assert (
        without_passwords(address)
        in call("--dir", without_passwords(address), "mcp", "--install", "claude", "--print").out
    )
