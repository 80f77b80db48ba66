"""A client that lies: whatever an agent's key sends, it gets the verdict of the library.

The agent `eve` belongs to the project `web`. Requests are built by the codec and sent by the
transport, without the client's own checks before them.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from lamina import (
    ForbiddenError,
    InvalidInputError,
    LaminaError,
    Memory,
    NotFoundError,
    Record,
    clock,
)
from lamina.core.access import EVERYTHING
from lamina.core.announcements import Audience, MemoryRead, MemoryWrite, Notice
from lamina.core.changes import Adopt, Change, Commit, Erase, Move, Put, Receipt, Witness
from lamina.core.filters import parse
from lamina.core.ids import RecordId
from lamina.core.principal import Principal, Role, Surface
from lamina.core.record import Content, State, Trust
from lamina.core.scope import Scope
from lamina.core.sealed import Sealed
from lamina.errors import UnsupportedError
from lamina.remote.calls import CALLS
from lamina.remote.store import RemoteStore
from lamina.remote.transport import Transport
from lamina.stores.questions import Query
from lamina.surfaces.http.gateway import Gateway
from lamina.surfaces.http.rules import RULES
from tests.remote.far import Place, served

WEB = Scope.of("project/web")
EVE = Principal("eve", Role.AGENT, WEB, Surface.HTTP)
OWNER = Principal()
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
FRESH = RecordId("01" + "a" * 24)


@pytest.fixture(scope="module")
def server() -> Iterator[Place]:
    with served() as made:
        yield made


@pytest.fixture
def whole(server: Place) -> Iterator[Memory]:
    with server.keeping() as owner:
        owner.configure("recall.embedder", "off")
        owner.project("shop").remember("the shop sells kettles", key="secret-plan")
        owner.project("web").remember("the owner decides", key="law", kind="decision")
        owner.project("web").agent("finn").remember("finn's own", layer="notebook", key="own")
        yield owner


@pytest.fixture
def eve(server: Place, whole: Memory) -> Iterator[RemoteStore]:
    """What eve's key opens."""
    key = server.key_of("eve", "agent", "web")
    store = RemoteStore(Transport(server.url, key, 30.0))
    yield store
    store.close()


def a_put(text: str = "mine", **more: Any) -> Put:
    content = Content(
        text=text,
        kind=more.pop("kind", "fact"),
        source=more.pop("source", "eve"),
        trust=more.pop("trust", Trust.AGENT),
    )
    usual: dict[str, Any] = {"id": FRESH, "scope": WEB.path, "layer": "knowledge"}
    usual.update(more)
    return Put(content=content, **usual)


def a_key(scope: str) -> Put:
    return a_put(layer="access", kind="key", scope=scope)


def sent(store: RemoteStore, *changes: Change, by: Principal = EVE) -> Receipt:
    commit = Commit(changes=changes, by=by, at=LONG_AGO, tx=clock.fresh_id())
    receipt: Receipt = store.commit(commit)
    return receipt


def of(whole: Memory, key: str) -> Record:
    [found] = whole.store.query(Query(reach=EVERYTHING, where=parse({"key": key})))
    return found


def test_a_widened_reach_shows_no_more(eve: RemoteStore, whole: Memory) -> None:
    foreign = of(whole, "secret-plan")
    everything = Query(reach=EVERYTHING)
    own = whole.project("web").agent("eve").reach
    assert {one.id for one in eve.query(everything)} == {
        one.id for one in whole.store.query(Query(reach=own))
    }
    assert eve.count(everything) == whole.store.count(Query(reach=own))
    assert eve.get(EVERYTHING, [foreign.id]) == []
    assert (
        eve.find(EVERYTHING, "\x1f".join((foreign.scope, "knowledge", "fact", "secret-plan")))
        is None
    )
    assert eve.versions(EVERYTHING, foreign.id) == []
    assert eve.saying(EVERYTHING, ["the shop sells kettles"]) == []
    assert list(eve.walk(EVERYTHING, "project/shop")) == []
    assert eve.usage(EVERYTHING, [foreign.id]) == {}
    assert {one.event.stream for one in eve.changes(EVERYTHING, {}, 100).changes} == {WEB.path}
    assert "finn's own" not in {one.text for one in eve.walk(EVERYTHING, WEB.path)}


