"""How keys and tokens read: their parts, and nothing of what they open.

A key is `lmk_ID_SECRET`, a token `lmt_ID_EXPIRY_SIGNATURE`, where ID is that of the key it was
exchanged for, and a code by which a browser signs in `lmc_ID_BEGUN_EXPIRY_NONCE_SIGNATURE`. There
is one way to sign and one spelling of each, so nothing in them can choose another.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Final

ID_BYTES: Final = 10
SECRET_BYTES: Final = 32
NONCE_BYTES: Final = 10
LONGEST: Final = 256
"""No key or token has more characters."""

_ID: Final = "[a-z2-7]{16}"
_LONG: Final = "[a-z2-7]{52}"
_KEY: Final = re.compile(f"lmk_({_ID})_{_LONG}")
_TOKEN: Final = re.compile(f"lmt_({_ID})_([0-9]{{10}})_({_LONG})")
_CODE: Final = re.compile(f"lmc_({_ID})_([0-9]{{10}})_([0-9]{{10}})_({_ID})_({_LONG})")
ANYWHERE: Final = re.compile(f"lm[kct]_{_ID}_")
"""How one begins, wherever it stands."""


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A text in the form of a key."""

    id: str
    digest: str
    """What a store keeps of it."""


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A text in the form of a token."""

    id: str
    expiry: int
    """In seconds since 1970."""
    signature: str


@dataclass(frozen=True, slots=True)
class ShownCode:
    """A text in the form of a code."""

    id: str
    begun: int
    """When somebody last showed the key itself, in seconds since 1970."""
    expiry: int
    nonce: str
    """What tells it from any other; a store remembers which ones were used."""
    signature: str


def read_code(shown: str) -> ShownCode | None:
    """The parts of a code; nothing where the text is none."""
    found = _CODE.fullmatch(shown) if len(shown) <= LONGEST else None
    if found is None:
        return None
    return ShownCode(found[1], int(found[2]), int(found[3]), found[4], found[5])


def read(shown: str | None) -> ShownKey | ShownToken | None:
    """The parts of a key or token; nothing where the text is neither."""
    if shown is None or len(shown) > LONGEST:
        return None
    if found := _KEY.fullmatch(shown):
        return ShownKey(found[1], digest(shown))
    if found := _TOKEN.fullmatch(shown):
        return ShownToken(found[1], int(found[2]), found[3])
    return None


def key_text(key_id: bytes, secret: bytes) -> tuple[str, str]:
    """The id of a key, and the key as its holder shows it."""
    name = _spelled(key_id)
    return name, f"lmk_{name}_{_spelled(secret)}"


def token_text(key_id: str, expiry: int, signature: bytes) -> str:
    """A token as its holder shows it."""
    return f"lmt_{key_id}_{expiry:010d}_{_spelled(signature)}"


def signed_part(store: str, key_id: str, expiry: int) -> bytes:
    """What the signature of a token vouches for: this key of this store, until then."""
    return f"lamina token v1\0{store}\0{key_id}\0{expiry}".encode()


def code_text(key_id: str, begun: int, expiry: int, nonce: str, signature: bytes) -> str:
    """A code as a browser shows it."""
    return f"lmc_{key_id}_{begun:010d}_{expiry:010d}_{nonce}_{_spelled(signature)}"


def signed_code_part(store: str, key_id: str, begun: int, expiry: int, nonce: str) -> bytes:
    """What the signature of a code vouches for; it can never be that of a token."""
    return f"lamina code v1\0{store}\0{key_id}\0{begun}\0{expiry}\0{nonce}".encode()


def spelled_nonce(nonce: bytes) -> str:
    """A nonce as it stands in a code."""
    return _spelled(nonce)


def spelled_signature(signature: bytes) -> str:
    """A signature as it stands in a token."""
    return _spelled(signature)


def digest(text: str) -> str:
    """What is kept of a key; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(text.encode()).hexdigest()


def _spelled(value: bytes) -> str:
    return base64.b32encode(value).decode("ascii").rstrip("=").lower()
