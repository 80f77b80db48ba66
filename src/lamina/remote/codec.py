"""Values as JSON and back, by their declared types alone; both ends of the wire use it.

A dataclass becomes an object of its fields, less those that say the default; one of several that a
type allows is named by its class. Reading refuses unknown fields and other types: what came over a
wire was written by nobody we know.
"""

from __future__ import annotations

import base64
import binascii
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

from lamina.core.access import Reach
from lamina.core.chain import Head
from lamina.core.changes import Changed
from lamina.core.ids import RecordId
from lamina.core.instants import check_instant, to_text
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.core.text import Term
from lamina.core.vectors import Sample, Vector
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from lamina.core.canonical import Json

_NAMES: Final[dict[str, Any]] = {
    "Changed": Changed, "Head": Head, "Mapping": Mapping, "Reach": Reach, "Record": Record,
    "RecordId": RecordId, "Sample": Sample, "Term": Term, "Vector": Vector, "datetime": datetime,
    "Callable": Callable,
}  # fmt: skip
"""What modules import for their annotations alone."""
_LISTS: Final = (list, tuple, frozenset, Sequence, Collection)
_PLAIN: Final = (str, int, float, bool, types.NoneType)


@dataclass(frozen=True, slots=True)
class Codec:
    """How values of one type are written and read."""

    write: Callable[[Any], Json]
    read: Callable[[Json, str], Any]
    """Takes what was sent and where it stood."""


