"""Two servers on one store in Postgres, with what is hot in one Redis: as good as one server."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

import lamina
from lamina.tokens import Keys
from tests.postgres.servers.started import Started, started
from tests.redis import RedisServer, needs_redis
from tests.serving import bearing

if TYPE_CHECKING:
    from lamina.core.draft import Draft

pytestmark = [needs_redis, pytest.mark.timeout(180)]


def test_two_servers_are_as_good_as_one(
    address: str, redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The home of whoever runs the servers; the same for this process.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LAMINA_KEYS", raising=False)
    hot = redis_server.fresh_url()
    with lamina.open(address, hot=hot) as memory:
        memory.configure("recall.embedder", "off")
        key = Keys(memory).create("user", "admin").text
    with ExitStack() as stack:
        one, two = (stack.enter_context(started(address, tmp_path, "--hot", hot)) for _ in range(2))
        one.headers = two.headers = bearing(key)
        _what_is_written_at_one_is_read_at_the_other(one, two)
        _whoever_waits_at_one_is_woken_by_the_other(one, two, key)
        _a_commit_over_both_stores_is_one_whichever_is_asked_again(one, two, key)
        assert (one.log, two.log) == ("", "")


def _what_is_written_at_one_is_read_at_the_other(one: Started, two: Started) -> None:
    assert one.keep("Deploys go out on Tuesdays").status_code == 200
    done = one.call("PUT", "/api/blackboard/signals/build", json={"value": "green"})
    assert done.status_code == 200, done.text
    added = one.call("POST", "/api/tasks", json={"task": "t-1", "description": "Fix the kettle"})
    assert added.status_code == 200, added.text
    assert two.texts() == ["Deploys go out on Tuesdays"]
    assert two.call("GET", "/api/blackboard/signals/build").json()["value"] == "green"
    [task] = two.call("GET", "/api/tasks").json()["records"]
    assert task["text"] == "Fix the kettle"
    # A revision that one has given is what the other compares with.
    taken = {"value": "red", "expect": 1}
    assert two.call("PUT", "/api/blackboard/signals/build", json=taken).status_code == 200
    assert one.call("PUT", "/api/blackboard/signals/build", json=taken).status_code == 409


def _whoever_waits_at_one_is_woken_by_the_other(one: Started, two: Started, key: str) -> None:
    with lamina.connect(two.url, key=key) as waiting:
        news = waiting.blackboard.subscribe("task:", timeout=60)
        one.call("PUT", "/api/blackboard/signals/task:t-1", json={"value": "done"})
        told = next(news)
        news.close()
        assert told.signal is not None
        assert (told.key, told.signal.value) == ("task:t-1", "done")
    with httpx2.stream(
        "GET", f"{two.url}/api/changes/stream", headers=two.headers, timeout=60
    ) as listening:
        lines = listening.iter_lines()
        next(line for line in lines if line.startswith("id: "))
        one.call("PUT", "/api/blackboard/signals/build", json={"value": "amber"})
        assert "amber" in next(line for line in lines if line.startswith("data: "))
        one.keep("a kettle boils")
        assert "a kettle boils" in next(line for line in lines if line.startswith("data: "))


def _a_commit_over_both_stores_is_one_whichever_is_asked_again(
    one: Started, two: Started, key: str
) -> None:
    drafts: list[Draft] = [{"text": "cold"}, {"text": "hot", "layer": "task", "key": "t-2"}]
    with ExitStack() as both:
        here, there = (both.enter_context(lamina.connect(at.url, key=key)) for at in (one, two))
        first = here.remember_many(drafts, idempotency_key="r")
        again = there.remember_many(drafts, idempotency_key="r")
        assert (again.repeated, again.outcomes) == (True, first.outcomes)
        assert {stream for stream, _ in first.seqs} == {"global", "global+hot"}
        here.undo(first.tx)
        assert not {"cold", "hot"} & {record.text for record in there.query()}
