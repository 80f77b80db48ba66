"""Whether lists are walked in part or in whole, the same is found, in the same order."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

import pytest

from lamina.core.access import EVERYTHING, Reach
from lamina.stores.base import Store
from lamina.stores.postgres.store import PostgresStore
from lamina.stores.sql import postings
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import a_commit, a_put, look_for, sight_of
from tests.postgres.lending import lent_address

RECORDS, AT_ONCE = 600, 100
COMMON = ("deploy", "review", "branch", "schema")
MIDDLING = tuple(f"sigma{number}" for number in range(8))
RARE = tuple(f"kappa{number}" for number in range(30))
SCOPES = ("project/web", "project/web/task/t-1", "project/web/agent/ann", "project/web2")
QUESTIONS = (
    "kappa3", "deploy kappa3", "deploy review branch", "kappa1 kappa2 deploy review branch schema",
    "review kappa9 kappa11", "nothing of it", "kap deploy review", "schema appa2",
    " ".join(MIDDLING), " ".join((*MIDDLING[:5], "kappa5")), " ".join((*COMMON, *MIDDLING)),
)  # fmt: skip
REACHES = (
    EVERYTHING,
    sight_of("project/web/task/t-1"),
    sight_of("project/web/agent/ann", "global"),
)


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param == "sqlite":
            made: Store = SqliteStore(tmp_path_factory.mktemp("store"))
        else:
            made = PostgresStore(stack.enter_context(lent_address()))
        stack.callback(made.close)
        chance = random.Random(4)
        for _ in range(0, RECORDS, AT_ONCE):
            made.commit(a_commit(*(_some(chance) for _ in range(AT_ONCE))))
        yield made


def _some(chance: random.Random) -> Any:
    said = [word for word in COMMON for _ in range(chance.choice((0, 0, 1, 1, 2)))]
    said += [word for word in MIDDLING if chance.random() < 0.15]
    said += chance.choices(RARE, k=chance.choice((0, 1, 2))) + ["filling"] * chance.randrange(4)
    return a_put(" ".join(said) or "nothing", scope=chance.choice(SCOPES))


@pytest.fixture
def heads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many were told before all lists were walked, each time that any were: the right ones."""
    told: list[int] = []
    first = postings.Postings._first

    def noting(self: postings.Postings) -> list[tuple[int, float]]:
        head = first(self)
        if head:
            assert head == list(islice(self._every(), len(head)))
            told.append(len(head))
        return head

    monkeypatch.setattr(postings.Postings, "_first", noting)
    return told


def _found(store: Store, words: str, reach: Reach, limit: int | None) -> list[tuple[str, float]]:
    every = look_for(store, words, reach=reach, limit=limit)
    return [(str(match.record.id), match.score) for match in every]


@pytest.mark.parametrize("little", [1, 20, 100])
def test_the_first_by_some_lists_are_the_first_by_all(
    store: Store, monkeypatch: pytest.MonkeyPatch, heads: list[int], little: int
) -> None:
    asked = [
        (words, reach, limit) for words in QUESTIONS for reach in REACHES for limit in (5, None)
    ]
    expected = [_found(store, *one) for one in asked]
    assert not heads
    monkeypatch.setattr(postings, "LITTLE", little)
    monkeypatch.setattr(postings, "FIRST", 8)
    for one, wanted in zip(asked, expected, strict=True):
        assert _found(store, *one) == wanted, one
    assert heads


def test_too_many_candidates_are_not_looked_up_one_by_one(
    store: Store, monkeypatch: pytest.MonkeyPatch, heads: list[int]
) -> None:
    expected = _found(store, "kappa1 deploy", EVERYTHING, 5)
    for name, value in {"LITTLE": 1, "FIRST": 8, "_CANDIDATES": 3}.items():
        monkeypatch.setattr(postings, name, value)
    assert _found(store, "kappa1 deploy", EVERYTHING, 5) == expected
    assert not heads
