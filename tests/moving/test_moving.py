"""A store goes to another place and is the same store there."""

import shutil
from pathlib import Path

import pytest

import lamina
from lamina.core.access import EVERYTHING
from lamina.core.ids import RecordId
from lamina.errors import (
    NotFoundError,
    StoreReadOnlyError,
    StoreUnavailableError,
    UnsupportedError,
)
from lamina.moving import reopen
from lamina.stores.sqlite.store import SqliteStore
from tests.moving.stores import SECRET, SPACE, export, fill
from tests.postgres.lending import lent_address


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_KEYS", str(tmp_path / "keys"))


def test_there_and_back_everything_is_the_same(tmp_path: Path) -> None:
    home, back = tmp_path / "home", tmp_path / "back"
    ids = fill(home)
    before = export(home)
    with lamina.open(home) as mem:
        identity, heads, cursor = mem.store.identity, mem.store.position(), mem.cursor()
    with lent_address() as address:
        there = lamina.migrate(home, address)
        assert export(address) == before
        with lamina.open(address) as mem:
            assert (mem.store.identity, mem.store.position()) == (identity, heads)
            assert list(mem.changes(cursor)) == []
        _check_same_store(address, ids)
        again = lamina.migrate(address, back)
    assert export(back) == before
    assert there.digests == again.digests
    assert there.rows["sealed"] == 1
    assert min(there.rows[name] for name in ("vector", "usage", "receipt", "tombstone")) >= 1
    assert there.recalled > 0
    with lamina.open(back) as mem:
        assert mem.store.identity == identity
        # What was revealed meanwhile is in the log.
        assert [change.event.action for change in mem.changes(cursor)] == ["witnessed"]
    _check_same_store(back, ids)
    _check_goes_on(back)


def _check_same_store(where: str | Path, ids: dict[str, str]) -> None:
    with lamina.open(where) as mem:
        assert SECRET.endswith(mem.reveal(ids["secret"], *_refs(mem, ids["secret"])))
        assert mem.store.tombstones([RecordId(ids["gone"])]) == {ids["gone"]}
        assert mem.remember("Said once", idempotency_key="once").id == ids["noted"]
        assert mem.store.spaces() == [SPACE]
        assert mem.store.progress(SPACE).pending == 0
        damaged = [one for one in mem.store.check() if one.severity.is_damage]
        assert damaged == []


def _refs(mem: lamina.Memory, record: str) -> list[str]:
    return [box.ref for box in mem.store.sealed(RecordId(record))]


def _check_goes_on(where: str | Path) -> None:
    with lamina.open(where) as mem:
        fresh = mem.remember("Written after the move", key="river-1")
        assert mem.recall("written after the move").hits[0].record.id == fresh.id
        mem.undo(fresh.tx)
        assert [one for one in mem.store.audit() if one.severity.is_damage] == []


def test_what_was_moved_can_only_be_read(tmp_path: Path) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    ids = fill(home)
    with lamina.open(home) as late:
        lamina.migrate(home, new)
        for call in (lambda: late.remember("too late"), lambda: late.erase(ids["noted"]),
                     lambda: late.configure("recall.use", "off")):  # fmt: skip
            with pytest.raises(StoreReadOnlyError, match=str(new)):
                call()
        assert late.recall("quartz").hits
    with pytest.raises(StoreReadOnlyError, match="already") as refused:
        lamina.migrate(home, tmp_path / "third")
    assert f"migrate --from {home} --reopen" in refused.value.remedy
    assert not (tmp_path / "third").exists()
    assert reopen(home) == str(new / "lamina.db")
    assert reopen(home) is None
    with lamina.open(home) as mem:
        mem.remember("written again")


def test_a_move_that_was_carried_out_is_not_carried_out_again(tmp_path: Path) -> None:
    """Who was killed before it was told so repeats it, and need not know how far it had come."""
    home, new = tmp_path / "home", tmp_path / "new"
    fill(home)
    done = lamina.migrate(home, new)
    again = lamina.migrate(home, new)
    assert (again.applied, again.resumed, again.identity) == (True, True, done.identity)
    assert again.rows == done.rows
    with lamina.open(new) as mem:
        mem.remember("it goes on here")
    # Another store in that place is not the one that it was moved to.
    new.rename(tmp_path / "aside")
    lamina.open(new).close()
    for dry in (True, False):
        with pytest.raises(StoreReadOnlyError, match="already"):
            lamina.migrate(home, new, dry_run=dry)
    shutil.rmtree(new)
    (tmp_path / "aside").rename(new)
    with pytest.raises(lamina.InvalidInputError, match="very store"):
        lamina.migrate(new, home)


def test_a_copy_is_a_store_of_its_own(tmp_path: Path) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    ids = fill(home)
    report = lamina.migrate(home, new, keep=True)
    assert report.kept
    with lamina.open(home) as mem, lamina.open(new) as copy:
        assert mem.store.identity != copy.store.identity == report.identity
        mem.remember("only here")
        copy.remember("only there")
        assert copy.reveal(ids["secret"], *_refs(copy, ids["secret"]))


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    fill(home)
    fill(other)
    for target in (home, tmp_path / "." / "home"):
        with pytest.raises(lamina.InvalidInputError, match="same store"):
            lamina.migrate(home, target)
    for dry in (True, False):
        with pytest.raises(lamina.InvalidInputError, match="not empty"):
            lamina.migrate(home, other, dry_run=dry)
    with pytest.raises(NotFoundError):
        lamina.migrate(tmp_path / "nowhere", tmp_path / "new")
    for place in (":memory:", "json:x.json", "http://localhost:1"):
        with pytest.raises(UnsupportedError):
            lamina.migrate(home, place)
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "nowhere").exists()


def test_one_move_at_a_time(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill(home)
    store = SqliteStore(home)
    with store.duty("migrate") as mine:
        assert mine
        with pytest.raises(StoreUnavailableError, match="under way"):
            lamina.migrate(home, tmp_path / "new")
    store.close()
    lamina.migrate(home, tmp_path / "new")


def test_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill(home)
    planned = lamina.migrate(home, tmp_path / "new", dry_run=True)
    assert not planned.applied
    assert not (tmp_path / "new").exists()
    done = lamina.migrate(home, tmp_path / "new")
    assert done.applied
    assert planned.rows == done.rows


def test_another_key_is_never_replaced(tmp_path: Path) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    fill(home)
    new.mkdir()
    (new / "secret.key").write_bytes(bytes(32))
    (new / "secret.key").chmod(0o600)
    with pytest.raises(lamina.SecretError, match="another key"):
        lamina.migrate(home, new)
    assert (new / "secret.key").read_bytes() == bytes(32)


def test_the_order_of_creation_stays(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    with lamina.open(tmp_path / "home") as mem:
        before = [
            one.id for name in mem.store.streams() for one in mem.store.walk(EVERYTHING, name)
        ]
    lamina.migrate(tmp_path / "home", tmp_path / "new")
    with lamina.open(tmp_path / "new") as mem:
        after = [one.id for name in mem.store.streams() for one in mem.store.walk(EVERYTHING, name)]
    assert after == before
