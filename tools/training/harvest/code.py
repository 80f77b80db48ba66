"""Python functions and their docstrings, and the documents that packages carry."""

from __future__ import annotations

import ast
import tarfile
import warnings
import zipfile
from typing import TYPE_CHECKING

from . import markup
from .items import Item, pair, texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def members(archive: Path, most_bytes: int = 400_000) -> Iterator[tuple[str, str]]:
    """The readable files of an sdist or wheel: path and text."""
    if archive.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                if _wanted(info.filename) and info.file_size < most_bytes:
                    yield info.filename, opened.read(info).decode("utf-8", "replace")
        return
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile() and _wanted(member.name) and member.size < most_bytes:
                content = opened.extractfile(member)
                if content:
                    yield member.name, content.read().decode("utf-8", "replace")


def _wanted(path: str) -> bool:
    return path.endswith((".py", ".md", ".rst", ".txt")) and not any(
        part in path
        for part in ("/_vendor/", "/vendor/", "/locale/", "requirements", "SOURCES.txt", "LICENSE")
    )


def functions(source: str) -> Iterator[Item]:
    """Each documented function: its docstring looks for its code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, _FUNCTIONS) or node.end_lineno is None:
            continue
        doc = ast.get_docstring(node)
        body = "\n".join(_without_docstring(node, lines))
        if not doc:
            if 120 < len(body) < 900 and not node.name.startswith("test"):
                yield from texts(body)
            continue
        summary = doc.split("\n\n")[0]
        if 15 < len(summary) < 400 and len(body) > 60:
            yield from pair("docstring", summary, body)
        yield from texts(*[part for part in doc.split("\n\n") if ">>>" not in part][:3])


def _without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> list[str]:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno)
    if not ast.get_docstring(node):
        return lines[first:last][:40]
    doc = node.body[0]
    kept = lines[first : doc.lineno - 1] + lines[doc.end_lineno or doc.lineno : last]
    return kept[:40]


def package(archive: Path, most: int = 6000) -> Iterator[Item]:
    """The functions and documents of one package, up to a limit so that none dominates."""
    count = 0
    for path, source in members(archive):
        if path.endswith(".py"):
            found = functions(source) if "/test" not in path else iter(())
        elif path.endswith(".md"):
            found = markup.harvest(markup.markdown(source))
        else:
            found = markup.harvest(markup.rst(source))
        for item in found:
            yield item
            count += 1
            if count >= most:
                return
