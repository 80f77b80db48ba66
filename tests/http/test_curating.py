"""Curation over HTTP: neighbours, several records at once, what an undo does, lists by a field."""

from typing import Any

import pytest

from lamina.core.filters import order_key
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]


def _listed(api: Api, limit: int, **asked: Any) -> list[str]:
    """All pages of a list, one after the other."""
    found: list[str] = []
    cursor = None
    while True:
        more: dict[str, str] = {} if cursor is None else {"cursor": cursor}
        page = api.told("GET", "/api/records", params={"limit": limit, **asked, **more})
        found += [one["id"] for one in page["records"]]
        cursor = page["cursor"]
        if cursor is None:
            assert len(found) == page["total"]
            return found


@pytest.mark.parametrize("field", ["confidence", "key", "updated_at"])
def test_a_list_by_a_field_is_whole_however_it_is_cut(api: Api, field: str) -> None:
    drafts: list[Any] = [
        {"text": f"memory {n}", "confidence": (n % 3) / 2, "kind": f"kind{n}",
         **({"key": f"k{n % 4}"} if n % 2 else {})}
        for n in range(11)
    ]  # fmt: skip
    api.memory.remember_many(drafts)
    for order in (field, f"-{field}"):
        whole = _listed(api, 100, order_by=order)
        assert len({*whole}) == 11
        for limit in (1, 2, 3, 10):
            cut = _listed(api, limit, order_by=order)
            assert len({*cut}) == 11
            values = [order_key(api.memory.get(one), field) for one in cut]
            assert values == sorted(values, reverse=order == field)
    page = api.told("GET", "/api/records", params={"limit": 3, "order_by": field})
    other = {"limit": 3, "order_by": f"-{field}", "cursor": page["cursor"]}
    assert api.refused("GET", "/api/records", params=other)[:2] == (422, "invalid_input")
    wrong = {"order_by": "nothing"}
    assert api.refused("GET", "/api/records", params=wrong)[:2] == (422, "invalid_input")


def test_several_records_are_changed_and_hidden_as_one(api: Api) -> None:
    ids = [api.memory.remember(f"memory {n}").id for n in range(3)]
    edits = {"records": [{"id": one, "tags": ["x"], "expect": 1} for one in ids]}
    done = api.told("PATCH", "/api/records", json=edits)
    told = api.told("POST", "/api/undo/preview", json={"tx": done["tx"]})["undoing"]
    assert [(one["now"]["tags"], one["then"]["tags"]) for one in told] == [(["x"], [])] * 3
    assert api.refused("PATCH", "/api/records", json=edits)[:2] == (409, "conflict")
    gone = api.told("POST", "/api/records/forget", json={"ids": ids[:2]})
    assert api.told("GET", "/api/records")["total"] == 1
    api.told("POST", "/api/undo", json={"tx": gone["tx"]})
    assert api.told("GET", "/api/records")["total"] == 3


def test_neighbours_and_a_part_of_the_history(api: Api) -> None:
    one = api.memory.remember("Sessions live in Redis", key="sessions").id
    other = api.memory.remember("Redis runs on two machines").id
    for number in range(3):
        api.memory.edit(one, f"Sessions live in Redis {number}")
    found = api.told("GET", "/api/records/sessions/neighbours")
    [near] = found["neighbours"]
    assert (found["record"], near["record"]["id"]) == (one, other)
    assert {"how": "shares", "why": "Redis"} in near["ties"]
    assert [record["id"] for record in found["chain"]] == [one]
    history = api.told("GET", f"/api/records/{one}/history", params={"last": 2})
    assert [one["event"]["rev"] for one in history["versions"]] == [3, 4]
    assert history["total"] == 4
