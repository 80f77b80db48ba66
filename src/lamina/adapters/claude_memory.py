"""The memory tool of Claude on a memory of ours: `/memories`, with history and undo.

    from anthropic import Anthropic
    from lamina.adapters.claude_memory import LaminaMemoryTool

    tool = LaminaMemoryTool(lamina.open().agent("claude", project="web"))
    Anthropic().beta.messages.run_tools(model=…, messages=[…], tools=[tool])

Needs the package `anthropic`: `pip install lamina[claude]`. Secrets that a model writes are sealed:
`view` shows the reference in their place, never the value.
"""

from __future__ import annotations

import unicodedata
from functools import partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise ImportError("Anthropic's SDK is not installed: pip install 'lamina[claude]'") from error

from lamina.adapters.virtual_files import LONGEST, ROOT, Files
from lamina.aio import in_thread
from lamina.core.canonical import check_text
from lamina.errors import ConflictError, InvalidInputError, LaminaError, NotFoundError
from lamina.sealing import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from lamina.adapters.virtual_files import File
    from lamina.core.changes import Receipt
    from lamina.memory import Memory

_MOST_LINES: Final = 999_999
_WIDTH: Final = len(str(_MOST_LINES))
_AROUND: Final = 2
"""How many lines before and after a change are shown."""
_DEEPEST: Final = 2
_UNITS: Final = "BKMG"


class LaminaMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool, kept in a memory: that of an agent, or of whoever the handle is for."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.files = Files(memory)
        """The files behind the tool, each a record with its history."""

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with its lines numbered, or what is in a directory."""
        path = _checked(command.path)
        file = self.files.read(path)
        if file is not None:
            return _numbered(command.path, file.text.split("\n"), command.view_range)
        if not self.files.is_folder(path):
            raise _absent(command.path)
        return _listed(command.path, path, self.files.sizes(path))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        path = _checked(command.path)
        try:
            _told(partial(self.files.create, path, _text(command.file_text, "file_text")))
        except ConflictError:
            raise ToolError(f"File {command.path} already exists") from None
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put one text in the place of another that stands there once."""
        old = _text(command.old_str, "old_str")
        new = _text(getattr(command, "new_str", None) or "", "new_str")
        changed: list[int] = []

        def replaced(text: str) -> str:
            _check_once(text, old, command.path)
            changed[:] = [text[: text.find(old)].count("\n")]
            return text.replace(old, new)

        lines = self._rewritten(command.path, replaced)
        first, last = max(0, changed[0] - _AROUND), changed[0] + _AROUND + 1
        snippet = "\n".join(_with_numbers(lines[first:last], first + 1))
        return (
            "The memory file has been edited. Here is the snippet showing the change"
            f" (with line numbers):\n{snippet}"
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put a line behind the one with a number."""
        place, line = command.insert_line, _text(command.insert_text, "insert_text")
        if not isinstance(place, int):
            raise ToolError("Invalid `insert_line` parameter: it should be a whole number.")

        def inserted(text: str) -> str:
            lines = text.removesuffix("\n").split("\n") if text else []
            if not 0 <= place <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {place}."
                    f" It should be within the range [0, {len(lines)}]."
                )
            whole = [*lines[:place], line.rstrip("\n"), *lines[place:]]
            return "\n".join(whole) + "\n"

        self._rewritten(command.path, inserted)
        return f"The file {command.path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Hide a file or a directory; `undo` brings it back."""
        path = _checked(command.path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        if self._removed(path) is None:
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a directory another path."""
        old, new = _checked(command.old_path), _checked(command.new_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot move {command.old_path} into itself")
        try:
            moved = _told(partial(self.files.move, old, new))
        except ConflictError:
            raise ToolError(f"The destination {command.new_path} already exists") from None
        if moved is None:
            raise ToolError(f"The path {command.old_path} does not exist")
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Hide every file, in one change."""
        self._removed(ROOT)
        return "All memory cleared"

    def _removed(self, path: str) -> Receipt | None:
        try:
            gone: Receipt | None = _told(partial(self.files.remove, path))
        except ConflictError as error:
            raise ToolError(error.message) from None
        return gone

    def _rewritten(self, told: str, change: Callable[[str], str]) -> list[str]:
        path = _checked(told)
        if self.files.read(path) is None:
            if self.files.is_folder(path):
                raise ToolError(f"The path {told} is not a file.")
            raise _absent(told)
        try:
            file: File = _told(partial(self.files.rewrite, path, change))
        except ConflictError as error:
            raise ToolError(error.message) from None
        return file.text.split("\n")


class AsyncLaminaMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same tool for an event loop: its commands run in worker threads."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = LaminaMemoryTool(memory)
        self.files = self._tool.files
        """The files behind the tool, each a record with its history."""

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with its lines numbered, or what is in a directory."""
        return await in_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await in_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put one text in the place of another that stands there once."""
        return await in_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put a line behind the one with a number."""
        return await in_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Hide a file or a directory; `undo` brings it back."""
        return await in_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a directory another path."""
        return await in_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Hide every file, in one change."""
        return await in_thread(self._tool.clear_all_memory)


def _checked(told: str) -> str:
    """A path as it is kept: no dots, no doubled or last slash, and nothing outside the root."""
    if not isinstance(told, str) or not (told == ROOT or told.startswith(f"{ROOT}/")):
        raise ToolError(f"Path must start with {ROOT}, got: {told}")
    # A key is kept composed, so that a name looked for is the one that was written.
    path = unicodedata.normalize("NFC", normpath(told))
    try:
        check_text(path, "path")
    except InvalidInputError as error:
        raise ToolError(error.message) from None
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {told} would escape {ROOT} directory")
    return path


def _text(value: object, name: str) -> str:
    """A text that was given; models now and then give something else."""
    try:
        return check_text(value, name, limit=LONGEST)
    except InvalidInputError as error:
        raise ToolError(error.message) from None


def _told(work: Callable[[], Any]) -> Any:
    """Do something; what goes wrong is told to the model, but for conflicts, which have a name."""
    try:
        return work()
    except ConflictError:
        raise
    except NotFoundError as error:
        raise ToolError(error.message) from None
    except LaminaError as error:
        raise ToolError(". ".join(filter(None, (error.message, error.remedy)))) from None


def _absent(path: str) -> ToolError:
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")


def _check_once(text: str, old: str, path: str) -> None:
    count = text.count(old) if old else 0
    # A file holds references, so that a secret is never found, nor to be repeated.
    shown = scrub(old)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{shown}` did not appear verbatim in {path}."
        )
    if count > 1:
        lines = ", ".join(str(text[:place].count("\n") + 1) for place in _places(text, old))
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{shown}` in lines:"
            f" {lines}. Please ensure it is unique"
        )


def _places(text: str, old: str) -> Iterator[int]:
    place = text.find(old)
    while place >= 0:
        yield place
        place = text.find(old, place + 1)


def _numbered(path: str, lines: list[str], wanted: Sequence[int] | None) -> str:
    if len(lines) > _MOST_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {_MOST_LINES:,} lines.")
    first, last = 0, len(lines)
    if isinstance(wanted, list) and [type(one) for one in wanted] == [int, int]:
        first = max(1, wanted[0]) - 1
        last = last if wanted[1] == -1 else wanted[1]
    shown = "\n".join(_with_numbers(lines[first:last], first + 1))
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _with_numbers(lines: Sequence[str], first: int) -> Iterator[str]:
    for number, line in enumerate(lines, start=first):
        yield f"{number:>{_WIDTH}}\t{line}"


def _listed(told: str, folder: str, sizes: dict[str, int]) -> str:
    """What a directory holds, two levels deep, without what is hidden."""
    found: dict[str, int] = {}
    for path, size in sizes.items():
        names = path.removeprefix(f"{folder}/").split("/")
        if any(name.startswith(".") for name in names[:_DEEPEST]):
            continue
        for depth in range(1, min(len(names), _DEEPEST) + 1):
            name = "/".join(names[:depth]) + ("/" if depth < len(names) else "")
            found[name] = found.get(name, 0) + size
    # In the order of a walk: what is in a directory comes right behind it.
    walk = sorted(found, key=lambda name: name.rstrip("/").split("/"))
    lines = [f"{_size(sum(sizes.values()))}\t{told}"]
    lines += [f"{_size(found[name])}\t{folder}/{name}" for name in walk]
    head = f"Here're the files and directories up to {_DEEPEST} levels deep in {told}"
    return f"{head}, excluding hidden items:\n" + "\n".join(lines)


def _size(size: int) -> str:
    unit = min(max(0, size.bit_length() - 1) // 10, len(_UNITS) - 1)
    count = size / 1024**unit
    return f"{count:.0f}{_UNITS[unit]}" if count == int(count) else f"{count:.1f}{_UNITS[unit]}"