def test_the_log_tells_of_nobody_else(eve: RemoteStore, whole: Memory) -> None:
    foreign = of(whole, "own")
    [made] = [one for one in whole.store.events(WEB.path) if one.record == foreign.id]
    assert eve.streams() == ["global", WEB.path]
    assert eve.position().keys() == {"global", WEB.path}
    assert eve.position(["project/shop"]) == {}
    assert eve.events("project/shop") == []
    told = eve.events(WEB.path)
    assert [one.hash for one in told] == [one.hash for one in whole.store.events(WEB.path)]
    assert {(one.record, one.actor, one.tx) for one in told} == {("", "", "")}
    assert eve.transaction(made.tx) == []
    assert eve.sealed(foreign.id) == []
    assert eve.tombstones([foreign.id]) == frozenset()
    before = eve.pulse()
    whole.project("shop").remember("busy elsewhere")
    assert eve.pulse() == before
    heads = whole.store.position(["global", WEB.path])
    assert eve.newest_instant() == max(head.at for head in heads.values() if head.at)


FORGED: dict[str, tuple[type[LaminaError], Any]] = {
    "a foreign scope": (ForbiddenError, lambda w: [a_put(scope="project/shop")]),
    "another agent's scope": (ForbiddenError, lambda w: [a_put(scope=f"{WEB}/agent/finn")]),
    "a scope that is none": (InvalidInputError, lambda w: [a_put(scope="project/web/nothing")]),
    "a layer that is none": (InvalidInputError, lambda w: [a_put(layer="access2")]),
    "a layer of the pipeline": (ForbiddenError, lambda w: [a_put(layer="source", kind="chunk")]),
    "a key for everybody": (ForbiddenError, lambda w: [a_key(scope="global")]),
    "a key at home": (ForbiddenError, lambda w: [a_key(scope=f"{WEB}/agent/eve")]),
    "to revoke a key": (
        NotFoundError,
        lambda w: [Move(id=w.query({"layer": "access"})[0].id, state=State.FORGOTTEN)],
    ),
    "another source": (ForbiddenError, lambda w: [a_put(source="user")]),
    "an id that is none": (InvalidInputError, lambda w: [a_put(id="../../etc")]),
    "to revise what is foreign": (
        NotFoundError, lambda w: [a_put(revises=of(w, "secret-plan").id)],
    ),
    "to revise in another's name": (
        ForbiddenError, lambda w: [a_put(revises=of(w, "law").id, source="user")],
    ),
    "to forget what is the owner's": (
        ForbiddenError, lambda w: [Move(id=of(w, "law").id, state=State.FORGOTTEN)],
    ),
    "to forget it by its key": (
        ForbiddenError,
        lambda w: [a_put(key="law", kind="decision", state=State.FORGOTTEN)],
    ),
    "to forget it as an edit": (
        ForbiddenError, lambda w: [a_put(revises=of(w, "law").id, state=State.ARCHIVED)],
    ),
    "to move what is foreign": (
        NotFoundError, lambda w: [Move(id=of(w, "secret-plan").id, state=State.CURRENT, expect=1)],
    ),
    "to erase what is foreign": (NotFoundError, lambda w: [Erase(id=of(w, "secret-plan").id)]),
    "to erase what is the owner's": (ForbiddenError, lambda w: [Erase(id=of(w, "law").id)]),
    "to witness": (UnsupportedError, lambda w: [Witness(id=of(w, "law").id)]),
    "to take in as it is": (ForbiddenError, lambda w: [Adopt(record=of(w, "law"))]),
    "nothing": (InvalidInputError, lambda w: []),
}  # fmt: skip


def test_a_forged_change_is_refused(eve: RemoteStore, whole: Memory) -> None:
    before = whole.store.position()
    for forged, (kind, changes) in FORGED.items():
        with pytest.raises(kind):
            sent(eve, *changes(whole))
        if along := changes(whole):
            with pytest.raises(kind):
                sent(eve, a_put("beside it", id=RecordId("01" + "b" * 24)), *along)
        assert whole.store.position() == before, forged


OTHERS = (
    OWNER,
    replace(EVE, name="finn"),
    replace(EVE, role=Role.ADMIN),
    replace(EVE, root=Scope.of("project/shop")),
)
DOORS = (replace(EVE, surface=Surface.IMPORT), replace(EVE, surface=Surface.PIPELINE))


