"""Long pages of a project that holds much of a store: another way to the same records."""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import pytest

import lamina
from lamina import Memory
from lamina.core.settings import EMBEDDER
from lamina.stores.sql import driver, reads

if TYPE_CHECKING:
    from lamina.core.draft import Draft

ASKED: tuple[dict[str, str], ...] = (
    {}, {"layer": "knowledge"}, {"layer": "log"}, {"layer": "artifact"},
    {"layer": "knowledge", "kind": "pitfall"}, {"layer": "knowledge", "state": "forgotten"},
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Much knowledge and a few entries of a log in one project, and as much next to it."""
    with lamina.open(tmp_path_factory.mktemp("pages")) as mem:
        mem.configure(EMBEDDER, "off")
        for name in ("web", "other"):
            drafts: list[Draft] = [
                {"text": f"{name} {n}", "kind": "pitfall" if n % 3 else "fact"} for n in range(120)
            ]
            drafts += [{"text": f"{name} did {n}", "layer": "log"} for n in range(2)]
            kept = mem.project(name).remember_many(drafts)
            mem.project(name).forget(*(one.id for one in kept.outcomes[:5]))
        yield mem


def _told(store: Memory) -> list[list[str]]:
    web = store.project("web")
    orders = (None, "id", "-id")
    return [
        *([one.text for one in web.query(where, order_by=order, limit=300)]
          for where, order in product(ASKED, orders)),
        *([str(web.count(where))] for where in ASKED),
    ]  # fmt: skip


def test_a_walk_along_all_records_finds_the_same(
    store: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _told(store)
    assert [len(one) for one in expected[:4]] == [117, 117, 117, 115]
    taken: list[str] = []
    monkeypatch.setattr(reads, "_SMALL", 0)
    asked = driver.rows

    def noting(*given: object) -> object:
        taken.append(str(given[1]))
        return asked(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(reads, "rows", noting)
    assert _told(store) == expected
    walked = [one for one in taken if "cross join version" in one]
    # What is rare is looked up, and so is what was asked for by few.
    assert 0 < len(walked) < len([one for one in taken if "from record r" in one])
    taken.clear()
    store.project("web").query({"layer": "knowledge"}, limit=100)
    assert not [one for one in taken if "cross join version" in one]
