"""Clauses on idempotency: a request that is sent again happens once."""

from dataclasses import replace

import pytest

from lamina.errors import ConflictError
from lamina.stores.base import Store
from lamina.testing.builders import (
    a_principal,
    a_put,
    after_noon,
    ask,
    picture,
    texts,
    write,
)


class RepeatingClauses:
    """What an idempotency key promises."""

    def test_a_repeated_request_gets_its_first_receipt(self, store: Store) -> None:
        first = write(store, a_put("once"), a_put("two"), idempotency_key="r-1", request="asked")
        write(store, a_put("something else"))
        before = picture(store)
        again = write(
            store, a_put("once"), idempotency_key="r-1", request="asked", at=after_noon(9)
        )
        assert again == replace(first, repeated=True)
        assert picture(store) == before

    def test_a_request_that_changed_nothing_is_remembered_too(self, store: Store) -> None:
        write(store, a_put("same", key="k"))
        first = write(store, a_put("same", key="k"), idempotency_key="r-1", request="asked")
        write(store, a_put("moved on", key="k"))
        again = write(store, a_put("same", key="k"), idempotency_key="r-1", request="asked")
        assert again == replace(first, repeated=True)
        assert texts(ask(store)) == ["moved on"]

    def test_a_key_that_stood_for_something_else_is_refused(self, store: Store) -> None:
        write(store, a_put("once"), idempotency_key="r-1", request="asked")
        before = picture(store)
        with pytest.raises(ConflictError):
            write(store, a_put("twice"), idempotency_key="r-1", request="asked otherwise")
        assert picture(store) == before

    def test_idempotency_keys_belong_to_a_principal(self, store: Store) -> None:
        somebody = [
            a_principal("ann"),
            a_principal("bob"),
            a_principal("ann", root="project/other"),
            a_principal("ann", root="agent/ann"),
        ]
        for number, who in enumerate(somebody):
            receipt = write(store, a_put(f"by {number}"), by=who, idempotency_key="r-1")
            assert not receipt.repeated
        assert len(ask(store)) == len(somebody)

    def test_different_keys_are_different_requests(self, store: Store) -> None:
        for key in ("r-1", "r-2", "R-1", "r-1 ", "r%", "r_1"):
            assert not write(store, a_put(key), idempotency_key=key, request="same").repeated
        assert len(ask(store)) == 6