def test_nobody_speaks_for_another(eve: RemoteStore, whole: Memory) -> None:
    own = of(whole, "own").id
    asked: dict[str, dict[str, Any]] = {
        "recall": {"query": "x", "how": {}, "told": True},
        "why_not": {"name": own, "query": "x", "how": {}},
        "erase": {"ids": [own]},
        "reveal": {"record_id": own, "reference": "secret://x"},
    }
    for by in (*OTHERS, *DOORS):
        with pytest.raises(ForbiddenError):
            sent(eve, a_put(), by=by)
    for by, (name, arguments) in product(OTHERS, asked.items()):
        with pytest.raises(ForbiddenError):
            eve.ask(name, by=by, **arguments)


def test_what_is_forged_beside_is_worth_nothing(eve: RemoteStore, whole: Memory) -> None:
    box = Sealed("secret://" + "a" * 26, "password", b"n" * 12, b"box")
    forged = a_put("odd words", trust=Trust.USER, terms=("zebra",), sealed=(box,), key="k")
    receipt = sent(eve, forged)
    [kept] = whole.store.get(EVERYTHING, [receipt.id])
    assert (kept.trust, kept.source, kept.tokens > 0) == (Trust.AGENT, "eve", True)
    assert kept.created_at.year > 2001
    assert whole.store.sealed(kept.id) == []
    assert not whole.recall("zebra", layers=["knowledge"]).hits
    [event] = whole.store.transaction(receipt.tx)
    assert (event.actor, event.surface) == ("eve", "http")
    secret = sent(eve, a_put("the password is Xk29dLLq9zzT", id=RecordId("01" + "c" * 24)))
    assert secret.sealed
    assert "Xk29dLLq9zzT" not in whole.store.get(EVERYTHING, [secret.id])[0].text


def test_a_foreign_id_looks_like_a_new_one(eve: RemoteStore, whole: Memory) -> None:
    foreign = of(whole, "secret-plan")
    taken = sent(eve, a_put("with the id of another", id=foreign.id))
    fresh = sent(eve, a_put("with a new id"))
    assert taken.action is fresh.action
    assert (taken.id != foreign.id, fresh.id) == (True, FRESH)
    assert of(whole, "secret-plan") == foreign


def test_a_secret_is_not_carried_off_by_its_reference(eve: RemoteStore, whole: Memory) -> None:
    finn = whole.project("web").agent("finn")
    kept = finn.remember("the password is Xk29dLLq9zzT", layer="notebook")
    common = whole.project("web").remember("the api password is Pq83nnVw2kkM")
    for record, ref in ((kept.id, kept.sealed[0]), (common.id, common.sealed[0])):
        box = Sealed(ref, "password", b"", b"")
        home, fresh = f"{WEB}/agent/eve", clock.fresh_id()
        note = a_put(f"see {ref}", scope=home, layer="notebook", kind="note", id=fresh)
        mine = sent(eve, replace(note, sealed=(box,)))
        assert whole.store.sealed(mine.id) == []
        for name in (record, mine.id):
            with pytest.raises((ForbiddenError, NotFoundError)):
                eve.ask("reveal", by=EVE, record_id=name, reference=ref)
        sent(eve, Erase(id=mine.id))


def test_an_agent_accepts_no_proposal(eve: RemoteStore, whole: Memory) -> None:
    whole.configure("knowledge.accept", "review")
    proposal = sent(eve, a_put("review me", proposal=False))
    assert proposal.outcomes[0].state is State.PROPOSED
    [kept] = whole.store.get(EVERYTHING, [proposal.id])
    for change in (
        Move(id=kept.id, state=State.CURRENT, expect=1),
        a_put("review me", revises=kept.id, state=State.CURRENT),
    ):
        with pytest.raises(ForbiddenError, match="accepts proposals"):
            sent(eve, change)
    assert whole.store.get(EVERYTHING, [kept.id]) == [kept]


