"""A connected handle: as a handle of one's own, whatever becomes of the server and the wire."""

import asyncio
import os
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import lamina
from lamina import InvalidInputError, Memory, NotFoundError, UnsupportedError, aio, clock
from lamina.core.access import EVERYTHING
from lamina.core.changes import Commit, Erase
from lamina.core.record import State
from lamina.core.retention import Cut, Retention
from lamina.errors import (
    ConflictError,
    LaminaError,
    StoreUnavailableError,
    StoreVersionError,
    UnauthenticatedError,
)
from lamina.memory import AgentMemory
from lamina.remote import store as remote_store
from lamina.remote.store import RemoteStore
from lamina.surfaces.http.engine import Engine, Limits
from tests.places import plain
from tests.remote.far import Place, served
from tests.serving import serving

if TYPE_CHECKING:
    from lamina.core.draft import Draft

__all__ = ["plain"]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with served() as made:
        yield made


@pytest.fixture
def whole(place: Place) -> Iterator[Memory]:
    with place.keeping() as owner:
        owner.configure("recall.embedder", "off")
        yield owner


@pytest.fixture
def mem(place: Place, whole: Memory) -> Iterator[Memory]:
    with place.connected() as connected:
        yield connected


def trips(mem: Memory) -> int:
    assert isinstance(mem.store, RemoteStore)
    return mem.store._transport.asked


def test_one_call_is_one_round_trip(mem: Memory) -> None:
    assert isinstance(mem.store, RemoteStore)
    mem.store._believed = 3600.0
    mem.remember("Deploys go out on Tuesdays", key="deploy-day", kind="convention")
    for call in (
        lambda: mem.remember("Reviews are on Mondays", kind="convention"),
        lambda: mem.recall("when do we deploy?"),
        lambda: mem.query({"kind": "convention"}),
        lambda: mem.get("deploy-day"),
        lambda: mem.count(),
    ):
        call()
        before = trips(mem)
        call()
        assert trips(mem) == before + 1


def test_what_is_sealed_is_sealed_there_and_opened_there(mem: Memory, whole: Memory) -> None:
    kept = mem.remember("the password is Xk29dLLq9zzT")
    [reference] = kept.sealed
    assert reference in whole.get(kept.id).text
    assert mem.reveal(kept.id, reference) == "Xk29dLLq9zzT"
    assert [one.event.action for one in whole.history(kept.id)] == ["created", "witnessed"]
    assert [box.box for box in mem.store.sealed(kept.id)] == [b""]


def test_a_proposal_is_accepted_with_its_secret(mem: Memory, place: Place, whole: Memory) -> None:
    whole.configure("knowledge.accept", "review")
    mem.project("web").remember("ask ann", key="login")
    with place.connected("finn", "agent", "web") as finn:
        assert isinstance(finn, AgentMemory)
        proposed = finn.remember("the password is Xk29dLLq9zzT", key="login", scope="project/web")
    assert proposed.action == "proposed"
    accepted = mem.accept(proposed.id)
    assert mem.reveal(accepted.id, proposed.sealed[0]) == "Xk29dLLq9zzT"


def test_the_store_is_looked_after_where_it_is(mem: Memory, tmp_path: Any) -> None:
    for call in (lambda: mem.backup(tmp_path / "b"), mem.check, mem.reindex):
        with pytest.raises(UnsupportedError, match="where the store is"):
            call()
    assert mem.verify()
    assert mem.vectors().embedder == "off"


def test_what_may_go_is_for_the_server_to_say(mem: Memory, whole: Memory) -> None:
    for number in range(3):
        mem.remember(f"version {number}", key="k")
    everything = Retention((Cut("knowledge", 0),), clock.now())
    assert mem.store.prune(everything).gone == {}
    whole.configure("history.knowledge", "1")
    assert sum(one.pruned for one in mem.maintain(dry_run=True).layers) == 1
    assert mem.maintain().applied
    assert [one.record is None for one in whole.history("k")] == [True, False, False]


def test_how_recalls_went_is_what_the_server_knows(
    mem: Memory, place: Place, whole: Memory
) -> None:
    whole.remember("the heron fishes at dawn")
    before = mem.recalls.answered()
    mem.recall("heron")
    mem.recall("heron", tentative=True)
    mem.recall("the price of copper")
    after = mem.recalls.answered()
    assert (after.asked - before.asked, after.abstained - before.abstained) == (2, 1)
    assert after.since == before.since
    with lamina.connect(place.url, key=place.key_of("finn", "agent", "web")) as finn:
        assert finn.recalls.answered().asked == 0


