"""Python, cut by definition as its own parser sees it, decorators and methods included."""

import ast
import warnings
from collections.abc import Iterator, Sequence

from lamina.sources.chunks import MOST, Chunk, Page, Span, cut
from lamina.sources.code import by_definition, gathered, starts_above

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def by_syntax(page: Page) -> list[Chunk]:
    """Cut a Python module at its functions and classes, large classes at their methods."""
    try:
        with warnings.catch_warnings():
            # What the code does wrong is its author's business.
            warnings.simplefilter("ignore")
            body = ast.parse("\n".join(page.lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return by_definition(page, "python")
    return cut(page, gathered(page, _spans(page, Span(1, len(page)), body)))


def _spans(page: Page, span: Span, body: Sequence[ast.stmt]) -> Iterator[Span]:
    """The definitions of a body and, under the name of the whole, what stands between them."""
    at, behind = span.first, span.first - 1
    for node in body:
        end = node.end_lineno or node.lineno
        if isinstance(node, _Definition):
            first = min(one.lineno for one in (node, *node.decorator_list))
            # Two statements on one line cannot be told apart by lines.
            if first > behind:
                first = starts_above(page, first, behind)
                if first > at:
                    yield Span(at, first - 1, span.name)
                name = f"{span.name}.{node.name}" if span.name else node.name
                yield from _definition(page, node, Span(first, end, name))
                at = end + 1
        behind = end
    if at <= span.last:
        yield Span(at, span.last, span.name)


def _definition(page: Page, node: _Definition, span: Span) -> Iterator[Span]:
    if isinstance(node, ast.ClassDef) and page.size(span.first, span.last) > MOST:
        yield from _spans(page, span, node.body)
    else:
        yield span
