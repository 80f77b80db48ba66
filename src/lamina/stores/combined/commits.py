"""One commit over two stores.

The hot part is prepared first: it is decided, and what it was decided on is held. Then the base
commits its part, which settles the matter: the log of the base has the transaction, or has it not.
Then the hot part is carried out. Whoever meets something that is held, because the process died in
between, asks the log of the base and finishes it or takes it back.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from lamina.core.changes import Erase, Receipt
from lamina.core.layers import Durability
from lamina.core.scope import hot_stream
from lamina.errors import LaminaError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from lamina.core.changes import Commit
    from lamina.stores.base import Store
    from lamina.stores.combined.hot import HotStore
    from lamina.stores.combined.routing import Routing, Split


class Commits:
    """What carries out commits on both stores."""

    def __init__(self, base: Store, hot: HotStore, routing: Routing) -> None:
        self._base = base
        self._hot = hot
        self._routing = routing
        self._erased = threading.local()

    def left_hot_copies(self) -> bool:
        """Whether what this thread erased last may have left copies with the hot store."""
        return getattr(self._erased, "in_hot", True)

    def commit(self, commit: Commit) -> Receipt:
        """Carry out a commit, in one store or in both."""
        split = self._routing.split(commit)
        erases = any(isinstance(change, Erase) for change in split.base.changes)
        if erases:
            # First: notices may quote what is erased, and one that stays would be a copy.
            self._erased.in_hot = self._hot.forget_notices() or any(split.is_hot)
        if not any(split.is_hot):
            receipt = self._base.commit(commit)
        elif all(split.is_hot):
            receipt = _marked(self._hot.commit(commit))
        else:
            receipt = self._both(split)
        if erases:
            with suppress(StoreUnavailableError):
                self._hot.forget_notices()
        return receipt

    def _both(self, split: Split) -> Receipt:
        prepared = self._hot.prepare(split.hot)
        if prepared.repeated:
            return _joined(split, self._base.commit(split.base), _marked(prepared))
        try:
            done = self._base.commit(split.base)
        except StoreUnavailableError:
            # It may be on its way yet. What is held waits for the log of the base to tell, or for
            # so long that it cannot come any more.
            raise
        except LaminaError as error:
            # Some failures of a store come after it has happened.
            if not (isinstance(error, StoreError) and self._base.transaction(split.base.tx)):
                self._take_back(split)
            raise
        return _joined(split, done, _marked(self._hot.finish(split.hot, prepared)))

    def _take_back(self, split: Split) -> None:
        # Where that store is away, whoever meets what is held there takes it back; why the base
        # refused its part matters more to the caller.
        with suppress(StoreUnavailableError):
            self._hot.abandon(split.hot)


def _marked(receipt: Receipt) -> Receipt:
    """The receipt of a hot part, its streams named as those who read it know them."""
    return replace(receipt, seqs=tuple((hot_stream(name), seq) for name, seq in receipt.seqs))


def _joined(split: Split, base: Receipt, hot: Receipt) -> Receipt:
    """What the whole came to, in the order in which it was asked for."""
    outcomes = {False: iter(base.outcomes), True: iter(hot.outcomes)}
    order = list(Durability)
    return Receipt(
        base.tx,
        tuple(next(outcomes[is_hot]) for is_hot in split.is_hot),
        tuple(sorted((*base.seqs, *hot.seqs))),
        max(base.durability, hot.durability, key=order.index),
        repeated=base.repeated,
    )
