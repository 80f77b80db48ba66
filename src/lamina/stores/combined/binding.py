"""Binding a hot store to a base, so that every process on the base uses the same one.

The setting that says so goes along when the base is moved, and so does its identity: the hot store
stays where it is. From then on whoever has the old place open writes nothing to it any more, and
settles nothing that others have begun.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lamina.core.ids import RecordId
from lamina.core.settings import OFF
from lamina.errors import (
    InvalidInputError,
    StoreReadOnlyError,
    StoreUnavailableError,
    UnsupportedError,
)
from lamina.stores.combined import BOUND, STAYED
from lamina.stores.sql.formats import MOVED_TO, check_here

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        chosen=lambda: _in_force(base),
        decided=lambda tx: _is_decided(base, RecordId(tx)),
        is_new=is_new,
    )
    if is_new and STAYED in (settings := base.settings()) and hot.is_taken():
        hot.close()
        raise InvalidInputError(
            f"these hot layers went along to {settings[STAYED]}, and no two stores may share them",
            remedy="Name an empty place, such as ?prefix=NAME; `lamina migrate` from there, or"
            " `lamina export`, brings what they hold",
        )
    where = base.settings().get(BOUND)
    # One that is away for now is met when it is back; at first it must be there.
    with suppress(*(() if is_new else (StoreUnavailableError,))):
        if where not in (None, hot.location) and not hot.is_taken():
            hot.close()
            raise InvalidInputError(
                f"the hot layers of this store are at {where}, and nothing is at {hot.location}",
                remedy="Name that one; or bring its data there first. `off` leaves it for good,"
                " with what it holds",
            )
        assert hot.identity == base.identity
        if where != hot.location:
            base.configure(BOUND, hot.location)
    return CombinedStore(base, hot)


def _in_force(base: Store) -> Mapping[str, str]:
    """The settings by which hot records are written, as long as they are this base's."""
    settings = base.settings()
    check_here(settings)
    if BOUND not in settings:
        raise StoreReadOnlyError(
            "this store has let go of its hot layers since it was opened here",
            remedy="Open it again, without `hot` or with another one",
        )
    return settings


def _is_decided(base: Store, tx: RecordId) -> bool | None:
    """Whether the base has carried out its part; `None` where it is not the base's to say."""
    if base.transaction(tx):
        return True
    settings = base.settings()
    return False if BOUND in settings and MOVED_TO not in settings else None
