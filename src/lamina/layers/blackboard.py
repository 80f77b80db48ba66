"""The blackboard: signals by key, which every agent within reach can read and wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import check, dumps
from lamina.core.record import State
from lamina.errors import InvalidInputError, NotFoundError
from lamina.layers.face import Face
from lamina.layers.schemas import SCHEMA, Schema, drift

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, timedelta

    from lamina.core.changes import Changed, Receipt
    from lamina.core.record import Record

SIGNAL: Final = "signal"
_WHOLE: Final = "value"


@dataclass(frozen=True, slots=True)
class Signal:
    """What stands on the board under a key."""

    key: str
    value: Any
    publisher: str
    published_at: datetime
    rev: int
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """That a signal stands on the board, and what is odd about its key or value."""

    receipt: Receipt
    drift: tuple[str, ...] = ()
    """Where it departs from what its namespace declares."""


@dataclass(frozen=True, slots=True)
class News:
    """A change of the board; its signal is gone when `signal` is nothing."""

    key: str
    signal: Signal | None
    cursor: str
    """Where to go on from after this one."""


class Blackboard(Face):
    """The board of one project, or of everybody."""

    layer = "blackboard"

    def publish(
        self,
        key: str,
        value: Any,
        *,
        ttl: str | timedelta | None = None,
        expect: int | None = None,
        strict: bool = False,
    ) -> Published:
        """Put a value on the board, in place of what stood there.

        `ttl` takes it off again after a while, as `30s`; `expect` is the revision that must stand
        there, 0 for none. A key or value that departs from the schema of its namespace is
        published with a warning, or with `strict` not at all.
        """
        odd = tuple(drift(self.schemas(), key, value))
        if odd and strict:
            raise InvalidInputError(odd[0], remedy="Follow the schema, or publish without `strict`")
        text = value if isinstance(value, str) else dumps(check(value, "value"))
        receipt = self._put(
            {"kind": SIGNAL, "key": key, "text": text, "data": {_WHOLE: value}, "expires": ttl,
             "expect": expect}
        )  # fmt: skip
        return Published(receipt, odd)

    def read(self, key: str) -> Signal | None:
        """What stands under a key now."""
        found = self._holder(key, kind=SIGNAL)
        return None if found is None else _signal(found)

    def list(self, prefix: str = "", *, limit: int = 1_000) -> dict[str, Signal]:
        """What stands under the keys that begin so, by key."""
        where = {"key": {"$prefix": prefix}} if prefix else {}
        found = (_signal(record) for record in self._find(limit, kind=SIGNAL, **where))
        return {signal.key: signal for signal in sorted(found, key=lambda one: one.key)}

    def clear(self, key: str) -> Receipt:
        """Take a signal off the board; its history stays."""
        found = self._holder(key, kind=SIGNAL)
        if found is None:
            raise NotFoundError(f"nothing stands on the board under {key!r:.80}")
        return self._door.forget(found.id)

    def subscribe(
        self, prefix: str = "", *, after: str | None = None, timeout: float | None = None
    ) -> Iterator[News]:
        """Every change of keys that begin so, once and in order, by whatever process.

        It begins now, or behind the cursor of a `News` that was seen before; it waits for more,
        for ever or until nothing has happened for `timeout` seconds.
        """
        start = self._door.cursor() if after is None else after
        with self._door.changes(start, scope=self.scope, follow=True, timeout=timeout) as feed:
            for change in feed:
                news = self._news(change, feed.cursor)
                if news is not None and news.key.startswith(prefix):
                    yield news

    def wait_for(self, key: str, *, timeout: float | None = None) -> Signal | None:
        """What stands under a key, as soon as anything does; nothing when time runs out."""
        # The cursor is taken first, so that nothing comes in between.
        start = self._door.cursor()
        found = self.read(key)
        if found is not None:
            return found
        for news in self.subscribe(key, after=start, timeout=timeout):
            if news.key == key and news.signal is not None:
                return news.signal
        return None

    def declare(self, namespace: str, schema: Schema) -> Receipt:
        """Say which keys belong in a namespace and what they hold, so that drift is noticed."""
        return self._put(
            {"kind": SCHEMA, "key": f"{SCHEMA}:{namespace}", "text": f"keys of {namespace}",
             "data": {"namespace": namespace, **schema.to_data()}}
        )  # fmt: skip

    def schemas(self) -> dict[str, Schema]:
        """What was declared, by namespace."""
        found = self._find(1_000, kind=SCHEMA)
        return {str(one.data["namespace"]): Schema.of_data(one.data) for one in found}

    def _news(self, change: Changed, cursor: str) -> News | None:
        record = change.record
        if record is None or record.layer != self.layer or record.kind != SIGNAL or not record.key:
            return None
        if record.scope != self.scope:
            return None
        stands = record.state is State.CURRENT
        return News(record.key, _signal(record) if stands else None, cursor)


def _signal(record: Record) -> Signal:
    return Signal(
        str(record.key), record.data.get(_WHOLE, record.text), record.source, record.updated_at,
        record.rev, record.expires_at,
    )  # fmt: skip
