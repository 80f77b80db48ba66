"""`lamina backup` and `lamina restore`, as a person and a program call them."""

import re
from pathlib import Path

import pytest

import lamina as package
from lamina.stores.sqlite import archive
from tests.surfaces.shell import Call, caller, on_terminal, run


@pytest.fixture
def made(lamina: Call, tmp_path: Path) -> Path:
    """A backup of a store with two memories, one of them changed since."""
    lamina("remember", "one", "--key", "k")
    lamina("remember", "the password is " + "quartz-9-bramble-lake")
    assert lamina("backup", str(tmp_path / "b")).status == 0
    lamina("remember", "two", "--key", "k")
    return tmp_path / "b"


def test_a_backup_says_what_it_holds(lamina: Call, made: Path, tmp_path: Path) -> None:
    answer = lamina("backup", str(tmp_path / "c"))
    assert answer.status == 0
    assert f"backup\t{tmp_path / 'c'}\n" in answer.out
    assert "records\t2\n" in answer.out
    assert "secret.key" in answer.err
    quiet = lamina("backup", str(tmp_path / "d"), "--quiet")
    assert (quiet.status, quiet.out, quiet.err) == (0, "", "")
    told = lamina("backup", str(tmp_path / "e"), "--json").json
    assert told["file"] == str(tmp_path / "e")
    assert told["sha256"] == archive.read(tmp_path / "e").sha256
    assert (told["records"], told["secrets"], told["tombstones"]) == (2, 1, 0)
    assert [head["stream"] for head in told["heads"]] == ["global"]


def test_a_backup_covers_more_than_the_project_in_force(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "elsewhere", "--scope", "project/api")
    lamina("init", "--project", "web")
    assert lamina("backup", str(tmp_path / "b"), "--json").json["records"] == 1


def test_a_backup_goes_nowhere_else(lamina: Call, made: Path, tmp_path: Path) -> None:
    before = made.read_bytes()
    taken = lamina("backup", str(made))
    assert (taken.status, taken.out) == (2, "")
    assert "never overwrites" in taken.err
    assert made.read_bytes() == before
    for place in (tmp_path / "missing" / "b", tmp_path / "store" / "b"):
        assert lamina("backup", str(place)).status == 2
        assert not place.exists()
    as_json = lamina("backup", str(made), "--json")
    assert (as_json.status, as_json.json["error"]["code"]) == (2, "invalid_input")


def test_a_folder_that_cannot_be_written(lamina: Call, made: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    arguments = ("--dir", str(tmp_path / "store"), "backup", str(tmp_path / "closed" / "b"))
    answer = run(*arguments, cwd=tmp_path, as_root=False)
    assert answer.status == 2
    assert "cannot be written: Permission denied" in answer.err
    assert list((tmp_path / "closed").iterdir()) == []


def test_a_restore_into_a_new_directory(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = caller(capsys, tmp_path / "other")
    answer = other("restore", str(made))
    assert answer.status == 0
    assert f"store\t{tmp_path / 'other'}\n" in answer.out
    assert "secret.key" in answer.err
    assert other("get", "k", "--json").json["text"] == "one"
    assert other("doctor").status == 9, "the key is missing, and that is said"
    again = caller(capsys, tmp_path / "again")("restore", str(made), "--json").json
    assert (again["directory"], again["records"]) == (str(tmp_path / "again"), 2)
    assert (again["replaced"], again["has_key"], again["secrets"]) == (None, False, 1)


def test_a_store_is_replaced_only_on_request(lamina: Call, made: Path, tmp_path: Path) -> None:
    refused = lamina("restore", str(made))
    assert refused.status == 2
    assert "--replace" in refused.err
    assert lamina("get", "k", "--json").json["text"] == "two"
    told = lamina("restore", str(made), "--replace", "--json").json
    assert Path(told["replaced"]).parent == tmp_path / "store"
    assert Path(told["replaced"]).exists()
    assert told["has_key"]
    assert lamina("get", "k", "--json").json["text"] == "one"


def test_what_was_erased_stays_erased(lamina: Call, made: Path) -> None:
    gone = lamina("get", "k", "--json").json["id"]
    lamina("erase", "k", "--yes")
    assert lamina("restore", str(made), "--replace", "--json").json["erased"] == [gone]
    assert lamina("get", "k").status == 3


@pytest.mark.parametrize(("typed", "text"), [(b"n\n", "two"), (b"y\n", "one")])
def test_a_person_is_asked_first(
    typed: bytes, text: str, lamina: Call, made: Path, tmp_path: Path
) -> None:
    arguments = ("--dir", "store", "restore", str(made), "--replace")
    answer = on_terminal(*arguments, cwd=tmp_path, typed=typed)
    assert answer.status == (0 if text == "one" else 1)
    shown = re.sub(r"\s", "", answer.out)
    assert f"Replacethestorein{tmp_path}/store?" in shown
    assert lamina("get", "k", "--json").json["text"] == text
    assert on_terminal(*arguments, "--yes", cwd=tmp_path).status == 0
    assert lamina("get", "k", "--json").json["text"] == "one"


def test_nobody_is_asked_about_an_empty_directory(made: Path, tmp_path: Path) -> None:
    arguments = ("--dir", "new", "restore", str(made), "--replace")
    answer = on_terminal(*arguments, cwd=tmp_path)
    assert answer.status == 0
    assert "Replace" not in answer.out


def test_a_bad_backup_is_named_and_changes_nothing(
    lamina: Call, made: Path, tmp_path: Path
) -> None:
    content = made.read_bytes()
    for name, bad, status in (
        ("cut", content[:-10], 2),
        ("flipped", content[:5000] + bytes([content[5000] ^ 1]) + content[5001:], 7),
        ("foreign", b"something else", 2),
        ("empty", b"", 2),
    ):
        (tmp_path / name).write_bytes(bad)
        answer = lamina("restore", str(tmp_path / name), "--replace")
        assert (answer.status, answer.out) == (status, ""), name
        assert str(tmp_path / name) in answer.err
    assert lamina("restore", str(tmp_path / "missing"), "--replace").status == 2
    assert lamina("get", "k", "--json").json["text"] == "two"


def test_a_store_in_use_asks_for_patience(lamina: Call, made: Path, tmp_path: Path) -> None:
    with package.open(tmp_path / "store"):
        answer = lamina("restore", str(made), "--replace")
        assert answer.status == 75
        assert "other processes" in answer.err


def test_only_the_owner_does_either(lamina: Call, made: Path, tmp_path: Path) -> None:
    for command in (("backup", str(tmp_path / "c")), ("restore", str(made), "--replace")):
        for who in (("--as", "finn", "--project", "web"), ("--role", "reader")):
            assert lamina(*who, *command).status == 4
    assert not (tmp_path / "c").exists()
    assert lamina("get", "k", "--json").json["text"] == "two"
