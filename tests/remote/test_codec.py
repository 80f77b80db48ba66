"""Values come back as they were sent, and nothing else is taken for one."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from lamina import InvalidInputError
from lamina.core import canonical
from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.changes import Adopt, Change, Commit, Erase, Move, Put, Witness
from lamina.core.filters import Filter, parse
from lamina.core.ids import RecordId
from lamina.core.principal import Principal, Role
from lamina.core.record import Content, Record, State
from lamina.core.scope import Scope
from lamina.core.sealed import Sealed
from lamina.core.text import Term
from lamina.core.vectors import Vector, packed
from lamina.remote.calls import CALLS
from lamina.remote.codec import Codec, codec_of
from lamina.stores.questions import Query, Search

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
ID = RecordId("01" + "a" * 24)
CONTENT = Content(kind="fact", text="ñ \x01 \u2028", data={"n": [1, 1.0, True, None]}, tags=("t",))
RECORD = Record(
    id=ID, scope="global", layer="knowledge", kind="fact", created_at=NOON, updated_at=NOON
)
PUT = Put(
    id=ID, scope="global", layer="fact", content=replace(CONTENT, expires_at=NOON), expect=0,
    sealed=(Sealed("secret://x", "token", b"\x00\xff", b"box"),), terms=("a",),
)  # fmt: skip
FILTER = parse({"tags": ["a", "b"], "importance": {"$gte": 0.5}, "data.x": None, "key": "k"})
POINT = Vector("s", packed([1]))
VALUES: list[tuple[Any, Any]] = [
    (Change, PUT),
    (Change, Move(id=ID, state=State.FORGOTTEN, expect=3)),
    (Change, Adopt(record=RECORD)),
    (Change, Erase(id=ID)),
    (Change, Witness(id=ID)),
    (Commit, Commit(changes=(PUT,), by=Principal("x", Role.AGENT, Scope.of("project/web")),
                    at=NOON, tx=ID, idempotency_key="k")),
    (Reach, EVERYTHING),
    (Reach, Reach((Grant(frozenset({"fact", "log"}), "project/web", subtree=False),))),
    (Filter, FILTER),
    (Query, Query(reach=EVERYTHING, where=FILTER, as_of={"global": 3}, live_at=NOON, limit=0)),
    (Search, Search(reach=EVERYTHING, terms=(Term("a", 0.5, True),), vector=POINT)),
    (dict[str, int], {"a": 1}),
    (tuple[str, int], ("a", 1)),
    (str | None, None),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_a_value_comes_back_as_it_was(kind: Any, value: Any) -> None:
    codec = codec_of(kind)
    again = codec.read(codec.write(value), "value")
    assert (again, type(again)) == (value, type(value))
    written = canonical.dumps(codec.write(value))
    assert canonical.dumps(codec.write(again)) == written, "1, 1.0 and True are not the same"


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (Change, {"put": {}, "move": {}}),
        (Change, {"drop": {"id": ID}}),
        (Change, {"erase": {"id": 7}}),
        (Change, {"erase": {"id": ID, "by": "me"}}),
        (Change, {"move": {"id": ID, "state": "gone"}}),
        (Change, {"move": {"id": ID}}),
        (Change, ["erase", ID]),
        (Reach, {"grants": [{"layers": "fact", "scope": None}]}),
        (Principal, {"root": "nowhere"}),
        (Principal, {"role": "god"}),
        (Filter, {"conditions": [{"field": "1=1", "path": [], "op": "$eq", "value": 1}]}),
        (Filter, {"conditions": [{"field": "key", "path": [], "op": "$eq", "value": {}}]}),
        (datetime, "yesterday"),
        (datetime, "2026-03-01T12:00:00"),
        (bytes, "not base64!"),
        (int, True),
        (int, 1.0),
        (float, "1"),
        (bool, 1),
        (tuple[str, int], ["a"]),
        (dict[str, int], [1]),
        (Query, {"reach": {"grants": []}, "limit": -1}),
    ],
)
def test_what_is_no_value_is_refused(kind: Any, sent: Any) -> None:
    with pytest.raises(InvalidInputError):
        codec_of(kind).read(sent, "value")


@pytest.mark.parametrize("name", CALLS)
def test_every_call_has_types_that_can_travel(name: str) -> None:
    call = CALLS[name]
    assert {type(codec_of(kind)) for kind in (call.answer, *call.takes.values())} == {Codec}
    with pytest.raises(InvalidInputError, match=name):
        call.read({"something": 1})
