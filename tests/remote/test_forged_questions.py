"""Questions and changes that no client of ours would send: the answer is still the library's."""

from collections.abc import Iterator
from typing import Any

import pytest

from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, NotFoundError, clock
from lamina.core.access import EVERYTHING
from lamina.core.changes import Commit, Move, Put
from lamina.core.principal import Principal, Role, Surface
from lamina.core.record import Content, State, Trust
from lamina.core.scope import Scope
from lamina.remote.store import RemoteStore
from lamina.remote.transport import Transport
from tests.remote.far import Place, served

WEB = Scope.of("project/web")
EVE = Principal("eve", Role.AGENT, WEB, Surface.HTTP)
ALL: dict[str, Any] = {"grants": [{"layers": ["knowledge", "access"], "scope": None}]}


@pytest.fixture(scope="module")
def server() -> Iterator[Place]:
    with served() as made:
        yield made


@pytest.fixture(params=["in memory", "in a file"])
def whole(
    server: Place, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    where = ":memory:" if request.param == "in memory" else str(tmp_path_factory.mktemp("store"))
    with server.keeping(where) as owner:
        owner.configure("recall.embedder", "off")
        yield owner


@pytest.fixture
def eve(server: Place, whole: Memory) -> Iterator[RemoteStore]:
    store = RemoteStore(Transport(server.url, server.key_of("eve", "agent", "web"), 30.0))
    yield store
    store.close()


def asked(eve: RemoteStore, name: str, **arguments: Any) -> Any:
    return eve._transport.ask(f"/api/store/{name}", arguments, again=True)


def condition(**said: Any) -> dict[str, Any]:
    return {"conditions": [{"field": "data", "path": ["a"], "op": "$eq", "value": 1, **said}]}


FORGED: dict[str, dict[str, Any]] = {
    "an order that is no field": {"order_by": ["rev, (select text from version)", True]},
    "an order by what is no single value": {"order_by": ["tags", True]},
    "a list where one value belongs": {"where": condition(value=[1, 2])},
    "one value where a list belongs": {"where": condition(op="$in")},
    "a plain value for any of several": {"where": condition(field="key", path=[], op="any")},
    "a path that leads very deep": {"where": condition(path=["a"] * 60)},
    "a field that is none": {"where": condition(field="text) or (1", path=[])},
    "more conditions than anybody has": {"where": {"conditions": condition()["conditions"] * 129}},
    "more values than anybody lists": {"where": condition(op="$in", value=[1] * 2001)},
}


def test_a_question_that_is_none_never_reaches_a_store(eve: RemoteStore) -> None:
    for said in FORGED.values():
        for name in ("query", "count"):
            with pytest.raises(InvalidInputError):
                asked(eve, name, query={"reach": ALL, **said})
        if "where" in said:
            with pytest.raises(InvalidInputError):
                asked(eve, "search", search={"reach": ALL, "terms": [], **said})
            how = {"query": "x", "how": said, "told": False}
            with pytest.raises(InvalidInputError):
                asked(eve, "recall", by={"name": "eve", "role": "agent", "root": WEB.path,
                                         "surface": "http"}, **how)  # fmt: skip


def test_one_request_asks_for_no_more_than_can_be_answered(eve: RemoteStore) -> None:
    streams = {f"project/p{n}": 1 for n in range(10_001)}
    term = {"token": "x", "weight": 1.0, "expand": False}
    much: dict[str, dict[str, Any]] = {
        "saying": {"reach": ALL, "texts": ["a"] * 101},
        "changes": {"reach": ALL, "after": streams, "limit": 1},
        "position": {"streams": [*streams], "at": None},
        "get": {"reach": ALL, "ids": [], "as_of": streams},
        "query": {"query": {"reach": ALL, "as_of": streams}},
        "search": {"search": {"reach": ALL, "terms": [term] * 129}},
    }
    for name, said in much.items():
        with pytest.raises(InvalidInputError, match="too many"):
            asked(eve, name, **said)


def test_nothing_counts_unreviewed_by_a_way_round(eve: RemoteStore, whole: Memory) -> None:
    def sent(*changes: Any) -> Any:
        return eve.commit(Commit(changes=changes, by=EVE, at=clock.now(), tx=clock.fresh_id()))

    def a_put(text: str, **more: Any) -> Put:
        content = Content(kind="fact", text=text, source="eve", trust=Trust.AGENT)
        fresh = clock.fresh_id()
        return Put(id=fresh, scope=WEB.path, layer="knowledge", content=content, **more)

    once = sent(a_put("counted before there was review")).id
    whole.configure("knowledge.accept", "review")
    for hidden in (State.FORGOTTEN, State.ARCHIVED, State.SUPERSEDED):
        proposal = sent(a_put(f"review me: {hidden}")).id
        sent(Move(id=proposal, state=hidden))
        for way in (
            Move(id=proposal, state=State.CURRENT),
            a_put(f"review me: {hidden}", revises=proposal, state=State.CURRENT),
            a_put("something else", revises=proposal, state=State.CURRENT),
        ):
            with pytest.raises(ForbiddenError, match="accepts proposals"):
                sent(way)
    sent(Move(id=once, state=State.ARCHIVED))
    sent(a_put("changed while nobody looked", revises=once))
    with pytest.raises(ForbiddenError, match="accepts proposals"):
        sent(Move(id=once, state=State.CURRENT))
    sent(a_put("counted before there was review", revises=once))
    sent(Move(id=once, state=State.CURRENT))
    counts = whole.store.get(EVERYTHING, [once])
    assert [(one.text, one.state) for one in counts] == [
        ("counted before there was review", State.CURRENT)
    ]


def test_the_log_tells_of_keys_to_the_owner_alone(server: Place, whole: Memory) -> None:
    with (
        server.connected("boss", "orchestrator") as boss,
        server.connected("lou", "reader") as reader,
        server.connected() as owner,
    ):
        made = [one for one in whole.store.events("global") if one.record]
        for mem in (boss, reader):
            assert {one.record for one in mem.store.events("global")} == {""}
            assert mem.store.transaction(made[0].tx) == []
        with pytest.raises(NotFoundError):
            boss.undo(made[0].tx)
        with pytest.raises(ForbiddenError):
            reader.store.audit(None)
        assert boss.store.audit(None) == owner.store.audit(None)
        assert owner.store.events("global") == made
        gone = whole.remember("soon gone")
        whole.erase(gone.id)
        assert {one.record for one in boss.store.events("global")} == {"", gone.id}
        with pytest.raises(ConflictError):
            boss.undo(gone.tx)