def test_a_feed_follows_and_ends(mem: Memory, whole: Memory) -> None:
    heard: list[str] = []
    with mem.changes(mem.cursor(), follow=True) as feed:

        def listen() -> None:
            heard.extend(change.record.text for change in feed if change.record)

        thread = threading.Thread(target=listen)
        thread.start()
        whole.remember("told by another")
        while not heard:
            assert thread.is_alive()
        feed.close()
        thread.join(5)
    assert (heard, thread.is_alive()) == (["told by another"], False)


def test_the_board_spans_machines(place: Place, whole: Memory) -> None:
    """Each has a connection and a key of its own; neither has the store."""
    del whole
    keys = [place.key_of(name, "agent", "web") for name in ("finn", "maya")]
    with ExitStack() as both:
        finn, maya = (both.enter_context(lamina.connect(place.url, key=key)) for key in keys)
        news = maya.blackboard.subscribe("task:t-1:", timeout=30)
        finn.blackboard.publish("task:t-1:status", "done")
        told = next(news).signal
        assert told is not None
        assert (told.key, told.value, told.publisher) == ("task:t-1:status", "done", "finn")
        with pytest.raises(ConflictError):
            maya.blackboard.publish("task:t-1:status", "mine", expect=0)
        maya.blackboard.publish("task:t-1:status", "seen", expect=told.rev)
        assert finn.blackboard.list("task:")["task:t-1:status"].value == "seen"
        news.close()


def test_an_address_is_a_place_to_open(
    place: Place, whole: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_KEY", place.key_of())
    with lamina.open(place.url, project="web") as mem:
        assert mem.scope.path == "project/web"
        mem.remember("in the project")
    assert whole.project("web").count() == 1
    with pytest.raises(InvalidInputError, match="key says who"):
        lamina.open(place.url, name="finn", role="agent")


def test_nobody_comes_in_without_a_key(place: Place, whole: Memory) -> None:
    del whole
    for key in ("", "nonsense", place.key_of()[:-1] + "x"):
        with pytest.raises(UnauthenticatedError, match="`key`"):
            lamina.connect(place.url, key=key)


@pytest.mark.parametrize(
    "url", ["ftp://x", "http://", "http://a:b@host", "127.0.0.1:8484", "http://x?y"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="url"):
        lamina.connect(url)


def test_another_version_is_named(
    place: Place, whole: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    del whole
    monkeypatch.setattr(remote_store, "version", lambda: "99.1.0")
    with pytest.raises(StoreVersionError, match=r"99\.1\.0"):
        lamina.connect(place.url, key=place.key_of())


def test_a_program_with_many_open_files_keeps_its_connection(place: Place, whole: Memory) -> None:
    whole.remember("here", key="k")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, limit[1]), limit[1]))
    try:
        with ExitStack() as files, open(os.devnull) as first:
            for _ in range(1_100):
                files.callback(os.close, os.dup(first.fileno()))
            with lamina.connect(place.url, key=place.key_of()) as mem:
                assert [mem.get("k").text for _ in range(3)] == ["here"] * 3
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def test_a_server_that_comes_back_is_found_again(plain: Memory) -> None:
    with ExitStack() as first:
        server = first.enter_context(serving(plain))
        mem = lamina.connect(server.url, key=server.key)
        kept = mem.remember("before")
        first.close()
        with pytest.raises(StoreUnavailableError, match="cannot be reached"):
            mem.get(kept.id)
    with serving(plain, port=int(server.url.rpartition(":")[2])):
        assert mem.get(kept.id).text == "before"
        mem.close()