@cache
def codec_of(kind: Any) -> Codec:
    """How values of a type travel."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(tuple(get_args(kind)))
    if origin in _LISTS:
        return _list_of(origin, get_args(kind))
    if origin in (dict, Mapping):
        return _object_of(*map(codec_of, get_args(kind)))
    if kind is Any:
        return Codec(_same, lambda value, _: value)
    if kind is RecordId:
        return codec_of(str)
    if kind in _PLAIN:
        return Codec(_same, partial(_plain, (kind,)))
    return _class(kind)


def _class(kind: type) -> Codec:
    if kind is datetime:
        return Codec(to_text, _instant)
    if kind is bytes:
        return Codec(lambda value: base64.b64encode(value).decode(), _bytes)
    if kind is Scope:
        return Codec(str, lambda value, at: Scope.of(value, at))
    if issubclass(kind, Enum):
        return Codec(lambda value: value.value, partial(_choice, kind))
    assert is_dataclass(kind), kind
    return _fields_of(kind)


def _fields_of(kind: type) -> Codec:
    hints = get_type_hints(kind, localns=_NAMES)
    known = {one.name: one for one in fields(kind)}
    defaults = {name: _default(one) for name, one in known.items()}
    codecs: dict[str, Codec] = {}

    def of(name: str) -> Codec:
        # Looked up late: types may hold one another.
        if name not in codecs:
            codecs[name] = codec_of(hints[name])
        return codecs[name]

    def write(value: Any) -> Json:
        said = ((name, getattr(value, name)) for name in known)
        return {name: of(name).write(one) for name, one in said if not _is(one, defaults[name])}

    def read(value: Json, at: str) -> Any:
        said = _object(value, at)
        if odd := said.keys() - known.keys():
            raise InvalidInputError(f"`{at}` has no field {min(odd)!r:.60}")
        missing = {name for name, one in defaults.items() if one is MISSING} - said.keys()
        if missing:
            raise InvalidInputError(f"`{at}` lacks the field `{min(missing)}`")
        return kind(**{name: of(name).read(one, f"{at}.{name}") for name, one in said.items()})

    return Codec(write, read)


def _default(one: Any) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return one.default


def _is(value: Any, default: Any) -> bool:
    # Python holds `True`, `1` and `1.0` to be equal; they are written differently.
    return type(value) is type(default) and bool(value == default)


def _one_of(kinds: tuple[Any, ...]) -> Codec:
    some = tuple(kind for kind in kinds if kind is not types.NoneType)
    if len(some) < len(kinds) and len(some) == 1:
        return _optional(codec_of(some[0]))
    if all(is_dataclass(kind) for kind in some):
        return _named(some)
    plain = tuple(kind for kind in kinds if kind in _PLAIN)
    lists = [kind for kind in some if get_origin(kind) is tuple]
    many = codec_of(lists[0]) if lists else None
    assert len(plain) + len(lists) == len(kinds), kinds

    def write(value: Any) -> Json:
        return many.write(value) if many and isinstance(value, tuple) else value

    def read(value: Json, at: str) -> Any:
        return (
            many.read(value, at) if many and isinstance(value, list) else _plain(plain, value, at)
        )

    return Codec(write, read)


def _optional(inner: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else inner.write(value),
        lambda value, at: None if value is None else inner.read(value, at),
    )


def _named(kinds: tuple[type, ...]) -> Codec:
    by_name = {kind.__name__.lower(): codec_of(kind) for kind in kinds}

    def write(value: Any) -> Json:
        name = type(value).__name__.lower()
        return {name: by_name[name].write(value)}

    def read(value: Json, at: str) -> Any:
        said = _object(value, at)
        if len(said) != 1 or not said.keys() <= by_name.keys():
            raise InvalidInputError(f"`{at}` is none of: {', '.join(by_name)}")
        [(name, one)] = said.items()
        return by_name[name].read(one, f"{at}.{name}")

    return Codec(write, read)


def _list_of(origin: Any, inner: tuple[Any, ...]) -> Codec:
    if origin is tuple and inner[-1] is not Ellipsis:
        return _row_of([codec_of(one) for one in inner])
    each = codec_of(inner[0])
    build = origin if origin in (list, frozenset) else tuple

    def write(value: Iterable[Any]) -> Json:
        said = [each.write(one) for one in value]
        return sorted(said) if build is frozenset else said

    def read(value: Json, at: str) -> Any:
        return build(each.read(one, f"{at}[{n}]") for n, one in enumerate(_list(value, at)))

    return Codec(write, read)


def _row_of(columns: Sequence[Codec]) -> Codec:
    def read(value: Json, at: str) -> Any:
        if len(_list(value, at)) != len(columns):
            raise InvalidInputError(f"`{at}` must have {len(columns)} entries")
        return tuple(one.read(part, at) for one, part in zip(columns, value, strict=True))

    return Codec(
        lambda value: [one.write(part) for one, part in zip(columns, value, strict=True)], read
    )


def _object_of(key: Codec, inner: Codec) -> Codec:
    return Codec(
        lambda value: {key.write(name): inner.write(one) for name, one in value.items()},
        lambda value, at: {
            key.read(name, at): inner.read(one, f"{at}.{name:.40}")
            for name, one in _object(value, at).items()
        },
    )


def _same(value: Any) -> Json:
    return value


def _plain(kinds: tuple[Any, ...], value: Json, at: str) -> Any:
    if type(value) in kinds:
        return value
    if float in kinds and type(value) is int:
        return float(value)
    named = " or ".join(kind.__name__ for kind in kinds)
    raise InvalidInputError(f"`{at}` must be {named}, not {type(value).__name__}")


def _object(value: Json, at: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise InvalidInputError(f"`{at}` must be an object, not {type(value).__name__}")
    return value


def _list(value: Json, at: str) -> list[Json]:
    if not isinstance(value, list):
        raise InvalidInputError(f"`{at}` must be a list, not {type(value).__name__}")
    return value


def _instant(value: Json, at: str) -> datetime:
    return check_instant(_plain((str,), value, at), at)


def _bytes(value: Json, at: str) -> bytes:
    try:
        return base64.b64decode(_plain((str,), value, at), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInputError(f"`{at}` is not base64") from None


def _choice(kind: type[Enum], value: Json, at: str) -> Any:
    try:
        return kind(_plain((str,), value, at))
    except ValueError as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"`{at}` is not known: {value!r:.40}") from None
