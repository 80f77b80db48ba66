"""What users see is short, sorted and documented.

Ruff's D102 is off because it cannot know that a method promised by a protocol is documented on the
protocol and nowhere else; the last test here takes its place.
"""

import ast
import functools
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import lamina
from tests.meta.tree import SOURCE, Function, python_files, relative, syntax

AT_MOST = 25
UNDOCUMENTED_BY_NATURE = {"overload", "override", "setter", "deleter"}


def test_the_root_offers_few_names_in_order() -> None:
    names = list(lamina.__all__)
    assert names == sorted(set(names))
    assert 0 < len(names) <= AT_MOST


@pytest.mark.parametrize("name", lamina.__all__)
def test_a_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(lamina, name)
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        own = (value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__) or ""
        # A dataclass without a docstring gets its signature for one.
        assert own.strip(), f"{name} has no docstring"
        assert not own.startswith(f"{name}("), f"{name} has no docstring"


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _decorators(node: Function) -> set[str]:
    """The last word of each decorator: `typing.overload` and `name.setter` count as such."""
    called = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return {ast.unparse(decorator).rpartition(".")[2] for decorator in called}


def _is_protocol(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    return bool(bases & {"ABC", "Protocol"})


class Method(NamedTuple):
    """A public method of a public class."""

    owner: str
    name: str
    of_protocol: bool
    documented: bool
    undocumented_by_nature: bool


class Module(NamedTuple):
    """What a file says about itself, and what it leaves out."""

    path: str
    silent: bool
    silent_names: list[str]
    methods: list[Method]


@functools.cache
def _modules() -> list[Module]:
    return [_module(path) for path in python_files(SOURCE)]


def _module(path: Path) -> Module:
    tree = syntax(path)
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and _is_public(node.name)
    ]
    silent = [
        node.name
        for node in public
        if not ast.get_docstring(node)
        and not (not isinstance(node, ast.ClassDef) and _decorators(node) & UNDOCUMENTED_BY_NATURE)
    ]
    classes = [node for node in public if isinstance(node, ast.ClassDef)]
    methods = [method for owner in classes for method in _public_methods(owner)]
    return Module(relative(path), bool(tree.body) and not ast.get_docstring(tree), silent, methods)


def _public_methods(owner: ast.ClassDef) -> Iterator[Method]:
    of_protocol = _is_protocol(owner)
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            documented = bool(ast.get_docstring(node))
            by_nature = bool(_decorators(node) & UNDOCUMENTED_BY_NATURE)
            yield Method(owner.name, node.name, of_protocol, documented, by_nature)


def test_a_module_says_what_it_is_for() -> None:
    assert _modules()
    assert [module.path for module in _modules() if module.silent] == []


def test_public_classes_and_functions_are_documented() -> None:
    assert {module.path: names for module in _modules() if (names := module.silent_names)} == {}


def test_public_methods_are_documented_here_or_on_their_protocol() -> None:
    methods = [(module.path, method) for module in _modules() for method in module.methods]
    promised = {one.name for _, one in methods if one.of_protocol and one.documented}
    assert promised
    silent = [
        f"{path}::{method.owner}.{method.name}"
        for path, method in methods
        if not method.documented
        and not method.name.startswith("test_")
        and not method.undocumented_by_nature
        and (method.name not in promised or method.of_protocol)
    ]
    assert silent == []


@pytest.mark.parametrize("name", sorted(lamina._MODULES))
def test_a_module_is_reached_by_its_name(name: str) -> None:
    assert getattr(lamina, name).__name__ == f"lamina.{name}"