class Lossy:
    """A wire that swallows one answer, after the server has done what was asked."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.swallow = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port)) as server:
            threading.Thread(target=self._ask, args=(client, server), daemon=True).start()
            while answer := server.recv(1 << 20):
                if self.swallow:
                    self.swallow = False
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(answer)

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while asked := client.recv(1 << 20):
                server.sendall(asked)
            server.shutdown(socket.SHUT_WR)


def test_a_commit_whose_answer_got_lost_happens_once(place: Place, whole: Memory) -> None:
    with ExitStack() as ending:
        wire = ending.enter_context(closing(Lossy(int(place.url.rpartition(":")[2]))))
        mem = ending.enter_context(lamina.connect(wire.url, key=place.key_of()))
        wire.swallow = True
        receipt = mem.remember("said once")
        assert not wire.swallow
        assert (receipt.repeated, receipt.action) == (False, "created")
        wire.swallow = True
        assert mem.remember("said once more", idempotency_key="k").repeated
    assert whole.count({"layer": "knowledge"}) == 2


@pytest.mark.parametrize("key", [None, "asked-for"])
def test_a_repeated_commit_gets_its_first_receipt(
    mem: Memory, whole: Memory, key: str | None
) -> None:
    """Whatever it did: what it was about may be gone by then."""
    kept, other = (mem.get(mem.remember(text).id) for text in ("to go", "to be hidden"))
    before = len(whole.store.events("global"))
    path = mem.path_for(mem.principal.surface)
    for change in (path.erase(kept), path.move(other, State.FORGOTTEN)):
        who, now = mem.principal, clock.now()
        named = key and f"{key} {change.id}"
        asked = Commit(
            changes=(change,), by=who, at=now, tx=clock.fresh_id(), idempotency_key=named
        )
        first = mem.store.commit(asked)
        again = mem.store.commit(asked)
        assert (again.tx, again.outcomes) == (first.tx, first.outcomes)
    with pytest.raises(NotFoundError):
        mem.store.commit(replace(asked, changes=(Erase(id=kept.id),), tx=clock.fresh_id()))
    assert len(whole.store.events("global")) == before + 2


def test_more_than_a_server_takes_is_refused_before_it_is_sent(plain: Memory) -> None:
    engine = Engine(plain, Limits(client_bytes=3_000))
    with serving(plain, engine) as server, lamina.connect(server.url, key=server.key) as mem:
        many: list[Draft] = [
            {"text": f"memory number {number} of a hundred"} for number in range(100)
        ]
        with pytest.raises(InvalidInputError, match="the server takes 3,000") as refused:
            mem.remember_many(many)
        assert "several calls" in refused.value.remedy
        assert len(mem.remember_many(many[:3]).outcomes) == 3
        # One that does not keep to it is not read to the end.
        assert isinstance(mem.store, RemoteStore)
        mem.store._transport.most_bytes = None
        with pytest.raises(LaminaError):
            mem.remember_many(many)
    assert plain.count({"layer": "knowledge"}) == 3


def test_what_is_long_is_asked_in_parts(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_store, "MOST", 3)
    kept = [mem.remember(f"memory {number}").id for number in range(8)]
    assert [one.id for one in mem.store.get(EVERYTHING, kept)] == kept
    events = mem.store.events("global", limit=None)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    for limit in (2, 3, 4, 6, 8):
        assert mem.store.events("global", limit=limit) == events[:limit]
    mem.store.note_use(dict.fromkeys(kept, 1), clock.now())
    assert mem.store.usage(EVERYTHING, kept).keys() == set(kept)
    mem.erase(*kept)
    assert mem.store.tombstones(kept) == set(kept)


def test_faces_and_agents_work_from_afar(mem: Memory, whole: Memory) -> None:
    finn, near = mem.agent("finn", project="web"), whole.agent("finn", project="web")
    finn.now.update("ship it")
    finn.log.append("TOOL_USE", "ran the tests")
    finn.remember("the build needs node 20", layer="notebook")
    finn.task.add("t-1", "write the guide")
    with finn.task.attempt("t-1", approach="by hand") as attempt:
        attempt.outcome("half of it is there")
    assert finn.now.read() == near.now.read()
    assert finn.task.get("t-1") == near.task.get("t-1")
    shown = finn.context("what now?").entries
    assert shown == near.context("what now?").entries
    assert "ship it" in "".join(entry.line for entry in shown)
    surfaces = {change.event.surface for change in whole.changes(scope="project/web")}
    assert surfaces == {"http"}


def test_threads_share_what_is_open(mem: Memory, whole: Memory) -> None:
    def work(number: int) -> None:
        mem.remember(f"thread {number}", kind="fact")

    for start in range(0, 40, 4):
        threads = [threading.Thread(target=work, args=(start + n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert whole.count({"kind": "fact"}) == 40
    assert isinstance(mem.store, RemoteStore)
    assert 0 < len(mem.store._transport._open) <= 5


def test_an_event_loop_connects_as_well(place: Place, whole: Memory) -> None:
    async def talk() -> str:
        key = place.key_of("finn", "agent", "web")
        async with await aio.connect(place.url, key=key) as finn:
            assert isinstance(finn, aio.AsyncAgentMemory)
            await finn.remember("said in a loop", layer="notebook", key="k")
            return (await finn.get("k")).text

    assert asyncio.run(talk()) == "said in a loop"
    assert whole.count({"key": "k"}) == 1
