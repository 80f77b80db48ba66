"""Binding a hot store to a base, so that every process on the base uses the same one."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lamina.core.settings import OFF
from lamina.errors import InvalidInputError, StoreUnavailableError, UnsupportedError
from lamina.stores.combined import BOUND

if TYPE_CHECKING:
    from lamina.stores.base import Store


def with_hot(base: Store, address: str | None) -> Store:
    """The base, with the hot store that is named; `off` lets go of one for good.

    Raises:
        InvalidInputError: The base has its hot layers elsewhere, and nobody says where: what was
            written here would be seen by nobody there.
    """
    is_bound = BOUND in base.settings()
    if address is None and not is_bound:
        return base
    if address is None:
        raise InvalidInputError(
            "this store keeps its working memory, tasks and blackboard in Redis",
            remedy="Name it: hot=… in the library, --hot or LAMINA_HOT elsewhere; `off` leaves it"
            " for good, with what it holds",
        )
    if address == OFF:
        base.configure(BOUND, None)
        return base
    return _bound(base, address, is_new=not is_bound)


def _bound(base: Store, address: str, *, is_new: bool) -> Store:
    if find_spec("redis") is None:
        raise UnsupportedError(
            "hot layers in Redis need its client", remedy="Run `pip install 'lamina[redis]'`"
        )
    from lamina.stores.combined.store import CombinedStore
    from lamina.stores.redis.store import RedisStore

    hot = RedisStore(
        address,
        owner=base.identity,
        chosen=base.settings,
        decided=lambda tx: bool(base.transaction(tx)),  # type: ignore[arg-type]  # a checked id
        is_new=is_new,
    )
    # One that is away for now is met when it is back; at first it must be there.
    with suppress(*(() if is_new else (StoreUnavailableError,))):
        assert hot.identity == base.identity
    if is_new:
        base.configure(BOUND, "redis")
    return CombinedStore(base, hot)