def test_what_is_told_of_others_is_not_believed(eve: RemoteStore, whole: Memory) -> None:
    whole.configure("events.reads", "on")
    law, foreign = of(whole, "law"), of(whole, "secret-plan")
    read = MemoryRead(type="knowledge", path="p", size=3, actor="user", at=LONG_AGO)
    honest = Notice(
        said=read, by=EVE.identity, scope=law.scope, layer="knowledge", records=(law.id,)
    )
    eve.note([honest])
    [heard] = whole.store.noted(Audience(EVERYTHING), 0, 10).notices
    assert (heard.said.actor, heard.by, heard.root) == ("eve", EVE.identity, WEB.path)
    assert heard.said.at > LONG_AGO
    for lie in (
        replace(honest, by=OWNER.identity),
        replace(honest, records=(foreign.id,)),
        replace(honest, scope="project/shop"),
        replace(honest, said=MemoryWrite(type="knowledge", path="p", delta=1)),
    ):
        with pytest.raises(LaminaError):
            eve.note([lie])
    with pytest.raises(ForbiddenError):
        eve.noted(Audience(EVERYTHING, OWNER.identity), 0, 10)
    eve.note_use({foreign.id: 5, law.id: 10**9}, LONG_AGO, "project/shop")
    assert whole.store.usage(EVERYTHING, [foreign.id]) == {}
    assert whole.store.usage(EVERYTHING, [law.id])[law.id].hits <= 1_000


def test_a_digest_is_no_oracle(eve: RemoteStore, whole: Memory) -> None:
    said = eve.ask("fingerprint", value=b"hunter2")
    assert said == eve.ask("fingerprint", value=b"hunter2")
    assert said != whole.path_for(Surface.LIBRARY).fingerprint(b"hunter2")


def test_every_call_has_a_rule_and_an_answer() -> None:
    assert RULES.keys() == CALLS.keys() | {"walk"}
    answered = {name for name, rule in RULES.items() if not rule.refused} - {"wait"}
    assert {name for name in RULES if hasattr(Gateway, name)} == answered


def test_the_store_is_looked_after_by_its_owner_alone(eve: RemoteStore) -> None:
    for name in (name for name, rule in RULES.items() if rule.whole):
        with pytest.raises(ForbiddenError):
            eve._transport.ask(f"/api/store/{name}", {}, again=False)


def test_what_cannot_be_read_is_refused(eve: RemoteStore) -> None:
    unread = (b"", b"[]", b"{", b'{"reach":1}', b'{"a":1,"a":2}', b"\xff", b"[" * 5000, b"1e999")
    for name, body in product(("commit", "query", "wait", "walk", "recall"), unread):
        connection, _ = eve._transport._connection(30.0)
        response = eve._transport._sent(connection, f"/api/store/{name}", body)
        assert (response.status, b"invalid_input" in response.read()) == (422, True), (name, body)


def test_too_much_at_once_is_refused(eve: RemoteStore) -> None:
    with pytest.raises(InvalidInputError, match="changes"):
        sent(eve, *[Move(id=FRESH, state=State.CURRENT)] * 10_001)
    grants = [{"layers": ["fact"], "scope": f"project/p{n}"} for n in range(100)]
    asked: dict[str, Any] = {"reach": {"grants": grants}, "ids": [], "as_of": None}
    with pytest.raises(InvalidInputError, match="grants"):
        eve._transport.ask("/api/store/get", asked, again=True)
    odd = {"reach": {"grants": [{"layers": ["fact"], "scope": "project/web/task/%' or 1"}]}}
    with pytest.raises(InvalidInputError, match="reach"):
        eve._transport.ask("/api/store/get", {**odd, "ids": [], "as_of": None}, again=True)


def test_keys_are_seen_by_the_owner_alone(server: Place, whole: Memory, eve: RemoteStore) -> None:
    asked = Query(reach=EVERYTHING, where=parse({"layer": "access"}))
    with server.connected("root", "admin", "web") as web, server.connected() as owner:
        [*keys] = owner.store.query(asked)
        assert len(keys) == whole.count({"layer": "access"}) == 3
        for other in (eve, web.store):
            assert other.query(asked) == []
            assert other.get(EVERYTHING, [keys[0].id]) == []
            assert other.transaction(whole.history(keys[0].id)[0].event.tx) == []
        with pytest.raises(ForbiddenError):
            web.remember("k", layer="access", kind="key", scope="global")


def test_the_client_of_an_agent_is_an_agent(server: Place, eve: RemoteStore) -> None:
    del eve
    with server.connected("eve", "agent", "web") as mem:
        assert mem.principal == EVE
        assert mem.remember("of my own", layer="notebook").action == "created"
        with pytest.raises(ForbiddenError):
            mem.agent("finn", project="web")
