"""`lamina audit`: verify the log, write anchors, and notice what happened behind them."""

import shutil
from pathlib import Path

import pytest

import lamina as package
from lamina.core.anchor import parse_anchor
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import connect
from tests.surfaces.shell import Answer, Call, run
from tests.surfaces.test_cli_completion import Offer, offers, words


@pytest.fixture
def filled(lamina: Call) -> Call:
    """`lamina` on a store with some history."""
    lamina("remember", "Deploys on Tuesdays", "--key", "day")
    lamina("remember", "Deploys on Fridays", "--key", "day")
    lamina("--project", "web", "remember", "Imports are sorted", "--key", "imports")
    return lamina


def _sql(folder: Path, statement: str) -> None:
    connection = connect(folder / DATABASE, create=False)
    connection.execute(statement)
    connection.close()


def _found(answer: Answer) -> dict[str, str]:
    return {one["check"]: one["severity"] for one in answer.json["findings"]}


def test_a_whole_log_is_said_to_be_whole(filled: Call, tmp_path: Path) -> None:
    answer = filled("audit", "verify", "--json")
    assert (answer.status, answer.json["ok"]) == (0, True)
    assert set(_found(answer).values()) == {"ok"}
    assert filled("audit", "--json", "verify").json == answer.json
    assert filled("audit", "anchor", str(tmp_path / "a.json")).status == 0
    filled("remember", "and it goes on")
    answer = filled("audit", "verify", "--anchor", str(tmp_path / "a.json"), "--json")
    assert (answer.status, _found(answer)["anchor"]) == (0, "ok")
    assert "still holds" in filled("audit", "verify", "--anchor", str(tmp_path / "a.json")).out


@pytest.mark.parametrize(
    "change",
    [
        "update event set actor = 'mallory' where seq = 1",
        "update event set at = 'some time' where seq = 2",
        "delete from event where seq = 1",
        "delete from event where seq = 2",
        "update version set text = 'forged' where vid = 1",
    ],
)
def test_tampering_is_told_with_status_9(change: str, filled: Call, tmp_path: Path) -> None:
    file = str(tmp_path / "a.json")
    filled("audit", "anchor", file)
    _sql(tmp_path / "store", change)
    answer = filled("audit", "verify", "--json")
    assert (answer.status, answer.json["ok"]) == (9, False)
    assert "record" in _found(answer).values()
    assert all(one["remedy"] for one in answer.json["findings"] if one["severity"] == "record")
    assert filled("audit", "verify", "--anchor", file).status == 9
    assert "Traceback" not in filled("audit", "verify").err


def test_an_older_copy_put_back_shows_by_the_anchor(filled: Call, tmp_path: Path) -> None:
    store, copy = tmp_path / "store", tmp_path / "copy.db"
    shutil.copyfile(store / DATABASE, copy)
    filled("remember", "Deploys never", "--key", "day")
    filled("audit", "anchor", str(tmp_path / "a.json"))
    shutil.copyfile(copy, store / DATABASE)
    assert filled("audit", "verify").status == 0
    answer = filled("audit", "verify", "--anchor", str(tmp_path / "a.json"))
    assert answer.status == 9
    assert "older copy" in answer.out


def test_a_damaged_file_is_damage(filled: Call, tmp_path: Path) -> None:
    assert filled("list").status == 0
    (tmp_path / "store" / DATABASE).write_bytes(bytes(range(256)) * 40)
    answer = filled("audit", "verify", "--json")
    assert (answer.status, answer.json["ok"]) == (9, False)


