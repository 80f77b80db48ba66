"""A sealed secret and the reference that stands for it.

Text, data, indexes, logs and files only ever hold the reference. It is opaque: nothing about the
value can be learnt from it without the vault's key. Encrypting is the vault's business.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lamina.core.canonical import Json

SCHEME: Final = "secret://"
REDACTED: Final = "secret://redacted"
"""What error messages and logs show; unlike a reference it cannot be opened again."""

REFERENCE: Final = re.compile(r"secret://[a-z2-7]{26}")
"""A reference anywhere in a text. Fixed width, so two references side by side stay two."""
_SHOWN: Final = "[a sealed secret]"


@dataclass(frozen=True, slots=True)
class Sealed:
    """One encrypted value, named by its reference."""

    ref: str
    kind: str
    """What was recognised (`password`, `github_token`, ...); safe to show."""
    nonce: bytes
    box: bytes


def is_reference(text: str) -> bool:
    """Whether `text` is one reference and nothing else."""
    return REFERENCE.fullmatch(text) is not None


def hidden(text: str) -> str:
    """A text as models are shown it: with words in the place of each reference."""
    return REFERENCE.sub(_SHOWN, text).replace(REDACTED, _SHOWN) if SCHEME in text else text


def hidden_in(value: Json) -> Json:
    """The same of every text inside a value."""
    return in_texts(value, hidden)


def in_texts(value: Json, change: Callable[[str], str]) -> Json:
    """A value with every text inside it changed, names as well."""
    match value:
        case str():
            return change(value)
        case dict():
            return {change(name): in_texts(one, change) for name, one in value.items()}
        case list():
            return [in_texts(one, change) for one in value]
        case _:
            return value


def references(text: str) -> tuple[str, ...]:
    """The references in `text`, each once, in order of first appearance."""
    return tuple(dict.fromkeys(REFERENCE.findall(text)))
