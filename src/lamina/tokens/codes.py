"""Codes by which a browser signs in: each opens once, so that no key ever stands in an address.

Who holds a key is given a code; the page trades it for a token and the next code, with which it
renews itself. All of that ends after half a day, or with the key. A code carries what there is to
know about it, signed by the store; the store keeps which ones were used. So it opens once whichever
server of the store is asked, and also after that server was started anew.
"""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from lamina.core.changes import Action
from lamina.core.layers import LAYERS
from lamina.core.record import State
from lamina.core.scope import GLOBAL
from lamina.errors import InvalidInputError, UnauthenticatedError
from lamina.timing import StoreClock
from lamina.tokens import forms
from lamina.tokens.keys import Keys, Token, signature

if TYPE_CHECKING:
    from lamina.memory import Memory

FIRST: Final = timedelta(minutes=2)
"""How long a browser may take to open a page."""
NEXT: Final = timedelta(hours=2)
"""Longer than a token lasts: a machine may sleep meanwhile."""
WHOLE: Final = timedelta(hours=12)
"""After how long somebody has to show the key again."""
_LAYER: Final = LAYERS["access"]
_KIND: Final = "code"
_ANY: Final = {"$in": [state.value for state in State]}


@dataclass(frozen=True, slots=True)
class Entered:
    """What a code was traded for."""

    token: Token
    code: str
    """For the next time."""


class Codes:
    """The codes of one store. Safe to share between threads."""

    def __init__(self, whole: Memory) -> None:
        self._whole = whole
        self._keys = Keys(whole)
        self._clock = StoreClock(whole.store)

    def issue(self, shown: str | None) -> str:
        """A code for who shows a key.

        Raises:
            UnauthenticatedError: Nothing valid was shown.
            ForbiddenError: A token was shown.
        """
        now = self._clock.now()
        return self._written(self._keys.holder(shown).key, now, now + FIRST)

    def trade(self, code: str) -> Entered:
        """A token for a code, and the code for the next time.

        Raises:
            UnauthenticatedError: We never gave it out, it was used, or it is too old.
        """
        read = self._read(code)
        identity = self._keys.standing(read.id)
        if not self._spend(read, f"{identity.principal.name} is signed in, in a browser"):
            raise _over()
        begun = datetime.fromtimestamp(read.begun, UTC)
        ends = min(self._clock.now() + NEXT, begun + WHOLE)
        return Entered(self._keys.token_of(identity), self._written(read.id, begun, ends))

    def end(self, code: str) -> None:
        """Give a code back: it opens nothing any more, as when it had been used."""
        self._spend(self._read(code), "signed out, in a browser")

    def _written(self, key_id: str, begun: datetime, ends: datetime) -> str:
        first, last = int(begun.timestamp()), int(ends.timestamp())
        nonce = forms.spelled_nonce(os.urandom(forms.NONCE_BYTES))
        return forms.code_text(key_id, first, last, nonce, self._signed(key_id, first, last, nonce))

    def _read(self, code: str) -> forms.ShownCode:
        read, now = forms.read_code(code), self._clock.now()
        if read is None:
            raise _over()
        ours = self._signed(read.id, read.begun, read.expiry, read.nonce)
        is_ours = hmac.compare_digest(forms.spelled_signature(ours), read.signature)
        # One that was signed while the clock was ahead is not believed for longer than any other.
        if not is_ours or not now.timestamp() < read.expiry <= (now + NEXT).timestamp():
            raise _over()
        return read

    def _signed(self, key_id: str, begun: int, expiry: int, nonce: str) -> bytes:
        store = self._whole.store.identity
        return signature(
            self._whole, forms.signed_code_part(store, key_id, begun, expiry, nonce)
        )  # fmt: skip

    def _spend(self, code: forms.ShownCode, said: str) -> bool:
        """Take note that a code was used; false when that was noted before.

        Nothing in this layer changes, so of two who try at the same moment the store lets one.
        Who undoes that somebody signed in has not given them the code back.
        """
        name = f"code-{code.nonce}"
        if self._whole.count({"layer": _LAYER.name, "key": name, "state": _ANY}):
            return False
        try:
            done = self._whole.remember(
                said, layer=_LAYER.name, kind=_KIND, key=name, scope=GLOBAL.path,
                expires=datetime.fromtimestamp(code.expiry, UTC), data={"of": code.id},
            )  # fmt: skip
        except InvalidInputError:
            return False
        return done.outcomes[0].action is Action.CREATED


def _over() -> UnauthenticatedError:
    return UnauthenticatedError(
        "this code was used already, or has run out",
        remedy="Run `lamina ui` again, or sign in with a key",
    )
