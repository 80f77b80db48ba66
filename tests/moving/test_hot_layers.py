"""A store whose hot layers are in a Redis goes to another place, and they belong to it there."""

from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.core.changes import Commit, Receipt
from lamina.errors import InvalidInputError, StoreReadOnlyError, UnsupportedError
from lamina.moving import reopen
from lamina.stores.combined.binding import with_hot
from lamina.stores.combined.store import CombinedStore
from lamina.stores.redis import holding
from lamina.stores.redis.store import RedisStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import a_put, ask, texts, write
from tests.postgres.lending import lent_address
from tests.redis import RedisServer, needs_redis

pytestmark = needs_redis


@pytest.fixture
def url(redis_server: RedisServer) -> str:
    return redis_server.fresh_url()


def _fill(where: Path, url: str) -> str:
    with lamina.open(where, hot=url) as mem:
        mem.configure("recall.embedder", "off")
        mem.remember("Deploys go out on Tuesdays", key="deploy-day")
        mem.task.add("t-1", "Fix the kettle")
        mem.blackboard.publish("build", "green")
        return mem.cursor()


def test_what_is_hot_is_found_at_the_new_place(tmp_path: Path, url: str) -> None:
    home, back = tmp_path / "home", tmp_path / "back"
    cursor = _fill(home, url)
    with lent_address() as address:
        assert lamina.migrate(home, address, dry_run=True).hot
        assert lamina.migrate(home, address).hot
        with pytest.raises(InvalidInputError, match="Redis"):
            lamina.open(address)
        with lamina.open(address, hot=url) as mem:
            assert mem.task.get("t-1").text == "Fix the kettle"
            mem.task.move("t-1", "active")
            # Nothing is told again, and nothing is left out.
            told = [one.record and one.record.layer for one in mem.changes(cursor)]
            assert told == ["task"]
        assert lamina.migrate(address, back).hot
    with lamina.open(back, hot=url) as mem:
        assert mem.task.get("t-1").data["status"] == "active"
        assert {hit.record.layer for hit in mem.recall("green deploys").hits} == {
            "blackboard", "knowledge",
        }  # fmt: skip
    _fill(tmp_path / "other", f"{url}other")
    lamina.open(tmp_path / "plain").close()
    assert not lamina.migrate(tmp_path / "plain", tmp_path / "plain 2").hot


def test_whoever_has_the_old_place_open_writes_nothing_hot(tmp_path: Path, url: str) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    _fill(home, url)
    with lamina.open(home, hot=url) as late:
        lamina.migrate(home, new)
        for write_one in (
            lambda: late.blackboard.publish("build", "red"),
            lambda: late.remember_many([{"text": "cold"}, {"text": "hot", "layer": "task"}]),
        ):
            with pytest.raises(StoreReadOnlyError, match="moved to"):
                write_one()
        signal = late.blackboard.read("build")
        assert signal is not None
        assert signal.value == "green"


def test_whoever_has_the_old_place_open_takes_nothing_back(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    _fill(home, url)
    monkeypatch.setattr(holding, "_FRESH_MS", -1)
    monkeypatch.setattr(holding, "_PATIENCE_MS", -1)
    modes: list[str] = []
    with closing(with_hot(SqliteStore(home), url)) as late:
        lamina.migrate(home, new)
        with closing(with_hot(SqliteStore(new), url)) as store:
            assert isinstance(store, CombinedStore)
            base_commit, hot = store._base.commit, store._hot

            def slowly(part: Commit) -> Receipt:
                # Whoever only knows the old log does not find it there.
                ask(late, {"layer": "task"})
                return base_commit(part)

            def anew(part: Commit, mode: str) -> Receipt:
                modes.append(mode)
                return planned(part, mode)

            assert isinstance(hot, RedisStore)
            planned = hot._writing._planned
            monkeypatch.setattr(store._base, "commit", slowly)
            monkeypatch.setattr(hot._writing, "_planned", anew)
            write(store, a_put("cold"), a_put("hot", layer="task"))
            assert modes == ["prepare"]
            assert "hot" in texts(ask(store, {"layer": "task"}))


def test_a_copy_without_what_is_hot_is_refused(tmp_path: Path, url: str) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    _fill(home, url)
    for dry in (True, False):
        with pytest.raises(UnsupportedError, match="Redis") as caught:
            lamina.migrate(home, new, keep=True, dry_run=dry)
        assert "export" in caught.value.remedy
    assert not new.exists()


def test_a_store_that_was_reopened_leaves_them_to_the_other(tmp_path: Path, url: str) -> None:
    home, new = tmp_path / "home", tmp_path / "new"
    _fill(home, url)
    with lamina.open(home, hot=url) as before:
        lamina.migrate(home, new)
        assert reopen(home) == str(new / "lamina.db")
        with pytest.raises(StoreReadOnlyError, match="let go"):
            before.blackboard.publish("build", "red")
    with pytest.raises(InvalidInputError, match="went along") as caught:
        lamina.open(home, hot=url)
    assert "migrate" in caught.value.remedy
    with lamina.open(home) as mem:
        assert mem.query({"layer": "task"}) == []
        mem.remember("written again", key="again")
    for _ in range(2):
        with lamina.open(home, hot=f"{url}beside") as mem:
            mem.blackboard.publish("build", "of its own")
    with lamina.open(new, hot=url) as mem:
        signal = mem.blackboard.read("build")
        assert signal is not None
        assert signal.value == "green"
