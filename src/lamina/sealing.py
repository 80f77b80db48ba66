"""Sealing what is about to be written: every secret leaves, a reference takes its place.

Runs before anything is stored, indexed, logged or projected, on every write path. Names (keys,
tags, sources) are shown everywhere and must stay what the caller typed, so a secret in one is
refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from lamina.core.canonical import Json
from lamina.core.record import Content
from lamina.core.sealed import REDACTED, REFERENCE, Sealed
from lamina.core.secrets import (
    find_called,
    find_secrets,
    is_placeholder,
    is_secret_member,
    named_values,
)
from lamina.core.secrets.words import VALUE_MEMBERS
from lamina.errors import InvalidInputError
from lamina.vault import Vault

_Open: TypeAlias = dict[str, Json] | list[Json]
_Task: TypeAlias = tuple[Json, _Open, str, bool]

_ROUNDS: Final = 8
"""Taking one secret out can uncover another; after a few rounds nothing new appears."""
_SHORTEST_COPY: Final = 6
_MOST_SECRETS: Final = 100


def seal_content(
    content: Content, vault: Vault, stream: str, *, key: str | None = None
) -> tuple[Content, tuple[Sealed, ...]]:
    """Replace every secret in `content` by its reference, and hand out the secrets sealed.

    The key counts as context: what stands under `db-password` is the password.

    Sealing what is already sealed changes nothing, and equal content gives equal references.

    Raises:
        InvalidInputError: A secret stands in the key, in a tag or in the source.
        SecretError: The vault's key cannot be used.
    """
    names = [
        ("key", key or ""),
        ("source", content.source),
        ("kind", content.kind),
        *(("tags", tag) for tag in content.tags),
    ]
    for argument, name in names:
        _refuse_secret(argument, name, ())
    sealer = _Sealer(vault, stream)
    text, data = sealer.text(content.text, key), sealer.data(_under(sealer, key, content.data))
    if not sealer.sealed:
        return content, ()
    # A value recognised in one place is taken out of the other, where nothing gave it away.
    text, data = sealer.text(text, key), sealer.data(data)
    for argument, name in names:
        _refuse_secret(argument, name, sealer.copied)
    return replace(content, text=text, data=data), tuple(sealer.sealed.values())


def scrub(text: str) -> str:
    """Make `text` fit for an error message or a log: secrets become `secret://redacted`."""
    for _ in range(_ROUNDS):
        found = find_secrets(text)
        if not found:
            break
        text = _replaced(text, [(each.start, each.end, REDACTED) for each in found])
    return text


def scrub_in(value: Json) -> Json:
    """The same of every text inside a value."""
    match value:
        case str():
            return scrub(value)
        case dict():
            return {scrub(name): scrub_in(one) for name, one in value.items()}
        case list():
            return [scrub_in(one) for one in value]
        case _:
            return value


def without_values(text: str, data: Mapping[str, Json]) -> str:
    """A text less what is secret in `data` by its name: whoever was given that may repeat it."""
    for value in sorted(_named(data), key=len, reverse=True):
        if len(value) >= _SHORTEST_COPY and not value.isalpha() and not is_placeholder(value):
            text = _replaced_outside_references(text, value, REDACTED)
    return text


def _named(data: Mapping[str, Json]) -> set[str]:
    """The texts inside `data` that stand under the name of a secret."""
    root: _Open = {}
    found: set[str] = set()
    tasks = _inside(data, root, False)
    while tasks:
        value, _, _, secret = tasks.pop()
        if _opened(value) is not None:
            tasks += _inside(value, root, secret)
        elif secret and isinstance(value, str) and not REFERENCE.search(value):
            found.add(value)
    return found


def _refuse_secret(argument: str, name: str, known: tuple[str, ...]) -> None:
    if any(value in name for value in known) or find_secrets(name):
        raise InvalidInputError(
            f"`{argument}` holds a secret",
            remedy="Names are shown everywhere and cannot be sealed; put it in `text` or `data`",
        )


def _replaced(text: str, changes: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, instead in changes:
        pieces += (text[at:start], instead)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _replaced_outside_references(text: str, value: str, ref: str) -> str:
    """Put `ref` for every `value`, but not for one that happens to stand in a reference."""
    pieces: list[str] = []
    at = 0
    for found in REFERENCE.finditer(text):
        pieces += (text[at : found.start()].replace(value, ref), found[0])
        at = found.end()
    pieces.append(text[at:].replace(value, ref))
    return "".join(pieces)


class _Sealer:
    """Collects what it seals, each value once."""

    def __init__(self, vault: Vault, stream: str) -> None:
        self._vault = vault
        self._stream = stream
        self._refs: dict[str, str] = {}
        self.sealed: dict[str, Sealed] = {}

    @property
    def copied(self) -> tuple[str, ...]:
        """Values distinctive enough to be taken out wherever they stand, longest first."""
        long = [value for value in self._refs if len(value) >= _SHORTEST_COPY]
        telling = [value for value in long if not value.isalpha() and not REFERENCE.search(value)]
        return tuple(sorted(telling, key=lambda value: (-len(value), value)))

    def text(self, text: str, name: str | None = None) -> str:
        for _ in range(_ROUNDS):
            found = find_called(text, name) if name else find_secrets(text)
            changes = [(s.start, s.end, self._ref(text[s.start : s.end], s.kind)) for s in found]
            text = _replaced(text, changes)
            copied = [value for value in self.copied if value in text]
            for value in copied:
                text = _replaced_outside_references(text, value, self._refs[value])
            if not changes and not copied:
                break
        return text

    def data(self, data: Mapping[str, Json]) -> dict[str, Json]:
        """Walk with a list of tasks instead of recursion, so that no depth exhausts the stack."""
        root: dict[str, Json] = {}
        tasks = _inside(data, root, False)
        while tasks:
            value, into, name, secret = tasks.pop()
            opened: _Open | None = _opened(value)
            if opened is not None:
                done: Json = opened
                tasks += _inside(value, opened, secret)
            elif isinstance(value, str):
                done = self._whole(value) if secret else self.text(value)
            else:
                done = value
            if isinstance(into, dict):
                into[self.text(name)] = done
            else:
                into.append(done)
        return root

    def _whole(self, value: str) -> str:
        if REFERENCE.search(value):
            return self.text(value)
        if not value.strip() or is_placeholder(value):
            return value
        return self._ref(value, "field")

    def _check_number(self) -> None:
        """Each secret is looked for everywhere else in the record, so their number is bounded."""
        if len(self._refs) >= _MOST_SECRETS:
            raise InvalidInputError(
                f"one memory holds more than {_MOST_SECRETS} secrets",
                remedy="Keep them in a password store, and remember where that is",
            )

    def _ref(self, value: str, kind: str) -> str:
        if value not in self._refs:
            self._check_number()
            sealed = self._vault.seal(value, self._stream, kind=kind)
            self._refs[value] = sealed.ref
            self.sealed[sealed.ref] = sealed
        return self._refs[value]


def _under(sealer: _Sealer, key: str | None, data: Mapping[str, Json]) -> Mapping[str, Json]:
    """The data of a record with what is the value of its key sealed."""
    values = {name: data[name] for name in VALUE_MEMBERS if isinstance(data.get(name), str)}
    if not key or not values:
        return data
    return {**data, **{name: sealer.text(value, key) for name, value in values.items()}}


def _opened(value: Json) -> _Open | None:
    if isinstance(value, Mapping):
        return {}
    return [] if isinstance(value, list | tuple) else None


def _inside(value: Json, into: _Open, secret: bool) -> list[_Task]:
    """What is left to do inside `value`, last first; a list under a secret name holds secrets."""
    if isinstance(value, Mapping):
        named = named_values(value)
        tasks = [
            (item, into, name, name in named or is_secret_member(name, item))
            for name, item in value.items()
        ]
    else:
        tasks = [(item, into, "", secret) for item in value]
    tasks.reverse()
    return tasks
