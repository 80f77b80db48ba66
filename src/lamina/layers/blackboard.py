"""The blackboard: signals by key, which every agent within reach can read and wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import check, check_text, dumps
from lamina.core.draft import check_rev, expiry
from lamina.core.instants import check_span
from lamina.core.names import check_key
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers.face import Face
from lamina.layers.schemas import SCHEMA, Schema, check_namespace, check_schema, declared, drift
from lamina.layers.subscription import SIGNAL, WHOLE, Signal, Subscription, to_signal

if TYPE_CHECKING:
    from datetime import timedelta

    from lamina.core.changes import Receipt

_TRIES: Final = 20
"""How often others may declare something in between before a declaration gives up."""


@dataclass(frozen=True, slots=True)
class Published:
    """That a signal stands on the board, and what is odd about its key or value."""

    receipt: Receipt
    drift: tuple[str, ...] = ()
    """Where it departs from what its namespace declares."""


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
        if check_key(key) == SCHEMA:
            raise InvalidInputError(f"`key`: {SCHEMA!r} is where schemas are declared")
        if isinstance(ttl, str):
            check_span(ttl, "ttl")
        odd = tuple(drift(self.schemas(), key, value))
        if odd and strict:
            raise InvalidInputError(odd[0], remedy="Follow the schema, or publish without `strict`")
        whole = check(value, "value")
        text = whole if isinstance(whole, str) else dumps(whole)
        data = {WHOLE: whole, "publisher": self._door.principal.name}
        if check_rev(expect) is not None:
            # Whoever says what stands there already takes a turn too, which nobody else gets.
            data["turn"] = expect
        receipt = self._put(
            {"kind": SIGNAL, "key": key, "text": text, "data": data, "expect": expect,
             "expires": None if ttl is None else expiry(ttl, self._now(), "ttl")}
        )  # fmt: skip
        return Published(receipt, odd)

    def read(self, key: str) -> Signal | None:
        """What stands under a key now."""
        found = self._holder(key, kind=SIGNAL)
        return None if found is None else to_signal(found)

    def list(self, prefix: str = "", *, limit: int = 1_000) -> dict[str, Signal]:
        """What stands under the keys that begin so, by key."""
        where = {"key": {"$prefix": prefix}} if check_text(prefix, "prefix") else {}
        found = (to_signal(record) for record in self._find(limit, kind=SIGNAL, **where))
        return {signal.key: signal for signal in sorted(found, key=lambda one: one.key)}

    def clear(self, key: str) -> Receipt:
        """Take a signal off the board; its history stays."""
        return self._door.forget(self._required(key, kind=SIGNAL).id)

    def subscribe(
        self, prefix: str = "", *, after: str | None = None, timeout: float | None = None
    ) -> Subscription:
        """Every change of keys that begin so, once and in order, by whatever process.

        It begins now, or behind the cursor of a `News` that was seen before; it waits for more,
        for ever or until none has come for `timeout` seconds.
        """
        return Subscription(self._door, self.scope, prefix, after, timeout)

    def wait_for(self, key: str, *, timeout: float | None = None) -> Signal | None:
        """What stands under a key, as soon as anything does; nothing when time runs out."""
        # It begins first, so that nothing comes in between.
        with self.subscribe(check_key(key), timeout=timeout) as subscription:
            found = self.read(key)
            return found or subscription.next_of(key)

    def declare(self, namespace: str, schema: Schema) -> Receipt:
        """Say which keys belong in a namespace and what they hold, so that drift is noticed."""
        name = check_namespace(namespace)
        for _ in range(_TRIES):
            known = self._holder(SCHEMA)
            together = {**declared(known), name: check_schema(schema)}
            keys = {one: dict(said.keys) for one, said in together.items()}
            try:
                return self._put(
                    {"kind": SCHEMA, "key": SCHEMA, "text": f"declared: {', '.join(sorted(keys))}",
                     "data": {"namespaces": keys},
                     "expect": known.rev if known else 0}
                )  # fmt: skip
            except ConflictError:
                continue
        raise ConflictError("`schema` was declared by others all the time", remedy="Try again")

    def schemas(self) -> dict[str, Schema]:
        """What was declared, by namespace."""
        # All in one record: each signal is checked against it, however many there are.
        return declared(self._holder(SCHEMA))
