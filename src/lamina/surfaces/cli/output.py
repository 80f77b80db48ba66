"""Where everything the command line says goes out: one JSON document, plain lines, or a terminal.

Rich is imported only when a terminal is there to show what it can do.
"""

import json
import os
import sys
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TextIO

from lamina.surfaces.cli.marks import Grid, Line, one_line, safe_json, visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_WHOLE: Final = frozenset(("id", "when", "changed", "since", "sha256"))
"""Columns that are never wrapped: in two pieces they can be neither read nor copied."""


class Printer:
    """Shows what a command found, in the form that the reader asked for."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet

    @property
    def on_terminal(self) -> bool:
        """Whether a person watches standard output."""
        return not self.as_json and sys.stdout.isatty()

    @property
    def width(self) -> int | None:
        """How many columns the terminal has, if there is one."""
        return self._console.width if self.on_terminal else None

    @property
    def draws_blocks(self) -> bool:
        """Whether a person watches a terminal that has more than letters."""
        return self.on_terminal and _speaks_utf8(sys.stdout)

    def document(self, value: Any) -> None:
        """Print one JSON document."""
        self.raw(as_json(value, indent=2 if sys.stdout.isatty() else None))

    def json_line(self, value: Any) -> None:
        """Print one JSON document on one line, one of many."""
        self.raw(as_json(value))

    def show(self, *parts: Line | Grid) -> None:
        """Print lines and grids for a person."""
        for part in parts:
            if self.on_terminal:
                self._console.print(_rich_grid(part) if isinstance(part, Grid) else _rich(part))
            else:
                for text in _plain(part):
                    self.raw(text)

    def raw(self, text: str) -> None:
        """Print a text that is known to be harmless."""
        sys.stdout.write(text + "\n")

    def note(self, *texts: str) -> None:
        """Say something beside the result, on standard error; `--quiet` silences it."""
        if not self.quiet and not self.as_json:
            for text in texts:
                sys.stderr.write(one_line(text) + "\n")

    def complain(self, message: str, remedy: str) -> None:
        """Say what went wrong and what to do about it."""
        sys.stderr.write(f"Error: {one_line(message)}\n")
        if remedy:
            sys.stderr.write(f"Try: {one_line(remedy)}\n")

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON that no terminal takes for anything else."""
    unicode_out = _speaks_utf8(sys.stdout)
    return safe_json(json.dumps(value, ensure_ascii=not unicode_out, indent=indent))


def prepare_streams() -> None:
    """Neither a closed stream nor a character that it cannot write may end the command."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Point standard output nowhere, so that the interpreter's last flush says nothing either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _speaks_utf8(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") == "utf8"


def _plain(part: Line | Grid) -> Iterable[str]:
    if not isinstance(part, Grid):
        yield visible("".join(span.text for span in part))
        return
    if part.headed:
        yield "\t".join(part.headings)
    for row in part.rows:
        yield "\t".join(one_line("".join(span.text for span in cell)) for cell in row)


def _rich(part: Line) -> "Text":
    from rich.text import Text

    text = Text()
    for span in part:
        text.append(visible(span.text), style=span.style or None)
    return text


def _rich_grid(part: Grid) -> "RenderableType":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in part.headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in _WHOLE)
    for row in part.rows:
        table.add_row(*(_rich(cell) for cell in row))
    return table
