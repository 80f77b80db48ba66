"""A plugin for pytest: Anthropic's tests of its memory tool on files, run against ours on records.

The tests look at files beside the tool's back: they take a snapshot of a folder, and write and read
bytes below `memory_root`. Here both go to the memory behind the tool, through its own files.
"""

import os
from pathlib import Path, PurePosixPath
from typing import Any

import anthropic.lib.tools._beta_builtin_memory_tool as builtin
import pytest

import lamina
from lamina.adapters.claude_memory import AsyncLaminaMemoryTool, LaminaMemoryTool
from lamina.adapters.virtual_files import ROOT, Files
from lamina.memory import Memory

_FILES: dict[str, Files] = {}
"""The files of each tool, by the folder that its test made for it."""


class VirtualPath:
    """A path below `memory_root`: what it reads and writes is a record."""

    def __init__(self, base: str, place: PurePosixPath) -> None:
        self._files = _FILES[base]
        self._base = base
        self._place = place

    def __truediv__(self, name: str) -> "VirtualPath":
        return VirtualPath(self._base, self._place / name)

    def __str__(self) -> str:
        return f"{self._base}{self._place}"

    def write_bytes(self, content: bytes) -> int:
        self._files.create(str(self._place), content.decode())
        return len(content)

    def read_bytes(self) -> bytes:
        file = self._files.read(str(self._place))
        if file is None:
            raise FileNotFoundError(str(self))
        return file.text.encode()

    def mkdir(self, **how: Any) -> None:
        """Directories are there as soon as something is in them."""

    def is_dir(self) -> bool:
        return self._files.is_folder(str(self._place))


class AsyncVirtualPath(VirtualPath):
    """The same, as the asynchronous tests ask it."""

    async def is_dir(self) -> bool:  # type: ignore[override]
        return super().is_dir()


def _memory(base_path: str) -> Memory:
    opened = lamina.open(os.path.join(base_path, "store"))
    opened.configure("recall.embedder", "off")
    return opened.agent("claude", project="suite")


class Tool(LaminaMemoryTool):
    """Our tool, made as theirs is."""

    def __init__(self, base_path: str) -> None:
        super().__init__(_memory(base_path))
        self.base_path = base_path
        _FILES[base_path] = self.files
        self.memory_root = VirtualPath(base_path, PurePosixPath(ROOT))


class AsyncTool(AsyncLaminaMemoryTool):
    """Our asynchronous tool, made as theirs is."""

    def __init__(self, base_path: str) -> None:
        super().__init__(_memory(base_path))
        self.base_path = base_path
        _FILES[base_path] = self.files
        self.memory_root = AsyncVirtualPath(base_path, PurePosixPath(ROOT))


def _path(told: str) -> object:
    """A path as the tests make one from a text: ours below a root of ours."""
    base, root, rest = told.partition(ROOT)
    return VirtualPath(base, PurePosixPath(root + rest)) if base in _FILES else Path(told)


def _snapshot(base_path: str) -> dict[str, str]:
    files = _FILES[base_path]
    found = {path: files.read(path) for path in files.sizes()}
    return {path.removeprefix("/"): file.text for path, file in found.items() if file}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests look at memory where they would look at a folder."""
    for item in items:
        module: Any = getattr(item, "module", None)
        module.get_directory_snapshot = _snapshot
        if "umask" not in item.name:
            module.Path = _path


builtin.BetaLocalFilesystemMemoryTool = Tool  # type: ignore[assignment,misc]
builtin.BetaAsyncLocalFilesystemMemoryTool = AsyncTool  # type: ignore[assignment,misc]
