"""Files, functions and parameter lists stay small enough to read."""

import ast
import functools
from typing import NamedTuple

from tests.meta.tree import SOURCE, TESTS, Function, named_nodes, python_files, relative, syntax

FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 6


class Exemption(NamedTuple):
    """A size above the ceiling that we put up with; `at_most` may be lowered, never raised."""

    at_most: int
    reason: str


# Keys: "path" for a file, "path::dotted.name" for a function. These lists may only shrink.
LONG_FILES: dict[str, Exemption] = {}
LONG_FUNCTIONS: dict[str, Exemption] = {}
MANY_PARAMETERS: dict[str, Exemption] = {}


class Measures(NamedTuple):
    """How long a function is, and how many parameters it takes."""

    lines: int
    parameters: int


@functools.cache
def _functions() -> dict[str, Measures]:
    return {
        f"{relative(path)}::{name}": Measures(_length(node), _parameter_count(node))
        for path in python_files(SOURCE, TESTS)
        for name, node in named_nodes(syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _parameter_count(node: Function) -> int:
    given = node.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    if names and names[0] in {"self", "cls"}:
        names = names[1:]
    return len(names) + (given.vararg is not None) + (given.kwarg is not None)


def _check(sizes: dict[str, int], ceiling: int, exempt: dict[str, Exemption]) -> None:
    too_big = {
        name: size
        for name, size in sizes.items()
        if size > (exempt[name].at_most if name in exempt else ceiling)
    }
    assert not too_big, f"above {ceiling}: {too_big}"
    unneeded = [name for name in exempt if sizes.get(name, 0) <= ceiling]
    assert not unneeded, f"no longer above {ceiling}, take off the list: {unneeded}"
    loose = {
        name: sizes[name] for name, entry in exempt.items() if sizes[name] + 10 < entry.at_most
    }
    assert not loose, f"has shrunk, lower its limit: {loose}"
    assert all(entry.reason for entry in exempt.values())


def test_files_are_short() -> None:
    sizes = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files(SOURCE, TESTS)
    }
    assert sizes
    _check(sizes, FILE_LINES, LONG_FILES)


def test_functions_are_short() -> None:
    sizes = {name: found.lines for name, found in _functions().items()}
    assert sizes
    _check(sizes, FUNCTION_LINES, LONG_FUNCTIONS)


def test_parameter_lists_are_short() -> None:
    sizes = {name: found.parameters for name, found in _functions().items()}
    assert sizes
    _check(sizes, PARAMETERS, MANY_PARAMETERS)
