"""Every argument of every method, given what nobody should give: refused by name, or kept whole."""

import inspect
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import InvalidInputError, LaminaError, Memory
from lamina.stores.base import Severity
from tests.layers.calls import Arguments, call, calls, faces, filled, held
from tests.places import STORES, where


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(300):
        found = [found]
    return found


HOSTILE = {
    "not a number": math.nan, "endless": math.inf, "beyond 64 bits": 10**30, "negative": -1,
    "half a character": "\ud800", "NUL": "a\0b", "deep": deep(), "no JSON": object(),
    "bytes": b"x", "nothing": "", "outside": "../x", "set": {1}, "2 MB": "x" * 2_000_000,
    "object": {}, "filter": {"$ne": "x"}, "number in a list": [math.nan], "number as name": {1: 2},
    "true": True,
}  # fmt: skip


def variants(arguments: Arguments, signature: inspect.Signature) -> Iterator[tuple[str, str, Any]]:
    """Each argument in turn with each hostile value: its name, what was given, all arguments."""
    for name, right in arguments.items():
        taken = signature.parameters.get(name)
        for what, value in HOSTILE.items():
            if taken is not None and taken.kind is inspect.Parameter.VAR_KEYWORD:
                for one in right:
                    yield one, what, {**arguments, name: {**right, one: value}}
            elif taken is not None and taken.kind is inspect.Parameter.VAR_POSITIONAL:
                yield name, what, {**arguments, name: [value]}
            else:
                yield name, what, {**arguments, name: value}


def is_named(argument: str, error: InvalidInputError) -> bool:
    """Whether an error says which argument it is about; what goes into data is named there."""
    said = str(error)
    return any(
        f"`{name}" in said for name in (argument, f"data.{argument}", "data`", "text` is em")
    )


def heads(mem: Memory) -> dict[str, int]:
    """How far every stream has come."""
    return {name: head.seq for name, head in mem.store.position(None).items()}


def refusal(targets: dict[str, Any], method: str, given: Arguments) -> LaminaError | None:
    """Why a call was refused; any other error is a failure of its own."""
    try:
        call(targets, method, given)
    except LaminaError as error:
        return error
    return None


@pytest.mark.parametrize("place", STORES)
def test_what_cannot_be_is_refused_by_name_and_leaves_nothing(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    # Some paths lead out of where one is.
    monkeypatch.chdir(tmp_path / "here")
    with lamina.open(where(place, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        desk = filled(mem, "web", "word", tmp_path / "work")
        targets = faces(desk.agent) | held(desk)
        tried = 0
        for method, arguments in calls(desk).items():
            target, _, name = method.rpartition(".")
            signature = inspect.signature(getattr(targets[target], name))
            for argument, what, given in variants(arguments, signature):
                before = heads(mem)
                error = refusal(targets, method, given)
                assert error is None or heads(mem) == before, (method, argument, what)
                if isinstance(error, InvalidInputError):
                    assert is_named(argument, error), (method, argument, what, str(error))
                tried += 1
        assert tried > 2_000
        assert {one.severity for one in mem.verify()} == {Severity.OK}
