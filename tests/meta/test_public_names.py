"""What users see is short, sorted and documented.

Ruff's D102 is off because it cannot know that a method promised by a protocol is documented on the
protocol and nowhere else; the last test here takes its place.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from tests.meta.tree import SOURCE, Function, python_files, relative, syntax

AT_MOST = 25
FILES = python_files(SOURCE)
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


def _public_classes(path: Path) -> Iterator[ast.ClassDef]:
    for node in syntax(path).body:
        if isinstance(node, ast.ClassDef) and _is_public(node.name):
            yield node


def _public_methods(owner: ast.ClassDef) -> Iterator[Function]:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            yield node


def _is_protocol(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    return bool(bases & {"ABC", "Protocol"})


PROMISED = {
    method.name
    for path in FILES
    for owner in _public_classes(path)
    if _is_protocol(owner)
    for method in _public_methods(owner)
    if ast.get_docstring(method)
}


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    tree = syntax(path)
    assert not tree.body or ast.get_docstring(tree), f"{relative(path)} has no docstring"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_public_classes_and_functions_are_documented(path: Path) -> None:
    silent = [
        node.name
        for node in syntax(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and _is_public(node.name)
        and not ast.get_docstring(node)
        and not (not isinstance(node, ast.ClassDef) and _decorators(node) & UNDOCUMENTED_BY_NATURE)
    ]
    assert silent == []


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_public_methods_are_documented_here_or_on_their_protocol(path: Path) -> None:
    silent = [
        f"{owner.name}.{method.name}"
        for owner in _public_classes(path)
        for method in _public_methods(owner)
        if not ast.get_docstring(method)
        and not method.name.startswith("test_")
        and not _decorators(method) & UNDOCUMENTED_BY_NATURE
        and (method.name not in PROMISED or _is_protocol(owner))
    ]
    assert silent == []


@pytest.mark.parametrize("name", sorted(lamina._MODULES))
def test_a_module_is_reached_by_its_name(name: str) -> None:
    assert getattr(lamina, name).__name__ == f"lamina.{name}"
