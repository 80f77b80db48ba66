"""Namespaces and keys of LangGraph as keys of records, without loss.

A label may hold any character but a full stop, a key of LangGraph any at all; a key of ours is
visible, composed and short. So what does not fit is written as in an address, `%0A` for a new line:
the item `profile` in `("users", "alice")` has the key `users/alice//profile`. The two slashes end
the namespace: an item is told from a namespace, and all that is below one begins alike.
"""

import hashlib
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote

from lamina.core.names import MAX_KEY, check_key
from lamina.errors import InvalidInputError

_END: Final = "//"
_CUT: Final = "%~"
"""Stands between the beginning of a key that is too long and its digest; no quoting writes it."""
_BEGINNING: Final = MAX_KEY - 64 - len(_CUT)


def key_of(namespace: Sequence[str], item: str) -> str:
    """The key of the record that holds an item."""
    text = f"{'/'.join(map(quote, namespace))}{_END}{quote(item)}"
    return text if len(text) <= MAX_KEY else _digested(text, _BEGINNING)


def below(namespace: Sequence[str]) -> str:
    """How the keys of all items in a namespace, and in those below it, begin."""
    return _path(namespace)[:_BEGINNING]


def is_whole(namespace: Sequence[str]) -> bool:
    """Whether `below` tells this namespace from every other."""
    return len(_path(namespace)) <= _BEGINNING


def _path(namespace: Sequence[str]) -> str:
    return "".join(f"{quote(label)}/" for label in namespace)


def is_cut(key: str) -> bool:
    """Whether a key was too long, so that it tells only how namespace and item begin."""
    return _CUT in key


def read(key: str) -> tuple[tuple[str, ...], str]:
    """The namespace and the item that a key stands for, unless it was cut."""
    labels, _, item = key.partition(_END)
    namespace = tuple(map(_unquote, labels.split("/"))) if labels else ()
    return namespace, _unquote(item)


def part(text: str, limit: int) -> str:
    """A text as one part of a key, of at most so many characters."""
    quoted = quote(text)
    return quoted if len(quoted) <= limit else _digested(quoted, limit - 64 - len(_CUT))


def quote(text: str) -> str:
    """A text as a key can hold it: `unquote` gives back the same."""
    mild = "".join(character if _is_plain(character) else _percent(character) for character in text)
    mild = _ends_quoted(mild)
    return mild if _is_kept(mild) else _each(text, str.isascii)


def _is_plain(character: str) -> bool:
    return character == " " or (
        character not in "%/" and unicodedata.category(character)[0] in "LNPS"
    )


def _ends_quoted(text: str) -> str:
    inner = text.strip(" ")
    if not inner:
        return "%20" * len(text)
    before, _, after = text.partition(inner)
    return "%20" * len(before) + inner + "%20" * len(after)


def _is_kept(text: str) -> bool:
    """Whether a key is kept as it stands; letters that show as nothing are refused, for one."""
    try:
        return all(check_key(text[at : at + MAX_KEY].strip() or "-") for at in _pieces(text)) and (
            unicodedata.normalize("NFC", text) == text
        )
    except InvalidInputError:
        return False


def _pieces(text: str) -> range:
    return range(0, len(text), MAX_KEY)


def _each(text: str, fits: Callable[[str], bool]) -> str:
    plain = (
        character if fits(character) and _is_plain(character) else _percent(character)
        for character in text
    )
    return _ends_quoted("".join(plain))


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _unquote(text: str) -> str:
    return unquote(text, errors="surrogatepass")


def _digested(text: str, keep: int) -> str:
    return f"{text[:keep]}{_CUT}{hashlib.sha256(text.encode()).hexdigest()}"
