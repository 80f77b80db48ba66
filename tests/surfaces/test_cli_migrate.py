"""`lamina migrate`, as a person and a program call it."""

from pathlib import Path

import lamina as package
from tests.surfaces.shell import Call


def test_a_store_is_moved_and_says_where_it_went(lamina: Call, tmp_path: Path) -> None:
    store, new = tmp_path / "store", tmp_path / "new"
    lamina("remember", "rivers carry quartz", "--key", "k")
    planned = lamina("migrate", "--to", str(new), "--dry-run", "--json").json
    assert (planned["applied"], planned["rows"]["record"]) == (False, 1)
    assert not new.exists()
    answer = lamina("migrate", "--to", str(new))
    assert answer.status == 0, answer.err
    assert f"to\t{new / 'lamina.db'}\n" in answer.out
    assert "records\t1\n" in answer.out
    refused = lamina("remember", "too late", "--json")
    assert (refused.status != 0, refused.json["error"]["code"]) == (True, "store_read_only")
    assert str(new) in refused.json["error"]["message"]
    with package.open(new) as mem:
        assert mem.get("k").text == "rivers carry quartz"
    again = lamina("migrate", "--from", str(store), "--reopen", "--json").json
    assert again == {"reopened": True, "moved_to": str(new / "lamina.db")}
    assert lamina("remember", "in time").status == 0


def test_what_is_missing_is_named(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "one")
    for arguments in ((), ("--reopen", "--to", "x"), ("--to", "http://localhost:1")):
        answer = lamina("migrate", *arguments)
        assert answer.status != 0
        assert answer.out == ""
    assert "--to" in lamina("migrate").err
    acting = lamina("migrate", "--to", str(tmp_path / "new"), "--as", "ann")
    assert acting.status != 0
    assert not (tmp_path / "new").exists()