def test_an_anchor_is_printed_or_written(filled: Call, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    printed = parse_anchor(filled("audit", "anchor").out)
    assert filled("audit", "anchor", str(file)).status == 0
    written = parse_anchor(file.read_text())
    assert printed.heads == written.heads
    assert {stream for stream, _, _ in written.heads} == {"global", "project/web"}
    assert filled("audit", "anchor", str(file), "--quiet").out == ""
    assert parse_anchor(filled("audit", "anchor", str(file), "--json").out).heads == written.heads
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert file.stat().st_mode & 0o077 == 0


def test_an_anchor_replaces_an_anchor_and_nothing_else(filled: Call, tmp_path: Path) -> None:
    file, other = tmp_path / "a.json", tmp_path / "letter.txt"
    filled("audit", "anchor", str(file))
    before = file.read_text()
    filled("remember", "more")
    assert filled("audit", "anchor", str(file)).status == 0
    assert file.read_text() != before
    other.write_text("dear Ann")
    for wrong in (other, tmp_path, tmp_path / "no" / "folder.json"):
        answer = filled("audit", "anchor", str(wrong))
        assert (answer.status, answer.out) == (2, "")
    assert other.read_text() == "dear Ann"


def test_an_anchor_does_not_belong_into_the_store(filled: Call, tmp_path: Path) -> None:
    before = sorted((tmp_path / "store").iterdir())
    for name in ("a.json", DATABASE, "below/a.json"):
        answer = filled("audit", "anchor", str(tmp_path / "store" / name))
        assert answer.status == 2
        assert "own directory" in answer.err
    assert sorted((tmp_path / "store").iterdir()) == before
    assert filled("audit", "verify").status == 0


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", "dear Ann", "\ufeff{}", '{"format": 1}'])
def test_what_is_no_anchor_is_refused(text: str, filled: Call, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    answer = filled("audit", "verify", "--anchor", str(file))
    assert (answer.status, answer.out) == (2, "")
    assert "is not an anchor" in answer.err


@pytest.mark.parametrize("name", ["missing.json", ".", "a\0b", "x" * 300])
def test_an_anchor_that_cannot_be_read_is_named(name: str, filled: Call, tmp_path: Path) -> None:
    answer = filled("audit", "verify", "--anchor", f"{tmp_path}/{name}")
    assert (answer.status, answer.out) == (2, "")
    assert "cannot be read" in answer.err


def test_bytes_are_no_anchor(filled: Call, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\xfe\x00")
    assert filled("audit", "verify", "--anchor", str(tmp_path / "a.json")).status == 2


def test_the_anchor_of_another_store_is_refused(filled: Call, tmp_path: Path) -> None:
    with package.open(tmp_path / "other") as other:
        other.remember("elsewhere")
        (tmp_path / "a.json").write_text(other.anchor().to_text())
    answer = filled("audit", "verify", "--anchor", str(tmp_path / "a.json"))
    assert answer.status == 2
    assert "another store" in answer.err


def test_a_project_is_audited_alone_when_it_is_named(filled: Call) -> None:
    anchor = parse_anchor(filled("--project", "web", "audit", "anchor").out)
    assert [stream for stream, _, _ in anchor.heads] == ["project/web"]
    assert filled("--project", "web", "audit", "verify").status == 0


def test_an_agent_may_not_audit_and_an_orchestrator_may(filled: Call) -> None:
    finn = ("--project", "web", "--as", "finn")
    for command in ("verify", "anchor"):
        answer = filled(*finn, "audit", command)
        assert (answer.status, answer.out) == (4, "")
        assert filled(*finn, "--role", "orchestrator", "audit", command).status == 0


def test_without_a_store_there_is_nothing_to_audit(tmp_path: Path) -> None:
    for command in ("verify", "anchor"):
        assert run("--dir", "none", "audit", command, cwd=tmp_path).status == 3
    assert not (tmp_path / "none").exists()


def test_the_shell_completes_its_commands_and_files() -> None:
    assert words("audit", "") == ["anchor", "verify"]
    assert offers("audit", "verify", "--anchor", "a") == [Offer("file", "a")]
    assert offers("audit", "anchor", "") == [Offer("file", "")]


def test_help_follows_it(lamina: Call) -> None:
    for command in ("verify", "anchor"):
        shown = lamina("help", "audit", command).out
        assert shown == lamina("audit", command, "--help").out
    assert "audit " in lamina("--help").out
    assert "watch " in lamina("--help").out
