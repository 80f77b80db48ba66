"""The keys of a store: records of the layer `access`, which only its owner sees.

So a key has a history, stands in the log, is announced to every process and comes back with a
backup, like all that a store keeps. What is kept of its text is a digest.
"""

from __future__ import annotations

import hmac
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.clock import stopwatch
from lamina.core.draft import expiry
from lamina.core.layers import LAYERS, slot
from lamina.core.names import check_name
from lamina.core.principal import Principal, Role, check_role
from lamina.core.record import Record, State
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import (
    ForbiddenError,
    InvalidInputError,
    LaminaError,
    NotFoundError,
    UnauthenticatedError,
)
from lamina.layers.face import every
from lamina.timing import StoreClock
from lamina.tokens import forms

if TYPE_CHECKING:
    from lamina.memory import Memory

LIFETIME: Final = timedelta(minutes=15)
"""How long a token lasts."""
_LAYER: Final = LAYERS["access"]
_KIND: Final = "key"
_FRESH_SECONDS: Final = 1.0
"""How long `still` takes it that a key has not been revoked elsewhere."""
_REMEMBERED: Final = 10_000
_NO_DIGEST: Final = "-" * 64


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key; what it reads like is known to its holder alone."""

    id: str
    principal: Principal
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with its text, which is shown this once."""

    key: Key
    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """What a key was exchanged for."""

    text: str
    expires_at: datetime
    lasts: timedelta
    """From the moment it was made, for those whose clock is another."""
    principal: Principal


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody turned out to be, and by which key."""

    principal: Principal
    key: str
    """The id of the key."""
    until: datetime | None = None
    """When what they have shown runs out, if ever."""


class Keys:
    """The keys of one store, as its owner manages them. Safe to share between threads."""

    def __init__(self, whole: Memory) -> None:
        """Take the handle of somebody who has the whole store.

        Raises:
            ForbiddenError: The handle is confined to a part of it, or another role's.
        """
        who = whole.principal
        if not who.is_owner:
            raise ForbiddenError(
                f"{who.role.value} `{who.name}` may not see or make keys",
                remedy="Only the owner of the whole store does: an admin without a project",
            )
        self._whole = whole
        self._clock = StoreClock(whole.store)
        self._lock = threading.Lock()
        self._standing: dict[str, tuple[float, bool]] = {}
        """For each key asked about: when it was looked up, and whether it stood."""
        self._known: dict[str, tuple[int, Identity]] = {}
        """By digest of what was shown: who that was, and as of which pulse of the store."""

    def create(
        self,
        name: str,
        role: str = "agent",
        *,
        project: str | None = None,
        label: str = "",
        expires: str | datetime | timedelta | None = None,
    ) -> NewKey:
        """Make a key for somebody.

        `expires` is a span such as `30d` or an instant; without it the key stands until revoked.
        An agent without a project has a root of its own.
        """
        principal = _principal(name, role, project)
        now = self._clock.now()
        ends = expiry(expires, now)
        if ends is not None and ends <= now:
            raise InvalidInputError("`expires` lies in the past", remedy="Write it like 30d")
        made, text = forms.key_text(os.urandom(forms.ID_BYTES), os.urandom(forms.SECRET_BYTES))
        receipt = self._whole.remember(
            label, layer=_LAYER.name, kind=_KIND, key=made, scope=GLOBAL.path, expires=ends,
            data={**_principal_out(principal), "digest": forms.digest(text)},
        )  # fmt: skip
        return NewKey(_key(self._whole.get(receipt.id), principal), text)

    def all(self) -> list[Key]:
        """Every key, the oldest first: also those that have run out or were revoked."""
        states = {"$in": [State.CURRENT.value, State.FORGOTTEN.value]}
        where = {"layer": _LAYER.name, "kind": _KIND, "scope": GLOBAL.path, "state": states}
        found = ((one, _principal_in(one.data)) for one in every(self._whole, where))
        return [_key(record, who) for record, who in found if who is not None]

    def revoke(self, key_id: str) -> Key:
        """End a key, and with it all tokens it was exchanged for; again does nothing more.

        Raises:
            NotFoundError: There is no such key.
        """
        found = next((key for key in self.all() if key.id == key_id), None)
        if found is None:
            raise NotFoundError(f"there is no key {key_id!r:.40}", remedy="See `lamina token list`")
        if found.revoked_at is not None:
            return found
        record = self._find(key_id)
        if record is not None:
            self._whole.forget(record.id)
        with self._lock:
            self._standing.pop(key_id, None)
        return next(key for key in self.all() if key.id == key_id)

    def exchange(self, shown: str | None) -> Token:
        """A token for a key: it opens the same doors for a quarter of an hour.

        Raises:
            UnauthenticatedError: Nothing valid was shown.
            ForbiddenError: A token was shown, which would let it renew itself for ever.
        """
        return self.token_of(self.holder(shown))

    def holder(self, shown: str | None) -> Identity:
        """Who shows this key; a token is not enough, which would let it renew itself for ever.

        Raises:
            UnauthenticatedError: Nothing valid was shown.
            ForbiddenError: A token was shown.
        """
        identity = self.identify(shown)
        if isinstance(forms.read(shown), forms.ShownToken):
            raise ForbiddenError("a token is not exchanged for another", remedy="Show the key")
        return identity

    def token_of(self, identity: Identity) -> Token:
        """A token for somebody whose key was seen.

        Raises:
            UnauthenticatedError: The key does not stand any more.
        """
        if self._has_run_out(identity) or self._find(identity.key) is None:
            raise _unknown()
        now = self._clock.now()
        ends = now + LIFETIME
        if identity.until is not None:
            ends = min(ends, identity.until)
        last = int(ends.timestamp())
        text = forms.token_text(identity.key, last, self._signature(identity.key, last))
        until = datetime.fromtimestamp(last, UTC)
        return Token(text, until, max(until - now, timedelta()), identity.principal)

    def standing(self, key_id: str) -> Identity:
        """Who a key is for that was seen before, without its being shown again.

        Raises:
            UnauthenticatedError: The key does not stand any more.
        """
        record = self._find(key_id)
        principal = None if record is None else _principal_in(record.data)
        if record is None or principal is None:
            raise _unknown()
        return Identity(principal, key_id, record.expires_at)

    def identify(self, shown: str | None) -> Identity:
        """Who shows this key or token.

        Raises:
            UnauthenticatedError: Nothing valid was shown; in which way is not told.
        """
        read = forms.read(shown)
        if shown is None or read is None:
            raise _unknown()
        # Asked for first: what changes from here on makes it worthless.
        pulse = self._whole.store.pulse()
        record = self._find(read.id)
        data = {} if record is None else record.data
        known = str(data.get("digest", _NO_DIGEST)).encode("utf-8", "replace")
        principal = _principal_in(data)
        if isinstance(read, forms.ShownKey):
            holds, until = hmac.compare_digest(read.digest.encode(), known), None
        else:
            holds, until = self._holds(read), datetime.fromtimestamp(read.expiry, UTC)
        if record is None or principal is None or not holds:
            raise _unknown()
        ends = [one for one in (until, record.expires_at) if one is not None]
        identity = Identity(principal, read.id, min(ends, default=None))
        if self._has_run_out(identity):
            raise _unknown()
        with self._lock:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[forms.digest(shown)] = (pulse, identity)
        return identity

    def known(self, shown: str | None) -> Identity | None:
        """Who shows this, where that was found out and nothing at all has changed since.

        It asks nothing that could take a while, so an event loop may ask it.
        """
        if shown is None:
            return None
        with self._lock:
            pulse, identity = self._known.get(forms.digest(shown), (None, None))
        if identity is None or pulse != self._whole.store.pulse() or self._has_run_out(identity):
            return None
        return identity

    def last_known(self, shown: str | None) -> Identity | None:
        """Who showed this when it was last looked up: for what a process says without its store."""
        if shown is None:
            return None
        with self._lock:
            _, identity = self._known.get(forms.digest(shown), (None, None))
        if identity is None or (identity.until is not None and identity.until <= clock.now()):
            return None
        return identity

    def met(self, shown: str | None) -> bool:
        """Whether this let somebody in before, be it that it does no more."""
        with self._lock:
            return shown is not None and forms.digest(shown) in self._known

    def still(self, identity: Identity) -> bool:
        """Whether somebody who was let in may stay; cheap enough to ask every second.

        It is false at once when the key was revoked here, and within a second when elsewhere. Who
        cannot be vouched for, because the store cannot be asked, has to come in again.
        """
        try:
            return not self._has_run_out(identity) and self._stands(identity.key)
        except LaminaError:
            return False

    def _stands(self, key_id: str) -> bool:
        now = stopwatch()
        with self._lock:
            looked_at, stood = self._standing.get(key_id, (None, False))
            if looked_at is not None and now - looked_at < _FRESH_SECONDS:
                return stood
        stands = self._find(key_id) is not None
        with self._lock:
            if len(self._standing) >= _REMEMBERED:
                self._standing.clear()
            self._standing[key_id] = (now, stands)
        return stands

    def _has_run_out(self, identity: Identity) -> bool:
        return identity.until is not None and identity.until <= self._clock.now()

    def _holds(self, token: forms.ShownToken) -> bool:
        """Whether we signed it, and not with a clock that was ahead of time."""
        ours = forms.spelled_signature(self._signature(token.id, token.expiry))
        latest = (self._clock.now() + LIFETIME).timestamp()
        return hmac.compare_digest(ours, token.signature) and token.expiry <= latest

    def _signature(self, key_id: str, last: int) -> bytes:
        return signature(self._whole, forms.signed_part(self._whole.store.identity, key_id, last))

    def _find(self, key_id: str) -> Record | None:
        """The record of a key that was not revoked."""
        place = slot(_LAYER, GLOBAL.path, _KIND, key_id)
        found = self._whole.store.find(self._whole.reach, place)
        return found if found is not None and found.kind == _KIND else None


def signature(whole: Memory, said: bytes) -> bytes:
    """What nobody can write who does not have the key of the store."""
    return whole.path_for(whole.principal.surface).sign(said)


def _principal(name: str, role: str, project: str | None) -> Principal:
    chosen = check_role(role)
    check_name(name, "name")
    if project is not None:
        return Principal(name, chosen, Scope.of(f"project/{check_name(project, 'project')}"))
    return Principal(name, chosen, Scope.of(f"agent/{name}") if chosen is Role.AGENT else None)


def _principal_out(principal: Principal) -> dict[str, Any]:
    root = None if principal.root is None else principal.root.path
    return {"name": principal.name, "role": principal.role.value, "root": root}


def _principal_in(data: dict[str, Any]) -> Principal | None:
    """Who a key is for; nobody where that is not said in full."""
    try:
        name, role, root = data["name"], data["role"], data["root"]
        return Principal(name, check_role(role), None if root is None else Scope.of(root))
    except (KeyError, InvalidInputError):
        return None


def _key(record: Record, principal: Principal) -> Key:
    revoked = None if record.state is State.CURRENT else record.updated_at
    return Key(
        str(record.key), principal, record.text, record.created_at, record.expires_at, revoked
    )


def _unknown() -> UnauthenticatedError:
    return UnauthenticatedError(
        "no valid key or token was shown",
        remedy="Send `Authorization: Bearer KEY`; `lamina token create NAME` makes a key",
    )
